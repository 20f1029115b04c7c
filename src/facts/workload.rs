//! Which workloads make pods, how do they replace them, and what is the template?

use std::collections::BTreeMap;

use super::ObjectName;
use super::pod::{Condition, Owner};
use super::pod_spec::PodSpec;
use super::selector::LabelSelector;

/// The label of a `ReplicaSet`'s pods that a Deployment sets: what the name of the `ReplicaSet` ends with.
pub const TEMPLATE_HASH: &str = "pod-template-hash";

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
    /// `spec.replicas`; 1 by default. `None` where it is not set, or where the kind has no such field.
    pub replicas: Option<i64>,
    /// `spec.minReadySeconds`, in seconds; 0 by default.
    pub min_ready_seconds: i64,
    /// How it replaces its pods when the template changes.
    pub strategy: Strategy,
    /// Where its pods may run.
    pub placement: Placement,
    /// The `PersistentVolumeClaim`s that all of its pods share, by name.
    pub claims: Vec<String>,
    /// `spec.paused` of a Deployment: its rollouts wait.
    pub paused: bool,
    /// `spec.podManagementPolicy` of a `StatefulSet` is `OrderedReady`, as by default: its pods are made one after the other.
    pub one_by_one: bool,
    /// `metadata.generation`: how often its spec was changed.
    pub generation: Option<i64>,
    /// `status`; `None` for a manifest, and for kinds beside apps/v1.
    pub status: Option<Status>,
    /// It was read from an API server (it has a `metadata.uid`): its fields are what is in effect, defaults included.
    pub stored: bool,
}

/// What its controller says of a workload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// `observedGeneration`: the spec that this is about.
    pub observed: Option<i64>,
    /// `desiredNumberScheduled` of a `DaemonSet`: how many pods it wants.
    pub desired: Option<i64>,
    /// `readyReplicas` (`numberReady` of a `DaemonSet`): its ready pods; 0 where it is not said.
    pub ready: i64,
    /// `updatedReplicas` (`updatedNumberScheduled` of a `DaemonSet`): its pods of the current template; 0 where it is not said.
    pub updated: i64,
    /// `conditions`, which a `StatefulSet` and a `DaemonSet` never have.
    pub conditions: Vec<Condition>,
}

/// What a pod template says about the nodes of its pods.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placement {
    /// A container takes a port of the node: no two of the pods fit on one node.
    pub takes_node_ports: bool,
    /// `podAntiAffinity` and `topologySpreadConstraints`.
    pub apart: Vec<Apart>,
}

/// Pods are kept apart, or spread, over the values of a node's label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    /// `topologyKey`, such as `kubernetes.io/hostname`.
    pub key: String,
    /// `labelSelector`: the pods to keep away from; `None` is no pod.
    pub from: Option<LabelSelector>,
    /// A required `podAntiAffinity`: the scheduler leaves a pod pending rather than break it.
    pub required: bool,
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

impl Workload {
    /// A condition of its status by its type.
    #[must_use]
    pub fn condition(&self, kind: &str) -> Option<&Condition> {
        let mut conditions = self.status.iter().flat_map(|status| &status.conditions);
        conditions.find(|condition| condition.kind == kind)
    }
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

    /// Is it a Job or a `CronJob`, whose pods end by themselves?
    #[must_use]
    pub fn ends(&self) -> bool {
        matches!(self, Self::Other { api_version, kind }
            if api_version.starts_with("batch/") && ["Job", "CronJob"].contains(&kind.as_str()))
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

/// `spec.strategy` of a Deployment, `spec.updateStrategy` of the others. Amounts are `None` where they are not set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Strategy {
    /// `RollingUpdate`: old pods are replaced bit by bit.
    RollingUpdate {
        /// `rollingUpdate.maxUnavailable`: how many pods may be missing; 25 % by default for a Deployment, else 1.
        max_unavailable: Option<Amount>,
        /// `rollingUpdate.maxSurge`: how many pods there may be beyond the replicas; 25 % by default for a Deployment, else 0.
        max_surge: Option<Amount>,
        /// `rollingUpdate.partition` of a `StatefulSet`: pods below this ordinal stay as they are; 0 by default.
        partition: i64,
    },
    /// `Recreate`: every old pod goes before the first new one comes.
    Recreate,
    /// `OnDelete`: pods are replaced when somebody deletes them.
    OnDelete,
    /// The kind does not replace pods.
    #[default]
    None,
}

/// A number of pods, or a share of all replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Amount {
    /// That many.
    Count(i64),
    /// That many in a hundred.
    Percent(i64),
}

impl Amount {
    /// Is it none, of any number?
    #[must_use]
    pub const fn is_zero(self) -> bool {
        matches!(self, Self::Count(0) | Self::Percent(0))
    }

    /// How many of so many, rounded up (`GetScaledValueFromIntOrPercent` of apimachinery).
    #[must_use]
    pub const fn rounded_up(self, of: i64) -> i64 {
        match self {
            Self::Count(count) => count,
            Self::Percent(share) => share.saturating_mul(of).saturating_add(99) / 100,
        }
    }

    /// How many of so many, rounded down.
    #[must_use]
    pub const fn rounded_down(self, of: i64) -> i64 {
        match self {
            Self::Count(count) => count,
            Self::Percent(share) => share.saturating_mul(of) / 100,
        }
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Percent(share) => write!(f, "{share}%"),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_as_asked_and_counts_stay() {
        let quarter = Amount::Percent(25);
        assert_eq!((quarter.rounded_up(3), quarter.rounded_down(3)), (1, 0));
        assert_eq!((quarter.rounded_up(4), quarter.rounded_down(4)), (1, 1));
        assert_eq!((quarter.rounded_up(5), quarter.rounded_down(5)), (2, 1));
        assert_eq!(Amount::Count(3).rounded_up(1), 3);
        assert_eq!(quarter.rounded_up(0), 0);
    }
}
