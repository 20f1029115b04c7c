//! Why is one pod not ready? What the pod itself says, with Events where it only says that something is missing.

use std::borrow::Cow;

use super::kind::{ContainerName, PodCause};
use crate::analysis::Cluster;
use crate::facts::ObjectRef;
use crate::facts::event::Event;
use crate::facts::node::ReadyStatus;
use crate::facts::pod::{Condition, ContainerState, ContainerStatus, Phase, Pod};
use crate::facts::pod_spec::Container;

/// Why a pod is not ready, and what shows it.
pub(super) struct Why {
    pub(super) cause: PodCause,
    pub(super) object: ObjectRef,
    pub(super) path: Option<Cow<'static, str>>,
    pub(super) said: String,
}

/// `waiting.reason` where an image is missing (`pkg/kubelet/images/types.go`).
const IMAGE: [&str; 7] = [
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "ErrImageNeverPull",
    "ImageInspectError",
    "RegistryUnavailable",
    "SignatureValidationFailed",
];

/// `waiting.reason` where the runtime fails (`pkg/kubelet/kuberuntime/kuberuntime_container.go`, `pkg/kubelet/container/sync_result.go`).
const RUNTIME: [&str; 6] = [
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "PostStartHookError",
    "PreCreateHookError",
    "PreStartHookError",
];

/// `waiting.reason` before anything has happened (`pkg/kubelet/kubelet_pods.go`).
const BEFORE: [&str; 3] = ["", "ContainerCreating", "PodInitializing"];

/// Reasons of Events about volumes (`pkg/kubelet/events/event.go`).
const VOLUME: [&str; 4] = [
    "FailedAttachVolume",
    "FailedMount",
    "FailedMapVolume",
    "FailedBinding",
];

/// Reasons of Events about the sandbox and its network, likewise.
const SANDBOX: [&str; 3] = [
    "FailedCreatePodSandBox",
    "NetworkNotReady",
    "FailedPodSandBoxStatus",
];

/// A pod with its Events.
struct Asked<'c, 'a> {
    pod: &'a Pod,
    events: &'c [&'a Event],
}

impl<'a> Asked<'_, 'a> {
    /// What the pod says of itself.
    fn says(&self, cause: PodCause, path: impl Into<Cow<'static, str>>, said: &str) -> Why {
        Why {
            cause,
            object: self.pod.into(),
            path: Some(path.into()),
            said: said.to_owned(),
        }
    }

    /// The newest Event with one of these reasons.
    fn event(&self, reasons: &[&str]) -> Option<&'a Event> {
        self.newest(|event| reasons.contains(&event.reason.as_str()))
    }

    fn newest(&self, wanted: impl Fn(&Event) -> bool) -> Option<&'a Event> {
        let found = self.events.iter().filter(|event| wanted(event));
        found.copied().max_by_key(|event| event.last)
    }

    /// What a probe of a container said last: `Readiness probe failed: …` (`pkg/kubelet/prober/prober.go`).
    fn probe(&self, kind: &str, container: &str) -> String {
        let found = self.newest(|event| {
            event.reason == "Unhealthy"
                && event.message.starts_with(kind)
                && event.container().is_none_or(|named| named == container)
        });
        let said = found.map_or("", |event| event.message.as_str());
        let words = said.split_once(": ").map_or("", |(_, words)| words);
        words.to_owned()
    }

    /// It has a node, and nothing of it runs.
    fn starting(&self, path: String) -> Why {
        let by = |event: &Event, cause| Why {
            cause,
            object: self.pod.into(),
            path: None,
            said: event.message.clone(),
        };
        if let Some(event) = self.event(&VOLUME) {
            return by(event, PodCause::Volume);
        }
        if let Some(event) = self.event(&SANDBOX) {
            return by(event, PodCause::Sandbox);
        }
        self.says(PodCause::Starting, path, "")
    }

    /// What a container that waits says.
    fn waiting(&self, status: &ContainerStatus, reason: &str, of: Of<'_>) -> Why {
        let container = of.named(status);
        let path = of.path(status, "state.waiting.reason");
        let reason = reason.to_owned();
        let said = &status.waiting_message;
        match reason.as_str() {
            known if IMAGE.contains(&known) => {
                let spec = of.spec(status);
                let image = spec.map_or_else(String::new, |spec| spec.image.clone());
                let cause = PodCause::Image {
                    container,
                    reason,
                    image,
                };
                self.says(cause, path, said)
            }
            known if RUNTIME.contains(&known) => {
                self.says(PodCause::NotCreated { container, reason }, path, said)
            }
            "CrashLoopBackOff" => self.crashing(status, of),
            known if BEFORE.contains(&known) => self.starting(path),
            _ => self.says(PodCause::Waiting { container, reason }, path, said),
        }
    }

    /// What a container that ended, or waits to be started again, says of its end.
    fn crashing(&self, status: &ContainerStatus, of: Of<'_>) -> Why {
        let (code, reason, path) = match (&status.state, &status.last_exit) {
            (
                ContainerState::Terminated {
                    exit_code, reason, ..
                },
                _,
            ) => (Some(*exit_code), reason.clone(), "state.terminated"),
            (_, Some(last)) => (Some(last.code), last.reason.clone(), "lastState.terminated"),
            (_, None) => (None, String::new(), "state.waiting.reason"),
        };
        let container = of.named(status);
        let cause = PodCause::Crashing {
            container,
            code,
            reason,
        };
        self.says(cause, of.path(status, path), "")
    }
}

/// Which containers statuses are about.
#[derive(Clone, Copy)]
struct Of<'p> {
    init: bool,
    containers: &'p [Container],
}

impl<'p> Of<'p> {
    fn named(self, status: &ContainerStatus) -> ContainerName {
        ContainerName {
            name: status.name.clone(),
            init: self.init,
        }
    }

    fn path(self, status: &ContainerStatus, field: &str) -> String {
        let list = if self.init {
            "initContainerStatuses"
        } else {
            "containerStatuses"
        };
        format!("status.{list}[{}].{field}", status.name)
    }

    fn spec(self, status: &ContainerStatus) -> Option<&'p Container> {
        self.containers.iter().find(|one| one.name == status.name)
    }
}

/// The scheduler's part; `None` once the pod has a node.
fn scheduling(asked: &Asked<'_, '_>) -> Option<Why> {
    let pod = asked.pod;
    if pod.node.is_some() {
        return None;
    }
    let scheduled = pod.condition("PodScheduled");
    let Some(scheduled) = scheduled.filter(|condition| !condition.is_true) else {
        return Some(asked.says(PodCause::NotScheduled, "spec.nodeName", ""));
    };
    // pkg/apis/core/types.go, PodReasonSchedulingGated and its like.
    let cause = match scheduled.reason.as_str() {
        "SchedulingGated" => PodCause::SchedulingGated,
        "SchedulerError" => PodCause::SchedulerError,
        "Unschedulable" => PodCause::Unschedulable,
        _ => PodCause::NotScheduled,
    };
    let path = "status.conditions[PodScheduled].message";
    Some(asked.says(cause, path, &scheduled.message))
}

/// The node's part; `None` where the node is ready or was not read.
fn node(pod: &Pod, cluster: &Cluster<'_>) -> Option<Why> {
    let node = cluster.index.node(pod.node.as_deref()?)?;
    let ready = node.ready.as_ref()?;
    (ready.status != ReadyStatus::True).then(|| Why {
        cause: PodCause::UnreadyNode {
            node: node.name.clone(),
            reason: ready.reason.clone(),
        },
        object: ObjectRef::new(
            "v1",
            "Node",
            crate::facts::ObjectName::new("", node.name.as_str()),
        ),
        path: Some("status.conditions[Ready].status".into()),
        said: String::new(),
    })
}

/// The first init container that is not where the next may start.
fn init(asked: &Asked<'_, '_>) -> Option<Why> {
    let of = Of {
        init: true,
        containers: &asked.pod.spec.init_containers,
    };
    asked.pod.init_statuses.iter().find_map(|status| {
        let sidecar = of.spec(status).is_some_and(|spec| spec.restarts_always);
        match &status.state {
            ContainerState::Waiting(reason) => Some(asked.waiting(status, reason, of)),
            ContainerState::Terminated { exit_code: 0, .. } if !sidecar => None,
            ContainerState::Terminated { .. } => Some(asked.crashing(status, of)),
            ContainerState::Running if !sidecar => {
                let cause = PodCause::InitRuns(of.named(status));
                Some(asked.says(cause, of.path(status, "state.running"), ""))
            }
            ContainerState::Running => probes(asked, status, of),
            ContainerState::Unsaid => None,
        }
    })
}

/// A container that runs and has not passed a probe.
fn probes(asked: &Asked<'_, '_>, status: &ContainerStatus, of: Of<'_>) -> Option<Why> {
    if status.ready {
        return None;
    }
    let spec = of.spec(status)?;
    if !status.started && spec.startup.is_some() {
        let said = asked.probe("Startup probe", &status.name);
        let cause = PodCause::StartupProbe(of.named(status));
        return Some(asked.says(cause, of.path(status, "started"), &said));
    }
    spec.readiness.as_ref()?;
    let said = asked.probe("Readiness probe", &status.name);
    let cause = PodCause::ReadinessProbe(of.named(status));
    Some(asked.says(cause, of.path(status, "ready"), &said))
}

/// The first main container that is not ready; what is broken before what only takes time.
fn main(asked: &Asked<'_, '_>) -> Option<Why> {
    let of = Of {
        init: false,
        containers: &asked.pod.spec.containers,
    };
    let whys = asked.pod.statuses.iter().filter_map(|status| {
        if status.ready {
            return None;
        }
        match &status.state {
            ContainerState::Waiting(reason) => Some(asked.waiting(status, reason, of)),
            ContainerState::Terminated { .. } => Some(asked.crashing(status, of)),
            ContainerState::Running => probes(asked, status, of),
            ContainerState::Unsaid => None,
        }
    });
    // The first of the least.
    whys.min_by_key(|why| match why.cause {
        PodCause::Image { .. } | PodCause::NotCreated { .. } | PodCause::Crashing { .. } => 0,
        PodCause::StartupProbe(_) | PodCause::ReadinessProbe(_) => 1,
        PodCause::Starting => 3,
        _ => 2,
    })
}

/// Conditions beside the containers: `pkg/kubelet/status/generate.go`, `GeneratePodReadyCondition`.
fn beyond(asked: &Asked<'_, '_>) -> Option<Why> {
    let pod = asked.pod;
    let is_true = |kind: &str| pod.condition(kind).is_some_and(|one| one.is_true);
    if !is_true("ContainersReady") {
        return None;
    }
    let gates = pod.spec.readiness_gates.iter();
    let unmet: Vec<String> = gates.filter(|gate| !is_true(gate)).cloned().collect();
    if let Some(first) = unmet.first() {
        let path = format!("status.conditions[{first}].status");
        return Some(asked.says(PodCause::Gate(unmet), path, ""));
    }
    // pkg/controller/util/node/controller_utils.go, MarkPodsNotReady: Ready turns False, and nothing else changes.
    let ready = pod.condition("Ready")?;
    Some(asked.says(
        PodCause::MarkedUnready,
        "status.conditions[Ready].status",
        &ready.message,
    ))
}

/// Why a pod is not ready that is neither being deleted nor at its end.
pub(super) fn why<'a>(pod: &'a Pod, events: &[&'a Event], cluster: &Cluster<'a>) -> Why {
    let asked = Asked { pod, events };
    scheduling(&asked)
        .or_else(|| node(pod, cluster))
        .or_else(|| init(&asked))
        .or_else(|| beyond(&asked))
        .or_else(|| main(&asked))
        .unwrap_or_else(|| {
            let path = "status.conditions[Ready].status".to_owned();
            if pod.phase == Phase::Pending {
                asked.starting(path)
            } else {
                asked.says(PodCause::Unsaid, path, "")
            }
        })
}

/// Why a pod is at its end; `None` where that is as it should be.
///
/// Reasons: `pkg/kubelet/lifecycle`, `pkg/kubelet/eviction`, `pkg/kubelet/preemption`, `pkg/kubelet/nodeshutdown`.
pub(super) fn why_ended(pod: &Pod) -> Option<Why> {
    if pod.phase != Phase::Failed {
        return None;
    }
    let asked = Asked { pod, events: &[] };
    let cause = match pod.reason.as_str() {
        "Evicted" => PodCause::Evicted,
        "" | "DeadlineExceeded" | "NodeLost" => return None,
        reason => PodCause::Rejected(reason.to_owned()),
    };
    Some(asked.says(cause, "status.reason", &pod.message))
}

/// A pod without owner ended, whatever for.
pub(super) fn ended_for_good(pod: &Pod) -> Why {
    let asked = Asked { pod, events: &[] };
    asked.says(PodCause::Ended, "status.phase", &pod.message)
}

/// Does a condition say that something failed?
pub(super) fn fails<'c>(
    condition: Option<&'c Condition>,
    reasons: &[&str],
) -> Option<&'c Condition> {
    condition.filter(|condition| reasons.contains(&condition.reason.as_str()))
}
