//! What is said of a cause: a clause, and what to do about it.

use super::kind::{Cause, CauseKind, ContainerName, PodCause, Replacement, WaitsFor};
use crate::facts::ObjectRef;
use crate::words::{count, list, plain};

/// How much of somebody else's words is shown, in letters.
const MOST: usize = 200;

/// How long a whole clause may get, in letters: names and reasons are somebody else's, too.
const LONGEST: usize = 400;

fn named(object: &ObjectRef) -> String {
    format!("{}/{}", object.kind, object.name.name)
}

/// Somebody else's words: one line, not too long, without a full stop.
fn trimmed(said: &str) -> String {
    short(said, MOST)
}

/// One line of at most so many letters, without a full stop.
fn short(said: &str, most: usize) -> String {
    let line = plain(said);
    let line = line.trim_end_matches('.');
    let mut letters = line.chars();
    let mut text: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() {
        text.truncate(text.trim_end().len());
        text.push('…');
    }
    text
}

/// A clause, and what somebody said about it.
fn with(clause: String, said: &str) -> String {
    let said = trimmed(said);
    if said.is_empty() {
        clause
    } else {
        format!("{clause}: {said}")
    }
}

fn container(container: &ContainerName) -> String {
    let kind = if container.init {
        "init container"
    } else {
        "container"
    };
    format!("{kind} {}", container.name)
}

fn pod_message(why: &PodCause, number: usize, said: &str) -> String {
    let pods = count(number, "pod");
    let (is, was, does, waits) = if number == 1 {
        ("is", "was", "does", "waits")
    } else {
        ("are", "were", "do", "wait")
    };
    match why {
        PodCause::Unschedulable => with(format!("{pods} Pending, no node yet"), said),
        PodCause::SchedulingGated => format!("{pods} Pending, held by scheduling gates"),
        PodCause::SchedulerError => with(format!("{pods} Pending, the scheduler failed"), said),
        PodCause::NotScheduled => format!("{pods} Pending, no node yet"),
        PodCause::UnreadyNode { node, reason } if reason.is_empty() => {
            format!("{pods} {is} on {node}, which is not ready")
        }
        PodCause::UnreadyNode { node, reason } => {
            format!("{pods} {is} on {node}, which is not ready ({reason})")
        }
        PodCause::Image {
            container: of,
            reason,
            image,
        } => {
            let clause = format!("{} of {pods} has no image ({reason})", container(of));
            with(clause, if said.is_empty() { image } else { said })
        }
        PodCause::NotCreated {
            container: of,
            reason,
        } => {
            let clause = format!("{} of {pods} cannot be started ({reason})", container(of));
            with(clause, said)
        }
        PodCause::Crashing {
            container: of,
            code,
            reason,
        } => {
            let code = code.map(|code| format!("exit code {code}"));
            let reason = Some(reason.clone()).filter(|reason| !reason.is_empty());
            let last: Vec<_> = reason.into_iter().chain(code).collect();
            let last = match last.as_slice() {
                [] => String::new(),
                last => format!(" (last: {})", last.join(", ")),
            };
            format!("{} of {pods} ends again and again{last}", container(of))
        }
        PodCause::Waiting {
            container: of,
            reason,
        } => with(
            format!("{} of {pods} waits ({reason})", container(of)),
            said,
        ),
        PodCause::InitRuns(of) => format!("{} of {pods} has not ended yet", container(of)),
        PodCause::StartupProbe(of) => {
            let clause = format!(
                "{} of {pods} has not passed its startup probe",
                container(of)
            );
            with(clause, said)
        }
        PodCause::ReadinessProbe(of) => {
            let clause = format!(
                "{} of {pods} has not passed its readiness probe",
                container(of)
            );
            with(clause, said)
        }
        PodCause::Volume => with(format!("{pods} {waits} for a volume"), said),
        PodCause::Sandbox => with(format!("{pods} {does} not get a sandbox or network"), said),
        PodCause::Starting => format!("{pods} {is} starting"),
        PodCause::Unsaid => format!("{pods} {is} not ready, and {does} not say why"),
        PodCause::Gate(gates) => {
            format!("{pods} {waits} for the readiness gate {}", list(gates))
        }
        PodCause::MarkedUnready => {
            format!("{pods} {is} marked not ready, although all containers are ready")
        }
        PodCause::Rejected(reason) => with(
            format!("{pods} {was} rejected by the node ({reason})"),
            said,
        ),
        PodCause::Evicted => with(format!("{pods} {was} evicted by the kubelet"), said),
        PodCause::Ended => with(format!("{pods} ended, and nobody starts another"), said),
    }
}

fn pod_action(why: &PodCause, owner: &ObjectRef, pod: &str) -> String {
    let owner = named(owner);
    match why {
        PodCause::Unschedulable => {
            format!("Make room on the nodes, or relax what {owner} asks of them")
        }
        PodCause::SchedulingGated => {
            format!("Find the controller that should remove spec.schedulingGates from {pod}")
        }
        PodCause::SchedulerError => "Look at the log of the scheduler".to_owned(),
        PodCause::NotScheduled => {
            "Wait for the scheduler; if nothing comes, see whether it runs".to_owned()
        }
        PodCause::UnreadyNode { node, .. } => {
            format!("Bring {node} back, or delete the pods that are bound to it")
        }
        PodCause::Image { container: of, .. } => {
            format!("Fix the image of {} ({owner})", container(of))
        }
        PodCause::NotCreated { container: of, .. } => {
            format!("Fix what {} needs to start ({owner})", container(of))
        }
        PodCause::Crashing {
            container: of,
            reason,
            ..
        } if reason == "OOMKilled" => {
            format!(
                "Raise the memory limit of {} ({owner}), or lower what it uses",
                container(of)
            )
        }
        PodCause::Crashing { container: of, .. } => {
            let of = &of.name;
            format!("Read why it ends: kubectl logs {pod} -c {of} --previous")
        }
        PodCause::Unsaid => format!("See kubectl describe pod {pod}"),
        PodCause::Waiting { .. } | PodCause::Starting => {
            format!("Wait; if it lasts, see kubectl describe pod {pod}")
        }
        PodCause::InitRuns(of) => {
            format!("See what it does: kubectl logs {pod} -c {}", of.name)
        }
        PodCause::StartupProbe(of) => format!(
            "Give {} time to start, or see why it does not answer: kubectl logs {pod} -c {}",
            container(of),
            of.name
        ),
        PodCause::ReadinessProbe(of) => {
            format!("See why it is not ready: kubectl logs {pod} -c {}", of.name)
        }
        PodCause::Volume => format!("Fix the volume that {owner} asks for, or detach it elsewhere"),
        PodCause::Sandbox => "See the network plugin and the runtime of the node".to_owned(),
        PodCause::Gate(gates) => {
            format!(
                "Find the controller that sets the condition {}",
                list(gates)
            )
        }
        PodCause::MarkedUnready => {
            format!("See whether the node of {pod} reports; its kubelet sets Ready again")
        }
        PodCause::Rejected(_) => {
            format!("Free what the node lacks, or change what {owner} asks of it")
        }
        PodCause::Evicted => {
            format!("Free the node's memory and disk, or set requests in {owner} that fit")
        }
        PodCause::Ended => format!("Create {pod} again, or let a controller do that"),
    }
}

impl Cause {
    /// The stable id that reports and `explain` use.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        self.kind.id()
    }

    /// A clause for people, as it follows a colon.
    #[must_use]
    pub fn message(&self) -> String {
        short(&self.clause(), LONGEST)
    }

    fn clause(&self) -> String {
        let object = named(&self.object);
        match &self.kind {
            CauseKind::ReplicasZero { by: None } => format!("{object} wants 0 replicas"),
            CauseKind::ReplicasZero { by: Some(by) } => {
                format!("{object} wants 0 replicas, which {} may set", named(by))
            }
            CauseKind::PodsRefused { said } => {
                with(format!("new pods of {object} are refused"), said)
            }
            CauseKind::PodsMissing {
                made,
                wanted,
                waits,
            } => {
                let clause = match made {
                    0 => format!(
                        "{object} wants {}, and there is none yet",
                        count(*wanted, "pod")
                    ),
                    made => format!("{object} wants {}, and has {made}", count(*wanted, "pod")),
                };
                let waits = match waits {
                    None => "",
                    Some(WaitsFor::Controller) => {
                        ": its controller has not seen the newest spec yet"
                    }
                    Some(WaitsFor::OldPods) => ": the next comes when an old one is gone",
                    Some(WaitsFor::EarlierPod) => ": the next comes when an earlier one is ready",
                };
                format!("{clause}{waits}")
            }
            CauseKind::AllTerminating {
                number,
                then,
                owner,
            } => {
                let which = match (number, owner.kind.as_str()) {
                    (1, "Pod") => format!("{} is terminating", named(owner)),
                    (1, _) => format!("the only pod of {} is terminating", named(owner)),
                    (_, "Pod") => format!("all {number} pods are terminating"),
                    _ => format!("all {number} pods of {} are terminating", named(owner)),
                };
                let then = match then {
                    Replacement::NotReady(1) => "1 replacement is not ready yet".to_owned(),
                    Replacement::NotReady(number) => {
                        format!("{number} replacements are not ready yet")
                    }
                    Replacement::AfterOld => {
                        "replacements come when the old ones are gone".to_owned()
                    }
                    Replacement::NotMade => "no replacement is made yet".to_owned(),
                    Replacement::Nobody => "nobody makes others".to_owned(),
                };
                format!("{which}, {then}")
            }
            CauseKind::RolloutStuck { reason, said } => {
                with(format!("the rollout of {object} is stuck ({reason})"), said)
            }
            CauseKind::RolloutPaused => format!("the rollout of {object} is paused"),
            CauseKind::Pod { why, said, .. } => pod_message(why, self.pods.len(), said),
        }
    }

    /// What to do about it: an imperative clause without a full stop.
    #[must_use]
    pub fn action(&self) -> String {
        short(&self.advice(), LONGEST)
    }

    fn advice(&self) -> String {
        let object = named(&self.object);
        match &self.kind {
            CauseKind::ReplicasZero { by: None } => format!("Scale {object} up"),
            CauseKind::ReplicasZero { by: Some(by) } => {
                format!(
                    "See why {} keeps 0 replicas, or raise its minimum",
                    named(by)
                )
            }
            CauseKind::PodsRefused { .. } => {
                format!("Raise the quota, or change what {object} asks for so that it is admitted")
            }
            CauseKind::PodsMissing { .. } => {
                format!(
                    "Wait; if nothing comes, see kubectl describe {}",
                    self.described()
                )
            }
            CauseKind::AllTerminating {
                then: Replacement::Nobody,
                ..
            } => "Create the pods again, or let a controller do that".to_owned(),
            CauseKind::AllTerminating { owner, .. } => {
                format!(
                    "Get a pod of {} ready before the last of these ends",
                    named(owner)
                )
            }
            CauseKind::RolloutStuck { .. } => {
                format!(
                    "Fix what keeps its new pods from being ready, or kubectl rollout undo {}",
                    self.described()
                )
            }
            CauseKind::RolloutPaused => format!("kubectl rollout resume {}", self.described()),
            CauseKind::Pod { why, owner, .. } => {
                let pod = self.pods.first().map_or("POD", String::as_str);
                pod_action(why, owner, pod)
            }
        }
    }

    /// The object as kubectl takes it.
    fn described(&self) -> String {
        let kind = self.object.kind.to_lowercase();
        format!(
            "{kind}/{} -n {}",
            self.object.name.name, self.object.name.namespace
        )
    }
}
