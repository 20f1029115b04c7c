//! discovery.k8s.io EndpointSlice → facts.

use chrono::{DateTime, Utc};

use super::common::{exact, name, pod_ref, port_number, protocol, time};
use super::parts;
use crate::facts::slice::{AddressType, Conditions, Endpoint, EndpointSlice, SlicePort};

/// The controller's annotation: the moment of the change that it followed last (`pkg/controller/util/endpoint`, KEP-752).
const CHANGED: &str = "endpoints.kubernetes.io/last-change-trigger-time";

fn changed(meta: &parts::Meta) -> Option<DateTime<Utc>> {
    let annotation = meta.annotations.as_ref().and_then(|all| all.get(CHANGED));
    let said = annotation.and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    let created = || meta.creation_timestamp.as_ref().and_then(time);
    said.map(|moment| moment.with_timezone(&Utc))
        .or_else(created)
}

/// A discovery.k8s.io/v1 or v1beta1 EndpointSlice.
#[must_use]
pub fn slice(object: parts::EndpointSlice) -> EndpointSlice {
    EndpointSlice {
        name: name(&object.metadata),
        changed: changed(&object.metadata),
        labels: object.metadata.labels.unwrap_or_default(),
        address_type: match object.address_type.as_str() {
            "IPv6" => AddressType::V6,
            "FQDN" => AddressType::Fqdn,
            "IP" => AddressType::Ip,
            _ => AddressType::V4,
        },
        endpoints: exact(object.endpoints.into_iter().flatten().map(endpoint)),
        ports: object
            .ports
            .into_iter()
            .flatten()
            .map(|port| SlicePort {
                // The API's default (discovery/v1, `SetDefaults_EndpointPort`): an unnamed port, and not any port.
                name: Some(port.name.unwrap_or_default()),
                port: port.port.and_then(port_number),
                protocol: protocol(port.protocol.as_deref()),
            })
            .collect(),
    }
}

fn endpoint(endpoint: parts::Endpoint) -> Endpoint {
    let conditions = endpoint.conditions.unwrap_or_default();
    let hints = endpoint.hints.unwrap_or_default();
    // Where v1 has a field, v1beta1 has a key (KEP-752).
    let old = endpoint.topology;
    let or_key = |field: Option<String>, key: &str| {
        field.or_else(|| old.as_ref().and_then(|keys| keys.get(key)).cloned())
    };
    Endpoint {
        addresses: endpoint.addresses,
        conditions: Conditions {
            ready: conditions.ready,
            serving: conditions.serving,
            terminating: conditions.terminating,
        },
        node: or_key(endpoint.node_name, "kubernetes.io/hostname"),
        zone: or_key(endpoint.zone, "topology.kubernetes.io/zone"),
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
        topology: old.or(endpoint.deprecated_topology).unwrap_or_default(),
    }
}
