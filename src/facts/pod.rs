//! What is a pod and what does it say of itself, as far as endpoints and its end depend on it?

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
    /// `metadata.deletionTimestamp`: the moment at which the grace ends, not the one of the request.
    pub deletion: Option<DateTime<Utc>>,
    /// `metadata.deletionGracePeriodSeconds`.
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
    /// Its kind: `ReplicaSet`, `StatefulSet`, ...
    pub kind: String,
    /// Its name, in the pod's namespace.
    pub name: String,
    /// It is the one that manages the object (`controller: true`).
    pub controller: bool,
}

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
    /// The node cannot be asked.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// `Ready`, `PodScheduled`, ...
    pub kind: String,
    /// `status` is `True`.
    pub is_true: bool,
    /// Why.
    pub reason: String,
    /// When `status` last changed.
    pub changed: Option<DateTime<Utc>>,
}

/// What is known of a container.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContainerStatus {
    /// Its name.
    pub name: String,
    /// It passes its readiness probe.
    pub ready: bool,
    /// It passed its startup probe.
    pub started: bool,
    /// What it does.
    pub state: ContainerState,
}

/// What a container does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ContainerState {
    /// It has not started, for this reason (perhaps empty).
    Waiting(String),
    /// It runs.
    Running,
    /// It has ended.
    Terminated {
        /// Its exit code.
        exit_code: i32,
        /// The signal that ended it; 0 for none.
        signal: i32,
        /// Why, in the runtime's words.
        reason: String,
    },
    /// Nothing is said.
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

    /// A server has written of it. Manifests of pods have neither a uid nor a status.
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

    /// When its deletion was asked for: the deletion timestamp less the grace that was granted
    /// (`pkg/registry/rest/delete.go`, `BeforeDelete`).
    #[must_use]
    pub fn requested_at(&self) -> Option<DateTime<Utc>> {
        let grace = TimeDelta::try_seconds(self.deletion_grace_seconds?)?;
        self.deletion?.checked_sub_signed(grace)
    }
}
