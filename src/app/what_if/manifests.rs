//! What would be there if manifests had been applied: a scenario needs no cluster.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::facts::service::{Family, Service, ServiceType};
use crate::facts::{Resource, Snapshot};

/// An address that no Service has: from the ranges for documentation (RFC 5737, RFC 3849).
fn address(number: u16, family: Family) -> IpAddr {
    let [_, last] = number.to_be_bytes();
    match family {
        Family::V4 => IpAddr::V4(Ipv4Addr::new(198, 51, 100, last)),
        Family::V6 => IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0xffff, 0, 0, 0, 0, number)),
    }
}

/// Does the API server give it an address once it is created (`pkg/registry/core/service/storage/alloc.go`, `allocClusterIPs`)?
fn gets_one(service: &Service) -> bool {
    service.kind != ServiceType::ExternalName && !service.headless && service.cluster_ips.is_empty()
}

/// Gives Services that only manifests tell of the addresses that an API server would give them. Their pods and slices are made by what is
/// played, so that nothing of them is missing. What was read of a cluster stays as it is.
pub(super) fn apply(facts: &mut Snapshot) {
    if !facts.pods.is_empty() || !facts.slices.is_empty() {
        return;
    }
    for (number, service) in (1..).zip(&mut facts.services) {
        if gets_one(service) {
            let families = match service.ip_families.as_slice() {
                [] => &[Family::V4],
                some => some,
            };
            let addresses = families.iter().map(|family| address(number, *family));
            service.cluster_ips = addresses.collect();
        }
    }
    let made = [
        Resource::Pods,
        Resource::EndpointSlices,
        Resource::Endpoints,
    ];
    facts.gaps.retain(|gap| !made.contains(&gap.resource));
}
