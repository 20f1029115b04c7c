//! Why is a terminating pod still there when it should have gone, what is the evidence, and what is to be done?
//!
//! Sources: `pkg/kubelet/kubelet_pods.go`, `pod_workers.go`; `pkg/controller/podgc/gc_controller.go`;
//! `pkg/controller/nodelifecycle`; `pkg/registry/core/pod/strategy.go`.

use std::fmt;

use super::pod_state::{Placement, TerminationPhase, kubelet_is_done, none_runs, statuses};
use crate::facts::node::{NOT_READY, Node, ReadyStatus, Taint, UNREACHABLE};
use crate::facts::pod::{ContainerState, Phase, Pod};
use crate::gates::kubelet::Kubelet;
use crate::words::list;

/// The taint by which somebody declares a node dead; `PodGC` then deletes its pods by force (KEP-2268).
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// The taints of a node whose kubelet is not ready, or not heard of.
const SILENT: [&str; 2] = [NOT_READY, UNREACHABLE];

/// Why a pod is stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stuck {
    /// The kubelet is done; finalizers are left.
    FinalizersOnly,
    /// Deleted with grace period 0; finalizers keep the object.
    ForceDeletedFinalizers,
    /// Finalizers would keep it in any case; whether the kubelet is done is not known.
    Finalizers,
    /// The kubelet of its node does not report any more.
    NodeUnreachable,
    /// The kubelet of its node says that it is not ready.
    NodeNotReady,
    /// Its node's object is gone.
    NodeGone,
    /// Its node is declared out of service.
    NodeOutOfService,
    /// It was never on a node.
    NotScheduled,
    /// Its containers have ended; volumes or cgroups are left.
    CleanUp,
    /// Its containers are still there although SIGKILL should have been sent.
    Runtime,
    /// Nodes could not be read, so the cause is not known.
    NodeNotRead,
}

impl Stuck {
    /// Every cause, for documentation and completeness tests.
    pub const ALL: [Self; 11] = [
        Self::FinalizersOnly,
        Self::ForceDeletedFinalizers,
        Self::Finalizers,
        Self::NodeUnreachable,
        Self::NodeNotReady,
        Self::NodeGone,
        Self::NodeOutOfService,
        Self::NotScheduled,
        Self::CleanUp,
        Self::Runtime,
        Self::NodeNotRead,
    ];

    /// The stable id that reports and `explain` use.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::FinalizersOnly => "held-by-finalizers",
            Self::ForceDeletedFinalizers => "force-deleted-but-held-by-finalizers",
            Self::Finalizers => "has-finalizers",
            Self::NodeUnreachable => "node-unreachable",
            Self::NodeNotReady => "node-not-ready",
            Self::NodeGone => "node-gone",
            Self::NodeOutOfService => "node-out-of-service",
            Self::NotScheduled => "not-scheduled",
            Self::CleanUp => "clean-up-hangs",
            Self::Runtime => "containers-do-not-end",
            Self::NodeNotRead => "cause-not-known",
        }
    }

    /// One sentence for people.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::FinalizersOnly => {
                "The kubelet is done with the pod; only its finalizers keep the object."
            }
            Self::ForceDeletedFinalizers => {
                "The pod was deleted by force; only its finalizers keep the object, and its containers may run on."
            }
            Self::Finalizers => {
                "Its finalizers keep the object; its containers are still reported as running, so the kubelet may not be done either."
            }
            Self::NodeUnreachable => {
                "The kubelet of its node does not report any more, so it is not known whether the containers have stopped; they may run on."
            }
            Self::NodeNotReady => {
                "Its node is not ready, so the kubelet may not be able to stop the containers."
            }
            Self::NodeGone => {
                "Its node no longer exists; the pod garbage collector deletes the pod after about a minute."
            }
            Self::NodeOutOfService => {
                "Its node is declared out of service; the pod garbage collector deletes the pod by force."
            }
            Self::NotScheduled => {
                "It was never on a node, so no kubelet has anything to stop; the pod garbage collector deletes it."
            }
            Self::CleanUp => {
                "Its containers have ended, but the kubelet has not finished: volumes are still mounted, or a cgroup cannot be removed."
            }
            Self::Runtime => {
                "Its node is ready, but the containers are still there after SIGKILL: the runtime hangs, or a process cannot be killed."
            }
            Self::NodeNotRead => {
                "Nodes could not be read, so it may be a kubelet that is gone or a runtime that hangs."
            }
        }
    }

    /// What to do, as sentences for people.
    #[must_use]
    pub const fn help(self) -> &'static str {
        match self {
            Self::FinalizersOnly | Self::ForceDeletedFinalizers => {
                "Find out why the finalizer's controller does not remove it: only that keeps the pod. Removing it by hand frees the \
                 object at once and skips what it protects."
            }
            Self::Finalizers => {
                "Look at the pod's events and at the kubelet's log, then at the controller that owns the finalizer."
            }
            Self::NodeUnreachable => {
                "Bring the node or its kubelet back: it does not report, so the pod stays. If the machine is certainly off, taint the node with \
                 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute or delete the Node; do not do that while its containers may \
                 still write to volumes."
            }
            Self::NodeNotReady => {
                "Find out why the pod's node is not Ready: its kubelet may not be able to stop the containers. See `kubectl describe node`, then the kubelet's and the runtime's log."
            }
            Self::NodeGone => {
                "Wait a minute: the pod's node is gone, and the pod garbage collector deletes the pod. If it stays, see whether kube-controller-manager runs and whether finalizers hold the pod."
            }
            Self::NodeOutOfService => {
                "Wait: the node is out of service, and the pod garbage collector deletes the pod. If it stays, see whether kube-controller-manager runs and whether finalizers hold the pod."
            }
            Self::NotScheduled => {
                "See whether finalizers hold the pod and whether kube-controller-manager runs: it never had a node."
            }
            Self::CleanUp => {
                "Look for FailedUnmount and FailedKillPod in the pod's events: its clean-up hangs. Look for the volume's name in the kubelet's log."
            }
            Self::Runtime => {
                "Look for FailedKillPod and ExceededGracePeriod in the pod's events: SIGKILL did not end it. Look on the node with crictl for a process in state D. \
                 A forced delete removes only the object, not the process."
            }
            Self::NodeNotRead => {
                "Allow nodes to be listed, or give the Node with the files: why the pod stays is not known without."
            }
        }
    }
}

/// Something observed that distinguishes one cause from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// `metadata.deletionTimestamp` has passed.
    PastDeadline {
        /// So many seconds ago.
        seconds: i64,
    },
    /// `metadata.finalizers`.
    Finalizers(Vec<String>),
    /// `metadata.deletionGracePeriodSeconds` is 0.
    GraceZero,
    /// A terminal phase.
    Phase(Phase),
    /// These containers are reported as running.
    Running(Vec<String>),
    /// No container is reported as running.
    NoneRuns,
    /// The node's condition `Ready`.
    NodeReady {
        /// The node.
        node: String,
        /// What the condition says; `None` where it is missing.
        status: Option<ReadyStatus>,
        /// Why.
        reason: String,
    },
    /// A taint of the node.
    Taint {
        /// The node.
        node: String,
        /// The taint's key.
        key: String,
    },
    /// `spec.nodeName` names no node.
    NoSuchNode(String),
    /// `spec.nodeName` is empty.
    NoNode,
}

impl fmt::Display for Evidence {
    /// A phrase for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PastDeadline { seconds } => write!(f, "its grace period ended {seconds} s ago"),
            Self::Finalizers(names) => write!(f, "metadata.finalizers holds {}", list(names)),
            Self::GraceZero => f.write_str("deletionGracePeriodSeconds is 0"),
            Self::Phase(phase) => write!(f, "its phase is {}", phase.text()),
            Self::Running(names) if names.len() == 1 => {
                write!(f, "container {} is reported as running", list(names))
            }
            Self::Running(names) => write!(f, "containers {} are reported as running", list(names)),
            Self::NoneRuns => f.write_str("no container is reported as running"),
            Self::NodeReady {
                node,
                status,
                reason,
            } => {
                let status = status.map_or("not set", ReadyStatus::text);
                write!(f, "Ready of node {node} is {status}")?;
                if reason.is_empty() {
                    Ok(())
                } else {
                    write!(f, " ({reason})")
                }
            }
            Self::Taint { node, key } => write!(f, "node {node} has the taint {key}"),
            Self::NoSuchNode(node) => write!(f, "there is no node {node}"),
            Self::NoNode => f.write_str("spec.nodeName is empty"),
        }
    }
}

/// The cause that the node's own state shows.
fn node_cause(node: &Node, evidence: &mut Vec<Evidence>) -> Option<Stuck> {
    let taint = |keys: &[&str]| {
        let executes =
            |taint: &&Taint| keys.contains(&taint.key.as_str()) && taint.effect == "NoExecute";
        node.taints
            .iter()
            .find(executes)
            .map(|taint| Evidence::Taint {
                node: node.name.clone(),
                key: taint.key.clone(),
            })
    };
    let out_of_service = taint(&[OUT_OF_SERVICE]);
    let not_ready = taint(&SILENT);
    let status = node.ready.as_ref().map(|ready| ready.status);
    evidence.push(Evidence::NodeReady {
        node: node.name.clone(),
        status,
        reason: node
            .ready
            .as_ref()
            .map(|ready| ready.reason.clone())
            .unwrap_or_default(),
    });
    if let Some(found) = out_of_service {
        evidence.push(found);
        return Some(Stuck::NodeOutOfService);
    }
    let unreachable = matches!(
        &not_ready,
        Some(Evidence::Taint { key, .. }) if key.ends_with("/unreachable")
    );
    let cause = match status {
        Some(ReadyStatus::False) => Stuck::NodeNotReady,
        Some(ReadyStatus::Unknown) => Stuck::NodeUnreachable,
        // Without the condition the taints of the node lifecycle controller stand for it.
        None if unreachable => Stuck::NodeUnreachable,
        None if not_ready.is_some() => Stuck::NodeNotReady,
        Some(ReadyStatus::True) | None => return None,
    };
    evidence.extend(not_ready);
    Some(cause)
}

/// Nobody can say when the pod goes, even before it should have gone: what stops it does not answer, or it is held by something else.
pub(super) fn holds(
    pod: &Pod,
    placement: Placement<'_>,
    kubelet: &Kubelet,
    now: TerminationPhase,
) -> bool {
    match cause(pod, placement, kubelet, now).0 {
        Stuck::FinalizersOnly
        | Stuck::ForceDeletedFinalizers
        | Stuck::NodeUnreachable
        | Stuck::NodeNotReady
        | Stuck::NodeGone
        | Stuck::NodeOutOfService
        | Stuck::NotScheduled => true,
        Stuck::Finalizers => !kubelet.ends_phase,
        Stuck::CleanUp | Stuck::Runtime | Stuck::NodeNotRead => false,
    }
}

/// Why a pod is stuck, with the evidence.
pub(super) fn cause(
    pod: &Pod,
    placement: Placement<'_>,
    kubelet: &Kubelet,
    now: TerminationPhase,
) -> (Stuck, Vec<Evidence>) {
    let mut evidence = Vec::new();
    let has_finalizers = !pod.finalizers.is_empty();
    if has_finalizers {
        evidence.push(Evidence::Finalizers(pod.finalizers.clone()));
    }
    if pod.deletion_grace_seconds == Some(0) {
        evidence.push(Evidence::GraceZero);
    }
    if pod.is_terminal() {
        evidence.push(Evidence::Phase(pod.phase));
    }
    let running: Vec<_> = statuses(pod)
        .filter(|status| status.state == ContainerState::Running)
        .map(|status| status.name.clone())
        .collect();
    if !running.is_empty() {
        evidence.push(Evidence::Running(running));
    } else if none_runs(pod) {
        evidence.push(Evidence::NoneRuns);
    }
    // Grace period 0 leaves nothing but finalizers, whoever sent that delete: the kubelet as its last step, or a forced delete.
    if has_finalizers && pod.deletion_grace_seconds == Some(0) {
        let stuck = if kubelet_is_done(pod, kubelet) {
            Stuck::FinalizersOnly
        } else {
            Stuck::ForceDeletedFinalizers
        };
        return (stuck, evidence);
    }
    let ended = now == TerminationPhase::CleaningUp;
    let node = match placement {
        Placement::Nowhere => {
            evidence.push(Evidence::NoNode);
            Some(if has_finalizers {
                Stuck::FinalizersOnly
            } else {
                Stuck::NotScheduled
            })
        }
        Placement::Gone(name) => {
            evidence.push(Evidence::NoSuchNode(name.to_owned()));
            Some(Stuck::NodeGone)
        }
        Placement::On(node) => node_cause(node, &mut evidence),
        Placement::NotRead(_) => (!ended && !has_finalizers).then_some(Stuck::NodeNotRead),
    };
    let stuck = node.unwrap_or(match (ended, has_finalizers) {
        (true, true) => Stuck::FinalizersOnly,
        (true, false) => Stuck::CleanUp,
        (false, true) => Stuck::Finalizers,
        (false, false) => Stuck::Runtime,
    });
    (stuck, evidence)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_cause_has_an_id_of_its_own_a_sentence_and_help() {
        let ids: BTreeSet<_> = Stuck::ALL.iter().map(|stuck| stuck.id()).collect();
        assert_eq!(ids.len(), Stuck::ALL.len());
        for stuck in Stuck::ALL {
            assert!(stuck.sentence().ends_with('.'), "{}", stuck.id());
            assert!(stuck.help().ends_with('.'), "{}", stuck.id());
        }
    }
}
