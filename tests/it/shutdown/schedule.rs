//! SIGTERM and SIGKILL by the clock, as one look at a pod tells them, against what real kubelets did
//! (fixtures/oracle/kubelet/README.md).

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use drain_check::decode;
use drain_check::facts::moments::Moments;
use drain_check::facts::node::Node;
use drain_check::facts::pod::{ContainerState, ContainerStatus, Phase, Pod};
use drain_check::gates::api_server::ApiServer;
use drain_check::shutdown::Reason;
use drain_check::shutdown::phase::{Terminating, terminating};
use drain_check::shutdown::pod_state::Placement;
use drain_check::shutdown::schedule::{ContainerStop, Look};
use serde_json::json;

use super::kubelet;
use super::kubelet::{Case, LATE, Scripts, TOLERANCE, VERSIONS, read};

/// API servers before and after `BeforeDelete` kept deadlines out of the past.
const API_SERVERS: [&str; 2] = ["1.32.13", "1.36.3"];

/// When the first DELETE of a recorded case was sent.
fn sent() -> DateTime<Utc> {
    "2026-11-21T00:38:00Z".parse().expect("a moment")
}

fn after(seconds: i64) -> DateTime<Utc> {
    sent() + TimeDelta::seconds(seconds)
}

fn running(pod: &mut Pod) {
    let status = |name: &String| ContainerStatus {
        name: name.clone(),
        state: ContainerState::Running,
        ..ContainerStatus::default()
    };
    pod.statuses = pod
        .spec
        .containers
        .iter()
        .map(|each| status(&each.name))
        .collect();
    pod.init_statuses = pod
        .spec
        .init_containers
        .iter()
        .map(|each| status(&each.name))
        .collect();
}

/// The pod of a case, running on a node.
fn whole(name: &str, case: &Case) -> Pod {
    let pod = json!({"metadata": {"name": name}, "spec": case.pod, "status": {"phase": "Running"}});
    let mut pod = decode::pod(serde_json::from_value(pod).expect("a pod"));
    pod.node = Some("a".to_owned());
    running(&mut pod);
    pod
}

/// What the API server makes of the first DELETE, and after the second of that, by the seconds after the first: `BeforeDelete`.
fn deletes(pod: &Pod, case: &Case, api_server: &str) -> Vec<(i64, Pod)> {
    let own = pod.spec.grace_seconds.expect("a grace period");
    let first = case.delete.grace.unwrap_or(own);
    let mut once = pod.clone();
    once.deletion = Some(after(first));
    once.deletion_grace_seconds = Some(first);
    let mut all = vec![(0, once.clone())];
    let again = case.delete.again;
    if let Some((at, again)) = case.delete.again_after.zip(again) {
        assert!(again < first, "only a shorter one counts");
        let (mut deadline, mut grace) = (again, again);
        if deadline < at && api_server != "1.32.13" {
            (deadline, grace) = (at, again.min(1));
        }
        once.deletion = Some(after(deadline));
        once.deletion_grace_seconds = Some(grace);
        all.push((at, once));
    }
    all
}

fn look(api_server: &str, seconds: i64, stop_began: Option<i64>) -> Look {
    Look {
        as_of: after(seconds),
        api_server: ApiServer::new(api_server.parse().expect("a version")),
        stop_began: stop_began.map(after),
    }
}

fn stands(pod: &Pod, version: &str, look: &Look) -> Terminating {
    let node = Node {
        name: "a".to_owned(),
        ..Node::default()
    };
    terminating(pod, Placement::On(&node), &kubelet(version), &Scripts, look)
        .expect("it terminates")
}

/// Seconds after the first DELETE.
#[allow(clippy::cast_precision_loss)]
fn seconds((min, max): Moments) -> (f64, f64) {
    let at = |moment: DateTime<Utc>| (moment - sent()).num_milliseconds() as f64 / 1000.0;
    (at(min), at(max))
}

fn holds(range: Moments, seen: f64, version: &str) -> bool {
    let tolerance = if version == "1.27.16" {
        LATE
    } else {
        TOLERANCE
    };
    let (min, max) = seconds(range);
    min - tolerance <= seen && seen <= max + tolerance
}

/// Every look that the recorded cases allow: what it shows, beside what happened.
fn looks(mut take: impl FnMut(&str, &str, &Case, (usize, Terminating))) {
    for version in VERSIONS {
        for (name, case) in read::<Case>(&format!("shutdown-{version}")) {
            for api_server in API_SERVERS {
                let all = deletes(&whole(&name, &case), &case, api_server);
                for (place, (at, pod)) in all.iter().enumerate() {
                    // A second delete is seen at once: the first one's stop is under way.
                    let stands = stands(pod, version, &look(api_server, *at, None));
                    take(
                        &format!("{version} {name} API {api_server}"),
                        version,
                        &case,
                        (place, stands),
                    );
                }
            }
        }
    }
}

#[test]
fn every_recorded_sigterm_and_sigkill_lies_in_its_range() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    looks(|name, version, case, (place, stands)| {
        for stop in &stands.containers {
            let seen = &case.containers[&stop.name];
            let mut check = |what: &str, range: Option<Moments>, seen: f64| {
                checked += 1;
                let range = range.expect("it runs");
                if !holds(range, seen, version) {
                    let range = seconds(range);
                    wrong.push(format!(
                        "{name} delete {place} {}: {what} at {seen}, not in {range:?}",
                        stop.name
                    ));
                }
            };
            if let Some(signal) = seen.stop_signal {
                check("SIGTERM", stop.sigterm_at, signal);
            }
            // Before the delete: that container cannot tell.
            if let Some(ended) = seen.ended.filter(|ended| *ended >= 0.0) {
                if case.exit_codes[&stop.name] == 137 {
                    check("SIGKILL", stop.sigkill_at, ended);
                } else {
                    let (_, latest) = seconds(stop.sigkill_at.expect("it runs"));
                    assert!(ended <= latest, "{name}: a polite one ends before");
                }
            }
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // 62 cases with 4 second deletes, each at two API servers.
    assert!(checked > 200, "{checked}");
}

#[test]
fn a_pod_deleted_with_its_own_grace_period_has_exact_moments_and_no_excuse() {
    let mut exact = 0;
    looks(|name, _, case, (place, stands)| {
        if place > 0 || case.delete.grace.is_some() {
            return;
        }
        for stop in &stands.containers {
            for at in [stop.sigterm_at, stop.sigkill_at] {
                let (min, max) = at.expect("it runs");
                assert_eq!(min, max, "{name} {}", stop.name);
                exact += 1;
            }
            assert_eq!(stop.reasons, [], "{name}");
        }
    });
    assert!(exact > 200, "{exact}");
}

/// The only container after the last delete of a case.
fn last(version: &str, name: &str, api_server: &str, stop_began: Option<i64>) -> ContainerStop {
    let cases: BTreeMap<String, Case> = read(&format!("shutdown-{version}"));
    let case = &cases[name];
    let all = deletes(&whole(name, case), case, api_server);
    let (at, pod) = all.last().expect("a delete");
    let look = look(api_server, *at, stop_began);
    let mut containers = stands(pod, version, &look).containers;
    assert_eq!(containers.len(), 1);
    containers.remove(0)
}

fn range(at: Option<Moments>) -> (f64, f64) {
    seconds(at.expect("it runs"))
}

#[test]
fn a_short_grace_period_is_one_delete_or_two_so_sigkill_is_a_range_that_says_why() {
    // Deleted once with 3 of 30 s, killed at 3 s: the kubelets were not told more than the pod shows.
    for version in VERSIONS {
        let stop = last(version, "delete-3-of-30", "1.36.3", None);
        assert_eq!(range(stop.sigterm_at), (0.0, 0.0), "{version}");
        assert_eq!(range(stop.sigkill_at), (3.0, 30.0), "{version}");
        assert_eq!(
            stop.reasons,
            [
                Reason::FirstDeleteNotSeen,
                Reason::SecondDeleteChangesNothing
            ]
        );
        // Deleted twice, with 20 and after 3 s with 6 s, killed at 20 s.
        let stop = last(version, "shorten-20-to-6-at-3", "1.36.3", None);
        assert_eq!(range(stop.sigterm_at), (0.0, 0.0), "{version}");
        assert_eq!(range(stop.sigkill_at), (6.0, 20.0), "{version}");
        assert_eq!(
            stop.reasons,
            [
                Reason::FirstDeleteNotSeen,
                Reason::SecondDeleteChangesNothing
            ]
        );
    }
    // preStop of 8 s: at the end of the shorter grace period, or when it has ended.
    let stop = last("1.36.3", "shorten-20-to-2-at-5", "1.32.13", None);
    assert_eq!(range(stop.sigterm_at), (2.0, 8.0));
    assert_eq!(range(stop.sigkill_at), (4.0, 20.0));
    // The old kubelet grants the grace period again after preStop: 8 + 20.
    let stop = last("1.27.16", "shorten-20-to-2-at-5", "1.32.13", None);
    assert_eq!(range(stop.sigkill_at), (4.0, 28.0));
}

#[test]
fn a_deadline_that_was_moved_to_now_hides_when_the_first_delete_was() {
    // The API server wrote a grace period of 1 s that ends 5 s after the first delete: as if requested at 4 s.
    let stop = last("1.36.3", "shorten-20-to-2-at-5", "1.36.3", None);
    let (min, max) = range(stop.sigkill_at);
    // A first delete just before that one.
    assert!((23.9..24.1).contains(&max), "{max}");
    assert!(min <= 5.0, "{min}");
    assert!(stop.reasons.contains(&Reason::FirstDeleteMayBeEarlier));
    // A pod that was made at 3 s cannot have been deleted before.
    let cases: BTreeMap<String, Case> = read("shutdown-1.36.3");
    let case = &cases["shorten-20-to-2-at-5"];
    let (at, mut pod) = deletes(&whole("young", case), case, "1.36.3").remove(1);
    pod.created = Some(after(3));
    let young = stands(&pod, "1.36.3", &look("1.36.3", at, None));
    assert_eq!(
        range(young.containers[0].sigterm_at),
        (3.0 + 2.0, 4.0 + 8.0)
    );
}

#[test]
fn the_event_of_the_stop_tells_that_there_were_two_deletes() {
    let stop = last("1.36.3", "shorten-20-to-2-at-5", "1.36.3", Some(0));
    assert_eq!(stop.reasons[0], Reason::DeletedTwice);
    // At least one second more than the second delete; the pod's own grace period at most. preStop takes 8 s of it.
    assert_eq!(range(stop.sigterm_at), (2.0, 8.0));
    assert_eq!(range(stop.sigkill_at), (4.0, 20.0));
    // A kubelet that learns of the delete late grants the whole grace period from then on.
    let stop = last("1.36.3", "plain-10", "1.36.3", Some(7));
    assert_eq!(range(stop.sigterm_at), (7.0, 7.0));
    assert_eq!(range(stop.sigkill_at), (17.0, 17.0));
}

#[test]
fn a_forced_delete_kills_within_three_seconds_or_after_the_whole_grace_period_by_kubelet() {
    // No stop was under way: 1.36.3 gives preStop one second and SIGTERM two.
    for (version, name, sigterm, sigkill) in [
        ("1.36.3", "force-0-of-30", (0.0, 0.0), (2.0, 30.0)),
        ("1.36.3", "force-0-of-30-exec-5", (1.0, 5.0), (3.0, 30.0)),
        // No preStop, and the whole grace period; or a first delete with one second, which means one second there.
        ("1.27.16", "force-0-of-30", (0.0, 0.0), (1.0, 30.0)),
        ("1.27.16", "force-0-of-30-exec-5", (0.0, 5.0), (2.0, 35.0)),
    ] {
        let stop = last(version, name, "1.32.13", None);
        assert_eq!(range(stop.sigterm_at), sigterm, "{version} {name}");
        assert_eq!(range(stop.sigkill_at), sigkill, "{version} {name}");
    }
}

#[test]
fn a_container_that_ended_narrows_its_moments() {
    let mut seen = 0;
    for version in VERSIONS {
        for (name, case) in read::<Case>(&format!("shutdown-{version}")) {
            let (_, mut pod) = deletes(&whole(&name, &case), &case, "1.36.3").remove(0);
            let ends: Vec<_> = case
                .containers
                .values()
                .filter_map(|each| each.ended)
                .collect();
            if ends.len() < case.containers.len() || ends.iter().any(|ended| *ended < 0.0) {
                continue;
            }
            #[allow(clippy::cast_possible_truncation)]
            let finished =
                |name: &str| after(case.containers[name].ended.expect("it ended") as i64);
            for status in pod.statuses.iter_mut().chain(&mut pod.init_statuses) {
                let exit_code = case.exit_codes[&status.name];
                status.state = ContainerState::Terminated {
                    exit_code,
                    signal: 0,
                    reason: if exit_code == 0 { "Completed" } else { "Error" }.to_owned(),
                    finished: Some(finished(&status.name)),
                };
            }
            pod.phase = Phase::Failed;
            let stands = stands(&pod, version, &look("1.36.3", 40, None));
            for stop in &stands.containers {
                let ended = finished(&stop.name);
                assert_eq!(stop.ended_at, Some(ended), "{version} {name}");
                assert_eq!(stop.exit_code, Some(case.exit_codes[&stop.name]));
                let killed = case.exit_codes[&stop.name] == 137;
                assert_eq!(
                    stop.sigkill_at,
                    killed.then_some((ended, ended)),
                    "{version} {name}"
                );
                assert_eq!(!killed, stop.reasons.contains(&Reason::EndedBeforeSigkill));
                let (min, max) = stop.sigterm_at.expect("it got SIGTERM");
                assert!(min <= max && max <= ended, "{version} {name}");
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn a_container_that_had_ended_before_the_delete_gets_no_signal() {
    let cases: BTreeMap<String, Case> = read("shutdown-1.36.3");
    let case = &cases["two-containers"];
    let (_, mut pod) = deletes(&whole("two", case), case, "1.36.3").remove(0);
    let first = pod.statuses[0].name.clone();
    pod.statuses[0].state = ContainerState::Terminated {
        exit_code: 0,
        signal: 0,
        reason: "Completed".to_owned(),
        finished: Some(after(-600)),
    };
    let stands = stands(&pod, "1.36.3", &look("1.36.3", 1, None));
    let stop = &stands.containers[0];
    assert_eq!((&stop.name, stop.exit_code), (&first, Some(0)));
    assert_eq!((stop.sigterm_at, stop.sigkill_at), (None, None));
    assert_eq!(stop.ended_at, Some(after(-600)));
    assert_eq!(stop.reasons, [Reason::EndedBeforeDelete]);
    assert!(stands.containers[1].sigkill_at.is_some());
}

#[test]
fn a_pod_that_may_have_been_deleted_twice_is_not_stuck_before_the_first_grace_period_is_over() {
    let cases: BTreeMap<String, Case> = read("shutdown-1.36.3");
    let case = &cases["shorten-20-to-6-at-3"];
    let (_, pod) = deletes(&whole("app", case), case, "1.36.3").remove(1);
    // It was killed at 20 s.
    for (at, is_stuck) in [(12, false), (20, false), (25, false), (26, true)] {
        let stands = stands(&pod, "1.36.3", &look("1.36.3", at, None));
        assert_eq!(stands.stuck.is_some(), is_stuck, "after {at} s");
        assert_eq!(stands.leaves.is_none(), is_stuck, "after {at} s");
    }
}
