//! Words that several rules share.

use std::collections::BTreeSet;

use crate::check::paths::{PathCheck, PortCheck};
use crate::check::service::ServiceCheck;
use crate::check::story::address;
use crate::facts::service::Protocol;
pub(super) use crate::words::{age, count, list, nodes};

/// `80/TCP`, with the port's name before it if it has one.
pub(super) fn port(port: &PortCheck<'_>) -> String {
    let number = port.port.port;
    let protocol = match port.port.protocol {
        Protocol::Tcp => "TCP",
        Protocol::Udp => "UDP",
        Protocol::Sctp => "SCTP",
    };
    if port.port.name.is_empty() {
        format!("{number}/{protocol}")
    } else {
        format!("{} {number}/{protocol}", port.port.name)
    }
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
