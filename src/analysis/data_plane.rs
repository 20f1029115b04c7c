//! Does something else than kube-proxy route Services here, and by which rules?

use super::assumptions::Assumptions;
use crate::sources::catalogue::{Normal, WhenNoReady};
use crate::sources::{Class, DetectedSources, Evidence, TrafficSource};

/// What routes a Service in kube-proxy's place.
#[derive(Debug, Clone)]
pub struct DataPlane {
    /// Which.
    pub source: &'static TrafficSource,
    /// What shows it.
    pub evidence: Vec<Evidence>,
    /// Its rules are known: whether it falls back to terminating endpoints that serve when none is ready. `None` where they are not.
    pub falls_back: Option<bool>,
}

/// It runs kube-proxy's own code.
const AT_HEART_KUBE_PROXY: &str = "openshift-sdn";

/// The data plane that was detected; `None` is kube-proxy. `--proxy-mode` says that it is kube-proxy, whatever was seen.
#[must_use]
pub fn data_plane(detected: &DetectedSources<'_>, assumptions: &Assumptions) -> Option<DataPlane> {
    if assumptions.mode.is_some() {
        return None;
    }
    let found = detected.in_use.iter().find(|used| {
        used.source.class == Class::Dataplane && used.source.id != AT_HEART_KUBE_PROXY
    })?;
    let does = &found.source.terminating;
    let falls_back = match (does.normal, does.when_no_ready) {
        (Normal::Excluded, WhenNoReady::ServingTerminating) => Some(true),
        (Normal::Excluded, WhenNoReady::None) => Some(false),
        _ => None,
    };
    Some(DataPlane {
        source: found.source,
        evidence: found.evidence.clone(),
        falls_back,
    })
}
