//! Which endpoints are there, what do the three views say of each, and does it get new connections?

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::Arc;

use crate::render::grid::{Cells, Grid};
use crate::render::style::Style;
use crate::render::text::safe;
use crate::render::verdict::outcomes;
use crate::report::v1::{Conditions, Endpoint, InEndpoints, Service, Why};
use crate::words::address;
use crate::words::count;

/// Up to how many endpoints are all shown.
const FEW: usize = 20;

/// How many are shown of more, before the rest is counted.
const SHOWN: usize = 10;

/// From this width on every condition has a column of its own.
const ROOMY: u16 = 120;

/// What becomes of an endpoint on all paths and nodes.
#[derive(Default)]
pub(in crate::render) struct Fate<'a> {
    /// The nodes on which some path selects it.
    pub(in crate::render) on: BTreeSet<&'a Arc<str>>,
    /// Some path of some node does not select it.
    partly: bool,
    selected: BTreeSet<Why>,
    rejected: BTreeSet<Why>,
}

impl Fate<'_> {
    fn words(&self, all_nodes: usize) -> String {
        let because = |reasons: &BTreeSet<Why>, last: bool| {
            let reason = if last {
                reasons.last()
            } else {
                reasons.first()
            };
            match reason.map(|reason| reason.phrase) {
                Some(phrase) if !phrase.is_empty() => format!(", {phrase}"),
                _ => String::new(),
            }
        };
        let plain = self.selected.iter().all(|reason| reason.phrase.is_empty());
        match self.on.len() {
            0 => format!("no{}", because(&self.rejected, false)),
            on if on == all_nodes && (!self.partly || plain) => {
                format!("yes{}", because(&self.selected, true))
            }
            on if on == all_nodes => format!("on some paths{}", because(&self.selected, true)),
            1 => {
                let node = self.on.first().map_or("", |node| &***node);
                format!("on {}{}", safe(node), because(&self.selected, true))
            }
            on => format!(
                "on {on} of {all_nodes} nodes{}",
                because(&self.selected, true)
            ),
        }
    }
}

pub(in crate::render) fn fates(service: &Service) -> BTreeMap<&str, Fate<'_>> {
    let mut fates: BTreeMap<&str, Fate<'_>> = BTreeMap::new();
    for outcome in outcomes(service) {
        let backends: BTreeSet<_> = outcome.backends.iter().map(String::as_str).collect();
        for each in &outcome.reasons {
            let fate = fates.entry(address(&each.endpoint)).or_default();
            if backends.contains(each.endpoint.as_str()) {
                fate.on.extend(&outcome.nodes);
                fate.selected.insert(each.reason);
            } else {
                fate.partly = true;
                fate.rejected.insert(each.reason);
            }
        }
    }
    fates
}

const fn yes_no(value: Option<bool>) -> &'static str {
    match value {
        Some(true) => "true",
        Some(false) => "false",
        None => "unset",
    }
}

/// The conditions in a word or two.
fn says(conditions: Conditions) -> &'static str {
    let ready = conditions.ready.unwrap_or(true);
    match (
        ready,
        conditions.terminating.unwrap_or(false),
        conditions.serving.unwrap_or(ready),
    ) {
        (true, _, _) => "ready",
        (false, true, true) => "serving",
        (false, true, false) => "not serving",
        (false, false, _) => "not ready",
    }
}

const fn listed(listed: Option<InEndpoints>) -> &'static str {
    match listed {
        Some(InEndpoints::Ready) => "ready",
        Some(InEndpoints::NotReady) => "not ready",
        Some(InEndpoints::Absent) => "absent",
        None => "unknown",
    }
}

/// Terminating ones that get connections first, then the other terminating and unready ones.
fn interest(endpoint: &Endpoint, gets: bool) -> u8 {
    let terminating = endpoint.conditions.terminating.unwrap_or(false);
    let ready = endpoint.conditions.ready.unwrap_or(true);
    match (terminating, gets, ready) {
        (true, true, _) => 0,
        (true, false, _) => 1,
        (false, _, false) => 2,
        _ => 3,
    }
}

/// One row for each endpoint, and lines about those that have none.
pub(in crate::render) fn endpoints(service: &Service, style: Style) -> (Cells, Vec<String>) {
    let fates = fates(service);
    let all_nodes = outcomes(service)
        .flat_map(|outcome| &outcome.nodes)
        .collect::<BTreeSet<_>>()
        .len();
    let words = |endpoint: &Endpoint| {
        fates.get(endpoint.address.as_str()).map_or_else(
            || "no, without the port".to_owned(),
            |fate| fate.words(all_nodes),
        )
    };
    let gets = |endpoint: &Endpoint| {
        fates
            .get(endpoint.address.as_str())
            .is_some_and(|fate| !fate.on.is_empty())
    };
    let mut endpoints: Vec<_> = service.endpoints.iter().collect();
    let all = style.wide || endpoints.len() <= FEW;
    if !all {
        endpoints.sort_by_key(|endpoint| interest(endpoint, gets(endpoint)));
    }
    let shown = if all { endpoints.len() } else { SHOWN };
    let roomy = style.width >= ROOMY || style.wide;
    let routed = !service.ports.iter().all(|port| port.paths.is_empty());
    let names = if service.endpoints.iter().all(|each| each.pod.is_some()) {
        "POD"
    } else {
        "ENDPOINT"
    };
    let mut header = vec![names, "NODE", "STATUS"];
    if style.wide {
        header.extend(["CONTAINERS", "ADDRESS", "ZONE"]);
    }
    if roomy {
        header.extend(["ENDPOINTS", "READY", "SERVING", "TERMINATING"]);
    } else {
        header.push("SLICE SAYS");
    }
    if routed {
        header.push("NEW CONNECTIONS");
    }
    let mut rows = Vec::new();
    for endpoint in endpoints.iter().take(shown) {
        let conditions = endpoint.conditions;
        let or = |text: &Option<String>| text.as_deref().map_or_else(|| "-".to_owned(), safe);
        let mut row = vec![
            safe(endpoint.pod.as_deref().unwrap_or(&endpoint.address)),
            or(&endpoint.node),
            or(&endpoint.pod_status),
        ];
        if style.wide {
            row.extend([
                or(&endpoint.pod_ready),
                safe(&endpoint.address),
                or(&endpoint.zone),
            ]);
        }
        if roomy {
            row.extend([
                listed(endpoint.endpoints_object).to_owned(),
                yes_no(conditions.ready).to_owned(),
                yes_no(conditions.serving).to_owned(),
                yes_no(conditions.terminating).to_owned(),
            ]);
        } else {
            row.push(says(conditions).to_owned());
        }
        if routed {
            row.push(words(endpoint));
        }
        rows.push(row);
    }
    let rest = rest(endpoints.get(shown..).unwrap_or_default(), words);
    let header = header.into_iter().map(str::to_owned).collect();
    (Cells { header, rows }, rest)
}

/// Writes one row for each endpoint.
pub(super) fn write(service: &Service, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (cells, rest) = endpoints(service, style);
    let mut grid = Grid::of(cells, style.width);
    grid.keep(0);
    grid.draw(out)?;
    rest.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Counts the endpoints that are not shown.
fn rest(hidden: &[&Endpoint], words: impl Fn(&Endpoint) -> String) -> Vec<String> {
    let mut kinds: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for endpoint in hidden {
        *kinds
            .entry((says(endpoint.conditions), words(endpoint)))
            .or_default() += 1;
    }
    let mut lines: Vec<_> = kinds
        .into_iter()
        .map(|((says, words), number)| {
            let number = count(number, "more such endpoint");
            format!("... and {number}: {says}; new connections: {words}")
        })
        .collect();
    if !hidden.is_empty() {
        lines.push("-o wide lists every one".to_owned());
    }
    lines
}
