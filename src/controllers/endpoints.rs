//! Which addresses should a Service's Endpoints object hold?
//!
//! Source: `pkg/controller/endpoint/endpoints_controller.go`.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::pods;
use crate::facts::endpoints::{Endpoints, Port};
use crate::facts::pod::Pod;
use crate::facts::service::{Family, Service, ServiceType};
use crate::gates::controllers::Controllers;

/// How many addresses an Endpoints object holds at most since 1.22.
pub const CAPACITY: usize = 1000;

/// In which list an address stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Listed {
    /// `addresses`.
    Ready,
    /// `notReadyAddresses`.
    NotReady,
}

/// One address with one port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AddressKey {
    /// The address.
    pub ip: IpAddr,
    /// The name of the pod behind it: pods on a node's own network share its address.
    pub pod: Option<String>,
    /// The port; a headless Service without ports lists addresses without any.
    pub port: Option<Port>,
}

/// Where each address and port of a Service stands or should stand. Being not ready wins for a duplicate
/// (`pkg/api/v1/endpoints/util.go`).
pub type Addresses = BTreeMap<AddressKey, Listed>;

/// Does another writer than the Endpoints controller write this Service's Endpoints?
#[must_use]
pub fn unmanaged(service: &Service, controllers: Controllers) -> bool {
    service.selector.is_none()
        || service.kind == ServiceType::ExternalName && controllers.skips_external_name
}

/// The addresses that the Service's pods should have; `pods` are those that the Service selects.
#[must_use]
pub fn predicted(service: &Service, pods: &[&Pod], controllers: Controllers) -> Addresses {
    let mut addresses = Addresses::new();
    for pod in pods {
        let published = service.publish_not_ready || pod.is_ready();
        // Before 1.24.2 an ended pod was left out only if it was not to be published anyway.
        let ended =
            pods::has_ended(pod, controllers) && (controllers.leaves_out_ended_pods || !published);
        if ended || pod.deletion.is_some() && !service.publish_not_ready {
            continue;
        }
        let family = service
            .ip_families
            .first()
            .copied()
            .or(service.cluster_ips.first().copied().map(Family::of))
            .or(pod.ips.first().copied().map(Family::of));
        let Some(ip) = family.and_then(|family| pods::address(pod, family)) else {
            continue;
        };
        let listed = if published {
            Listed::Ready
        } else {
            Listed::NotReady
        };
        let ports = pods::ports(pod, service, controllers.sidecar_ports_in_endpoints);
        let without_port = service.ports.is_empty() && service.headless;
        for port in ports
            .into_iter()
            .map(Some)
            .chain(without_port.then_some(None))
        {
            let pod = Some(pod.name.name.clone());
            add(&mut addresses, AddressKey { ip, pod, port }, listed);
        }
    }
    addresses
}

fn add(addresses: &mut Addresses, key: AddressKey, listed: Listed) {
    let entry = addresses.entry(key).or_insert(listed);
    *entry = (*entry).max(listed);
}

/// The addresses that the object holds.
#[must_use]
pub fn written(endpoints: &Endpoints) -> Addresses {
    let mut addresses = Addresses::new();
    for subset in &endpoints.subsets {
        let ready = subset.ready.iter().map(|address| (address, Listed::Ready));
        let not_ready = subset
            .not_ready
            .iter()
            .map(|address| (address, Listed::NotReady));
        for (address, listed) in ready.chain(not_ready) {
            let without_port = subset.ports.is_empty().then_some(None);
            for port in subset.ports.iter().cloned().map(Some).chain(without_port) {
                let key = AddressKey {
                    ip: address.ip,
                    pod: address.pod.as_ref().map(|pod| pod.name.name.clone()),
                    port,
                };
                add(&mut addresses, key, listed);
            }
        }
    }
    addresses
}
