//! What do files not hold that an answer would need? A cluster says so itself; files are silent.

use crate::facts::{Gap, GapReason, Resource, Snapshot};

/// Notes what the files hold nothing of, so that nothing is concluded from its absence.
pub fn note(snapshot: &mut Snapshot) {
    let unknown_nodes =
        snapshot.nodes.is_empty() || snapshot.nodes.iter().any(|node| node.kubelet.is_none());
    for (missing, resource) in [
        (snapshot.slices.is_empty(), Resource::EndpointSlices),
        (snapshot.endpoints.is_empty(), Resource::Endpoints),
        (snapshot.pods.is_empty(), Resource::Pods),
        (unknown_nodes, Resource::Nodes),
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
