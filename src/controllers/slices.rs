//! Which endpoints should a Service's EndpointSlices hold, and with which conditions?
//!
//! Sources: `kubernetes/endpointslice` `reconciler.go` and `utils.go`, before 1.28 `pkg/controller/endpointslice`;
//! `pkg/controller/endpointslicemirroring/reconciler.go`.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::pods;
use crate::facts::endpoints::{Endpoints, Port};
use crate::facts::pod::Pod;
use crate::facts::service::{Family, Service, ServiceType};
use crate::facts::slice::{Conditions, PodRef};
use crate::gates::controllers::Controllers;

/// The label that names the controller of a slice.
pub const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";

/// The value of [`MANAGED_BY`] for slices made from pods.
pub const FROM_PODS: &str = "endpointslice-controller.k8s.io";

/// The value of [`MANAGED_BY`] for slices made from a hand-written Endpoints object.
pub const MIRRORED: &str = "endpointslicemirroring-controller.k8s.io";

/// An endpoint as it should stand in a slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// Its address.
    pub address: IpAddr,
    /// The pod behind it.
    pub pod: Option<PodRef>,
    /// Its conditions.
    pub conditions: Conditions,
    /// The ports that resolve; possibly none.
    pub ports: Vec<Port>,
}

/// The families that the Service's slices are made for (`getAddressTypesForService`).
#[must_use]
pub fn families(service: &Service) -> Vec<Family> {
    if !service.ip_families.is_empty() {
        return service.ip_families.clone();
    }
    match service.cluster_ips.first() {
        Some(ip) => vec![Family::of(*ip)],
        None if service.headless => vec![Family::V4, Family::V6],
        None => Vec::new(),
    }
}

/// Does another writer than the EndpointSlice controller write this Service's slices?
#[must_use]
pub fn unmanaged(service: &Service) -> bool {
    service.selector.is_none() || service.kind == ServiceType::ExternalName
}

/// The endpoints that the Service's pods should have in slices; `pods` are those that the Service selects. `nodes` are the
/// names of the nodes that exist, if they are known.
#[must_use]
pub fn from_pods(
    service: &Service,
    pods: &[&Pod],
    nodes: Option<&BTreeSet<&str>>,
    controllers: Controllers,
) -> Vec<Expected> {
    let mut expected = Vec::new();
    for family in families(service) {
        for pod in pods {
            let Some(address) = pods::address(pod, family) else {
                continue;
            };
            let on_missing_node = pod
                .node
                .as_deref()
                .is_some_and(|node| nodes.is_some_and(|nodes| !nodes.contains(node)));
            let terminating = pod.deletion.is_some();
            let left_out = pods::has_ended(pod, controllers)
                || !service.publish_not_ready
                    && (on_missing_node && controllers.skips_pods_of_missing_nodes
                        || terminating && !controllers.slices_hold_terminating);
            if left_out {
                continue;
            }
            let serving = pod.is_ready();
            let ready = service.publish_not_ready || (serving && !terminating);
            let if_held = |value| controllers.slices_hold_terminating.then_some(value);
            expected.push(Expected {
                address,
                pod: Some(PodRef {
                    name: pod.name.clone(),
                    uid: pod.uid.clone(),
                }),
                conditions: Conditions {
                    ready: Some(ready),
                    serving: if_held(serving),
                    terminating: if_held(terminating),
                },
                ports: pods::ports(pod, service, controllers.sidecar_ports_in_slices),
            });
        }
    }
    expected
}

/// How many addresses of a subset are mirrored by default (`--mirroring-max-endpoints-per-subset`).
const MIRRORED_PER_SUBSET: usize = 1000;

/// The endpoints that slices mirrored from a hand-written Endpoints object should hold: ready ones first, and only `ready` is set.
#[must_use]
pub fn mirrored(endpoints: &Endpoints) -> Vec<Expected> {
    let mut expected = Vec::new();
    for subset in &endpoints.subsets {
        let mut ports = subset.ports.clone();
        ports.sort();
        let ready = subset.ready.iter().map(|address| (address, true));
        let not_ready = subset.not_ready.iter().map(|address| (address, false));
        for (address, ready) in ready.chain(not_ready).take(MIRRORED_PER_SUBSET) {
            expected.push(Expected {
                address: address.ip,
                pod: address.pod.clone(),
                conditions: Conditions {
                    ready: Some(ready),
                    serving: None,
                    terminating: None,
                },
                ports: ports.clone(),
            });
        }
    }
    expected
}
