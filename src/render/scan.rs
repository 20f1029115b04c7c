//! Many Services: one line each, worst first.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::grid::{Cells, Grid, labelled, prose};
use super::node_rules;
use super::order::{by_service, worst_first};
use super::paint;
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
    endpoints: Numbers,
    summary: String,
}

impl From<&Service> for Line {
    fn from(service: &Service) -> Self {
        Self {
            namespace: service.namespace.clone(),
            name: service.name.clone(),
            kind: service.kind,
            traffic: Traffic::from(service),
            endpoints: Numbers::of(service),
            summary: service.summary.clone(),
        }
    }
}

/// How many addresses there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    ready: usize,
    terminating: usize,
    all: usize,
}

impl Numbers {
    fn of(service: &Service) -> Self {
        let number = |wanted: &dyn Fn(&Endpoint) -> bool| {
            let endpoints = service.endpoints.iter().filter(|each| wanted(each));
            let addresses: BTreeSet<_> = endpoints.map(|each| &each.address).collect();
            addresses.len()
        };
        let terminating = |endpoint: &Endpoint| endpoint.conditions.terminating == Some(true);
        let ready = |endpoint: &Endpoint| endpoint.conditions.ready.unwrap_or(true);
        Self {
            ready: number(&|each| ready(each) && !terminating(each)),
            terminating: number(&terminating),
            all: number(&|_| true),
        }
    }
}

/// How many rules a cell names before it counts the rest; one less beside words.
const RULES: usize = 3;

/// What is wrong at one time: a sign, a word where there is one, and the rules.
fn cell(sign: Sign, words: Option<&str>, rules: &[&str], style: Style) -> String {
    let most = if style.wide {
        usize::MAX
    } else {
        RULES - usize::from(words.is_some())
    };
    let (shown, hidden) = rules.split_at(rules.len().min(most));
    let more = (!hidden.is_empty()).then(|| format!("+{}", hidden.len()));
    let parts = [sign.mark(style.ascii)].into_iter().chain(words);
    let parts = parts.chain(shown.iter().copied()).chain(more.as_deref());
    parts.collect::<Vec<_>>().join(" ").trim_start().to_owned()
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
    if rules.is_empty() {
        return "-".to_owned();
    }
    let sign = worst(findings, When::Next).map_or(Sign::None, Sign::from);
    cell(sign, None, &rules, style)
}

/// One row for each Service.
pub(super) fn cells(lines: &[Line], report: &Report, style: Style) -> Cells {
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
    let mut header = vec!["SERVICE", "READY", "TERMINATING", "NOW", "NEXT"];
    if several {
        header.insert(0, "NAMESPACE");
    }
    if style.wide {
        header.extend(["TYPE", "SUMMARY"]);
    }
    let mut rows = Vec::new();
    for (service, findings, now) in services {
        let Numbers {
            ready,
            terminating,
            all,
        } = service.endpoints;
        let rules = rules(findings, When::Now, style.wide);
        let mut row = vec![
            safe(&service.name),
            format!("{ready}/{all}"),
            terminating.to_string(),
            cell(now.sign, Some(&now.words), &rules, style),
            next(findings, style),
        ];
        if several {
            row.insert(0, safe(&service.namespace));
        }
        if style.wide {
            row.extend([service.kind.id().to_owned(), safe(&service.summary)]);
        }
        rows.push(row);
    }
    let header = header.into_iter().map(str::to_owned).collect();
    Cells { header, rows }
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
    let cells = cells(lines, report, style);
    let names = cells.header.iter().position(|name| name == "SERVICE");
    let mut grid = if style.headers {
        Grid::new(&cells.header, style.width)
    } else {
        Grid::bare(style.width)
    };
    for row in cells.rows {
        grid.cells(row);
    }
    // Names that are copied must not be broken.
    grid.keep(names.unwrap_or_default());
    for line in grid.lines() {
        writeln!(out, "{}", paint::signs(&line, style.ascii))?;
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
    if style.headers {
        node_rules::write(report, style, out)?;
    }
    table::rest(report, style, out)?;
    table::gaps(report, style.width, out)
}
