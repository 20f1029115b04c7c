//! What does an API server of some version do when a pod is deleted again, or evicted?
//!
//! Sources: `staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go`, `BeforeDelete`, 1.32 and 1.36;
//! `pkg/registry/core/pod/storage/eviction.go`, 1.36.

use crate::facts::version::KubeVersion;

/// What one version does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiServer {
    /// A second delete whose grace period would have ended already is written as one that ends now, with a grace period of one second
    /// unless it is 0: 1.33. `metadata.deletionTimestamp` less the grace period is then not when the first delete was requested.
    pub late_delete_ends_now: bool,
    /// `unhealthyPodEvictionPolicy` of a `PodDisruptionBudget` counts without a feature gate: 1.27 (beta; GA in 1.31; KEP-3017).
    pub reads_unhealthy_policy: bool,
}

impl ApiServer {
    /// What an API server of this version does.
    #[must_use]
    pub const fn new(version: KubeVersion) -> Self {
        Self {
            late_delete_ends_now: version.minor >= 33,
            reads_unhealthy_policy: version.minor >= 27,
        }
    }
}
