//! Which traffic sources were recognised, by what, and which can be?

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::grid::{Grid, labelled, prose};
use super::source_cells::{shown_by, when, written};
use super::text::safe;
use crate::report::v1::{Evidence, Figure, Known, Recognised, ServiceSources, TrafficSource};
use crate::words::count;

/// `Ingress shop/web spec.ingressClassName: nginx`.
fn seen(evidence: &Evidence) -> String {
    let field = written(evidence).map(|field| format!(" {field}"));
    safe(&format!("{}{}", evidence.object, field.unwrap_or_default()))
}

fn name(service: &ServiceSources, several: bool) -> String {
    let namespace = if several {
        format!("{}/", service.namespace)
    } else {
        String::new()
    };
    safe(&format!("{namespace}{}", service.name))
}

/// `12 Services: ingress-nginx`: how much was understood, most first.
fn totals(report: &Recognised, width: u16, out: &mut dyn Write) -> io::Result<()> {
    let mut of: BTreeMap<&str, usize> = BTreeMap::new();
    for source in report.services.iter().flat_map(|one| &one.traffic_sources) {
        *of.entry(source.id).or_default() += 1;
    }
    let mut of: Vec<_> = of.into_iter().collect();
    of.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    let parts: Vec<_> = of.iter().map(|(id, of)| format!("{id} {of}")).collect();
    let services = count(report.services.len(), "Service");
    prose(&format!("{services}: {}.", parts.join(", ")), width, 0, out)
}

/// Writes a row for each source of each Service, then what was not identified, and what could not be read.
pub fn recognised(report: &Recognised, width: u16, out: &mut dyn Write) -> io::Result<()> {
    let services = &report.services;
    let namespaces: BTreeSet<_> = services.iter().map(|one| &one.namespace).collect();
    let several = namespaces.len() > 1;
    if !services.is_empty() {
        let mut grid = Grid::new(
            &[
                "SERVICE",
                "SOURCE",
                "SHOWN BY",
                "LAST NEW",
                "IN-FLIGHT",
                "FIGURES",
            ],
            width,
        );
        for service in services {
            let mut of = name(service, several);
            let row = |source: &TrafficSource, of: String| {
                [
                    of,
                    source.id.to_owned(),
                    shown_by(source.id, &source.evidence, seen),
                    when(source.last_new_connection, "pod is gone"),
                    when(source.in_flight_done, "with the pod"),
                    source.confidence.to_owned(),
                ]
            };
            for source in &service.traffic_sources {
                grid.row(row(source, std::mem::take(&mut of)));
            }
            for other in &service.others {
                grid.row([
                    std::mem::take(&mut of),
                    other.id.to_owned(),
                    shown_by(other.id, &other.evidence, seen),
                    "sends nothing".to_owned(),
                    "-".to_owned(),
                    "-".to_owned(),
                ]);
            }
            if !of.is_empty() {
                let none = || "-".to_owned();
                grid.row([of, "none".to_owned(), none(), none(), none(), none()]);
            }
        }
        grid.keep(0);
        grid.keep(1);
        grid.draw(out)?;
        writeln!(out)?;
        totals(report, width, out)?;
    }
    let unknown: BTreeSet<_> = services
        .iter()
        .flat_map(|service| service.not_identified.iter().map(seen))
        .collect();
    if !unknown.is_empty() {
        writeln!(out)?;
        prose(
            "Not identified: these show a traffic source that is not known here. Name it with --source or in .drain-check.yaml.",
            width,
            0,
            out,
        )?;
        for one in unknown {
            prose(&one, width, 2, out)?;
        }
    }
    let gaps: BTreeSet<_> = report
        .gaps
        .iter()
        .filter(|gap| gap.message.is_some() || gap.can_i.is_some())
        .map(|gap| (gap.resource, gap.consequence))
        .collect();
    if !gaps.is_empty() {
        writeln!(out)?;
    }
    for (resource, consequence) in gaps {
        labelled(
            &format!("Not read: {resource}: "),
            consequence,
            width,
            0,
            out,
        )?;
    }
    Ok(())
}

/// `6 s`, or what there is instead of a number.
fn figure(figure: &Figure, pod_is_gone: &str) -> String {
    match (figure.default, &figure.formula) {
        (Some(moment), _) => when(moment, pod_is_gone),
        (None, Some(formula)) => formula.clone(),
        (None, None) => "not known".to_owned(),
    }
}

/// A row for each source: id, what shows it, last new connection, in-flight requests, how sure the figures are.
fn known_rows(known: &Known) -> impl Iterator<Item = [String; 5]> {
    known.sources.iter().map(|source| {
        let shown = match source.shown_by.as_slice() {
            [] if source.id == "kube-proxy" => "assumed".to_owned(),
            [] => "--source".to_owned(),
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        };
        let sends = !["mitigation", "node-lifecycle"].contains(&source.class);
        let last = if sends {
            figure(&source.last_new_connection, "pod is gone")
        } else {
            "sends nothing".to_owned()
        };
        let kept = if sends {
            figure(&source.in_flight, "with the pod")
        } else {
            "-".to_owned()
        };
        [
            source.id.to_owned(),
            shown,
            last,
            kept,
            source.confidence.to_owned(),
        ]
    })
}

/// Writes all that can be recognised.
pub fn known(known: &Known, width: u16, out: &mut dyn Write) -> io::Result<()> {
    let header = ["SOURCE", "SHOWN BY", "LAST NEW", "IN-FLIGHT", "FIGURES"];
    let mut grid = Grid::new(&header, width);
    for row in known_rows(known) {
        grid.row(row);
    }
    grid.keep(0);
    grid.draw(out)?;
    writeln!(out)?;
    prose(
        "With default settings. `kubectl drain-check explain NAME` tells what each does, its settings, and where that was read.",
        width,
        0,
        out,
    )
}
