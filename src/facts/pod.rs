//! What is a pod's state, as far as endpoints and its termination depend on it?

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use super::ObjectName;
use super::pod_spec::PodSpec;

/// A Pod.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pod {
    /// Namespace and name.
    pub name: ObjectName,
    /// `metadata.uid`.
    pub uid: Option<String>,
    /// `metadata.labels`.
    pub labels: BTreeMap<String, String>,
    /// `metadata.annotations`.
    pub annotations: BTreeMap<String, String>,
    /// `metadata.ownerReferences`: the entry that controls it, else the first.
    pub owner: Option<Owner>,
    /// `metadata.creationTimestamp`.
    pub created: Option<DateTime<Utc>>,
    /// `metadata.deletionTimestamp`: when the grace period ends, not when the delete was requested.
    pub deletion: Option<DateTime<Utc>>,
    /// `metadata.deletionGracePeriodSeconds`: the grace period that the API server granted, in seconds.
    pub deletion_grace_seconds: Option<i64>,
    /// `metadata.finalizers`.
    pub finalizers: Vec<String>,
    /// `spec.nodeName`.
    pub node: Option<String>,
    /// The rest of its spec.
    pub spec: Arc<PodSpec>,
    /// `status.phase`.
    pub phase: Phase,
    /// `status.reason`.
    pub reason: String,
    /// `status.message`; empty in a snapshot.
    pub message: String,
    /// `status.podIPs`, or `status.podIP`.
    pub ips: Vec<IpAddr>,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
    /// `status.containerStatuses`.
    pub statuses: Vec<ContainerStatus>,
    /// `status.initContainerStatuses`.
    pub init_statuses: Vec<ContainerStatus>,
    /// `status.ephemeralContainerStatuses`.
    pub ephemeral_statuses: Vec<ContainerStatus>,
}

/// One of `metadata.ownerReferences`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// `kind`: `ReplicaSet`, `StatefulSet`, ...
    pub kind: String,
    /// `name`, in the pod's namespace.
    pub name: String,
    /// `controller`: it is the one that manages the object.
    pub controller: bool,
}

/// `status.reason` of a pod that its kubelet ended because the node shuts down (`pkg/kubelet/nodeshutdown`).
pub const NODE_SHUTS_DOWN: &str = "Terminated";

/// `status.phase`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Phase {
    /// Accepted, not every container has started.
    #[default]
    Pending,
    /// Bound to a node, some container runs.
    Running,
    /// Every container ended well.
    Succeeded,
    /// Every container ended, one of them badly.
    Failed,
    /// The node does not report.
    Unknown,
}

impl Phase {
    /// The phase as the API writes it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Unknown => "Unknown",
        }
    }
}

/// One of `status.conditions`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condition {
    /// `type`: `Ready`, `PodScheduled`, ...
    pub kind: String,
    /// `status` is `True`.
    pub is_true: bool,
    /// `reason`.
    pub reason: String,
    /// `message`; in a snapshot only that of `PodScheduled`.
    pub message: String,
    /// `lastTransitionTime`: when `status` last changed.
    pub changed: Option<DateTime<Utc>>,
}

/// One of `status.containerStatuses` and its like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContainerStatus {
    /// Its name.
    pub name: String,
    /// `ready`: it passes its readiness probe.
    pub ready: bool,
    /// `started`: it passed its startup probe.
    pub started: bool,
    /// `state`.
    pub state: ContainerState,
    /// `state.waiting.message`; empty in a snapshot.
    pub waiting_message: String,
    /// `lastState.terminated`: how it ended before it was started again.
    pub last_exit: Option<Exit>,
    /// `restartCount`.
    pub restarts: i64,
}

/// How a container ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exit {
    /// `exitCode`.
    pub code: i32,
    /// `signal`: the one that ended it; 0 for none.
    pub signal: i32,
    /// `reason`, such as `OOMKilled`.
    pub reason: String,
}

/// `state` of a container.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ContainerState {
    /// `waiting`, with its `reason` (perhaps empty).
    Waiting(String),
    /// `running`.
    Running,
    /// `terminated`.
    Terminated {
        /// `exitCode`.
        exit_code: i32,
        /// `signal`: the one that ended it; 0 for none.
        signal: i32,
        /// `reason`, in the runtime's words.
        reason: String,
        /// `finishedAt`, by the node's clock.
        finished: Option<DateTime<Utc>>,
    },
    /// The status does not set any.
    #[default]
    Unsaid,
}

impl Pod {
    /// Holds its spec together with whoever has the same: thousands may be of one template.
    pub fn share(&mut self, other: &Arc<PodSpec>) {
        if self.spec == *other {
            self.spec = Arc::clone(other);
        }
    }

    /// A condition by its type.
    #[must_use]
    pub fn condition(&self, kind: &str) -> Option<&Condition> {
        self.conditions
            .iter()
            .find(|condition| condition.kind == kind)
    }

    /// The condition `Ready` is `True`.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.condition("Ready").is_some_and(|ready| ready.is_true)
    }

    /// It comes from an API server: manifests of pods have neither a uid nor a status.
    #[must_use]
    pub fn was_observed(&self) -> bool {
        let by_status = self.phase != Phase::Pending
            || !self.conditions.is_empty()
            || !self.statuses.is_empty()
            || !self.ips.is_empty();
        self.uid.is_some() || self.created.is_some() || by_status
    }

    /// It has ended for good.
    #[must_use]
    pub const fn is_terminal(&self) -> bool {
        matches!(self.phase, Phase::Succeeded | Phase::Failed)
    }

    /// When its deletion was requested: `metadata.deletionTimestamp` less the grace period that was granted
    /// (`pkg/registry/rest/delete.go`, `BeforeDelete`).
    #[must_use]
    pub fn requested_at(&self) -> Option<DateTime<Utc>> {
        let grace = TimeDelta::try_seconds(self.deletion_grace_seconds?)?;
        self.deletion?.checked_sub_signed(grace)
    }
}
