//! Which terminating pods do the EndpointSlices leave out, so that no answer lists them?

use std::collections::BTreeSet;

use crate::controllers::{pods, slices};
use crate::facts::pod::Pod;
use crate::facts::service::Service;
use crate::facts::slice::EndpointSlice;
use crate::gates::controllers::Controllers;

/// The terminating pods of a Service that its slices do not hold, because its controllers leave such pods out: those up to 1.21, and
/// later ones whose gate is off. By name.
#[must_use]
pub(super) fn left_out<'a>(
    service: &Service,
    selected: Option<&[&'a Pod]>,
    (written, gate_off): (&[&EndpointSlice], bool),
    controllers: Controllers,
) -> Vec<&'a Pod> {
    let leave_out = gate_off || !controllers.slices_hold_terminating;
    if !leave_out || service.publish_not_ready || slices::unmanaged(service) {
        return Vec::new();
    }
    let endpoints = written.iter().flat_map(|slice| &slice.endpoints);
    let named = endpoints.filter_map(|endpoint| endpoint.pod.as_ref());
    let listed: BTreeSet<_> = named.map(|pod| &pod.name).collect();
    let families = slices::families(service);
    let mut left_out: Vec<_> = selected
        .into_iter()
        .flatten()
        .copied()
        .filter(|pod| {
            let mut families = families.iter();
            pod.deletion.is_some()
                && !pods::has_ended(pod, controllers)
                && !listed.contains(&pod.name)
                && families.any(|family| pods::address(pod, *family).is_some())
        })
        .collect();
    left_out.sort_by_key(|pod| &pod.name);
    left_out
}
