//! Cases of a real API server, controller manager and `kubectl drain` 1.36.3 (tests/fixtures/oracle/controllers): every pod's creation,
//! readiness, delete and end is foreseen, as many of each and at the right time.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use drain_check::decode::objects;
use drain_check::facts::workload::WorkloadKind;
use drain_check::facts::{ObjectName, Snapshot};
use drain_check::gates::controllers::Controllers;
use drain_check::manifest::ManifestObject;
use drain_check::simulate::{Action, Decision, DrainFlags, Played, Scenario, Settings, play};
use drain_check::timeline::change::What;
use serde_json::Value;

use crate::recording::list;

pub(super) fn cases() -> Vec<Value> {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/oracle/controllers/cases.json.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(packed).expect("the fixture"))
        .read_to_string(&mut text)
        .expect("gzip");
    serde_json::from_str(&text).expect("JSON")
}

/// The case of a namespace.
pub(super) fn namespaced<'c>(cases: &'c [Value], name: &str) -> &'c Value {
    let mut cases = cases.iter();
    cases.find(|case| case["namespace"] == name).expect(name)
}

fn facts(case: &Value) -> Snapshot {
    let objects = list(&case["before"]).iter().map(|value| ManifestObject {
        file: "before".to_owned(),
        line: 1,
        value: value.clone(),
    });
    let (facts, problems) = objects::snapshot(objects.collect());
    assert!(problems.is_empty(), "{problems:?}");
    facts
}

/// Whole seconds as milliseconds.
#[allow(clippy::cast_possible_truncation)]
fn millis(value: &Value) -> i64 {
    (value.as_f64().expect("seconds") * 1000.0).round() as i64
}

fn scenario(case: &Value) -> Scenario {
    let namespace = case["namespace"].as_str().expect("a namespace");
    let web = ObjectName::new(namespace, "web");
    let workload = |kind| (kind, web.clone());
    let action = match case["kind"].as_str().expect("a kind") {
        "Deployment" | "Recreate" => Action::Rollout(workload(WorkloadKind::Deployment)),
        "StatefulSet" => Action::Rollout(workload(WorkloadKind::StatefulSet)),
        "DaemonSet" => Action::Rollout(workload(WorkloadKind::DaemonSet)),
        "ScaleDown" | "ScaleUp" => {
            let to = case["to"].as_i64().expect("a number");
            Action::Scale(workload(WorkloadKind::Deployment), to)
        }
        "Drain" => {
            let node = case["drained"].as_str().expect("a node");
            Action::Drain(vec![node.to_owned()])
        }
        other => panic!("{other}"),
    };
    Scenario {
        action,
        drain: DrainFlags {
            timeout_seconds: 40,
            ..DrainFlags::default()
        },
    }
}

fn played(case: &Value) -> Played {
    let facts = facts(case);
    let settings = Settings {
        ready_after: Some(millis(&case["readyAfter"])),
        gone_after: Some(millis(&case["goneAfter"])),
        ..Settings::default()
    };
    let server = "1.36.3".parse().expect("a version");
    let controllers = Controllers::new(server, &BTreeMap::new());
    play(&facts, &scenario(case), &settings, controllers).expect("a scenario")
}

/// Seconds of each kind of event, in order.
type Times = BTreeMap<&'static str, Vec<f64>>;

#[allow(clippy::cast_precision_loss)]
fn foreseen(case: &Value) -> Times {
    let start = facts(case).taken_at.unwrap_or_default();
    let mut times = Times::new();
    // What was so when it began.
    let mut known: BTreeMap<String, (bool, bool)> = BTreeMap::new();
    for change in played(case).changes {
        let at = (change.at - start).num_milliseconds() as f64 / 1000.0;
        let (facts, gone, listed) = match change.what {
            What::Listed { facts, .. } => (facts, false, true),
            What::Applied(facts) => (facts, false, false),
            What::Deleted(facts) => (facts, true, false),
            _ => continue,
        };
        for pod in facts.pods {
            let uid = pod.uid.clone().expect("a uid");
            let is = (pod.is_ready(), pod.deletion.is_some());
            let mut note = |what: &'static str| times.entry(what).or_default().push(at);
            match known.get(&uid).copied() {
                _ if listed => {}
                None => note("created"),
                Some((ready, deleted)) => {
                    if is.0 && !ready {
                        note("ready");
                    }
                    if is.1 && !deleted {
                        note("deleted");
                    }
                }
            }
            if gone {
                note("gone");
            }
            known.insert(uid, is);
        }
    }
    times
}

fn observed(case: &Value) -> Times {
    let mut times = Times::new();
    for event in list(&case["events"]) {
        let what = match event[1].as_str().expect("a kind") {
            "created" => "created",
            "ready" => "ready",
            "deleted" => "deleted",
            "gone" => "gone",
            _ => continue,
        };
        let at = event[0].as_f64().expect("seconds");
        times.entry(what).or_default().push(at);
    }
    times
}

/// Why a case was not foreseen; `None` for one that was.
fn wrong(case: &Value) -> Option<String> {
    let (mut foreseen, mut observed) = (foreseen(case), observed(case));
    let slack = |at: f64| {
        let share = if case["kind"] == "DaemonSet" {
            3.0
        } else {
            7.0
        };
        // A drain tries again every five seconds.
        let least = if case["kind"] == "Drain" {
            7.0_f64
        } else {
            2.0
        };
        least.max(2.0 + at / share)
    };
    for what in ["created", "ready", "deleted", "gone"] {
        let mut ours = foreseen.remove(what).unwrap_or_default();
        let mut theirs = observed.remove(what).unwrap_or_default();
        if ours.len() != theirs.len() {
            return Some(format!("{what}: {ours:?} instead of {theirs:?}"));
        }
        ours.sort_by(f64::total_cmp);
        theirs.sort_by(f64::total_cmp);
        for (ours, theirs) in ours.iter().zip(&theirs) {
            if (ours - theirs).abs() > slack(*theirs) {
                return Some(format!("{what}: {ours} s instead of {theirs} s"));
            }
        }
    }
    None
}

#[test]
fn what_real_controllers_did_is_foreseen() {
    let cases = cases();
    assert!(cases.len() > 90);
    let mut missed = Vec::new();
    for case in &cases {
        if let Some(why) = wrong(case) {
            missed.push(format!("{} {}: {why}", case["namespace"], case["kind"]));
        }
    }
    // 95 of 100.
    let most = cases.len() * 5 / 100;
    assert!(
        missed.len() <= most,
        "{} of {}: {missed:#?}",
        missed.len(),
        cases.len()
    );
}

#[test]
fn a_drain_that_cannot_end_is_said_to_be_that_with_its_budget() {
    let (mut never, mut done) = (0, 0);
    for case in cases().iter().filter(|case| case["kind"] == "Drain") {
        let played = played(case);
        let held: Vec<_> = played
            .evictions
            .iter()
            .filter(|one| matches!(one.decision, Decision::Never | Decision::Refused))
            .collect();
        let failed = case["exit"] != 0;
        assert_eq!(!held.is_empty(), failed, "{}: {held:?}", case["namespace"]);
        if failed {
            never += 1;
        } else {
            done += 1;
        }
        for one in held.iter().filter(|one| one.decision == Decision::Never) {
            assert!(one.budget.is_some(), "{one:?}");
        }
    }
    assert!(never > 0 && done > 0, "{never} {done}");
}
