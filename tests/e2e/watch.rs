//! A rollout that is watched live: what it is told to be, what its recording tells, and what the server was asked.

use std::path::Path;
use std::process::Output;
use std::thread::sleep;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::cluster::until;
use crate::stage::{Stage, is_terminating, name_of, now};

/// What the server writes of who asks: that it was the plugin.
const AGENT: &str = concat!(env!("CARGO_PKG_NAME"), "/");

/// How late a moment may be told that somebody else made: the API server, a controller and the test need this long.
const LATE: f64 = 1.0;

/// kube-proxy syncs at most once a second, as it is by default (`minSyncPeriod`): a window lasts as much longer.
const SYNC: f64 = 1.0;

/// Somebody with the rights of `docs/clusterrole.yaml`, and none beside.
fn somebody(stage: &mut Stage) -> String {
    let name = stage.name().to_owned();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/clusterrole.yaml");
    let file = file.display().to_string();
    // A server that has just started may have no schemas yet; it judges the role when that is made.
    let read = [
        "create",
        "--dry-run=client",
        "--validate=false",
        "-o",
        "json",
        "-f",
        &file,
    ];
    let mut role: Value =
        serde_json::from_str(&stage.cluster().said(&read, "")).expect("a ClusterRole");
    role["metadata"] = json!({"name": name});
    let group = "rbac.authorization.k8s.io";
    let lists = format!("/apis/{group}/v1");
    stage.beside(&format!("{lists}/clusterroles"), &role);
    let binding = json!({
        "apiVersion": format!("{group}/v1"), "kind": "ClusterRoleBinding", "metadata": {"name": name},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": name},
        "subjects": [{"apiGroup": group, "kind": "User", "name": name}],
    });
    stage.beside(&format!("{lists}/clusterrolebindings"), &binding);
    name
}

fn moment(value: &Value) -> DateTime<Utc> {
    let text = value
        .as_str()
        .unwrap_or_else(|| panic!("a moment: {value}"));
    text.parse().expect("a moment")
}

fn seconds(from: DateTime<Utc>, to: DateTime<Utc>) -> f64 {
    (to - from).as_seconds_f64()
}

/// A moment that is told lies between two of the test, or a little later.
#[track_caller]
fn lies(told: &Value, (from, to): (DateTime<Utc>, DateTime<Utc>), late: f64) {
    let told = moment(told);
    let (after, before) = (seconds(from, told), seconds(told, to));
    assert!(
        after >= -0.05 && before >= -late,
        "{told} is not within {from} and {to}"
    );
}

/// What the test did, and when: each between two moments.
struct Played {
    old: Vec<String>,
    new: Vec<String>,
    deleted: (DateTime<Utc>, DateTime<Utc>),
    ended: (DateTime<Utc>, DateTime<Utc>),
    ready: (DateTime<Utc>, DateTime<Utc>),
}

/// All old pods are deleted at once; they end, and only then the new ones are ready.
fn roll_out(stage: &Stage) -> Played {
    let names = |terminating: bool| -> Vec<String> {
        let pods = stage.pods().into_iter();
        pods.filter(|pod| is_terminating(pod) == terminating)
            .map(|pod| name_of(&pod))
            .collect()
    };
    let old = names(false);
    let begun = now();
    stage.change("/spec/template/metadata/labels/version", &"2".into());
    stage.slices_say("terminating", 2);
    let deleted = (begun, now());
    stage.pods_are(4);
    let new = names(false);
    assert_eq!((old.len(), names(true)), (2, old.clone()));
    for (number, pod) in new.iter().enumerate() {
        stage.runs(pod, number, false);
    }
    // preStop has ended, and with SIGTERM the application does.
    sleep(Duration::from_secs(2));
    let ending = now();
    for pod in &old {
        stage.ends(pod);
    }
    stage.slices_say("terminating", 0);
    let ended = (ending, now());
    sleep(Duration::from_secs(3));
    let starting = now();
    for pod in &new {
        stage.is_ready(pod, true);
    }
    stage.slices_say("ready", 2);
    Played {
        old,
        new,
        deleted,
        ended,
        ready: (starting, now()),
    }
}

/// The Timeline, and the exit code.
fn timeline(output: &Output) -> (Option<i32>, Value) {
    let timeline = serde_json::from_slice(&output.stdout);
    let timeline = timeline.unwrap_or_else(|error| panic!("{error}: {output:?}"));
    (output.status.code(), timeline)
}

fn of_pods(service: &Value, played: &Played) {
    let pods = service["pods"].as_array().expect("pods");
    let mut names: Vec<_> = pods.iter().map(|pod| pod["name"].clone()).collect();
    let mut expected: Vec<_> = played.old.iter().chain(&played.new).collect();
    names.sort_by_key(ToString::to_string);
    expected.sort();
    assert_eq!(json!(names), json!(expected));
    for pod in pods {
        let name = pod["name"].as_str().expect("a name");
        if played.old.iter().any(|old| old == name) {
            // Whole seconds: the deletionTimestamp less the grace period.
            let (from, to) = played.deleted;
            lies(
                &pod["deletedAt"],
                (from - chrono::TimeDelta::seconds(1), to),
                LATE,
            );
            lies(&pod["goneAt"], played.ended, LATE);
            lies(&pod["leftSlicesAt"], played.ended, LATE);
            assert_eq!(pod["graceSeconds"], 60);
            assert_eq!(pod["exitCodes"], json!({"app": 0}));
        } else {
            assert!(
                pod["deletedAt"].is_null() && pod["goneAt"].is_null(),
                "{pod}"
            );
            lies(&pod["readyAt"], played.ready, LATE);
        }
    }
}

fn of_windows(service: &Value, played: &Played) {
    let windows = service["windows"].as_array().expect("windows");
    let of = |kind: &str| -> Vec<&Value> {
        let all = windows.iter().filter(|window| window["kind"] == kind);
        all.collect()
    };
    let [terminating] = of("terminating-only")[..] else {
        panic!("one window: {windows:?}");
    };
    lies(&terminating["from"], played.deleted, LATE);
    lies(&terminating["to"], played.ended, LATE + SYNC);
    let [none] = of("no-usable-endpoint")[..] else {
        panic!("one window: {windows:?}");
    };
    assert_eq!(none["path"], "clusterIP");
    lies(&none["from"], played.ended, LATE);
    lies(&none["to"], played.ready, LATE + SYNC);
    for window in of("at-risk") {
        assert_eq!(window["trafficSource"], "kube-proxy", "{window}");
        let pods = window["pods"].as_array().expect("pods");
        let old = |pod: &Value| played.old.iter().any(|old| pod == old);
        assert!(pods.iter().all(old), "{window}");
    }
    let states = service["states"].as_array().expect("states");
    let mut states: Vec<_> = states.iter().map(|state| &state["state"]).collect();
    // How many there are is another answer too.
    states.dedup();
    assert_eq!(
        json!(states),
        json!(["healthy", "terminating-only", "no-backends", "healthy"])
    );
}

#[allow(clippy::print_stderr, reason = "what was not looked at has to be said")]
fn says_that_nobody_looked() {
    eprintln!(
        "skipped: what the server was asked, as DRAIN_CHECK_E2E_AUDIT_LOG names no audit log"
    );
}

/// The audit log has nothing of the plugin but get, list and watch, and no Secret.
fn of_audit(stage: &Stage, user: &str) {
    let Some(events) = stage.cluster().audited() else {
        says_that_nobody_looked();
        return;
    };
    let mut verbs = std::collections::BTreeMap::new();
    for event in &events {
        let agent = event["userAgent"].as_str().unwrap_or_default();
        let somebody = event["impersonatedUser"]["username"] == user;
        // What other stories ask in their own names is held to the same.
        if !somebody && !agent.starts_with(AGENT) {
            continue;
        }
        assert!(agent.starts_with(AGENT), "{event}");
        let verb = event["verb"].as_str().expect("a verb");
        assert!(["get", "list", "watch"].contains(&verb), "{event}");
        assert_ne!(event["objectRef"]["resource"], "secrets", "{event}");
        if somebody && event["stage"] == "ResponseComplete" {
            let code = event["responseStatus"]["code"].as_u64();
            *verbs.entry((verb.to_owned(), code)).or_insert(0_u32) += 1;
        }
    }
    assert!(
        verbs.contains_key(&("list".to_owned(), Some(200))),
        "{verbs:?}"
    );
    assert!(
        verbs.contains_key(&("watch".to_owned(), Some(200))),
        "{verbs:?}"
    );
    // Everything that it asks for is in docs/clusterrole.yaml.
    assert!(
        !verbs.keys().any(|(_, code)| *code == Some(403)),
        "{verbs:?}"
    );
}

#[test]
#[ignore = "needs a cluster: see CONTRIBUTING.md"]
fn a_rollout_that_is_watched_is_told_as_it_was_and_nothing_is_written() {
    let mut stage = Stage::new("watch", 2);
    let user = somebody(&mut stage);
    stage.service(&json!({}));
    stage.hasty_deployment(2);
    for (number, pod) in stage.pods_are(2).iter().enumerate() {
        stage.runs(&name_of(pod), number, true);
    }
    stage.slices_say("ready", 2);

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("web.jsonl").display().to_string();
    let arguments = [
        "drain-check",
        "watch",
        "deploy/web",
        "-n",
        stage.name(),
        "--as",
        &user,
    ];
    let arguments = [
        &arguments[..],
        &["--record", &file, "-o", "json", "--for", "60s"],
    ]
    .concat();
    let child = stage.cluster().start(&arguments);
    until("the first lists are written down", || {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        text.contains(r#""resource":"endpointslices""#)
            .then_some(())
    });
    let played = roll_out(&stage);
    let output = child.wait_with_output().expect("its output");
    let (code, mut live) = timeline(&output);
    // For a while connections were refused.
    assert_eq!(code, Some(1), "{output:?}");
    // Nothing is forbidden; a cluster without kube-proxy has no settings of one.
    let gaps = live["gaps"].as_array().expect("gaps");
    assert!(
        gaps.iter().all(|gap| gap["reason"] == "not-found"),
        "{gaps:?}"
    );
    assert_eq!(live["unheard"], json!([]));
    let service = &live["services"][0];
    of_pods(service, &played);
    of_windows(service, &played);

    let again = ["drain-check", "replay", &file, "deploy/web", "-o", "json"];
    let (code, mut again) = timeline(&stage.cluster().run(&again, ""));
    assert_eq!(code, Some(1));
    assert_eq!(live["source"]["kind"], "cluster");
    assert_eq!(again["source"]["kind"], "recording");
    for one in [&mut live, &mut again] {
        one["source"].take();
    }
    assert_eq!(live, again);
    of_audit(&stage, &user);
}
