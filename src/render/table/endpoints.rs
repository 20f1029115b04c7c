//! Which endpoints are there, what do the three views say of each, and does it get new connections?

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::Arc;

use crate::render::grid::Grid;
use crate::render::style::Style;
use crate::render::text::safe;
use crate::render::verdict::outcomes;
use crate::report::v1::{Endpoint, InEndpoints, Service, Why};
use crate::words::address;

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

const fn listed(listed: Option<InEndpoints>) -> &'static str {
    match listed {
        Some(InEndpoints::Ready) => "ready",
        Some(InEndpoints::NotReady) => "not ready",
        Some(InEndpoints::Absent) => "absent",
        None => "unknown",
    }
}

/// Writes one row for each endpoint: what the three views say of it, and whether it gets new connections.
pub(super) fn write(service: &Service, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let fates = fates(service);
    let nodes: BTreeSet<_> = outcomes(service)
        .flat_map(|outcome| &outcome.nodes)
        .collect();
    let words = |endpoint: &Endpoint| {
        fates.get(endpoint.address.as_str()).map_or_else(
            || "no, without the port".to_owned(),
            |fate| fate.words(nodes.len()),
        )
    };
    let routed = !service.ports.iter().all(|port| port.paths.is_empty());
    let names = if service.endpoints.iter().all(|each| each.pod.is_some()) {
        "POD"
    } else {
        "ENDPOINT"
    };
    let mut header = vec![
        names,
        "NODE",
        "STATUS",
        "CONTAINERS",
        "ADDRESS",
        "ZONE",
        "ENDPOINTS",
        "READY",
        "SERVING",
        "TERMINATING",
    ];
    if routed {
        header.push("NEW CONNECTIONS");
    }
    let mut grid = Grid::new(&header, style.width);
    for endpoint in &service.endpoints {
        let conditions = endpoint.conditions;
        let or = |text: &Option<String>| text.as_deref().map_or_else(|| "-".to_owned(), safe);
        let mut row = vec![
            safe(endpoint.pod.as_deref().unwrap_or(&endpoint.address)),
            or(&endpoint.node),
            or(&endpoint.pod_status),
            or(&endpoint.pod_ready),
            safe(&endpoint.address),
            or(&endpoint.zone),
            listed(endpoint.endpoints_object).to_owned(),
            yes_no(conditions.ready).to_owned(),
            yes_no(conditions.serving).to_owned(),
            yes_no(conditions.terminating).to_owned(),
        ];
        if routed {
            row.push(words(endpoint));
        }
        grid.cells(row);
    }
    grid.keep(0);
    grid.draw(out)
}
