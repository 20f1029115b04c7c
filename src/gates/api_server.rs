//! What does an API server of some version write when a pod is deleted again?
//!
//! Source: `staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go`, `BeforeDelete`, 1.32 and 1.36.

use crate::facts::version::KubeVersion;

/// What one version writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiServer {
    /// A second delete whose grace period would have ended already is written as one that ends now, with a grace period of one second
    /// unless it is 0: 1.33. `metadata.deletionTimestamp` less the grace period is then not when the first delete was requested.
    pub late_delete_ends_now: bool,
}

impl ApiServer {
    /// What an API server of this version writes.
    #[must_use]
    pub const fn new(version: KubeVersion) -> Self {
        Self {
            late_delete_ends_now: version.minor >= 33,
        }
    }
}
