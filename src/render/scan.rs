//! Many Services: one line each, worst first.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::grid::{Cells, Grid, prose};
use super::order::{by_service, worst_first};
use super::style::Style;
use super::table;
use super::text::safe;
use crate::report::v1::{Endpoint, Finding, Report, Service, ServiceType, State};
use crate::words::count;

/// What a line says of a Service, less what the rules say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    namespace: String,
    name: String,
    kind: ServiceType,
    state: State,
    endpoints: String,
    summary: String,
}

impl From<&Service> for Line {
    fn from(service: &Service) -> Self {
        Self {
            namespace: service.namespace.clone(),
            name: service.name.clone(),
            kind: service.kind,
            state: service.state,
            endpoints: endpoints(service),
            summary: service.summary.clone(),
        }
    }
}

/// `2 ready, 1 terminating`.
fn endpoints(service: &Service) -> String {
    let number = |wanted: &dyn Fn(&Endpoint) -> bool| {
        let addresses: BTreeSet<_> = service
            .endpoints
            .iter()
            .filter(|endpoint| wanted(endpoint))
            .map(|endpoint| &endpoint.address)
            .collect();
        addresses.len()
    };
    let terminating = |endpoint: &Endpoint| endpoint.conditions.terminating == Some(true);
    let ready = |endpoint: &Endpoint| endpoint.conditions.ready.unwrap_or(true);
    let parts: Vec<_> = [
        (number(&|each| ready(each) && !terminating(each)), "ready"),
        (number(&terminating), "terminating"),
        (
            number(&|each| !ready(each) && !terminating(each)),
            "not ready",
        ),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, kind)| format!("{number} {kind}"))
    .collect();
    if parts.is_empty() {
        "none".to_owned()
    } else {
        parts.join(", ")
    }
}

/// `DC102 DC103`, worst first.
fn rules(findings: &[&Finding]) -> String {
    let mut rules: Vec<_> = findings.iter().map(|finding| finding.rule).collect();
    rules.dedup();
    if rules.is_empty() {
        "-".to_owned()
    } else {
        rules.join(" ")
    }
}

/// One row for each Service.
pub(super) fn cells(lines: &[Line], report: &Report, wide: bool) -> Cells {
    let of = by_service(report);
    let mut services: Vec<_> = lines
        .iter()
        .map(|service| {
            let name = (service.namespace.as_str(), service.name.as_str());
            (service, of.get(&name).map_or(&[][..], Vec::as_slice))
        })
        .collect();
    services.sort_by_key(|(service, findings)| {
        let name = (service.namespace.as_str(), service.name.as_str());
        worst_first(findings, service.state, name)
    });
    let namespaces: BTreeSet<_> = services
        .iter()
        .map(|(service, _)| &service.namespace)
        .collect();
    let several = namespaces.len() > 1;
    let mut header = vec!["SERVICE", "TYPE", "STATE", "ENDPOINTS", "FINDINGS"];
    if several {
        header.insert(0, "NAMESPACE");
    }
    if wide {
        header.push("SUMMARY");
    }
    let mut rows = Vec::new();
    for (service, findings) in services {
        let mut row = vec![
            safe(&service.name),
            service.kind.id().to_owned(),
            service.state.id().to_owned(),
            service.endpoints.clone(),
            rules(findings),
        ];
        if several {
            row.insert(0, safe(&service.namespace));
        }
        if wide {
            row.push(safe(&service.summary));
        }
        rows.push(row);
    }
    Cells { header, rows }
}

/// How much there is of what.
pub(super) fn totals(report: &Report) -> String {
    let summary = report.summary;
    format!(
        "{}: {}, {}, {} info.",
        count(summary.services, "Service"),
        count(summary.error, "error"),
        count(summary.warning, "warning"),
        summary.info
    )
}

/// Writes the lines, worst first, and what goes with them.
pub fn write(lines: &[Line], report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let cells = cells(lines, report, style.wide);
    let name = cells.header.iter().position(|name| *name == "SERVICE");
    let mut grid = if style.headers {
        Grid::of(cells, style.width)
    } else {
        let mut grid = Grid::bare(style.width);
        for row in cells.rows {
            grid.cells(row);
        }
        grid
    };
    grid.keep(name.unwrap_or_default());
    grid.draw(out)?;
    let totals = totals(report);
    let more = format!("{totals} `kubectl drain-check svc/NAME` shows one in full.");
    writeln!(out)?;
    prose(&more, style.width, 0, out)?;
    table::rest(report, style, out)?;
    table::gaps(report, style.width, out)
}
