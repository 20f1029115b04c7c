//! Many Services: one line each, worst first.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::grid::{Cells, labelled, prose};
use super::order::{by_service, worst_first};
use super::signed::signed;
use super::style::Style;
use super::table;
use super::text::safe;
use super::verdict::{Sign, Traffic, Verdict, worst};
use crate::report::v1::{Endpoint, Finding, Report, Service, ServiceType, Severity, When};
use crate::words::count;

/// What a line says of a Service, less what the rules say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    namespace: String,
    name: String,
    kind: ServiceType,
    traffic: Traffic,
    endpoints: String,
    summary: String,
}

impl From<&Service> for Line {
    fn from(service: &Service) -> Self {
        Self {
            namespace: service.namespace.clone(),
            name: service.name.clone(),
            kind: service.kind,
            traffic: Traffic::from(service),
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

/// `DC102 DC103`, worst first, each once; those that are only good to know where everything is wanted.
fn rules<'f>(findings: &[&'f Finding], when: When, wide: bool) -> Vec<&'f str> {
    let least = if wide {
        Severity::Info
    } else {
        Severity::Warning
    };
    let then = findings
        .iter()
        .filter(|each| each.when == when && each.severity >= least);
    let mut rules: Vec<_> = then.map(|finding| finding.rule).collect();
    rules.dedup();
    rules
}

/// `▲ DC201`; `-` where nothing is wrong.
fn next(findings: &[&Finding], style: Style) -> String {
    let rules = rules(findings, When::Next, style.wide);
    let sign = worst(findings, When::Next).map_or(Sign::None, Sign::from);
    match rules.as_slice() {
        [] => "-".to_owned(),
        rules => format!("{} {}", sign.mark(style.ascii), rules.join(" "))
            .trim_start()
            .to_owned(),
    }
}

/// One row for each Service, and its sign.
pub(super) fn cells(lines: &[Line], report: &Report, style: Style) -> (Vec<Sign>, Cells) {
    let of = by_service(report);
    let mut services: Vec<_> = lines
        .iter()
        .map(|service| {
            let name = (service.namespace.as_str(), service.name.as_str());
            let findings = of.get(&name).map_or(&[][..], Vec::as_slice);
            (service, findings, Verdict::now(&service.traffic, findings))
        })
        .collect();
    services.sort_by_cached_key(|(service, findings, _)| {
        let name = (service.namespace.as_str(), service.name.as_str());
        worst_first(findings, &service.traffic, name)
    });
    let namespaces: BTreeSet<_> = services
        .iter()
        .map(|(service, ..)| &service.namespace)
        .collect();
    let several = namespaces.len() > 1;
    let mut header = vec!["SERVICE", "TYPE", "NOW", "NEXT", "ENDPOINTS"];
    if several {
        header.insert(0, "NAMESPACE");
    }
    if style.wide {
        header.push("SUMMARY");
    }
    let (mut rows, mut signs) = (Vec::new(), Vec::new());
    for (service, findings, now) in services {
        let rules = rules(findings, When::Now, style.wide);
        let mut row = vec![
            safe(&service.name),
            service.kind.id().to_owned(),
            [&[now.words.as_str()], rules.as_slice()].concat().join(" "),
            next(findings, style),
            service.endpoints.clone(),
        ];
        if several {
            row.insert(0, safe(&service.namespace));
        }
        if style.wide {
            row.push(safe(&service.summary));
        }
        rows.push(row);
        signs.push(now.sign);
    }
    let header = header.into_iter().map(str::to_owned).collect();
    (signs, Cells { header, rows })
}

/// What each rule of the rows means, once.
pub(super) fn meanings(report: &Report, wide: bool) -> Vec<(&'static str, &'static str)> {
    let least = if wide {
        Severity::Info
    } else {
        Severity::Warning
    };
    let shown = report
        .findings
        .iter()
        .filter(|finding| finding.severity >= least);
    let rules: BTreeSet<_> = shown
        .map(|finding| (finding.rule, finding.meaning))
        .collect();
    rules.into_iter().collect()
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
    let (signs, cells) = cells(lines, report, style);
    for line in signed(&signs, cells, style) {
        writeln!(out, "{line}")?;
    }
    // Without headers somebody's program reads the rows.
    if style.headers {
        let meanings = meanings(report, style.wide);
        if !meanings.is_empty() {
            writeln!(out)?;
        }
        for (id, summary) in meanings {
            labelled(&format!("{id} "), summary, style.width, 0, out)?;
        }
        let totals = totals(report);
        let more = format!("{totals} `kubectl drain-check svc/NAME` shows one in full.");
        writeln!(out)?;
        prose(&more, style.width, 0, out)?;
    }
    table::rest(report, style, out)?;
    table::gaps(report, style.width, out)
}
