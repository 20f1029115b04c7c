//! Where does a terminating pod stand at a moment, and since when?
//!
//! The API shows only the deletion; what the containers do follows from the shutdown model and the time that has passed. The kubelet
//! writes the containers' states when it begins and again when all of them have stopped, so `running` in between may be old
//! (`pkg/kubelet/status/status_manager.go`).

use chrono::{DateTime, TimeDelta, Utc};

use super::stuck;
use super::stuck::{Evidence, Stuck};
use super::{ContainerKind, Delete, Durations, Shutdown, Span, shutdown, shutdown_of};
use crate::facts::node::Node;
use crate::facts::pod::{ContainerState, ContainerStatus, Pod};
use crate::gates::kubelet::Kubelet;

/// How long after the last kill a pod may still be there, in milliseconds: the kubelet notices the delete within two seconds, and the
/// pods that were measured were gone 0.9 s after their kill; the rest is a margin of our own.
const SLACK: i64 = 5_000;

/// The same for a pod whose containers have ended: volumes may take a while. A margin of our own, in milliseconds.
const CLEAN_UP: i64 = 30_000;

/// A terminating pod at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terminating {
    /// When the delete was asked for. Since 1.33 a second delete that would lie in the past is written as a grace of one second that
    /// ends now, and this is then a second before it (`BeforeDelete`).
    pub requested_at: DateTime<Utc>,
    /// When the grace ends: `metadata.deletionTimestamp`.
    pub deadline: DateTime<Utc>,
    /// The grace that was granted, in seconds.
    pub grace_seconds: i64,
    /// How long ago the delete was asked for; never negative.
    pub elapsed: TimeDelta,
    /// Who deleted it, where the pod says so.
    pub by: Option<DeletedBy>,
    /// What the kubelet should be doing now.
    pub phase: TerminationPhase,
    /// What was expected of it.
    pub shutdown: Shutdown,
    /// Why it is still there, if it should have gone.
    pub stuck: Option<Stuck>,
    /// What tells that cause apart from the others.
    pub evidence: Vec<Evidence>,
}

/// How far the end of a pod has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TerminationPhase {
    /// preStop runs in every main container; none has got its SIGTERM.
    PreStop,
    /// preStop, or already past the SIGTERM: how long preStop takes is not known.
    PreStopOrStopping,
    /// A main container has got its SIGTERM.
    Stopping,
    /// The grace has ended and containers are still reported.
    PastGrace,
    /// No container runs any more; the kubelet cleans up.
    CleaningUp,
    /// The kubelet is done, and finalizers keep the object.
    FinalizersOnly,
    /// It was deleted with grace 0: the API waits for nothing but finalizers, and the kubelet for at most a few seconds.
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
            Self::PreStop => "preStop is running; the SIGTERM has not been sent yet.",
            Self::PreStopOrStopping => {
                "preStop is running or has ended; how long it takes cannot be told, so the SIGTERM may have been sent."
            }
            Self::Stopping => {
                "The SIGTERM has been sent; the containers have until the kill to end."
            }
            Self::PastGrace => "The grace is over, and containers are still reported as running.",
            Self::CleaningUp => {
                "Every container has ended; the kubelet unmounts volumes and removes the rest."
            }
            Self::FinalizersOnly => {
                "The kubelet is done with the pod; only finalizers keep the object."
            }
            Self::ForceDeleted => {
                "It was deleted with grace 0: the API no longer waits for its containers, which may still run."
            }
        }
    }
}

/// Who asked for the deletion, by the reason of the condition `DisruptionTarget` (KEP-3329, on by default since 1.26). A plain
/// delete, a rollout and a scale-down leave none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeletedBy {
    /// The eviction API: `kubectl drain`, an autoscaler.
    Eviction,
    /// The scheduler, for a pod of higher priority.
    Preemption,
    /// The taint manager: the node has a `NoExecute` taint.
    TaintManager,
    /// The pod garbage collector.
    PodGc,
    /// The kubelet: pressure or a shutdown of the node.
    Kubelet,
}

impl DeletedBy {
    fn of(pod: &Pod) -> Option<Self> {
        let target = pod.condition("DisruptionTarget")?;
        if !target.is_true {
            return None;
        }
        match target.reason.as_str() {
            "EvictionByEvictionAPI" => Some(Self::Eviction),
            "PreemptionByScheduler" => Some(Self::Preemption),
            "DeletionByTaintManager" => Some(Self::TaintManager),
            "DeletionByPodGC" => Some(Self::PodGc),
            "TerminationByKubelet" => Some(Self::Kubelet),
            _ => None,
        }
    }

    /// The stable id that reports use.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Eviction => "eviction",
            Self::Preemption => "preemption",
            Self::TaintManager => "taint-manager",
            Self::PodGc => "pod-gc",
            Self::Kubelet => "kubelet",
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

/// What is said of containers of any kind.
pub(super) fn statuses(pod: &Pod) -> impl Iterator<Item = &ContainerStatus> {
    let lists = [&pod.statuses, &pod.init_statuses, &pod.ephemeral_statuses];
    lists.into_iter().flatten()
}

/// No container runs as far as the API tells. Nothing said is no answer.
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

/// How the pod's end was to be expected, for the containers that are reported as running; for all of them where nothing is reported.
fn expected(pod: &Pod, kubelet: &Kubelet, delete: Delete, durations: &dyn Durations) -> Shutdown {
    let is_running = |status: &&ContainerStatus| status.state == ContainerState::Running;
    if !statuses(pod).any(|status| is_running(&status)) {
        return shutdown(&pod.spec, kubelet, delete, durations);
    }
    let runs = |name: &str| {
        let mut running = statuses(pod).filter(is_running);
        running.any(|status| status.name == name)
    };
    shutdown_of(&pod.spec, runs, kubelet, delete, durations)
}

fn phase(
    pod: &Pod,
    grace: i64,
    elapsed: i64,
    kubelet: &Kubelet,
    shutdown: &Shutdown,
) -> TerminationPhase {
    if grace == 0 {
        return if kubelet_is_done(pod, kubelet) {
            TerminationPhase::FinalizersOnly
        } else {
            TerminationPhase::ForceDeleted
        };
    }
    if none_runs(pod) {
        return TerminationPhase::CleaningUp;
    }
    if elapsed > grace.saturating_mul(1000) {
        return TerminationPhase::PastGrace;
    }
    let signals = || {
        let mains = |end: &&super::ContainerEnd| end.kind == ContainerKind::Main;
        shutdown
            .containers
            .iter()
            .filter(mains)
            .map(|end| end.sigterm_at)
    };
    let surely = |at: Span| at.max() <= elapsed;
    let perhaps = |at: Span| at.min() <= elapsed;
    if signals().any(surely) || signals().next().is_none() {
        TerminationPhase::Stopping
    } else if signals().any(perhaps) {
        TerminationPhase::PreStopOrStopping
    } else {
        TerminationPhase::PreStop
    }
}

/// Where a pod stands at a moment; `None` for one that is not being deleted, or that does not say with which grace.
#[must_use]
pub fn terminating(
    pod: &Pod,
    placement: Placement<'_>,
    kubelet: &Kubelet,
    durations: &dyn Durations,
    as_of: DateTime<Utc>,
) -> Option<Terminating> {
    let deadline = pod.deletion?;
    let requested_at = pod.requested_at()?;
    let grace = pod.deletion_grace_seconds?;
    let delete = Delete {
        grace_seconds: Some(grace),
        ..Delete::default()
    };
    let shutdown = expected(pod, kubelet, delete, durations);
    let elapsed = (as_of - requested_at).max(TimeDelta::zero());
    let millis = elapsed.num_milliseconds();
    let phase = phase(pod, grace, millis, kubelet, &shutdown);
    let allowed = match phase {
        // Nothing but finalizers is waited for.
        TerminationPhase::FinalizersOnly | TerminationPhase::ForceDeleted => SLACK,
        TerminationPhase::CleaningUp => shutdown.ends_by.max().saturating_add(CLEAN_UP),
        _ => shutdown.ends_by.max().saturating_add(SLACK),
    };
    let (stuck, evidence) = if millis > allowed {
        let (stuck, mut evidence) = stuck::cause(pod, placement, kubelet, phase);
        let past = (as_of - deadline).num_seconds();
        evidence.insert(0, Evidence::PastDeadline { seconds: past });
        (Some(stuck), evidence)
    } else {
        (None, Vec::new())
    };
    Some(Terminating {
        requested_at,
        deadline,
        grace_seconds: grace,
        elapsed,
        by: DeletedBy::of(pod),
        phase,
        shutdown,
        stuck,
        evidence,
    })
}
