//! How does an API server of some version print pods as a table?
//!
//! Source: `pkg/printers/internalversion/printers.go`, `printPod`, 1.21 to 1.36.

use crate::facts::version::KubeVersion;

/// What one version prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Printer {
    /// A pod that waits for a scheduling gate says so: 1.26.
    pub scheduling_gated: bool,
    /// Native sidecars count as containers: 1.28.
    pub counts_sidecars: bool,
    /// A pod that ended and is being deleted keeps its own status instead of `Terminating`: 1.31.
    pub ended_pods_keep_status: bool,
    /// A container that failed shows beside others that completed: 1.35.
    pub failure_beside_completed: bool,
}

impl Printer {
    /// What an API server of this version prints.
    #[must_use]
    pub const fn new(version: KubeVersion) -> Self {
        let minor = version.minor;
        Self {
            scheduling_gated: minor >= 26,
            counts_sidecars: minor >= 28,
            ended_pods_keep_status: minor >= 31,
            failure_beside_completed: minor >= 35,
        }
    }
}
