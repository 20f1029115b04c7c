//! Findings as GitHub's workflow commands, which a run shows beside the lines of a pull request.

use std::io::{self, Write};

use super::audit::Audit;
use super::text::safe;
use crate::report::v1::{Finding, Severity};

/// What a command's message may hold (actions/toolkit, `packages/core/src/command.ts`, `escapeData`).
fn message(text: &str) -> String {
    safe(text).replace('%', "%25")
}

/// What a command's property may hold (`escapeProperty` of the same file).
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

fn command(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    }
}

/// Writes one command for each finding, and for each file that was not read.
pub fn write(audit: &Audit<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in &audit.report.findings {
        write!(out, "::{} ", command(finding))?;
        if let Some(place) = &finding.location {
            write!(
                out,
                "file={},line={},endLine={},",
                property(&place.file),
                place.line,
                place.end_line
            )?;
            // Columns are only taken within one line.
            if place.line == place.end_line {
                write!(out, "col={},endColumn={},", place.column, place.end_column)?;
            }
        }
        let title = format!("{} {}", finding.rule, finding.slug);
        let text = format!("{} Do: {}", finding.message, finding.help);
        writeln!(out, "title={}::{}", property(&title), message(&text))?;
    }
    for unread in audit.unread {
        writeln!(
            out,
            "::error file={},title=not read::{}",
            property(&unread.file),
            message(&unread.message)
        )?;
    }
    Ok(())
}
