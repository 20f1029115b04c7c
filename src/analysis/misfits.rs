//! An IPv4 slice with an IPv6 address: a kube-proxy that takes it over fails to sync IPv4. The other way round was not tried.

use crate::facts::cidr;
use crate::facts::service::{Family, Service};
use crate::facts::slice::{AddressType, EndpointSlice};
use crate::facts::{ObjectName, Snapshot};
use crate::gates::behaviour::Behaviour;
use crate::proxy::ingest::{belongs, proxied};

/// An IPv6 address in an IPv4 slice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Misfit {
    /// The slice.
    pub slice: ObjectName,
    /// The address.
    pub address: String,
}

fn of_slice(slice: &EndpointSlice) -> Option<Misfit> {
    if slice.address_type != AddressType::V4 {
        return None;
    }
    // What is not ready may never be written to a node.
    let ready = |ready: Option<bool>| ready.unwrap_or(true);
    let mut endpoints = slice.endpoints.iter();
    let address = endpoints.find_map(|endpoint| {
        let first = endpoint.addresses.first()?;
        let other = Family::of(cidr::address(first)?) == Family::V6;
        (other && ready(endpoint.conditions.ready)).then(|| first.clone())
    })?;
    Some(Misfit {
        slice: slice.name.clone(),
        address,
    })
}

/// The first address on which some of these kube-proxies fail to sync IPv4.
pub(super) fn misfit<'b>(
    snapshot: &Snapshot,
    behaviours: impl Iterator<Item = &'b Behaviour>,
) -> Option<Misfit> {
    let failing: Vec<_> = behaviours
        .filter(|each| each.fails_on_other_family)
        .collect();
    snapshot.slices.iter().find_map(|slice| {
        let misfit = of_slice(slice)?;
        let takes = |service: &Service| {
            failing.iter().any(|behaviour| {
                belongs(slice, service, (*behaviour).into())
                    && proxied(service, Family::V4, behaviour)
            })
        };
        snapshot.services.iter().any(takes).then_some(misfit)
    })
}
