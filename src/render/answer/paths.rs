//! Paths, the worst first: who drops, who sends to terminating pods, who to ready ones.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::render::grid::Cells;
use crate::render::own_rules::{Differing, OwnRules};
use crate::render::text::safe;
use crate::render::verdict::Sign;
use crate::report::v1::{
    Family, HealthCheck, Origin, Outcome, Path, PathKind, Port, Service, SourceRanges, Topology,
    TrafficPolicy, Using, Verdict,
};
use crate::words::{address, count, list};

/// A path, where connections come from, how those stand to the source ranges, and the family.
type Way = (PathKind, Origin, Option<SourceRanges>, Family);

/// A path on nodes that do the same.
struct Row<'a> {
    sign: Sign,
    ports: BTreeSet<String>,
    paths: Vec<Way>,
    /// It stands for all paths that nothing is wrong with.
    rest: bool,
    policies: BTreeSet<&'static str>,
    nodes: Vec<&'a Arc<str>>,
    all: usize,
    goes: String,
}

/// Where connections come from, behind the path; nothing where they come from anywhere.
const fn origin(from: Origin) -> &'static str {
    match from {
        Origin::Anywhere => "",
        Origin::Outside => ": external",
        Origin::Inside => ": internal",
        Origin::Pods => ": pods",
        Origin::Node => ": node itself",
    }
}

/// Whether those who connect are in the source ranges, behind where they come from.
const fn allowed(ranges: Option<SourceRanges>) -> &'static str {
    match ranges {
        None => "",
        Some(SourceRanges::In) => " (allowed)",
        Some(SourceRanges::Out) => " (not allowed)",
    }
}

/// `nodePort, loadBalancer: external`; with the family where the row is about one of several.
fn path_names(paths: &[Way], families: usize) -> String {
    let mut by_path: Vec<(Way, BTreeSet<Family>)> = Vec::new();
    for way in paths {
        let (path, from, ranges, family) = *way;
        let same = |(known, _): &&mut (Way, _)| (known.0, known.1, known.2) == (path, from, ranges);
        match by_path.iter_mut().find(same) {
            Some((_, known)) => {
                known.insert(family);
            }
            None => by_path.push((*way, BTreeSet::from([family]))),
        }
    }
    let mut by_origin: Vec<(String, Vec<&str>)> = Vec::new();
    for ((path, from, ranges, family), all) in by_path {
        let one = if all.len() < families {
            format!(" ({})", family.id())
        } else {
            String::new()
        };
        let behind = format!("{}{}{one}", origin(from), allowed(ranges));
        match by_origin.iter_mut().find(|(known, _)| *known == behind) {
            Some((_, names)) => names.push(path.id()),
            None => by_origin.push((behind, vec![path.id()])),
        }
    }
    let names = by_origin.into_iter();
    let names: Vec<_> = names
        .map(|(behind, names)| format!("{}{behind}", names.join(", ")))
        .collect();
    names.join("; ")
}

/// Outcomes of a path that do the same, each for its own endpoints or all for the same.
struct Does<'a> {
    verdict: Verdict,
    using: Option<Using>,
    topology: Option<Topology>,
    to: BTreeSet<&'a str>,
    fewest: usize,
    most: usize,
    own: bool,
    /// The nodes' own rules do otherwise.
    rules: Option<OwnRules>,
    nodes: Vec<&'a Arc<str>>,
}

fn does<'a>(port: &Port, path: &'a Path, differing: &Differing<'_>) -> Vec<Does<'a>> {
    let mut all: Vec<Does<'_>> = Vec::new();
    for outcome in &path.outcomes {
        let Outcome {
            verdict,
            using,
            topology,
            ..
        } = *outcome;
        let to: BTreeSet<_> = outcome.backends.iter().map(|each| address(each)).collect();
        for (rules, nodes) in differing.parted(port, path, outcome) {
            let same = all.iter_mut().find(|known| {
                (known.verdict, known.using, known.topology) == (verdict, using, topology)
                    && known.rules == rules
            });
            if let Some(known) = same {
                known.own |= known.to != to;
                known.fewest = known.fewest.min(to.len());
                known.most = known.most.max(to.len());
                known.to.extend(&to);
                known.nodes.extend(nodes);
            } else {
                all.push(Does {
                    verdict,
                    using,
                    topology,
                    to: to.clone(),
                    fewest: to.len(),
                    most: to.len(),
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

/// The nodes of a few backends: `(node-b)`.
fn places(to: &BTreeSet<&str>, service: &Service) -> String {
    let of = service
        .endpoints
        .iter()
        .filter(|each| to.contains(each.address.as_str()));
    let nodes: BTreeSet<_> = of.filter_map(|each| each.node.as_deref()).collect();
    match nodes.len() {
        1 => format!(
            " (on {})",
            nodes.first().map_or_else(String::new, |node| safe(node))
        ),
        _ => String::new(),
    }
}

/// What becomes of those who are out of the source ranges.
const NOT_ALLOWED: &str = "dropped: not in loadBalancerSourceRanges";

fn goes(does: &Does<'_>, policy: TrafficPolicy, service: &Service) -> (Sign, String) {
    let none = if policy == TrafficPolicy::Local {
        "no usable local endpoint"
    } else {
        "no usable endpoint"
    };
    let kind = match (does.verdict, does.using) {
        (Verdict::Drop, _) => return (Sign::Bad, format!("DROPPED: {none}")),
        (Verdict::Reject, _) => return (Sign::Bad, format!("REFUSED: {none}")),
        (Verdict::Pass, _) => return (Sign::Bad, format!("NO RULE: {none}")),
        (Verdict::Forward, Some(Using::Terminating)) => "Terminating",
        (Verdict::Forward, _) => "Ready",
    };
    let noun = if service.endpoints.iter().all(|each| each.pod.is_some()) {
        "pod"
    } else {
        "endpoint"
    };
    let noun = format!("{kind} {noun}");
    let number = if does.fewest == does.most {
        count(does.most, &noun)
    } else {
        format!("{}-{}", does.fewest, count(does.most, &noun))
    };
    let own = match does.topology {
        Some(Topology::Zone) => " of its zone (hints)",
        Some(Topology::Node) => " of the node (hints)",
        None if does.own && does.nodes.len() > 1 => " per node",
        None => "",
    };
    let places = if own.is_empty() {
        places(&does.to, service)
    } else {
        String::new()
    };
    let sign = if kind == "Ready" {
        Sign::Good
    } else {
        Sign::Warn
    };
    (sign, format!("{number}{own}{places}"))
}

fn nodes(names: &[&Arc<str>], all: usize) -> String {
    match names {
        [name] if name.is_empty() => "any".to_owned(),
        names if names.len() == all && all > 1 => format!("all {all}"),
        names if names.len() > 2 => format!("{} of {all}", names.len()),
        names => list(names.iter().map(|name| safe(name))),
    }
}

fn rows<'a>(service: &'a Service, differing: &Differing<'_>) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for port in &service.ports {
        for path in &port.paths {
            let all = path
                .outcomes
                .iter()
                .map(|outcome| outcome.nodes.len())
                .sum();
            for does in does(port, path, differing) {
                let (sign, goes) = match path.source_ranges {
                    Some(SourceRanges::Out) => (Sign::None, NOT_ALLOWED.to_owned()),
                    _ => goes(&does, path.policy, service),
                };
                let (sign, goes) = match does.rules {
                    Some(own) => (sign.min(own.sign()), own.beside(&goes, does.nodes.len())),
                    None => (sign, goes),
                };
                let name = (path.path, path.from, path.source_ranges, path.family);
                let policy = path.policy.id();
                let same = rows.iter_mut().find(|row| {
                    (row.sign, &row.goes) == (sign, &goes)
                        && row.nodes == does.nodes
                        && row.policies.contains(policy)
                });
                if let Some(row) = same {
                    row.ports.insert(safe(&port.label()));
                    if !row.paths.contains(&name) {
                        row.paths.push(name);
                    }
                } else {
                    rows.push(Row {
                        sign,
                        ports: BTreeSet::from([safe(&port.label())]),
                        paths: vec![name],
                        rest: false,
                        policies: BTreeSet::from([policy]),
                        nodes: does.nodes,
                        all,
                        goes,
                    });
                }
            }
        }
    }
    rows.sort_by_key(|row| row.sign);
    rows
}

/// Rows that nothing is wrong with, as one.
fn fold(rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    let (good, mut bad): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| row.sign == Sign::Good);
    let goes: BTreeSet<_> = good.iter().map(|row| row.goes.clone()).collect();
    if goes.len() != 1 || bad.is_empty() {
        bad.extend(good);
        return bad;
    }
    let mut good = good.into_iter();
    if let Some(mut first) = good.next() {
        for row in good {
            first.ports.extend(row.ports);
            first.policies.extend(row.policies);
            first.nodes.extend(row.nodes);
        }
        first.nodes.sort_unstable();
        first.nodes.dedup();
        first.rest = true;
        bad.push(first);
    }
    bad
}

/// What nodes answer on the health check port, as rows of the paths. That a node without a local endpoint answers 503 is how it should be.
fn health_check(health: &HealthCheck) -> Vec<(Sign, Vec<String>)> {
    let rows = health.outcomes.iter().map(|outcome| {
        let all = health.nodes(outcome.family);
        let names: Vec<_> = outcome.nodes.iter().collect();
        let sign = if outcome.status == 200 {
            Sign::Good
        } else {
            Sign::None
        };
        let ready = count(outcome.local_endpoints, "Ready endpoint");
        let line = vec![
            match outcome.family {
                Some(family) => format!("health check :{} ({})", health.port, family.id()),
                None => format!("health check :{}", health.port),
            },
            nodes(&names, all),
            String::new(),
            format!("{}: {ready} each", outcome.status),
        ];
        (sign, line)
    });
    rows.collect()
}

/// Rows with their signs; those that are fine as one where `folded`, and `most` of them.
pub(super) fn paths(
    service: &Service,
    differing: &Differing<'_>,
    folded: bool,
    most: usize,
) -> (Vec<Sign>, Cells) {
    let rows = rows(service, differing);
    let ports: BTreeSet<_> = service
        .ports
        .iter()
        .map(|port| safe(&port.label()))
        .collect();
    // A column in which every row is the same is of no use.
    let show_ports = rows.iter().any(|row| row.ports.len() < ports.len());
    let rows = if folded { fold(rows) } else { rows };
    let families = service.ports.iter().flat_map(|port| &port.paths);
    let families: BTreeSet<_> = families.map(|path| path.family).collect();
    let families = families.len();
    let mut header = vec!["PATH", "NODES", "POLICY", "NEW CONNECTIONS"];
    if show_ports {
        header.insert(0, "PORT");
    }
    let (shown, hidden) = rows.split_at(rows.len().min(most));
    let mut signs: Vec<_> = shown.iter().map(|row| row.sign).collect();
    let mut cells: Vec<Vec<String>> = shown
        .iter()
        .map(|row| {
            let policies: Vec<_> = row.policies.iter().copied().collect();
            let mut line = vec![
                if row.rest {
                    "everything else".to_owned()
                } else {
                    path_names(&row.paths, families)
                },
                nodes(&row.nodes, row.all),
                policies.join(", "),
                row.goes.clone(),
            ];
            if show_ports {
                line.insert(0, row.ports.iter().cloned().collect::<Vec<_>>().join(", "));
            }
            line
        })
        .collect();
    if let Some(health) = &service.health_check_node_port {
        for (sign, mut line) in health_check(health) {
            if show_ports {
                line.insert(0, String::new());
            }
            cells.push(line);
            signs.push(sign);
        }
    }
    if !hidden.is_empty() {
        let mut line = vec![format!("... and {} more", hidden.len())];
        line.resize(header.len(), String::new());
        cells.push(line);
        signs.push(Sign::None);
    }
    let header = header.into_iter().map(str::to_owned).collect();
    (
        signs,
        Cells {
            header,
            rows: cells,
        },
    )
}
