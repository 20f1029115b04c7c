//! The answer for people: what happens, to which endpoints, on which path, what to do, and what other versions do.

mod endpoints;
mod findings;
mod header;
mod paths;
mod sources;
mod terminating;
mod versions;

use std::io::{self, Write};

pub(super) use findings::{gap, gaps, rest, write as findings};

use crate::render::answer::Answer;
use crate::render::grid::prose;
use crate::render::node_rules;
use crate::render::own_rules::Differing;
use crate::render::paint;
use crate::render::style::Style;
use crate::render::timeline;
use crate::report::v1::Report;

fn section(title: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{}", paint::title(title))
}

/// Everything about a Service below its answer: who routes it, each endpoint's conditions, each reason, each sum.
fn details(
    &Answer {
        service,
        findings,
        as_of,
        node_rules,
        ..
    }: &Answer<'_>,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let differing = Differing::of(service, node_rules);
    section("SERVICE", out)?;
    header::write(service, style.width, out)?;
    if !service.causes.is_empty() {
        section("CAUSES", out)?;
        header::causes(service, style.width, out)?;
    }
    if !service.forecast.is_empty() {
        section("FORECAST, if nothing changes", out)?;
        header::forecast(service, style.width, out)?;
    }
    if !service.endpoints.is_empty() {
        section("ENDPOINTS", out)?;
        endpoints::write(service, &differing, style, out)?;
    }
    if terminating::any(service) {
        section("TERMINATING", out)?;
        terminating::write(service, as_of, style.width, out)?;
    }
    if service.ports.iter().any(|port| !port.paths.is_empty()) {
        section("PATHS", out)?;
        paths::write(service, &differing, style, out)?;
    }
    if let Some(health) = &service.health_check_node_port {
        section(&format!("HEALTH CHECK PORT {}", health.port), out)?;
        paths::health(health, style.width, out)?;
    }
    let pictures = timeline::lines(service, as_of, style, true);
    if !pictures.is_empty() {
        section("SHUTDOWN, in seconds after the delete", out)?;
        pictures
            .iter()
            .try_for_each(|line| writeln!(out, "{line}"))?;
        for reason in timeline::reasons(service) {
            prose(&reason, style.width, 2, out)?;
        }
    }
    if !service.traffic_sources.is_empty() {
        section("TRAFFIC SOURCES, in seconds after the delete", out)?;
        sources::write(service, style, out)?;
    }
    if !findings.is_empty() {
        section("FINDINGS", out)?;
        findings::write(findings, style, out)?;
    }
    if !service.by_version.is_empty() {
        section("BY VERSION", out)?;
        versions::write(&service.by_version, style.width, out)?;
    }
    if service.ports.iter().any(|port| !port.paths.is_empty()) {
        section("REASONS", out)?;
        paths::reasons(service, style.width, out)?;
    }
    Ok(())
}

/// Writes the report for a terminal: each Service's answer, and with `-o wide` all that it comes from.
pub fn write(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let several = report.services.len() > 1;
    for (index, each) in report.services.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let findings: Vec<_> = report
            .findings
            .iter()
            .filter(|finding| finding.concerns(each))
            .collect();
        let answer = Answer {
            service: each,
            findings: &findings,
            gaps: if several { &[] } else { &report.gaps },
            as_of: report.as_of,
            node_rules: report.node_rules.as_deref().unwrap_or_default(),
        };
        answer
            .lines(style)
            .iter()
            .try_for_each(|line| writeln!(out, "{line}"))?;
        if style.wide {
            details(&answer, style, out)?;
        }
    }
    node_rules::write(report, style, out)?;
    findings::rest(report, style, out)?;
    if style.wide {
        findings::gaps(report, style.width, out)
    } else if several {
        findings::missing(report, style.width, out)
    } else {
        Ok(())
    }
}
