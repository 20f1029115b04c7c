//! Where does a terminating pod stand at a moment, and since when?
//!
//! The API shows only the deletion; what the containers do follows from the shutdown model and the time that has passed. The kubelet
//! writes the containers' states when it begins and again when all of them have stopped, so `running` in between may be old
//! (`pkg/kubelet/status/status_manager.go`).

use chrono::{DateTime, TimeDelta, Utc};

use super::pod_state::{Placement, TerminationPhase, kubelet_is_done, none_runs};
use super::schedule::{ContainerStop, Look, SLACK, expected, schedule};
use super::stuck;
use super::stuck::{Evidence, Stuck};
use super::{ContainerKind, Delete, Durations, Shutdown};
use crate::facts::moments::Moments;
use crate::facts::pod::Pod;
use crate::gates::kubelet::Kubelet;

/// How long after its containers have ended a pod may still be there: volumes may take a while. A margin of our own, in milliseconds.
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
    /// What was expected of it by the grace period that it shows.
    pub shutdown: Shutdown,
    /// When its containers get their signals, main ones first.
    pub containers: Vec<ContainerStop>,
    /// When it no longer gets connections at the earliest, and when it is gone at the latest; `None` where nobody knows: it is stuck, or
    /// is going to be.
    pub leaves: Option<Moments>,
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

fn phase(
    pod: &Pod,
    grace: i64,
    requested_at: DateTime<Utc>,
    kubelet: &Kubelet,
    (stops, as_of): (&[ContainerStop], DateTime<Utc>),
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
    if (as_of - requested_at).num_milliseconds() > grace.saturating_mul(1000) {
        return TerminationPhase::PastGrace;
    }
    let signals = || {
        let mains = stops.iter().filter(|stop| stop.kind == ContainerKind::Main);
        mains.filter_map(|stop| stop.sigterm_at)
    };
    if signals().any(|(_, surely)| surely <= as_of) || signals().next().is_none() {
        TerminationPhase::Stopping
    } else if signals().any(|(perhaps, _)| perhaps <= as_of) {
        TerminationPhase::PreStopOrStopping
    } else {
        TerminationPhase::PreStop
    }
}

/// When a pod is out of the slices, or no longer serves: from the first SIGTERM on, after which an application may end or fail its
/// readiness probe at any time.
fn leaves(
    pod: &Pod,
    placement: Placement<'_>,
    kubelet: &Kubelet,
    (stops, as_of): (&[ContainerStop], DateTime<Utc>),
    (phase, latest): (TerminationPhase, DateTime<Utc>),
) -> Option<Moments> {
    if stuck::holds(pod, placement, kubelet, phase) {
        return None;
    }
    let earliest = match phase {
        TerminationPhase::PreStop | TerminationPhase::PreStopOrStopping => {
            let signals = stops.iter().filter_map(|stop| stop.sigterm_at);
            signals.map(|(min, _)| min).min().unwrap_or(as_of)
        }
        _ => as_of,
    };
    let latest = latest.max(as_of);
    Some((earliest.clamp(as_of, latest), latest))
}

/// Where a pod stands at a moment; `None` for one that is not being deleted, or that has no `metadata.deletionGracePeriodSeconds`.
#[must_use]
pub fn terminating(
    pod: &Pod,
    placement: Placement<'_>,
    kubelet: &Kubelet,
    durations: &dyn Durations,
    look: &Look,
) -> Option<Terminating> {
    let as_of = look.as_of;
    let deadline = pod.deletion?;
    let requested_at = pod.requested_at()?;
    let grace = pod.deletion_grace_seconds?;
    let delete = Delete {
        grace_seconds: Some(grace),
        ..Delete::default()
    };
    let shutdown = expected(pod, kubelet, delete, durations);
    let schedule = schedule(pod, (requested_at, grace), kubelet, durations, look);
    let now = (schedule.containers.as_slice(), as_of);
    let phase = phase(pod, grace, requested_at, kubelet, now);
    let allowed = |since: DateTime<Utc>, millis| {
        let until = since.checked_add_signed(TimeDelta::milliseconds(millis));
        until.unwrap_or(DateTime::<Utc>::MAX_UTC)
    };
    let latest = match phase {
        // Nothing but finalizers is waited for.
        TerminationPhase::FinalizersOnly | TerminationPhase::ForceDeleted => {
            allowed(requested_at, SLACK)
        }
        TerminationPhase::CleaningUp => allowed(schedule.ends_by, CLEAN_UP),
        _ => allowed(schedule.ends_by, SLACK),
    };
    let (stuck, evidence) = if as_of > latest {
        let (stuck, mut evidence) = stuck::cause(pod, placement, kubelet, phase);
        let past = (as_of - deadline).num_seconds();
        evidence.insert(0, Evidence::PastDeadline { seconds: past });
        (Some(stuck), evidence)
    } else {
        (None, Vec::new())
    };
    let leaves = match stuck {
        Some(_) => None,
        None => leaves(pod, placement, kubelet, now, (phase, latest)),
    };
    Some(Terminating {
        requested_at,
        deadline,
        grace_seconds: grace,
        elapsed: (as_of - requested_at).max(TimeDelta::zero()),
        by: DeletedBy::of(pod),
        phase,
        shutdown,
        containers: schedule.containers,
        leaves,
        stuck,
        evidence,
    })
}
