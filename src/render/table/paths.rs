//! Where do new connections go, on each path and from each node, equal answers folded together?

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Arc;

use super::header::nodes;
use crate::render::grid::{Cells, Grid};
use crate::render::own_rules::{Differing, OwnRules};
use crate::render::style::Style;
use crate::render::text::safe;
use crate::report::v1::{
    Family, HealthCheck, Origin, Outcome, Path, Port, Service, SourceRanges, Topology,
    TrafficPolicy, Using, Verdict,
};
use crate::words::address;
use crate::words::count;

/// What some nodes do, as far as a table shows it.
#[derive(PartialEq, Eq)]
struct Goes<'a> {
    verdict: Verdict,
    using: Option<Using>,
    topology: Option<Topology>,
    /// The addresses, if every node of the row goes to the same ones.
    to: Vec<&'a str>,
    /// The fewest and the most addresses on one node.
    fewest: usize,
    most: usize,
    /// Nodes of the row differ in which addresses they go to.
    own: bool,
    /// The nodes' own rules do otherwise.
    rules: Option<OwnRules>,
    nodes: Vec<&'a Arc<str>>,
}

/// Paths with the same answers everywhere.
struct Row<'a> {
    ports: BTreeSet<String>,
    families: BTreeSet<Family>,
    paths: Vec<&'static str>,
    from: Origin,
    ranges: Option<SourceRanges>,
    policy: TrafficPolicy,
    goes: Vec<Goes<'a>>,
}

fn addresses(outcome: &Outcome) -> Vec<&str> {
    let addresses: BTreeSet<_> = outcome.backends.iter().map(|each| address(each)).collect();
    addresses.into_iter().collect()
}

/// How those who connect stand to the source ranges, behind where they come from.
const fn allowed(ranges: Option<SourceRanges>) -> &'static str {
    match ranges {
        None => "",
        Some(SourceRanges::In) => ", in the source ranges",
        Some(SourceRanges::Out) => ", out of the source ranges",
    }
}

/// Folds the outcomes of a path that a table shows alike.
fn goes<'a>(port: &Port, path: &'a Path, differing: &Differing<'_>) -> Vec<Goes<'a>> {
    let mut all: Vec<Goes<'a>> = Vec::new();
    for outcome in &path.outcomes {
        let to = addresses(outcome);
        for (rules, nodes) in differing.parted(port, path, outcome) {
            let same = all.iter_mut().find(|other| {
                other.verdict == outcome.verdict
                    && other.using == outcome.using
                    && other.topology == outcome.topology
                    && other.rules == rules
            });
            if let Some(other) = same {
                other.own |= other.to != to;
                other.fewest = other.fewest.min(to.len());
                other.most = other.most.max(to.len());
                other.nodes.extend(nodes);
            } else {
                all.push(Goes {
                    verdict: outcome.verdict,
                    using: outcome.using,
                    topology: outcome.topology,
                    fewest: to.len(),
                    most: to.len(),
                    to: to.clone(),
                    own: false,
                    rules,
                    nodes,
                });
            }
        }
    }
    for each in &mut all {
        each.nodes.sort_unstable();
    }
    all
}

fn rows<'a>(service: &'a Service, differing: &Differing<'_>) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for port in &service.ports {
        for path in &port.paths {
            let goes = goes(port, path, differing);
            let same = rows.iter_mut().find(|row| {
                (row.from, row.ranges, row.policy) == (path.from, path.source_ranges, path.policy)
                    && row.goes == goes
            });
            if let Some(row) = same {
                row.ports.insert(safe(&port.label()));
                row.families.insert(path.family);
                if !row.paths.contains(&path.path.id()) {
                    row.paths.push(path.path.id());
                }
            } else {
                rows.push(Row {
                    ports: BTreeSet::from([safe(&port.label())]),
                    families: BTreeSet::from([path.family]),
                    paths: vec![path.path.id()],
                    from: path.from,
                    ranges: path.source_ranges,
                    policy: path.policy,
                    goes,
                });
            }
        }
    }
    rows
}

const fn source(source: Origin) -> &'static str {
    match source {
        Origin::Anywhere => "anywhere",
        Origin::Outside => "outside",
        Origin::Inside => "inside",
        Origin::Pods => "pods",
        Origin::Node => "the node itself",
    }
}

fn target(goes: &Goes<'_>, noun: &str) -> String {
    let asked = asked_for(goes, noun);
    match goes.rules {
        Some(own) => own.beside(&asked, goes.nodes.len()),
        None => asked,
    }
}

/// What the slices ask for.
fn asked_for(goes: &Goes<'_>, noun: &str) -> String {
    match goes.verdict {
        Verdict::Reject => "refused at once".to_owned(),
        Verdict::Drop => "dropped: clients time out".to_owned(),
        Verdict::Pass => "no rule: leaves the node".to_owned(),
        Verdict::Forward => {
            let kind = match goes.using {
                Some(Using::Terminating) => "terminating",
                _ => "ready",
            };
            let number = if goes.fewest == goes.most {
                count(goes.most, &format!("{kind} {noun}"))
            } else {
                format!(
                    "{} to {}",
                    goes.fewest,
                    count(goes.most, &format!("{kind} {noun}"))
                )
            };
            let own = match goes.topology {
                Some(Topology::Zone) => " hinted to its zone",
                Some(Topology::Node) => " hinted to the node",
                None if goes.own => " of its own",
                None => "",
            };
            format!("{number}{own}")
        }
    }
}

/// A row for each group of paths and each group of nodes.
fn paths(service: &Service, differing: &Differing<'_>) -> Cells {
    let rows = rows(service, differing);
    let ports: BTreeSet<_> = service
        .ports
        .iter()
        .map(|port| safe(&port.label()))
        .collect();
    let families: BTreeSet<_> = rows.iter().flat_map(|row| row.families.clone()).collect();
    // A column in which every row is the same is of no use.
    let show_ports = rows.iter().any(|row| row.ports.len() < ports.len());
    let show_families = rows.iter().any(|row| row.families.len() < families.len());
    let noun = if service.endpoints.iter().all(|each| each.pod.is_some()) {
        "pod"
    } else {
        "endpoint"
    };
    let mut header = vec!["PATH", "FROM", "POLICY", "NODES", "GO TO"];
    if show_families {
        header.insert(1, "FAMILY");
    }
    if show_ports {
        header.insert(0, "PORT");
    }
    let mut drawn = Vec::new();
    for row in &rows {
        let all = row.goes.iter().map(|goes| goes.nodes.len()).sum();
        for goes in &row.goes {
            let mut cells = vec![
                row.paths.join(", "),
                format!("{}{}", source(row.from), allowed(row.ranges)),
                row.policy.id().to_owned(),
                nodes(&goes.nodes, all),
                target(goes, noun),
            ];
            if show_families {
                let names: Vec<_> = row.families.iter().map(|family| family.id()).collect();
                cells.insert(1, names.join(", "));
            }
            if show_ports {
                let names: Vec<_> = row.ports.iter().cloned().collect();
                cells.insert(0, names.join(", "));
            }
            drawn.push(cells);
        }
    }
    Cells {
        header: header.into_iter().map(str::to_owned).collect(),
        rows: drawn,
    }
}

/// Writes them.
pub(super) fn write(
    service: &Service,
    differing: &Differing<'_>,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    Grid::of(paths(service, differing), style.width).draw(out)
}

/// Writes what nodes answer on the health check port.
pub(super) fn health(health: &HealthCheck, width: u16, out: &mut dyn Write) -> io::Result<()> {
    let mut grid = Grid::bare(width);
    for outcome in &health.outcomes {
        let all = health.nodes(outcome.family);
        let names: Vec<_> = outcome.nodes.iter().collect();
        grid.row([
            match outcome.family {
                Some(family) => format!("{} over {}", outcome.status, family.id()),
                None => outcome.status.to_string(),
            },
            nodes(&names, all),
            format!("{} there", count(outcome.local_endpoints, "ready endpoint")),
        ]);
    }
    grid.draw(out)
}

/// Writes every reason: one row for each endpoint of each outcome.
pub(super) fn reasons(service: &Service, width: u16, out: &mut dyn Write) -> io::Result<()> {
    let mut grid = Grid::new(
        &["PORT", "PATH", "FROM", "NODES", "ENDPOINT", "REASON", ""],
        width,
    );
    for port in &service.ports {
        for path in &port.paths {
            let all = path
                .outcomes
                .iter()
                .map(|outcome| outcome.nodes.len())
                .sum();
            for outcome in &path.outcomes {
                let names: Vec<_> = outcome.nodes.iter().collect();
                for reason in &outcome.reasons {
                    grid.row([
                        safe(&port.label()),
                        path.path.id().to_owned(),
                        format!("{}{}", source(path.from), allowed(path.source_ranges)),
                        nodes(&names, all),
                        safe(&reason.endpoint),
                        reason.reason.id.to_owned(),
                        reason.reason.text.to_owned(),
                    ]);
                }
            }
        }
    }
    grid.draw(out)
}
