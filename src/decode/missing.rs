//! What do files not hold that an answer would need? A cluster says so itself; files are silent.

use crate::facts::pod::Pod;
use crate::facts::{Gap, GapReason, Resource, Snapshot};
use crate::sources::names_services;

/// Notes what the files hold nothing of, so that nothing is concluded from its absence.
pub fn note(snapshot: &mut Snapshot) {
    // Manifests describe what is wanted: one without an Ingress is no sign that one is missing. What `kubectl get` prints of a cluster is.
    let of_cluster = !snapshot.slices.is_empty()
        || !snapshot.endpoints.is_empty()
        || snapshot.pods.iter().any(Pod::was_observed);
    let no_routes = !snapshot
        .others
        .iter()
        .any(|object| names_services(&object.kind));
    for (missing, resource) in [
        (snapshot.slices.is_empty(), Resource::EndpointSlices),
        (snapshot.endpoints.is_empty(), Resource::Endpoints),
        (snapshot.pods.is_empty(), Resource::Pods),
        // Nodes without a version are there: that their version is not known is a note.
        (snapshot.nodes.is_empty(), Resource::Nodes),
        (
            of_cluster && no_routes,
            Resource::TrafficObjects("ingresses.networking.k8s.io"),
        ),
    ] {
        if missing {
            snapshot.gaps.push(Gap {
                resource,
                verb: "list",
                namespace: None,
                reason: GapReason::NotInInput,
            });
        }
    }
}
