//! core/v1 Endpoints → facts.

use super::common::{name, pod_ref, port_number, protocol};
use super::parts;
use crate::facts::endpoints::{Address, Endpoints, Port, Subset};

const OVER_CAPACITY: &str = "endpoints.kubernetes.io/over-capacity";
const SKIP_MIRROR: &str = "endpointslice.kubernetes.io/skip-mirror";
const LEADER: &str = "control-plane.alpha.kubernetes.io/leader";

fn addresses(list: Option<Vec<parts::EndpointsAddress>>) -> Vec<Address> {
    list.unwrap_or_default()
        .into_iter()
        .filter_map(|address| {
            Some(Address {
                ip: address.ip.parse().ok()?,
                node: address.node_name,
                pod: address.target_ref.and_then(pod_ref),
            })
        })
        .collect()
}

/// A v1 Endpoints.
#[must_use]
pub fn endpoints(object: parts::Endpoints) -> Endpoints {
    let name = name(&object.metadata);
    let labels = object.metadata.labels.unwrap_or_default();
    let mut annotations = object.metadata.annotations.unwrap_or_default();
    Endpoints {
        name,
        skip_mirror: labels.get(SKIP_MIRROR).is_some_and(|skip| skip == "true")
            || annotations.contains_key(LEADER),
        over_capacity: annotations.remove(OVER_CAPACITY),
        subsets: object
            .subsets
            .into_iter()
            .flatten()
            .map(|subset| Subset {
                ready: addresses(subset.addresses),
                not_ready: addresses(subset.not_ready_addresses),
                ports: subset
                    .ports
                    .into_iter()
                    .flatten()
                    .filter_map(|port| {
                        Some(Port {
                            name: port.name.unwrap_or_default(),
                            number: port_number(port.port)?,
                            protocol: protocol(port.protocol.as_deref()),
                        })
                    })
                    .collect(),
            })
            .collect(),
    }
}
