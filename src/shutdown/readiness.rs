//! When can a container's readiness turn false while its pod ends?
//!
//! Sources: `pkg/kubelet/prober/worker.go`, `prober.go` and `prober_manager.go`, 1.21 to 1.36. Endpoints stop being `ready` because of
//! the deletion alone; only who goes by `serving` depends on this.

use super::span::Span;
use super::{ContainerEnd, ContainerKind, Shutdown};
use crate::facts::pod_spec::{Container, PodSpec, Probe, ProbeHandler};
use crate::gates::kubelet::Kubelet;

/// Why readiness turns false when it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReadinessReason {
    /// The probe fails often enough.
    ProbeFails,
    /// There is no readiness probe.
    NoProbe,
    /// This kubelet stops readiness probes at the delete.
    ProbesStop,
    /// This kubelet discards the results of exec probes.
    ExecResultLost,
}

impl ReadinessReason {
    /// Every reason, for documentation and completeness tests.
    pub const ALL: [Self; 4] = [
        Self::ProbeFails,
        Self::NoProbe,
        Self::ProbesStop,
        Self::ExecResultLost,
    ];

    /// The stable id that reports and `explain` use.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::ProbeFails => "readiness-probe-fails",
            Self::NoProbe => "no-readiness-probe",
            Self::ProbesStop => "readiness-probes-stop",
            Self::ExecResultLost => "exec-readiness-lost",
        }
    }

    /// One sentence for people.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::ProbeFails => {
                "The readiness probe turns it false after failureThreshold failures, one every periodSeconds."
            }
            Self::NoProbe => {
                "There is no readiness probe, so the container stays ready until it is seen to have stopped."
            }
            Self::ProbesStop => {
                "This kubelet stops readiness probes when the pod is deleted (a defect of 1.22 to 1.24.1), so Ready stays as it was."
            }
            Self::ExecResultLost => {
                "This kubelet discards the results of exec readiness probes while the pod terminates (a defect of 1.35 and of 1.36.3), so \
                 Ready stays as it was."
            }
        }
    }
}

/// When a container's readiness turns false. Moments are since the delete was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    /// The container.
    pub container: String,
    /// When the probe says so if the application begins to fail at SIGTERM; `None` where no probe ever does.
    pub by_probe: Option<Span>,
    /// When it turns false at all: by the probe, or because the container has ended.
    pub turns_false: Span,
    /// Why then.
    pub reason: ReadinessReason,
}

impl Readiness {
    /// Can the probe turn it false before SIGKILL is sent to the container?
    #[must_use]
    pub fn probe_may_be_in_time(&self, end: &ContainerEnd) -> bool {
        self.by_probe
            .is_some_and(|probe| probe.min() < end.sigkill_at.max())
    }
}

/// How long a probe takes to notice: the first failure comes within a period, the others follow one period apart. A probe that
/// hangs takes its timeout, and a period is never shorter than the probe.
#[must_use]
pub fn delay(probe: &Probe) -> Span {
    let period = probe.period_seconds.max(1);
    let failures = probe.failure_threshold.max(1);
    let timeout = probe.timeout_seconds.max(0);
    Span::seconds(
        (failures - 1).saturating_mul(period),
        failures
            .saturating_mul(period.max(timeout))
            .saturating_add(timeout),
    )
}

/// When a container turns unready that begins to fail at SIGTERM.
#[must_use]
pub fn readiness(container: &Container, end: &ContainerEnd, kubelet: &Kubelet) -> Readiness {
    let (by_probe, reason) = match &container.readiness {
        None => (None, ReadinessReason::NoProbe),
        Some(_) if !kubelet.readiness_goes_on => (None, ReadinessReason::ProbesStop),
        Some(Probe {
            handler: ProbeHandler::Exec(_),
            ..
        }) if !kubelet.exec_readiness_counts => (None, ReadinessReason::ExecResultLost),
        Some(probe) => (
            Some(end.sigterm_at.after(delay(probe))),
            ReadinessReason::ProbeFails,
        ),
    };
    Readiness {
        container: container.name.clone(),
        by_probe,
        turns_false: by_probe.map_or(end.ended_at, |probe| probe.or_earlier(end.ended_at)),
        reason,
    }
}

impl Shutdown {
    /// When each container turns unready. A pod is ready only if all of its main containers and sidecars are
    /// (`pkg/kubelet/status/generate.go`), so the first of these moments is the pod's.
    #[must_use]
    pub fn readiness(&self, spec: &PodSpec, kubelet: &Kubelet) -> Vec<Readiness> {
        let of = |end: &ContainerEnd| {
            let list = match end.kind {
                ContainerKind::Main => &spec.containers,
                ContainerKind::Sidecar => &spec.init_containers,
                ContainerKind::Init | ContainerKind::Ephemeral => return None,
            };
            let container = list.iter().find(|container| container.name == end.name)?;
            Some(readiness(container, end, kubelet))
        };
        self.containers.iter().filter_map(of).collect()
    }
}
