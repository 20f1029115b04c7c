//! The answer about Services as Markdown for a ticket.

use std::io::{self, Write};

use super::{gaps, grid, text};
use crate::render::scan;
use crate::render::scan::Line;
use crate::render::style::Style;
use crate::render::table;
use crate::report::v1::{Finding, Report, Service};

/// Columns as on a narrow terminal.
const STYLE: Style = Style {
    width: 80,
    wide: false,
    ascii: false,
    headers: true,
};

fn finding(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "- **{} {} {}**: {}\n  **Do:** {}",
        finding.severity.id(),
        finding.rule,
        finding.slug,
        text(&finding.message),
        text(&finding.help)
    )
}

fn service(service: &Service, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "### {}\n\n**{}** ({})",
        text(&table::identity(service)),
        table::headline(service),
        service.state.id()
    )?;
    for line in table::routers(service) {
        writeln!(out, "\n{}", text(&line))?;
    }
    writeln!(out, "\n{}", text(&table::sentences(service)))?;
    if !service.endpoints.is_empty() {
        let (cells, rest) = table::endpoints(service, STYLE);
        writeln!(out)?;
        grid(&cells, out)?;
        for line in rest {
            writeln!(out, "\n{}", text(&line))?;
        }
    }
    if service.ports.iter().any(|port| !port.paths.is_empty()) {
        writeln!(out)?;
        grid(&table::paths(service), out)?;
    }
    let mut findings = report
        .findings
        .iter()
        .filter(|finding| finding.concerns(service))
        .peekable();
    if findings.peek().is_some() {
        writeln!(out, "\n**Findings**\n")?;
    }
    findings.try_for_each(|each| finding(each, out))
}

/// Writes one section for each Service of the report, or one table of the lines of many. What is not known is always listed.
pub fn write(report: &Report, lines: Option<&[Line]>, out: &mut dyn Write) -> io::Result<()> {
    if let Some(lines) = lines {
        grid(&scan::cells(lines, report, false), out)?;
        writeln!(out, "\n{}", scan::totals(report))?;
    } else {
        for (index, each) in report.services.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            service(each, report, out)?;
        }
    }
    gaps(report, out)?;
    let moment = report.as_of.map_or_else(String::new, |moment| {
        format!(" as of {}", moment.format("%Y-%m-%dT%H:%M:%SZ"))
    });
    writeln!(
        out,
        "\n*{} {}{moment}*",
        report.tool.name, report.tool.version
    )
}
