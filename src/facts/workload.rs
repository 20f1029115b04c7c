//! What makes pods: the workload kinds of apps/v1.

use std::collections::BTreeMap;

use super::ObjectName;

/// A controller of pods, as far as it says which pods it makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    /// Its kind.
    pub kind: WorkloadKind,
    /// Namespace and name.
    pub name: ObjectName,
    /// The labels that its pods get.
    pub pod_labels: BTreeMap<String, String>,
}

/// A kind of controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkloadKind {
    /// apps/v1 Deployment.
    Deployment,
    /// apps/v1 StatefulSet.
    StatefulSet,
    /// apps/v1 DaemonSet.
    DaemonSet,
    /// apps/v1 ReplicaSet.
    ReplicaSet,
}

impl WorkloadKind {
    /// The kind as manifests write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deployment => "Deployment",
            Self::StatefulSet => "StatefulSet",
            Self::DaemonSet => "DaemonSet",
            Self::ReplicaSet => "ReplicaSet",
        }
    }
}
