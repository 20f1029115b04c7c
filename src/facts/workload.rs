//! What makes pods: which controllers are there, how do they replace pods, and what is the template?

use std::collections::BTreeMap;

use super::ObjectName;
use super::pod::Owner;
use super::pod_spec::PodSpec;

/// A controller of pods, or anything else with a pod template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    /// Its kind.
    pub kind: Kind,
    /// Namespace and name.
    pub name: ObjectName,
    /// Its own `metadata.annotations` that are for this tool: `drain-check/...`. The others may be as long as the object itself.
    pub annotations: BTreeMap<String, String>,
    /// What it belongs to itself: a Deployment, for a `ReplicaSet`.
    pub owner: Option<Owner>,
    /// The labels that its pods get (`spec.template.metadata.labels`).
    pub pod_labels: BTreeMap<String, String>,
    /// The rest of its pod template.
    pub template: PodTemplate,
    /// `spec.replicas`; 1 by default. `None` where nothing is said, or where the kind has no such number.
    pub replicas: Option<i64>,
    /// `spec.minReadySeconds`, in seconds; 0 by default.
    pub min_ready_seconds: i64,
    /// How it replaces its pods when the template changes.
    pub strategy: Strategy,
}

/// What a workload makes pods from, but for the labels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PodTemplate {
    /// `metadata.annotations`.
    pub annotations: BTreeMap<String, String>,
    /// `spec`.
    pub spec: PodSpec,
}

/// What kind of object has the pod template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// One of apps/v1.
    Apps(WorkloadKind),
    /// Another one: Job, `CronJob`, a custom resource.
    Other {
        /// Its apiVersion.
        api_version: String,
        /// Its kind.
        kind: String,
    },
}

impl Kind {
    /// The kind as manifests write it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Apps(kind) => kind.name(),
            Self::Other { kind, .. } => kind,
        }
    }

    /// The apiVersion as manifests write it.
    #[must_use]
    pub fn api_version(&self) -> &str {
        match self {
            Self::Apps(_) => "apps/v1",
            Self::Other { api_version, .. } => api_version,
        }
    }
}

impl PartialEq<WorkloadKind> for Kind {
    fn eq(&self, other: &WorkloadKind) -> bool {
        matches!(self, Self::Apps(kind) if kind == other)
    }
}

/// `spec.strategy` of a Deployment, `spec.updateStrategy` of the others. Amounts are `None` where nothing is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Old pods are replaced bit by bit.
    RollingUpdate {
        /// How many pods may be missing: 25 % by default for a Deployment, else 1.
        max_unavailable: Option<Amount>,
        /// How many pods may be too many: 25 % by default for a Deployment, else 0.
        max_surge: Option<Amount>,
    },
    /// Every old pod goes before the first new one comes.
    Recreate,
    /// Pods are replaced when somebody deletes them.
    OnDelete,
    /// The kind does not replace pods.
    #[default]
    None,
}

/// A number of pods, or a share of all replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// That many.
    Count(i64),
    /// That many in a hundred.
    Percent(i64),
}

/// A kind of apps/v1.
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
