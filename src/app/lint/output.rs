//! The findings in the formats that were asked for, each where it was asked for.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;

use anstream::StripStream;
use anyhow::{Context, bail};

use super::seen::Names;
use crate::app::Io;
use crate::cli::{LintArgs, LintOutput, Target};
use crate::files;
use crate::manifest::Problem;
use crate::manifest::locate::Texts;
use crate::render;
use crate::render::audit::Audit;
use crate::report::v1;
use crate::words::list;

/// What is written, and where to.
pub(super) fn targets(args: &LintArgs) -> anyhow::Result<Vec<Target>> {
    let mut targets = args.output.clone();
    if let Some(file) = &args.output_file {
        let mut without = targets.iter_mut().filter(|target| target.file.is_none());
        match (without.next(), without.next()) {
            (Some(target), None) => target.file = Some(file.clone()),
            (None, _) => bail!(
                "--output-file {} is for a format without a file of its own, and every -o has one; leave it out",
                file.display()
            ),
            (Some(_), Some(_)) => bail!(
                "--output-file {} cannot hold several formats; write -o FORMAT=FILE for each",
                file.display()
            ),
        }
    }
    let printed: Vec<_> = targets
        .iter()
        .filter(|target| target.file.is_none())
        .collect();
    if printed.len() > 1 {
        bail!(
            "{} formats would be mixed on standard output; write all but one to files, as in -o sarif=results.sarif",
            printed.len()
        );
    }
    let mut files: Vec<&PathBuf> = targets
        .iter()
        .filter_map(|each| each.file.as_ref())
        .collect();
    files.sort_unstable();
    let twice = files.windows(2).filter(|pair| pair[0] == pair[1]);
    let twice: Vec<_> = twice.map(|pair| pair[0].display().to_string()).collect();
    if !twice.is_empty() {
        bail!(
            "{} is named for more than one format; give each a file of its own",
            list(twice)
        );
    }
    Ok(targets)
}

/// Everything that a format may need.
pub(super) struct Findings<'r> {
    pub(super) report: &'r v1::Report,
    pub(super) texts: &'r Texts,
    /// The files whose lines may be shown.
    pub(super) quotable: HashSet<&'r str>,
    /// Files that could not be opened.
    pub(super) unopened: &'r [Problem],
}

/// Writes every report. Standard output comes first, so that a file that cannot be written does not prevent it.
pub(super) fn write(
    findings: &Findings<'_>,
    targets: &[Target],
    args: &LintArgs,
    io: &mut Io<'_>,
) -> anyhow::Result<()> {
    // Where it is gone, files have the names that were given.
    let names = Names::new(std::env::current_dir().unwrap_or_default());
    // Most runs print the one format that does without it.
    let seen = LazyCell::new(|| {
        let report = names.report(findings.report);
        let unread = names.unread(findings.unopened);
        (report, names.files(findings.texts), unread)
    });
    let audit = || {
        let (report, files, unread) = &*seen;
        Audit {
            report,
            files,
            unread,
        }
    };
    let (width, ascii) = (io.width, args.ascii || io.ascii);
    let print = |format, out: &mut dyn Write| match format {
        LintOutput::Json => render::json::write(findings.report, out),
        LintOutput::Yaml => render::yaml::write(findings.report, out),
        LintOutput::Sarif => render::sarif::write(&audit(), out),
        LintOutput::Github => render::github::write(&audit(), out),
        LintOutput::Gitlab => render::gitlab::write(&audit(), out),
        LintOutput::Junit => render::junit::write(&audit(), out),
        LintOutput::Markdown => render::markdown::lint(&audit(), out),
        LintOutput::Table => {
            let source = |file: &str| {
                let text = findings.texts.get(file)?;
                findings.quotable.contains(file).then_some(text.as_str())
            };
            if args.show_suppressed {
                render::lint::suppressed(findings.report, width, out)?;
            }
            render::lint::write(findings.report, &source, width, ascii, out)
        }
    };
    for target in targets.iter().filter(|target| target.file.is_none()) {
        print(target.format, io.out)?;
    }
    for target in targets {
        if let Some(file) = &target.file {
            let mut bytes = StripStream::new(Vec::new());
            print(target.format, &mut bytes)?;
            files::put(file, &bytes.into_inner())
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    Ok(())
}
