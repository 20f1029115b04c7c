//! Which endpoints are there, what do the three views say of each, and does it get new connections?

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::render::fate::fates;
use crate::render::grid::Grid;
use crate::render::own_rules::Differing;
use crate::render::style::Style;
use crate::render::text::safe;
use crate::render::verdict::outcomes;
use crate::report::v1::{Endpoint, InEndpoints, Service};

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
pub(super) fn write(
    service: &Service,
    differing: &Differing<'_>,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
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
            row.push(words(endpoint) + &differing.about(&endpoint.address).words());
        }
        grid.cells(row);
    }
    grid.keep(0);
    grid.draw(out)
}
