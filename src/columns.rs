//! What does `kubectl get pods` print in the columns STATUS and READY? The API server computes them.
//!
//! Source: `pkg/printers/internalversion/printers.go`, `printPod`, 1.21 to 1.36.
#![deny(clippy::disallowed_methods)]

use crate::facts::pod::{ContainerState, ContainerStatus, Pod};
use crate::facts::pod_spec::Container;
use crate::facts::version::KubeVersion;
use crate::gates::printer::Printer;

/// The columns of one pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// STATUS.
    pub status: String,
    /// READY, as `ready/total`.
    pub ready: String,
}

fn sidecar(pod: &Pod, name: &str, printer: Printer) -> bool {
    let restarts = |container: &Container| container.name == name && container.restarts_always;
    printer.counts_sidecars && pod.spec.init_containers.iter().any(restarts)
}

fn ended(exit_code: i32, signal: i32, reason: &str) -> String {
    if !reason.is_empty() {
        reason.to_owned()
    } else if signal != 0 {
        format!("Signal:{signal}")
    } else {
        format!("ExitCode:{exit_code}")
    }
}

/// The status that the init containers give, and how many sidecars are ready.
fn init(pod: &Pod, printer: Printer) -> (Option<String>, usize) {
    let mut ready = 0;
    for (index, status) in pod.init_statuses.iter().enumerate() {
        let text = match &status.state {
            ContainerState::Terminated { exit_code: 0, .. } => continue,
            _ if status.started && sidecar(pod, &status.name, printer) => {
                ready += usize::from(status.ready);
                continue;
            }
            ContainerState::Terminated {
                exit_code,
                signal,
                reason,
                ..
            } => format!("Init:{}", ended(*exit_code, *signal, reason)),
            ContainerState::Waiting(reason)
                if !reason.is_empty() && reason != "PodInitializing" =>
            {
                format!("Init:{reason}")
            }
            _ => format!("Init:{index}/{}", pod.spec.init_containers.len()),
        };
        return (Some(text), ready);
    }
    (None, ready)
}

/// The columns as an API server of this version prints them.
#[must_use]
pub fn columns(pod: &Pod, version: KubeVersion) -> Columns {
    let printer = Printer::new(version);
    let mut status = if pod.reason.is_empty() {
        pod.phase.text().to_owned()
    } else {
        pod.reason.clone()
    };
    let gated = pod
        .condition("PodScheduled")
        .is_some_and(|scheduled| scheduled.reason == "SchedulingGated");
    if printer.scheduling_gated && gated {
        "SchedulingGated".clone_into(&mut status);
    }
    let sidecars = pod
        .spec
        .sidecars()
        .filter(|_| printer.counts_sidecars)
        .count();
    let total = pod.spec.containers.len() + sidecars;
    let (initializing, mut ready) = init(pod, printer);
    let initialized = pod
        .condition("Initialized")
        .is_some_and(|condition| condition.is_true);
    let settled = initializing.is_none() || (printer.counts_sidecars && initialized);
    if let Some(text) = initializing {
        status = text;
    }
    if settled {
        ready += main_containers(pod, printer, &mut status);
    }
    if pod.deletion.is_some() {
        let shows = !printer.ended_pods_keep_status || !pod.is_terminal();
        if pod.reason == "NodeLost" {
            "Unknown".clone_into(&mut status);
        } else if shows {
            "Terminating".clone_into(&mut status);
        }
    }
    Columns {
        status,
        ready: format!("{ready}/{total}"),
    }
}

/// Sets the status by the main containers, the first one last; returns how many are ready.
fn main_containers(pod: &Pod, printer: Printer, status: &mut String) -> usize {
    let mut ready = 0;
    let mut error = None;
    for ContainerStatus {
        ready: is_ready,
        state,
        ..
    } in pod.statuses.iter().rev()
    {
        match state {
            ContainerState::Waiting(reason) if !reason.is_empty() => status.clone_from(reason),
            ContainerState::Terminated {
                exit_code,
                signal,
                reason,
                ..
            } => {
                *status = ended(*exit_code, *signal, reason);
                if *exit_code != 0 {
                    error = Some(status.clone());
                }
            }
            ContainerState::Running if *is_ready => ready += 1,
            _ => {}
        }
    }
    if status == "Completed" {
        let running = ready > 0;
        if running && pod.is_ready() {
            "Running".clone_into(status);
        } else if let Some(error) = error.filter(|_| printer.failure_beside_completed) {
            *status = error;
        } else if running {
            "NotReady".clone_into(status);
        }
    }
    ready
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::facts::pod::{Condition, Phase};
    use crate::facts::pod_spec::PodSpec;
    use chrono::DateTime;

    fn container(name: &str) -> Container {
        Container {
            name: name.to_owned(),
            ..Container::default()
        }
    }

    fn container_status(name: &str, ready: bool, state: ContainerState) -> ContainerStatus {
        ContainerStatus {
            name: name.to_owned(),
            ready,
            started: true,
            state,
            ..ContainerStatus::default()
        }
    }

    fn exited(exit_code: i32, reason: &str) -> ContainerState {
        ContainerState::Terminated {
            exit_code,
            signal: 0,
            reason: reason.to_owned(),
            finished: None,
        }
    }

    fn ready_condition(is_true: bool) -> Condition {
        Condition {
            kind: "Ready".to_owned(),
            is_true,
            ..Condition::default()
        }
    }

    fn running() -> Pod {
        Pod {
            phase: Phase::Running,
            spec: Arc::new(PodSpec {
                containers: vec![container("app")],
                ..PodSpec::default()
            }),
            statuses: vec![container_status("app", true, ContainerState::Running)],
            conditions: vec![ready_condition(true)],
            ..Pod::default()
        }
    }

    fn shown(pod: &Pod, minor: u16) -> (String, String) {
        let columns = columns(pod, KubeVersion::minor(minor));
        (columns.status, columns.ready)
    }

    fn pair(status: &str, ready: &str) -> (String, String) {
        (status.to_owned(), ready.to_owned())
    }

    #[test]
    fn terminating_is_a_display_of_the_deletion_timestamp() {
        let mut pod = running();
        assert_eq!(shown(&pod, 36), pair("Running", "1/1"));
        pod.deletion = Some(DateTime::UNIX_EPOCH);
        assert_eq!(shown(&pod, 36), pair("Terminating", "1/1"));
    }

    #[test]
    fn from_1_31_a_deleted_pod_that_has_ended_shows_how_it_ended() {
        let mut pod = running();
        pod.deletion = Some(DateTime::UNIX_EPOCH);
        pod.phase = Phase::Failed;
        pod.statuses = vec![container_status("app", false, exited(137, "Error"))];
        assert_eq!(shown(&pod, 30), pair("Terminating", "0/1"));
        assert_eq!(shown(&pod, 31), pair("Error", "0/1"));
    }

    #[test]
    fn native_sidecars_count_from_1_28() {
        let mut pod = running();
        Arc::make_mut(&mut pod.spec).init_containers = vec![Container {
            restarts_always: true,
            ..container("proxy")
        }];
        pod.init_statuses = vec![container_status("proxy", true, ContainerState::Running)];
        assert_eq!(shown(&pod, 28), pair("Running", "2/2"));
        assert_eq!(shown(&pod, 27), pair("Init:0/1", "0/1"));
    }

    #[test]
    fn a_failed_container_beside_a_completed_one_shows_from_1_35() {
        let mut pod = running();
        Arc::make_mut(&mut pod.spec).containers = vec![container("a"), container("b")];
        pod.statuses = vec![
            container_status("a", false, exited(0, "Completed")),
            container_status("b", false, exited(1, "Error")),
        ];
        pod.conditions = vec![ready_condition(false)];
        assert_eq!(shown(&pod, 34), pair("Completed", "0/2"));
        assert_eq!(shown(&pod, 35), pair("Error", "0/2"));
    }

    #[test]
    fn a_running_container_beside_a_completed_one_shows_whether_the_pod_is_ready() {
        let mut pod = running();
        Arc::make_mut(&mut pod.spec).containers = vec![container("a"), container("b")];
        pod.statuses = vec![
            container_status("a", false, exited(0, "Completed")),
            container_status("b", true, ContainerState::Running),
        ];
        assert_eq!(shown(&pod, 36), pair("Running", "1/2"));
        pod.conditions = vec![ready_condition(false)];
        assert_eq!(shown(&pod, 34), pair("NotReady", "1/2"));
        assert_eq!(shown(&pod, 36), pair("NotReady", "1/2"));
    }

    #[test]
    fn the_first_containers_reason_wins_and_init_containers_speak_before_it() {
        let mut pod = running();
        pod.phase = Phase::Pending;
        pod.statuses = vec![container_status(
            "app",
            false,
            ContainerState::Waiting("CrashLoopBackOff".to_owned()),
        )];
        assert_eq!(shown(&pod, 36), pair("CrashLoopBackOff", "0/1"));
        Arc::make_mut(&mut pod.spec).init_containers = vec![container("setup")];
        pod.init_statuses = vec![container_status("setup", false, exited(2, ""))];
        assert_eq!(shown(&pod, 36), pair("Init:ExitCode:2", "0/1"));
        pod.init_statuses = vec![container_status(
            "setup",
            false,
            ContainerState::Waiting("PodInitializing".to_owned()),
        )];
        assert_eq!(shown(&pod, 36), pair("Init:0/1", "0/1"));
    }

    #[test]
    fn a_lost_node_shows_unknown_and_a_reason_stands_for_the_phase() {
        let mut pod = running();
        pod.reason = "NodeLost".to_owned();
        pod.statuses.clear();
        pod.deletion = Some(DateTime::UNIX_EPOCH);
        assert_eq!(shown(&pod, 26), pair("Unknown", "0/1"));
        pod.reason = "Evicted".to_owned();
        pod.deletion = None;
        pod.phase = Phase::Failed;
        assert_eq!(shown(&pod, 36), pair("Evicted", "0/1"));
    }
}
