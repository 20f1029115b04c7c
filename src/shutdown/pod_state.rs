//! How far has a pod's end come, which of its containers run, and is its node still there?

use crate::facts::node::Node;
use crate::facts::pod::{ContainerState, ContainerStatus, Pod};
use crate::gates::kubelet::Kubelet;

/// How far the end of a pod has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TerminationPhase {
    /// preStop runs in every main container; none has got SIGTERM.
    PreStop,
    /// preStop, or already after SIGTERM: how long preStop takes is not known.
    PreStopOrStopping,
    /// A main container has got SIGTERM.
    Stopping,
    /// The grace period has ended and containers are still reported.
    PastGrace,
    /// No container runs any more; the kubelet cleans up.
    CleaningUp,
    /// The kubelet is done, and finalizers keep the object.
    FinalizersOnly,
    /// It was deleted with grace period 0: the API waits for nothing but finalizers, and the kubelet for at most a few seconds.
    ForceDeleted,
}

impl TerminationPhase {
    /// Every phase, for documentation and completeness tests.
    pub const ALL: [Self; 7] = [
        Self::PreStop,
        Self::PreStopOrStopping,
        Self::Stopping,
        Self::PastGrace,
        Self::CleaningUp,
        Self::FinalizersOnly,
        Self::ForceDeleted,
    ];

    /// The stable id that reports and `explain` use.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::PreStop => "pre-stop",
            Self::PreStopOrStopping => "pre-stop-or-stopping",
            Self::Stopping => "stopping",
            Self::PastGrace => "past-grace",
            Self::CleaningUp => "cleaning-up",
            Self::FinalizersOnly => "finalizers-only",
            Self::ForceDeleted => "force-deleted",
        }
    }

    /// One sentence for people.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::PreStop => "preStop is running; SIGTERM has not been sent yet.",
            Self::PreStopOrStopping => {
                "preStop is running or has ended; how long it takes is not known, so SIGTERM may have been sent."
            }
            Self::Stopping => "SIGTERM has been sent; the containers have until SIGKILL to end.",
            Self::PastGrace => {
                "The grace period is over, and containers are still reported as running."
            }
            Self::CleaningUp => {
                "Every container has ended; the kubelet unmounts volumes and removes the rest."
            }
            Self::FinalizersOnly => {
                "The kubelet is done with the pod; only finalizers keep the object."
            }
            Self::ForceDeleted => {
                "It was deleted with grace period 0: the API no longer waits for its containers, which may still run."
            }
        }
    }
}

/// What is known of the node that a pod names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement<'a> {
    /// It is not scheduled.
    Nowhere,
    /// It is there.
    On(&'a Node),
    /// There is no such node.
    Gone(&'a str),
    /// Nodes could not be read.
    NotRead(&'a str),
}

impl<'a> Placement<'a> {
    /// The placement of a pod among all nodes; `None` where nodes could not be read.
    #[must_use]
    pub fn of(pod: &'a Pod, nodes: Option<&'a [Node]>) -> Self {
        let Some(name) = pod.node.as_deref() else {
            return Self::Nowhere;
        };
        let Some(nodes) = nodes else {
            return Self::NotRead(name);
        };
        nodes
            .iter()
            .find(|node| node.name == name)
            .map_or(Self::Gone(name), Self::On)
    }
}

/// The statuses of all containers: main, init and ephemeral ones.
pub(super) fn statuses(pod: &Pod) -> impl Iterator<Item = &ContainerStatus> {
    let lists = [&pod.statuses, &pod.init_statuses, &pod.ephemeral_statuses];
    lists.into_iter().flatten()
}

/// No container is reported as running. A status without a state, or no status at all, is no answer.
pub(super) fn none_runs(pod: &Pod) -> bool {
    let silent = |status: &ContainerStatus| {
        matches!(
            status.state,
            ContainerState::Running | ContainerState::Unsaid
        )
    };
    pod.is_terminal() || (!pod.statuses.is_empty() && !statuses(pod).any(silent))
}

/// The kubelet has sent its own last delete. From 1.27 on that comes only after a terminal phase (kubernetes#115331).
pub(super) fn kubelet_is_done(pod: &Pod, kubelet: &Kubelet) -> bool {
    let over = pod.is_terminal() || (!kubelet.ends_phase && none_runs(pod));
    pod.deletion_grace_seconds == Some(0) && over
}
