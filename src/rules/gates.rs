//! Which traffic sources make rollouts wait for them, with nothing of it in the manifest?

use crate::sources::DetectedSources;

/// GKE adds a readiness gate of its own to pods behind such groups (ingress-gce `pkg/neg/readiness`).
const ADDS_A_GATE: &str = "gke-neg";

/// Is one in use that adds a readiness gate to every pod that it sends to?
pub(super) fn adds_a_gate(sources: &DetectedSources<'_>) -> bool {
    let mut in_use = sources.in_use.iter();
    in_use.any(|each| each.source.id == ADDS_A_GATE)
}
