//! What does a node answer on `spec.healthCheckNodePort`, which load balancers probe under a Local external policy?
//!
//! Source: `pkg/proxy/healthcheck/service_health.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::ingest;
use crate::facts::service::{Family, Service, ServicePort, ServiceType, TrafficPolicy};
use crate::facts::slice::EndpointSlice;
use crate::gates::behaviour::Behaviour;

/// How many distinct ready endpoint IPs are on each node that has any, over every port found in the slices; the port answers 200
/// there, and 503 elsewhere. `None` when the Service has no such port. Terminating endpoints do not count (unless published as ready).
#[must_use]
pub fn local_ready_endpoints<'a>(
    service: &Service,
    family: Family,
    slices: &[&'a EndpointSlice],
    behaviour: &Behaviour,
) -> Option<BTreeMap<&'a str, usize>> {
    service.health_check_node_port?;
    if service.kind != ServiceType::LoadBalancer
        || service.external_traffic_policy != Some(TrafficPolicy::Local)
        || !ingest::proxied(service, family, behaviour)
    {
        return None;
    }
    let mut ports: Vec<ServicePort> = Vec::new();
    for entry in slices.iter().flat_map(|slice| &slice.ports) {
        let Some(name) = &entry.name else { continue };
        if !ports
            .iter()
            .any(|port| port.name == *name && port.protocol == entry.protocol)
        {
            ports.push(ServicePort {
                name: name.clone(),
                port: 0,
                protocol: entry.protocol,
                target: crate::facts::service::TargetPort::Number(0),
                node_port: None,
            });
        }
    }
    let mut ready: BTreeMap<&str, BTreeSet<IpAddr>> = BTreeMap::new();
    for port in &ports {
        for claims in &ingest::candidates(service, port, family, slices, behaviour.into()) {
            for node in claims.nodes() {
                let candidate = claims.on_node(node, behaviour);
                if candidate.ready && candidate.node == Some(node) {
                    ready.entry(node).or_default().insert(candidate.ip);
                }
            }
        }
    }
    Some(
        ready
            .into_iter()
            .map(|(node, ips)| (node, ips.len()))
            .collect(),
    )
}
