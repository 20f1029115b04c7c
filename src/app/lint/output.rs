//! The findings in the formats that were asked for.

use std::io;

use crate::app::Io;
use crate::cli::{LintArgs, LintOutput};
use crate::input::manifest::locate::Texts;
use crate::render;
use crate::report::v1;

/// Writes the report.
pub(super) fn write(
    report: &v1::Report,
    texts: &Texts,
    args: &LintArgs,
    io: &mut Io<'_>,
) -> io::Result<()> {
    match args.output {
        LintOutput::Json => render::json::write(report, io.out),
        LintOutput::Yaml => render::yaml::write(report, io.out),
        LintOutput::Github => render::github::write(report, io.out),
        LintOutput::Table => {
            let source = |file: &str| texts.get(file).map(String::as_str);
            render::lint::write(report, &source, io.width, args.ascii || io.ascii, io.out)
        }
    }
}
