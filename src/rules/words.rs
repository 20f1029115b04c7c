//! Words that several rules share.

use std::collections::BTreeSet;

use crate::analysis::Cluster;
use crate::analysis::paths::{PathOutcomes, PortPaths};
use crate::analysis::service::ServiceAnalysis;
use crate::facts::Resource;
use crate::proxy::reason::Verdict;
use crate::words::address;
pub(super) use crate::words::{age, clock, count, list, nodes};

/// `80/TCP`, with the port's name before it if it has one.
pub(super) fn port(port: &PortPaths<'_>) -> String {
    let number = port.port.port;
    let protocol = port.port.protocol.name();
    if port.port.name.is_empty() {
        format!("{number}/{protocol}")
    } else {
        format!("{} {number}/{protocol}", port.port.name)
    }
}

/// Does a Local policy drop connections on each node that was checked, while endpoints are on nodes that were not? Whether they are
/// dropped everywhere is then not known.
pub(super) fn only_seen_from_here(
    path: &PathOutcomes,
    check: &ServiceAnalysis<'_>,
    cluster: &Cluster<'_>,
) -> bool {
    let all_checked = cluster.assumptions.node.is_none()
        && cluster.index.has_read(Resource::Nodes)
        && cluster.snapshot.complete;
    let checked = |node: &str| cluster.nodes.iter().any(|known| known.name == node);
    path.local
        && !all_checked
        && path
            .outcomes
            .iter()
            .all(|outcome| outcome.verdict == Verdict::Drop)
        && check
            .endpoints
            .iter()
            .any(|endpoint| endpoint.node.is_some_and(|node| !checked(node)))
}

/// What nodes do with new connections that they do not forward; one node, or several.
pub(super) fn refuses_or_drops(verdicts: &BTreeSet<Verdict>, one: bool) -> &'static str {
    let refuses = verdicts.contains(&Verdict::Reject);
    let drops = verdicts.contains(&Verdict::Drop);
    match (refuses, drops, one) {
        (true, true, true) => "refuses or drops",
        (true, true, false) => "refuse or drop",
        (true, false, true) => "refuses",
        (true, false, false) => "refuse",
        (false, _, true) => "drops",
        (false, _, false) => "drop",
    }
}

/// Every path of every port.
pub(super) fn paths<'c>(
    check: &'c ServiceAnalysis<'_>,
) -> impl Iterator<Item = (&'c PortPaths<'c>, &'c PathOutcomes)> {
    check
        .ports
        .iter()
        .flat_map(|port| port.paths.iter().map(move |path| (port, path)))
}

/// The names of the pods behind these endpoints, or the endpoints where they name none.
pub(super) fn pods_of<'c>(
    check: &'c ServiceAnalysis<'_>,
    endpoints: &BTreeSet<&'c str>,
) -> BTreeSet<&'c str> {
    let ips: BTreeSet<_> = endpoints.iter().copied().map(address).collect();
    let mut names = BTreeSet::new();
    let mut found = BTreeSet::new();
    for endpoint in &check.endpoints {
        if ips.contains(endpoint.address) {
            found.insert(endpoint.address);
            names.insert(
                endpoint
                    .pod_ref
                    .map_or(endpoint.address, |pod| pod.name.name.as_str()),
            );
        }
    }
    names.extend(ips.difference(&found));
    names
}
