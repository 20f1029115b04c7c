//! The findings of `lint` as a comment on a pull request.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{code, gaps, row, text};
use crate::render::audit;
use crate::render::audit::Audit;
use crate::report::v1::Finding;
use crate::words::count;

/// How many findings are shown. A comment holds 65 536 characters on GitHub; a finding has 500 to 1000.
const MOST: usize = 50;

/// The rule, with its page where that is known.
fn rule(finding: &Finding) -> String {
    let name = format!("{} {}", finding.rule, finding.slug);
    let address = audit::rule(finding.rule).and_then(|(_, rule)| audit::page(rule));
    match address {
        Some(address) => format!("[{name}]({address})"),
        None => name,
    }
}

fn place(finding: &Finding) -> String {
    let place = finding.location.as_ref();
    place.map_or_else(
        || text(&audit::object(&finding.object)),
        |place| code(&format!("{}:{}", place.file, place.line)),
    )
}

fn file(findings: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
    let header = ["Severity", "Place", "Rule", "Message"].map(str::to_owned);
    row(&header, out)?;
    row(&["---", "---", "---", "---"].map(str::to_owned), out)?;
    for finding in findings {
        let message = format!("{}: {}", audit::object(&finding.object), finding.message);
        let cells = [
            finding.severity.id().to_owned(),
            place(finding),
            rule(finding),
            text(&message),
        ];
        row(&cells, out)?;
    }
    writeln!(out, "\n<details><summary>Why, and what to do</summary>\n")?;
    for finding in findings {
        writeln!(
            out,
            "- {} {}: {}\n  **Do:** {}",
            place(finding),
            finding.rule,
            text(&finding.why),
            text(&finding.help)
        )?;
    }
    writeln!(out, "\n</details>")
}

/// Writes the comment.
pub fn write(audit: &Audit<'_>, out: &mut dyn Write) -> io::Result<()> {
    let report = audit.report;
    let summary = report.summary;
    let headline = if report.findings.is_empty() && audit.unread.is_empty() {
        "nothing found".to_owned()
    } else if report.findings.is_empty() {
        "nothing found in what could be read".to_owned()
    } else {
        format!(
            "{}, {}, {} for information",
            count(summary.error, "error"),
            count(summary.warning, "warning"),
            summary.info
        )
    };
    writeln!(out, "### kubectl drain-check lint: {headline}\n")?;
    let suppressed = match summary.suppressed {
        0 => String::new(),
        number => format!("; {number} suppressed"),
    };
    writeln!(
        out,
        "{} looked at in {}{suppressed}.",
        count(summary.services, "Service"),
        count(audit.files.len(), "file")
    )?;
    for unread in audit.unread {
        writeln!(
            out,
            "\n**Not read:** {}: {}",
            code(&unread.file),
            text(&unread.message)
        )?;
    }
    let mut shown: Vec<_> = report.findings.iter().enumerate().collect();
    if shown.len() > MOST {
        shown.sort_by_key(|(_, finding)| Reverse(finding.severity));
        shown.truncate(MOST);
        shown.sort_by_key(|(index, _)| *index);
        writeln!(
            out,
            "\nOnly the {MOST} worst are shown here; other formats have them all."
        )?;
    }
    let mut files: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for (_, finding) in shown {
        let place = finding.location.as_ref();
        let file = place.map_or("", |place| place.file.as_str());
        files.entry(file).or_default().push(finding);
    }
    for (name, findings) in &files {
        if name.is_empty() {
            writeln!(out)?;
        } else {
            writeln!(out, "\n#### {}\n", code(name))?;
        }
        file(findings, out)?;
    }
    gaps(&report.gaps, out)
}
