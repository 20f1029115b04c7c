//! Where does a terminating pod stand at a moment, and since when?
//!
//! The API shows only the deletion; what the containers do follows from the shutdown model and the time that has passed. The kubelet
//! writes the containers' states when it begins and again when all of them have stopped, so `running` in between may be old
//! (`pkg/kubelet/status/status_manager.go`).

use chrono::{DateTime, TimeDelta, Utc};

use super::pod_state::{Placement, TerminationPhase, kubelet_is_done, none_runs, statuses};
use super::stuck;
use super::stuck::{Evidence, Stuck};
use super::{ContainerKind, Delete, Durations, Shutdown, Span, shutdown, shutdown_of};
use crate::facts::pod::{ContainerState, ContainerStatus, Pod};
use crate::gates::kubelet::Kubelet;

/// How long after the last SIGKILL a pod may still be there, in milliseconds: the kubelet notices the delete within two seconds, and the
/// pods that were measured were gone 0.9 s after SIGKILL; the rest is a margin of our own.
const SLACK: i64 = 5_000;

/// The same for a pod whose containers have ended: volumes may take a while. A margin of our own, in milliseconds.
const CLEAN_UP: i64 = 30_000;

/// A terminating pod at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terminating {
    /// When the delete was requested. Since 1.33 a second delete that would lie in the past is written as a grace period of one second that
    /// ends now, and this is then a second before it (`BeforeDelete`).
    pub requested_at: DateTime<Utc>,
    /// When the grace period ends: `metadata.deletionTimestamp`.
    pub deadline: DateTime<Utc>,
    /// The grace period that was granted, in seconds: `metadata.deletionGracePeriodSeconds`.
    pub grace_seconds: i64,
    /// How long ago the delete was requested; never negative.
    pub elapsed: TimeDelta,
    /// Who deleted it, where the pod's condition `DisruptionTarget` names somebody.
    pub by: Option<DeletedBy>,
    /// What the kubelet should be doing now.
    pub phase: TerminationPhase,
    /// What was expected of it.
    pub shutdown: Shutdown,
    /// Why it is still there, if it should have gone.
    pub stuck: Option<Stuck>,
    /// The evidence for that cause.
    pub evidence: Vec<Evidence>,
}

/// Who requested the delete, by the reason of the condition `DisruptionTarget` (KEP-3329, on by default since 1.26). A plain
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

/// Where a pod stands at a moment; `None` for one that is not being deleted, or that has no `metadata.deletionGracePeriodSeconds`.
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
