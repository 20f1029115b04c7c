//! What do the rules say, what is to be done, and what could not be read?

use std::io::{self, Write};

use super::section;
use crate::render::answer::missing as missing_resources;
use crate::render::grid::{labelled, prose};
use crate::render::paint;
use crate::render::style::Style;
use crate::render::text::safe;
use crate::report::v1::{Finding, Gap, Report};
use crate::words::{count, list, sentence};

/// Writes each finding with what to do.
pub(in crate::render) fn write(
    findings: &[&Finding],
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    for finding in findings {
        let place = finding.location.as_ref();
        let place = place.map(|place| format!(": {}:{}", safe(&place.file), place.line));
        writeln!(
            out,
            "{} {} {}, {}{}",
            paint::severity(finding.severity),
            finding.rule,
            finding.slug,
            finding.when.id(),
            place.unwrap_or_default()
        )?;
        if finding.objects.len() > 1 {
            let names = finding
                .objects
                .iter()
                .map(|object| format!("{}/{}", object.kind, object.name));
            labelled("About: ", &list(names), style.width, 2, out)?;
        }
        prose(&sentence(&finding.message), style.width, 2, out)?;
        if style.wide {
            labelled("Why: ", &finding.why, style.width, 2, out)?;
        }
        labelled(
            if style.wide { "Do:  " } else { "Do: " },
            &finding.help,
            style.width,
            2,
            out,
        )?;
    }
    Ok(())
}

/// Writes the findings that are about none of the Services, and how many are suppressed.
pub(in crate::render) fn rest(
    report: &Report,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let about_none = |finding: &&Finding| {
        let mut services = report.services.iter();
        !services.any(|service| finding.concerns(service))
    };
    // Findings about Services, or about what is behind them, name one; only those about files do not.
    let own = report
        .findings
        .iter()
        .filter(|finding| finding.related.is_empty());
    let own = own.filter(|finding| finding.object.kind != "Service");
    let findings: Vec<_> = own.filter(about_none).collect();
    if !findings.is_empty() {
        section("OTHER FINDINGS", out)?;
        write(&findings, style, out)?;
    }
    if !report.suppressed.is_empty() {
        let number = count(report.suppressed.len(), "suppressed finding");
        let text = format!("{number}: -o json has them, with who suppressed them and why.");
        writeln!(out)?;
        prose(&text, style.width, 0, out)?;
    }
    Ok(())
}

fn because(gap: &Gap) -> String {
    let resource = gap.resource;
    match (gap.reason, &gap.message) {
        ("not-in-input", _) => format!("{resource}: not in the input"),
        ("forbidden", _) => format!("{} {resource}: forbidden", gap.verb),
        ("not-found", _) => format!("{resource}: not found"),
        ("timed-out", _) => format!("{} {resource}: no answer in time", gap.verb),
        (_, Some(error)) => format!("{} {resource}: {error}", gap.verb),
        (reason, None) => format!("{} {resource}: {reason}", gap.verb),
    }
}

/// What is not known, and why.
pub(in crate::render) fn gap(gap: &Gap) -> String {
    format!("{} ({})", gap.consequence, because(gap))
}

/// Writes which resources are missing, in a line.
pub(super) fn missing(report: &Report, width: u16, out: &mut dyn Write) -> io::Result<()> {
    match missing_resources(&report.gaps) {
        Some(names) => {
            writeln!(out)?;
            prose(&names, width, 0, out)
        }
        None => Ok(()),
    }
}

/// Writes what is not known, and why.
pub(in crate::render) fn gaps(report: &Report, width: u16, out: &mut dyn Write) -> io::Result<()> {
    if report.gaps.is_empty() {
        return Ok(());
    }
    section("NOT KNOWN", out)?;
    for each in &report.gaps {
        prose(&gap(each), width, 2, out)?;
        // On a line of its own, however long: it is there to be copied.
        if let Some(command) = &each.can_i {
            writeln!(out, "    {}", safe(command))?;
        }
    }
    Ok(())
}
