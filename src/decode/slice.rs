//! discovery.k8s.io/v1 EndpointSlice → facts.

use k8s_openapi::api::discovery::v1 as discovery;

use super::{name, pod_ref, port_number, protocol};
use crate::facts::slice::{AddressType, Conditions, Endpoint, EndpointSlice, SlicePort};

/// A discovery.k8s.io/v1 EndpointSlice.
#[must_use]
pub fn slice(object: discovery::EndpointSlice) -> EndpointSlice {
    EndpointSlice {
        name: name(&object.metadata),
        labels: object.metadata.labels.unwrap_or_default(),
        address_type: match object.address_type.as_str() {
            "IPv6" => AddressType::V6,
            "FQDN" => AddressType::Fqdn,
            "IP" => AddressType::Ip,
            _ => AddressType::V4,
        },
        endpoints: object
            .endpoints
            .into_iter()
            .flatten()
            .map(endpoint)
            .collect(),
        ports: object
            .ports
            .into_iter()
            .flatten()
            .map(|port| SlicePort {
                name: port.name,
                port: port.port.and_then(port_number),
                protocol: protocol(port.protocol.as_deref()),
            })
            .collect(),
    }
}

fn endpoint(endpoint: discovery::Endpoint) -> Endpoint {
    let conditions = endpoint.conditions.unwrap_or_default();
    let hints = endpoint.hints.unwrap_or_default();
    Endpoint {
        addresses: endpoint.addresses,
        conditions: Conditions {
            ready: conditions.ready,
            serving: conditions.serving,
            terminating: conditions.terminating,
        },
        node: endpoint.node_name,
        zone: endpoint.zone,
        pod: endpoint.target_ref.and_then(pod_ref),
        zone_hints: hints
            .for_zones
            .into_iter()
            .flatten()
            .map(|hint| hint.name)
            .collect(),
        node_hints: hints
            .for_nodes
            .into_iter()
            .flatten()
            .map(|hint| hint.name)
            .collect(),
        topology: endpoint.deprecated_topology.unwrap_or_default(),
    }
}
