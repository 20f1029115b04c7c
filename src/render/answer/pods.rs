//! Pods by what becomes of them: who gets new connections, who terminates, when SIGTERM and SIGKILL come.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use crate::render::fate::{Fate, fates};
use crate::render::grid::Cells;
use crate::render::names::prefix;
use crate::render::own_rules::Differing;
use crate::render::text::safe;
use crate::render::verdict::{Sign, outcomes};
use crate::report::v1::{
    Conditions, ContainerStop, Endpoint, LeftOut, Moments, Service, Termination,
};
use crate::words::age;

/// The columns that names of pods may take before the rest is counted.
const NAMES: usize = 20;

/// The letters of what all names begin with that stand above them: the end tells most.
const PREFIX: usize = 14;

/// An endpoint as a row tells it.
#[derive(PartialEq, Eq)]
struct Row<'a> {
    sign: Sign,
    state: String,
    gets: String,
    sigterm: String,
    sigkill: String,
    nodes: BTreeSet<&'a str>,
    names: Vec<&'a str>,
}

impl Row<'_> {
    fn fate(&self) -> (Sign, &str, &str, &str, &str) {
        (
            self.sign,
            &self.state,
            &self.gets,
            &self.sigterm,
            &self.sigkill,
        )
    }
}

/// The conditions in words.
fn state(conditions: Conditions, end: Option<&Termination>) -> String {
    let ready = conditions.ready.unwrap_or(true);
    let words = match (
        ready,
        conditions.terminating.unwrap_or(false),
        conditions.serving.unwrap_or(ready),
    ) {
        (true, false, true) => "Ready",
        (true, false, false) => "published, not Ready",
        (true, true, _) => "published, Terminating",
        (false, true, true) => "Terminating, serving",
        (false, true, false) => "Terminating, not serving",
        (false, false, _) => "not Ready",
    };
    match end.and_then(|end| end.stuck) {
        Some(stuck) => format!("{words}; stuck: {stuck}"),
        None => words.to_owned(),
    }
}

/// Up to so many seconds a moment is told in seconds: somebody counts them.
const COUNTED: i64 = 600;

fn distance(from: DateTime<Utc>, to: DateTime<Utc>) -> String {
    match (to - from).num_seconds() {
        seconds if seconds < COUNTED => format!("{} s", seconds.max(0)),
        _ => age(from, to),
    }
}

/// `in 14 s`, `46 s ago`, `in 4-14 s`, `within 14 s` where it may have come already.
pub(super) fn when(at: Moments, now: DateTime<Utc>) -> String {
    let (min, max) = (at.min, at.max);
    if max <= now && min == max {
        format!("{} ago", distance(max, now))
    } else if max <= now {
        format!("{}-{} ago", (now - max).num_seconds(), distance(min, now))
    } else if min == max {
        format!("in {}", distance(now, max))
    } else if min <= now {
        format!("within {}", distance(now, max))
    } else {
        format!("in {}-{}", (min - now).num_seconds(), distance(now, max))
    }
}

fn hull(moments: impl Iterator<Item = Moments>) -> Option<Moments> {
    moments.reduce(|one, other| Moments {
        min: one.min.min(other.min),
        max: one.max.max(other.max),
    })
}

/// When the application gets SIGTERM, and when the last container is killed.
fn signals(end: Option<&Termination>, now: Option<DateTime<Utc>>) -> (String, String) {
    let (Some(end), Some(now)) = (end, now) else {
        return ("-".to_owned(), "-".to_owned());
    };
    let left: Vec<&ContainerStop> = end
        .containers
        .iter()
        .filter(|stop| stop.ended_at.is_none())
        .collect();
    if left.is_empty() && !end.containers.is_empty() {
        let last = end.containers.iter().filter_map(|stop| stop.ended_at).max();
        let last = last.map_or_else(
            || "-".to_owned(),
            |at| format!("ended {} ago", age(at, now)),
        );
        return ("-".to_owned(), last);
    }
    let main = left.iter().filter(|stop| stop.kind == "main");
    let sigterm = hull(main.filter_map(|stop| stop.sigterm_at));
    let latest = left
        .iter()
        .filter_map(|stop| Some(stop.sigkill_at?.max))
        .max();
    let soonest = left
        .iter()
        .filter_map(|stop| Some(stop.sigkill_at?.min))
        .max();
    let sigkill = soonest.zip(latest).map(|(min, max)| Moments { min, max });
    let words = |at: Option<Moments>| at.map_or_else(|| "-".to_owned(), |at| when(at, now));
    (words(sigterm), words(sigkill))
}

/// On which nodes it gets new connections.
fn gets(fate: Option<&Fate<'_>>, all_nodes: usize) -> String {
    let Some(fate) = fate else {
        return "no".to_owned();
    };
    match fate.on.len() {
        0 => "no".to_owned(),
        on if on == all_nodes => "yes".to_owned(),
        1 => fate.on.first().map_or_else(String::new, |node| safe(node)),
        on => format!("{on} nodes"),
    }
}

fn row<'a>(
    endpoint: &'a Endpoint,
    fate: Option<&Fate<'_>>,
    (all_nodes, differing): (usize, &Differing<'_>),
    now: Option<DateTime<Utc>>,
) -> Row<'a> {
    let used = fate.is_some_and(|fate| !fate.on.is_empty());
    let conditions = endpoint.conditions;
    let terminating = conditions.terminating.unwrap_or(false);
    let end = endpoint.termination.as_ref();
    let stuck = end.is_some_and(|end| end.stuck.is_some());
    let sign = match (used, terminating) {
        _ if stuck => Sign::Warn,
        (true, true) => Sign::Warn,
        (true, false) => Sign::Good,
        (false, _) => Sign::None,
    };
    let (sigterm, sigkill) = signals(end, now);
    let contrary = differing.about(&endpoint.address);
    Row {
        sign: contrary.sign(sign),
        state: state(conditions, end),
        gets: gets(fate, all_nodes) + &contrary.words(),
        sigterm,
        sigkill,
        nodes: endpoint.node.iter().map(String::as_str).collect(),
        names: vec![endpoint.pod.as_deref().unwrap_or(&endpoint.address)],
    }
}

/// A terminating pod that is in no slice.
fn left_out(pod: &LeftOut) -> Row<'_> {
    Row {
        sign: Sign::None,
        state: "left out of slices".to_owned(),
        gets: "no".to_owned(),
        sigterm: "-".to_owned(),
        sigkill: "-".to_owned(),
        nodes: pod.node.iter().map(String::as_str).collect(),
        names: vec![&pod.pod],
    }
}

/// The end of a prefix, which tells most: `...79b8d47599-`.
fn tail(prefix: &str) -> String {
    if prefix.chars().count() <= PREFIX {
        return prefix.to_owned();
    }
    let begins = prefix.match_indices('-').map(|(at, _)| at + 1);
    let mut fits = begins
        .filter_map(|at| prefix.get(at..))
        .filter(|end| end.chars().count() <= PREFIX);
    let end = fits.next().filter(|end| !end.is_empty());
    end.map_or_else(String::new, |end| format!("...{end}"))
}

/// As many names as have room, and how many more there are.
fn named(names: &[&str], prefix: &str, room: usize) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let name = safe(name.strip_prefix(prefix).unwrap_or(name));
        if index > 0 && text.chars().count() + 1 + name.chars().count() > room {
            return format!("{text} +{}", names.len() - index);
        }
        if index > 0 {
            text.push(' ');
        }
        text.push_str(&name);
    }
    text
}

fn on(nodes: &BTreeSet<&str>) -> String {
    match nodes.len() {
        0 => "-".to_owned(),
        1 => nodes.first().map_or_else(String::new, |node| safe(node)),
        several => format!("{several} nodes"),
    }
}

/// Rows with their signs. With `by_node` each node has rows of its own; where `whole` every name is, else some with how many more there
/// are; `most` rows are shown, and the others counted.
pub(super) fn pods(
    service: &Service,
    differing: &Differing<'_>,
    now: Option<DateTime<Utc>>,
    (by_node, whole): (bool, bool),
    most: usize,
) -> (Vec<Sign>, Cells) {
    let fates = fates(service);
    let nodes: BTreeSet<_> = outcomes(service)
        .flat_map(|outcome| &outcome.nodes)
        .collect();
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut seen = BTreeSet::new();
    let shown = service.endpoints.iter().filter(|endpoint| {
        // A pod of two families has an endpoint in each.
        let name = endpoint.pod.as_deref().unwrap_or(&endpoint.address);
        seen.insert((name, endpoint.node.as_deref()))
    });
    let shown = shown.map(|endpoint| {
        let fate = fates.get(endpoint.address.as_str());
        row(endpoint, fate, (nodes.len(), differing), now)
    });
    for row in shown.chain(service.left_out.iter().map(left_out)) {
        let same = rows
            .iter_mut()
            .find(|known| known.fate() == row.fate() && (!by_node || known.nodes == row.nodes));
        match same {
            Some(known) => {
                known.names.extend(row.names);
                known.nodes.extend(row.nodes);
            }
            None => rows.push(row),
        }
    }
    rows.sort_by(|one, other| {
        one.sign
            .cmp(&other.sign)
            .then_with(|| one.state.cmp(&other.state))
    });
    let names: Vec<_> = rows.iter().flat_map(|row| &row.names).copied().collect();
    let prefix = prefix(&names);
    let shown = if whole {
        prefix.to_owned()
    } else {
        tail(prefix)
    };
    let noun = if service.endpoints.iter().all(|each| each.pod.is_some()) {
        "POD"
    } else {
        "ENDPOINT"
    };
    let ends = rows
        .iter()
        .any(|row| row.sigterm != "-" || row.sigkill != "-");
    let routed = service.ports.iter().any(|port| !port.paths.is_empty());
    let mut header = vec![
        format!("{noun} {}", safe(&shown)).trim_end().to_owned(),
        "NODE".to_owned(),
        "STATE".to_owned(),
    ];
    if routed {
        header.push("NEW".to_owned());
    }
    if ends {
        header.extend(["SIGTERM".to_owned(), "SIGKILL".to_owned()]);
    }
    let (shown, hidden) = rows.split_at(rows.len().min(most));
    let mut signs: Vec<_> = shown.iter().map(|row| row.sign).collect();
    let mut cells: Vec<Vec<String>> = Vec::new();
    for row in shown {
        let mut line = vec![
            named(&row.names, prefix, if whole { usize::MAX } else { NAMES }),
            on(&row.nodes),
            row.state.clone(),
        ];
        if routed {
            line.push(row.gets.clone());
        }
        if ends {
            line.extend([row.sigterm.clone(), row.sigkill.clone()]);
        }
        cells.push(line);
    }
    if !hidden.is_empty() {
        let more: usize = hidden.iter().map(|row| row.names.len()).sum();
        let mut line = vec![format!("... and {more} more")];
        line.resize(header.len(), String::new());
        cells.push(line);
        signs.push(Sign::None);
    }
    (
        signs,
        Cells {
            header,
            rows: cells,
        },
    )
}
