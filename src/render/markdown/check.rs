//! The answer about Services as Markdown for a ticket.

use std::io::{self, Write};

use super::{finding, gaps, grid, text};
use crate::render::answer::{Answer, Part};
use crate::render::node_rules;
use crate::render::scan::{self, Line};
use crate::render::signed::mark;
use crate::render::style::Style;
use crate::report::v1::{NodeRules, Report, Service};

/// Columns as on a narrow terminal.
const STYLE: Style = Style {
    width: 80,
    wide: false,
    ascii: false,
    headers: true,
};

fn service(service: &Service, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let of = report
        .findings
        .iter()
        .filter(|finding| finding.concerns(service));
    let findings: Vec<_> = of.collect();
    let answer = Answer {
        service,
        findings: &findings,
        gaps: &[],
        as_of: report.as_of,
        node_rules: report.node_rules.as_deref().unwrap_or_default(),
    };
    writeln!(
        out,
        "### {}\n\n{}",
        text(&answer.title(STYLE.ascii)),
        text(&answer.moment())
    )?;
    for part in answer.parts(STYLE) {
        writeln!(out)?;
        match part {
            Part::Words(words) => writeln!(out, "{}", text(&words))?,
            Part::Table(signs, mut cells) => {
                mark(&signs, &mut cells, STYLE.ascii);
                grid(&cells, out)?;
            }
            Part::Picture(lines) => {
                writeln!(out, "```text")?;
                // Nothing that a name holds may end the block.
                let plain = |line: &String| line.replace('`', "'");
                lines
                    .iter()
                    .try_for_each(|line| writeln!(out, "{}", plain(line)))?;
                writeln!(out, "```")?;
            }
        }
    }
    if !findings.is_empty() {
        writeln!(out, "\n**What to do**\n")?;
    }
    findings.iter().try_for_each(|each| finding(each, out))?;
    for line in answer.assumed() {
        writeln!(out, "\n{}", text(&line))?;
    }
    Ok(())
}

/// Writes what nodes' own rules do; nothing where none were given.
fn nodes(all: &[NodeRules], out: &mut dyn Write) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n### Node's rules\n")?;
    grid(&node_rules::nodes(all), out)?;
    let differences = node_rules::differences(all, STYLE.wide);
    if !differences.rows.is_empty() {
        writeln!(out)?;
        grid(&differences, out)?;
    }
    let sentences = node_rules::sentences(all, STYLE.wide);
    if !sentences.is_empty() {
        writeln!(out)?;
    }
    let mut lines = sentences.iter();
    lines.try_for_each(|sentence| writeln!(out, "- {}", text(sentence)))
}

/// Writes one section for each Service of the report, or one table of the lines of many. What is not known is always listed.
pub fn write(report: &Report, lines: Option<&[Line]>, out: &mut dyn Write) -> io::Result<()> {
    if let Some(lines) = lines {
        grid(&scan::cells(lines, report, STYLE), out)?;
        writeln!(out)?;
        for (id, summary) in scan::meanings(report, false) {
            writeln!(out, "- {id} {}", text(summary))?;
        }
        writeln!(out, "\n{}", scan::totals(report))?;
    } else {
        for (index, each) in report.services.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            service(each, report, out)?;
        }
    }
    nodes(report.node_rules.as_deref().unwrap_or_default(), out)?;
    gaps(&report.gaps, out)?;
    let moment = report.as_of.map_or_else(String::new, |moment| {
        format!(" as of {}", moment.format("%Y-%m-%dT%H:%M:%SZ"))
    });
    writeln!(
        out,
        "\n*{} {}{moment}*",
        report.tool.name, report.tool.version
    )
}
