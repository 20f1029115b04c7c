//! Words that several rules share.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use crate::check::Cluster;
use crate::check::paths::{PathCheck, PortCheck, Source};
use crate::check::service::ServiceCheck;
use crate::facts::service::Protocol;
use crate::facts::{self, Resource};
use crate::proxy::paths::Path;
use crate::proxy::reason::Verdict;

/// `1 pod`, `2 pods`.
pub(super) fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

/// How many names a sentence lists before it counts the rest.
const NAMED: usize = 5;

/// `a`, `a and b`, `a, b and c`; the rest is counted.
pub(super) fn list<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let names: BTreeSet<String> = names
        .into_iter()
        .map(|name| name.as_ref().to_owned())
        .collect();
    let mut names: Vec<_> = names.into_iter().collect();
    if names.len() > NAMED {
        let rest = names.len() - NAMED + 1;
        names.truncate(NAMED - 1);
        names.push(format!("{rest} more"));
    }
    match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The nodes of all outcomes that `wanted` picks; `every node` where that is all of them.
pub(super) fn nodes<'p>(nodes: impl IntoIterator<Item = &'p String>, all: usize) -> String {
    let nodes: BTreeSet<_> = nodes.into_iter().collect();
    if nodes.len() == all && all > 1 {
        "every node".to_owned()
    } else if nodes.iter().all(|name| name.is_empty()) {
        "any node".to_owned()
    } else {
        list(nodes)
    }
}

/// The protocol as the API writes it.
pub(super) const fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Tcp => "TCP",
        Protocol::Udp => "UDP",
        Protocol::Sctp => "SCTP",
    }
}

/// `80/TCP`, with the port's name before it if it has one.
pub(super) fn port(port: &PortCheck<'_>) -> String {
    let number = port.port.port;
    let protocol = protocol(port.port.protocol);
    if port.port.name.is_empty() {
        format!("{number}/{protocol}")
    } else {
        format!("{} {number}/{protocol}", port.port.name)
    }
}

/// The path as the report names it.
pub(super) const fn path(path: Path) -> &'static str {
    match path {
        Path::ClusterIp => "clusterIP",
        Path::NodePort => "nodePort",
        Path::LoadBalancer => "loadBalancer",
        Path::ExternalIp => "externalIP",
    }
}

/// The path with where connections come from, where that matters.
pub(super) fn path_from(check: &PathCheck) -> String {
    let path = path(check.path);
    match check.from {
        Source::Anywhere => path.to_owned(),
        Source::Outside => format!("{path} from outside"),
        Source::Inside => format!("{path} from inside"),
        Source::Pods => format!("{path} from pods"),
        Source::Node => format!("{path} from the node itself"),
    }
}

/// Does a Local policy turn connections away on each node that was asked, while endpoints are on nodes that were not? Whether they
/// are turned away everywhere is then not known.
pub(super) fn only_seen_from_here(
    path: &PathCheck,
    check: &ServiceCheck<'_>,
    cluster: &Cluster<'_>,
) -> bool {
    let all_asked = cluster.assumptions.node.is_none()
        && cluster.has_read(Resource::Nodes)
        && !matches!(cluster.snapshot.source, facts::Source::Files(_));
    let asked = |node: &str| cluster.nodes.iter().any(|known| known.name == node);
    path.local
        && !all_asked
        && path
            .outcomes
            .iter()
            .all(|outcome| outcome.verdict == Verdict::Drop)
        && check
            .endpoints
            .iter()
            .any(|endpoint| endpoint.node.is_some_and(|node| !asked(node)))
}

/// Every path of every port.
pub(super) fn paths<'c>(
    check: &'c ServiceCheck<'_>,
) -> impl Iterator<Item = (&'c PortCheck<'c>, &'c PathCheck)> {
    check
        .ports
        .iter()
        .flat_map(|port| port.paths.iter().map(move |path| (port, path)))
}

/// The names of the pods behind these endpoints, or the endpoints where they name none.
pub(super) fn pods_of<'c>(
    check: &'c ServiceCheck<'_>,
    endpoints: &BTreeSet<&'c str>,
) -> BTreeSet<&'c str> {
    let ip_of = |endpoint: &'c str| {
        endpoint
            .rsplit_once(':')
            .map_or(endpoint, |(ip, _)| ip.trim_matches(['[', ']']))
    };
    let ips: BTreeSet<_> = endpoints.iter().map(|endpoint| ip_of(endpoint)).collect();
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

/// `12 s`, `3 min`, `2 h`: how long since a moment.
pub(super) fn age(since: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let seconds = (now - since).num_seconds().max(0);
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        7200..=172_799 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_of_names_count_the_rest() {
        assert_eq!(list(["b", "a"]), "a and b");
        assert_eq!(list(["a", "b", "c", "d", "e"]), "a, b, c, d and e");
        assert_eq!(
            list(["a", "b", "c", "d", "e", "f"]),
            "a, b, c, d and 2 more"
        );
    }

    #[test]
    fn one_is_not_a_plural() {
        assert_eq!(count(1, "pod"), "1 pod");
        assert_eq!(count(0, "pod"), "0 pods");
    }
}
