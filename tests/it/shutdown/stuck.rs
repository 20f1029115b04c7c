//! Where a terminating pod stands, and why it does not go.

use chrono::{DateTime, TimeDelta, Utc};
use drain_check::facts::node::{Node, NodeReady, ReadyStatus, Taint};
use drain_check::facts::pod::{Condition, ContainerState, ContainerStatus, Phase, Pod};
use drain_check::facts::pod_spec::Handler;
use drain_check::shutdown::phase::{DeletedBy, Terminating, terminating};
use drain_check::shutdown::pod_state::{Placement, TerminationPhase};
use drain_check::shutdown::stuck::{Evidence, Stuck};

use super::{Takes, UNKNOWN, drains_take, exec, kubelet, look, pod, recorded, with_hook};

#[test]
fn three_pods_past_their_grace_period_are_stuck_for_three_different_reasons() {
    let (pods, nodes) = recorded("stuck-past-grace");
    let as_of = "2026-11-21T00:38:48Z".parse().expect("a moment");
    let found = |name: &str| {
        let pod = pods.iter().find(|pod| pod.name.name == name);
        let pod = pod.expect("the pod");
        let place = Placement::of(pod, Some(&nodes));
        terminating(pod, place, &kubelet("1.36.3"), &UNKNOWN, &look(as_of)).expect("it terminates")
    };
    let held = found("old-0");
    assert_eq!(held.phase, TerminationPhase::PastGrace);
    assert_eq!(held.stuck, Some(Stuck::Finalizers));
    assert_eq!(held.requested_at, held.deadline - TimeDelta::seconds(5));
    assert_eq!(held.elapsed, TimeDelta::seconds(11));
    assert_eq!(
        held.evidence,
        [
            Evidence::PastDeadline { seconds: 6 },
            Evidence::Finalizers(vec!["example.com/hold".to_owned()]),
            Evidence::Running(vec!["app".to_owned()]),
            Evidence::NodeReady {
                node: "node-a".to_owned(),
                status: Some(ReadyStatus::True),
                reason: "KubeletReady".to_owned(),
            },
        ]
    );
    let lost = found("old-1");
    assert_eq!(lost.phase, TerminationPhase::PastGrace);
    assert_eq!(lost.stuck, Some(Stuck::NodeUnreachable));
    assert_eq!(
        lost.evidence,
        [
            Evidence::PastDeadline { seconds: 6 },
            Evidence::Running(vec!["app".to_owned()]),
            Evidence::NodeReady {
                node: "node-c".to_owned(),
                status: Some(ReadyStatus::Unknown),
                reason: "NodeStatusUnknown".to_owned(),
            },
            Evidence::Taint {
                node: "node-c".to_owned(),
                key: "node.kubernetes.io/unreachable".to_owned(),
            },
        ]
    );
    let forced = found("old-2");
    assert_eq!(forced.phase, TerminationPhase::ForceDeleted);
    assert_eq!(forced.stuck, Some(Stuck::ForceDeletedFinalizers));
    assert!(forced.evidence.contains(&Evidence::GraceZero));
}

fn now() -> DateTime<Utc> {
    "2026-11-21T00:00:00Z".parse().expect("a moment")
}

fn status(name: &str, state: ContainerState) -> ContainerStatus {
    ContainerStatus {
        name: name.to_owned(),
        state,
        ..ContainerStatus::default()
    }
}

fn exited() -> ContainerState {
    ContainerState::Terminated {
        exit_code: 0,
        signal: 0,
        reason: "Completed".to_owned(),
        finished: None,
    }
}

/// A running pod on node `a` that was deleted so many seconds ago with a grace period of 30 s and a hook.
fn deleted(seconds_ago: i64, hook: Handler) -> Pod {
    Pod {
        spec: pod(30, vec![with_hook("app", hook)]).into(),
        node: Some("a".to_owned()),
        phase: Phase::Running,
        deletion: Some(now() + TimeDelta::seconds(30 - seconds_ago)),
        deletion_grace_seconds: Some(30),
        statuses: vec![status("app", ContainerState::Running)],
        ..Pod::default()
    }
}

fn ready() -> Node {
    Node {
        name: "a".to_owned(),
        ready: Some(NodeReady {
            status: ReadyStatus::True,
            reason: String::new(),
            changed: None,
        }),
        ..Node::default()
    }
}

fn at(pod: &Pod, nodes: Option<&[Node]>, version: &str, takes: Takes) -> Terminating {
    let place = Placement::of(pod, nodes);
    terminating(pod, place, &kubelet(version), &takes, &look(now())).expect("it terminates")
}

#[test]
fn a_pod_inside_its_grace_period_is_in_its_hook_then_past_sigterm_and_not_stuck() {
    use TerminationPhase::{PastGrace, PreStop, PreStopOrStopping, Stopping};
    for (ago, hook, phase) in [
        (4, Handler::Sleep(5), PreStop),
        (5, Handler::Sleep(5), Stopping),
        (30, Handler::Sleep(5), Stopping),
        (31, Handler::Sleep(5), PastGrace),
        (4, exec(), PreStopOrStopping),
        (30, exec(), Stopping),
        (0, Handler::TcpSocket, Stopping),
        // Clocks differ: a delete that is still to come was just now.
        (-3, Handler::Sleep(5), PreStop),
    ] {
        let found = at(&deleted(ago, hook), Some(&[ready()]), "1.36.3", UNKNOWN);
        assert_eq!(found.phase, phase, "{ago}");
        assert_eq!(found.stuck, None, "{ago}");
        assert!(found.evidence.is_empty());
    }
}

#[test]
fn a_grace_period_that_the_kubelet_grants_twice_is_not_stuck() {
    // kubernetes#115817.
    let pod = deleted(55, Handler::Exec(vec!["drain".to_owned()]));
    let nodes = [ready()];
    let old = at(&pod, Some(&nodes), "1.27.16", UNKNOWN);
    assert_eq!((old.phase, old.stuck), (TerminationPhase::PastGrace, None));
    let new = at(&pod, Some(&nodes), "1.28.0", UNKNOWN);
    assert_eq!(new.stuck, Some(Stuck::Runtime));
}

#[test]
fn the_node_tells_a_kubelet_that_is_gone_from_a_runtime_that_hangs() {
    let pod = deleted(90, Handler::Sleep(5));
    let cause = |nodes: Option<&[Node]>| at(&pod, nodes, "1.36.3", UNKNOWN).stuck;
    assert_eq!(cause(Some(&[ready()])), Some(Stuck::Runtime));
    assert_eq!(cause(Some(&[])), Some(Stuck::NodeGone));
    assert_eq!(cause(None), Some(Stuck::NodeNotRead));
    let mut node = ready();
    let taint = |key: &str, effect: &str| Taint {
        key: format!("node.kubernetes.io/{key}"),
        value: String::new(),
        effect: effect.to_owned(),
    };
    // A taint alone does not outweigh the condition.
    node.taints = vec![taint("not-ready", "NoSchedule")];
    assert_eq!(cause(Some(&[node.clone()])), Some(Stuck::Runtime));
    for (status, stuck) in [
        (ReadyStatus::False, Stuck::NodeNotReady),
        (ReadyStatus::Unknown, Stuck::NodeUnreachable),
    ] {
        node.ready.as_mut().expect("a condition").status = status;
        assert_eq!(cause(Some(&[node.clone()])), Some(stuck));
    }
    node.taints.push(taint("out-of-service", "NoExecute"));
    assert_eq!(cause(Some(&[node.clone()])), Some(Stuck::NodeOutOfService));
    node.ready = None;
    node.taints = vec![taint("unreachable", "NoExecute")];
    assert_eq!(cause(Some(&[node])), Some(Stuck::NodeUnreachable));
}

#[test]
fn containers_that_have_ended_leave_volumes_or_finalizers() {
    let mut pod = deleted(90, Handler::Sleep(5));
    pod.phase = Phase::Failed;
    pod.statuses = vec![status("app", exited())];
    let nodes = [ready()];
    let found = at(&pod, Some(&nodes), "1.36.3", drains_take(1));
    assert_eq!(found.phase, TerminationPhase::CleaningUp);
    assert_eq!(found.stuck, Some(Stuck::CleanUp));
    assert!(found.evidence.contains(&Evidence::NoneRuns));
    pod.finalizers = vec!["example.com/hold".to_owned()];
    let found = at(&pod, Some(&nodes), "1.36.3", drains_take(1));
    assert_eq!(found.stuck, Some(Stuck::FinalizersOnly));
    // Volumes may take a while.
    pod.deletion = Some(now() - TimeDelta::seconds(10));
    assert_eq!(at(&pod, Some(&nodes), "1.36.3", UNKNOWN).stuck, None);
}

#[test]
fn a_grace_period_of_zero_is_the_kubelets_last_step_or_a_forced_delete() {
    // kubernetes#115331: from 1.27 on the kubelet reports a terminal phase first.
    let mut pod = deleted(90, Handler::Sleep(5));
    pod.finalizers = vec!["example.com/hold".to_owned()];
    pod.deletion_grace_seconds = Some(0);
    pod.statuses = vec![status("app", exited())];
    let nodes = [ready()];
    let of = |pod: &Pod, version| {
        let found = at(pod, Some(&nodes), version, UNKNOWN);
        (found.phase, found.stuck)
    };
    let forced = (
        TerminationPhase::ForceDeleted,
        Some(Stuck::ForceDeletedFinalizers),
    );
    let done = (
        TerminationPhase::FinalizersOnly,
        Some(Stuck::FinalizersOnly),
    );
    assert_eq!(of(&pod, "1.27"), forced);
    assert_eq!(of(&pod, "1.26"), done);
    pod.phase = Phase::Succeeded;
    assert_eq!(of(&pod, "1.27"), done);
}

#[test]
fn a_pod_that_was_never_on_a_node_waits_for_nobody_but_finalizers() {
    let mut pod = deleted(90, Handler::Sleep(5));
    pod.node = None;
    pod.statuses.clear();
    pod.deletion_grace_seconds = Some(0);
    let found = at(&pod, Some(&[]), "1.36.3", UNKNOWN);
    assert_eq!(found.stuck, Some(Stuck::NotScheduled));
}

#[test]
fn a_condition_tells_who_deleted_the_pod() {
    // KEP-3329.
    let mut pod = deleted(1, Handler::Sleep(5));
    assert_eq!(at(&pod, None, "1.36.3", UNKNOWN).by, None);
    pod.conditions = vec![Condition {
        kind: "DisruptionTarget".to_owned(),
        is_true: true,
        reason: "EvictionByEvictionAPI".to_owned(),
        ..Condition::default()
    }];
    let by = at(&pod, None, "1.36.3", UNKNOWN).by;
    assert_eq!(by, Some(DeletedBy::Eviction));
    pod.deletion = None;
    let place = Placement::of(&pod, None);
    assert!(terminating(&pod, place, &kubelet("1.36"), &UNKNOWN, &look(now())).is_none());
}
