//! What holds pods back, typed, with its stable id.

use std::borrow::Cow;

use crate::facts::ObjectRef;

/// Why a Service has no ready pod, or fewer than its workloads want.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// What is the case.
    pub kind: CauseKind,
    /// The object that shows it.
    pub object: ObjectRef,
    /// The field that shows it; `None` where only Events do, or where something is not there.
    pub path: Option<Cow<'static, str>>,
    /// The pods that it holds back, by name; empty where none was made.
    pub pods: Vec<String>,
}

/// What holds pods back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CauseKind {
    /// A workload wants no pods: `spec.replicas` is 0.
    ReplicasZero {
        /// The autoscaler that sets 0.
        by: Option<ObjectRef>,
    },
    /// The API server refuses new pods: quota, Pod Security, a webhook.
    PodsRefused {
        /// Its words.
        said: String,
    },
    /// A controller has made fewer pods than are wanted.
    PodsMissing {
        /// How many there are that are not being deleted.
        made: usize,
        /// How many are wanted.
        wanted: usize,
        /// What it waits for.
        waits: Option<WaitsFor>,
    },
    /// Every pod is being deleted, and no other is ready.
    AllTerminating {
        /// How many.
        number: usize,
        /// Who replaces them.
        then: Replacement,
        /// Who made them.
        owner: ObjectRef,
    },
    /// A rollout does not come on.
    RolloutStuck {
        /// The condition's reason.
        reason: String,
        /// Its message.
        said: String,
    },
    /// A rollout is paused.
    RolloutPaused,
    /// A pod is there and not ready.
    Pod {
        /// Why.
        why: PodCause,
        /// Who made it.
        owner: ObjectRef,
        /// The words of the scheduler, a controller, the kubelet or a probe; empty where there are none.
        said: String,
    },
}

/// What a controller waits for before it makes the next pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitsFor {
    /// It has not seen the newest spec.
    Controller,
    /// Old pods must be gone first.
    OldPods,
    /// An earlier pod must be ready first (`podManagementPolicy: OrderedReady`).
    EarlierPod,
}

/// Who replaces pods that are being deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// This many are there and not ready yet.
    NotReady(usize),
    /// They come when the old ones are gone.
    AfterOld,
    /// They are not made yet.
    NotMade,
    /// Nobody: the pods have no owner.
    Nobody,
}

/// A container, as causes name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerName {
    /// Its name.
    pub name: String,
    /// It is one of `spec.initContainers`.
    pub init: bool,
}

/// Why a pod is not ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PodCause {
    /// No node fits (`PodScheduled`, reason `Unschedulable`).
    Unschedulable,
    /// `spec.schedulingGates` hold it (reason `SchedulingGated`).
    SchedulingGated,
    /// The scheduler failed (reason `SchedulerError`).
    SchedulerError,
    /// It has no node, and no scheduler has said anything.
    NotScheduled,
    /// Its node is not ready.
    UnreadyNode {
        /// The node.
        node: String,
        /// The reason of the node's condition.
        reason: String,
    },
    /// An image cannot be pulled.
    Image {
        /// Of this container.
        container: ContainerName,
        /// `waiting.reason`.
        reason: String,
        /// `image`.
        image: String,
    },
    /// The runtime cannot create or start a container.
    NotCreated {
        /// This one.
        container: ContainerName,
        /// `waiting.reason`.
        reason: String,
    },
    /// A container ends again and again.
    Crashing {
        /// This one.
        container: ContainerName,
        /// The exit code of the last run; `None` where it is not said.
        code: Option<i32>,
        /// The reason of the last end: `OOMKilled`, `Error`, ...
        reason: String,
    },
    /// A container waits for another reason.
    Waiting {
        /// This one.
        container: ContainerName,
        /// `waiting.reason`.
        reason: String,
    },
    /// An init container has not ended.
    InitRuns(ContainerName),
    /// A container has not passed its startup probe.
    StartupProbe(ContainerName),
    /// A container does not pass its readiness probe.
    ReadinessProbe(ContainerName),
    /// A volume is not attached or mounted.
    Volume,
    /// The sandbox or its network is not there.
    Sandbox,
    /// Its containers are being made, and nobody says that anything is wrong.
    Starting,
    /// It is not ready, and does not say why.
    Unsaid,
    /// Conditions of `spec.readinessGates` are not True.
    Gate(Vec<String>),
    /// Its containers are ready, and somebody else says that it is not.
    MarkedUnready,
    /// Its node did not accept it.
    Rejected(String),
    /// The kubelet evicted it.
    Evicted,
    /// It ended, and nobody starts it again.
    Ended,
}

impl CauseKind {
    /// Every id.
    pub const IDS: [&'static str; 27] = [
        "replicas-zero",
        "pods-refused",
        "pods-missing",
        "all-terminating",
        "rollout-stuck",
        "rollout-paused",
        "unschedulable",
        "scheduling-gated",
        "scheduler-error",
        "no-node-yet",
        "unready-node",
        "image-not-pulled",
        "container-not-created",
        "container-crashing",
        "container-waiting",
        "init-container-runs",
        "startup-probe-not-passed",
        "readiness-probe-not-passed",
        "volume-not-mounted",
        "sandbox-not-created",
        "pod-starting",
        "pod-not-ready",
        "readiness-gate-unmet",
        "marked-not-ready",
        "pod-rejected",
        "pod-evicted",
        "pod-ended",
    ];

    /// The stable id that reports and `explain` use.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::ReplicasZero { .. } => "replicas-zero",
            Self::PodsRefused { .. } => "pods-refused",
            Self::PodsMissing { .. } => "pods-missing",
            Self::AllTerminating { .. } => "all-terminating",
            Self::RolloutStuck { .. } => "rollout-stuck",
            Self::RolloutPaused => "rollout-paused",
            Self::Pod { why, .. } => why.id(),
        }
    }
}

impl PodCause {
    const fn id(&self) -> &'static str {
        match self {
            Self::Unschedulable => "unschedulable",
            Self::SchedulingGated => "scheduling-gated",
            Self::SchedulerError => "scheduler-error",
            Self::NotScheduled => "no-node-yet",
            Self::UnreadyNode { .. } => "unready-node",
            Self::Image { .. } => "image-not-pulled",
            Self::NotCreated { .. } => "container-not-created",
            Self::Crashing { .. } => "container-crashing",
            Self::Waiting { .. } => "container-waiting",
            Self::InitRuns(_) => "init-container-runs",
            Self::StartupProbe(_) => "startup-probe-not-passed",
            Self::ReadinessProbe(_) => "readiness-probe-not-passed",
            Self::Volume => "volume-not-mounted",
            Self::Sandbox => "sandbox-not-created",
            Self::Starting => "pod-starting",
            Self::Unsaid => "pod-not-ready",
            Self::Gate(_) => "readiness-gate-unmet",
            Self::MarkedUnready => "marked-not-ready",
            Self::Rejected(_) => "pod-rejected",
            Self::Evicted => "pod-evicted",
            Self::Ended => "pod-ended",
        }
    }
}
