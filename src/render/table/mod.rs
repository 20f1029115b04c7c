//! The answer for people: what happens, to which endpoints, on which path, what to do, and what other versions do.

mod endpoints;
mod findings;
mod header;
mod paths;
mod sources;
mod terminating;
mod versions;

use std::io::{self, Write};

pub(super) use endpoints::endpoints;
pub(super) use findings::{gap, gaps, rest};
pub(super) use header::{headline, identity, routers, sentences};
pub(super) use paths::paths;

use chrono::{DateTime, Utc};

use crate::render::grid::prose;
use crate::render::paint;
use crate::render::style::Style;
use crate::render::text::safe;
use crate::render::timeline;
use crate::report::v1::{Finding, Report, Service};

fn section(title: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{}", paint::title(title))
}

fn service(
    service: &Service,
    findings: &[&Finding],
    as_of: Option<DateTime<Utc>>,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    header::write(service, style.width, out)?;
    if let Some(dns) = &service.dns {
        let text = match &dns.alias {
            Some(alias) => format!("DNS answers with {}.", safe(alias)),
            None if dns.addresses.is_empty() => "DNS answers with no address.".to_owned(),
            None => format!(
                "DNS answers with {} of its {} endpoints: those that its slices call ready.",
                dns.addresses.len(),
                service.endpoints.len()
            ),
        };
        prose(&text, style.width, 2, out)?;
    }
    if !service.endpoints.is_empty() {
        writeln!(out)?;
        endpoints::write(service, style, out)?;
    }
    if terminating::any(service) {
        section("TERMINATING", out)?;
        terminating::write(service, as_of, style.width, out)?;
    }
    if service.ports.iter().any(|port| !port.paths.is_empty()) {
        writeln!(out)?;
        paths::write(service, style, out)?;
    }
    if let Some(health) = &service.health_check_node_port {
        section(&format!("HEALTH CHECK PORT {}", health.port), out)?;
        paths::health(health, style.width, out)?;
    }
    let shutdowns = service.shutdown.as_deref().unwrap_or_default();
    if !shutdowns.is_empty() {
        section("SHUTDOWN, in seconds after the delete", out)?;
        timeline::write(shutdowns, &service.traffic_sources, style, out)?;
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
    if style.wide && service.ports.iter().any(|port| !port.paths.is_empty()) {
        section("REASONS", out)?;
        paths::reasons(service, style.width, out)?;
    }
    Ok(())
}

/// Writes the report for a terminal.
pub fn write(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for (index, each) in report.services.iter().enumerate() {
        if index > 0 {
            writeln!(out, "\n{}\n", "-".repeat(usize::from(style.width.min(80))))?;
        }
        let findings: Vec<_> = report
            .findings
            .iter()
            .filter(|finding| finding.concerns(each))
            .collect();
        service(each, &findings, report.as_of, style, out)?;
    }
    findings::rest(report, style, out)?;
    findings::gaps(report, style.width, out)
}
