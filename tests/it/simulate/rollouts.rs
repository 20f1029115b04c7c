//! From the first lists of each recorded rollout: the windows that are foreseen, against those that were observed. How long pods take to
//! start is what the recording shows, and how long the application drains is what the case says (README of the recordings).

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use tempfile::TempDir;

use crate::recording::{list, run};
use crate::rollouts::{ALL, seconds, timeline, unpacked};

/// What somebody did, and how long the application drained.
struct Case {
    name: &'static str,
    action: Vec<String>,
    drain_seconds: u32,
}

fn case(name: &'static str, observed: &Value) -> Case {
    let pods = list(&observed["services"][0]["pods"]);
    let deleted = || {
        let mut gone = pods.iter().filter(|pod| !pod["deletedAt"].is_null());
        let pod = gone.next().expect("a pod that was deleted");
        format!("pod/{}", pod["name"].as_str().expect("a name"))
    };
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|&word| word.to_owned())
            .collect::<Vec<_>>()
    };
    let action = match name {
        "scale-to-zero" | "unready-on-sigterm" => words(&["scale", "deploy/web", "0"]),
        "short-delete" => words(&["delete", &deleted(), "--grace-period", "3"]),
        "ignores-sigterm" => words(&["delete", &deleted()]),
        "evict-single" => words(&["evict", &deleted()]),
        _ => words(&["rollout", "deploy/web"]),
    };
    Case {
        name,
        action,
        drain_seconds: match name {
            "drains-in-flight" => 4,
            "unready-on-sigterm" => 5,
            // SIGKILL ends it: longer than any grace period here.
            "ignores-sigterm" => 60,
            _ => 0,
        },
    }
}

/// When somebody did it.
fn action_at(name: &str) -> f64 {
    let traffic: Value = serde_json::from_str(&unpacked(name, "traffic.json")).expect("JSON");
    traffic["actions"][0][0].as_f64().expect("a moment")
}

/// The slowest of the new pods, from its creation to Ready; `None` where there is none.
fn ready_after(observed: &Value) -> Option<f64> {
    let pods = list(&observed["services"][0]["pods"]).iter();
    let new = pods.filter(|pod| pod["deletedAt"].is_null() && !pod["startedAt"].is_null());
    let took = new.filter(|pod| !pod["readyAt"].is_null());
    let took = took.map(|pod| seconds(&pod["readyAt"]) - seconds(&pod["createdAt"]));
    took.reduce(f64::max)
}

fn predicted(case: &Case, observed: &Value) -> Value {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("first.jsonl");
    let text = unpacked(case.name, "watch.jsonl");
    // What was there before.
    let lists = text
        .lines()
        .filter(|line| line.contains(r#""type":"LIST""#));
    let lists: Vec<_> = lists.collect();
    assert!(lists.len() >= 6, "{}", case.name);
    std::fs::write(&file, lists.join("\n") + "\n").expect("a file");
    let drain = case.drain_seconds.to_string();
    let mut arguments = vec!["what-if".to_owned()];
    arguments.extend(case.action.iter().cloned());
    let file = file.to_str().expect("UTF-8").to_owned();
    arguments.extend(["-f".to_owned(), file, "-o".to_owned(), "json".to_owned()]);
    arguments.extend(["--drain-seconds".to_owned(), drain]);
    if let Some(after) = ready_after(observed) {
        arguments.extend(["--ready-after".to_owned(), format!("{after:.3}s")]);
    }
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let ran = run(&arguments, "", 100);
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}: {:?}", case.name, ran.end))
}

/// Windows of a kind as seconds after a moment; one that has not ended has no end.
fn windows(timeline: &Value, kind: &str, begin: f64) -> Vec<(f64, f64)> {
    let services = list(&timeline["services"]);
    let windows = services.iter().flat_map(|one| list(&one["windows"]));
    let of_kind = windows.filter(|window| window["kind"] == kind);
    let spans = of_kind.map(|window| {
        let to = if window["open"] == true {
            f64::INFINITY
        } else {
            seconds(&window["to"]) - begin
        };
        (seconds(&window["from"]) - begin, to)
    });
    spans.collect()
}

#[test]
fn the_windows_of_real_rollouts_are_foreseen_within_two_seconds() {
    let mut seen = 0;
    for name in ALL {
        let observed = timeline(name);
        let case = case(name, &observed);
        let predicted = predicted(&case, &observed);
        let begin = action_at(name);
        let from = seconds(&predicted["from"]);
        for kind in ["no-usable-endpoint", "terminating-only"] {
            let theirs = windows(&observed, kind, begin);
            let ours = windows(&predicted, kind, from);
            assert_eq!(
                ours.len(),
                theirs.len(),
                "{name} {kind}: {ours:?} {theirs:?}"
            );
            for (ours, theirs) in ours.iter().zip(&theirs) {
                let both_open = |one: f64, other: f64| one.is_infinite() && other.is_infinite();
                let near =
                    |one: f64, other: f64| both_open(one, other) || (one - other).abs() <= 2.0;
                let fits = near(ours.0, theirs.0) && near(ours.1, theirs.1);
                assert!(fits, "{name} {kind}: {ours:?} instead of {theirs:?}");
                seen += 1;
            }
        }
    }
    // As the README of the recordings tells: four gaps, and terminating pods alone in six.
    assert!(seen >= 9, "{seen}");
}

#[test]
fn a_scenario_without_effect_gives_an_empty_timeline() {
    let observed = timeline("rollout-prestop");
    let case = Case {
        name: "rollout-prestop",
        action: ["scale", "deploy/web", "3"].map(str::to_owned).to_vec(),
        drain_seconds: 0,
    };
    let predicted = predicted(&case, &observed);
    assert_eq!(list(&predicted["services"]).len(), 0, "{predicted}");
    let from: DateTime<Utc> = predicted["from"]
        .as_str()
        .expect("a moment")
        .parse()
        .expect("RFC 3339");
    let to: DateTime<Utc> = predicted["to"]
        .as_str()
        .expect("a moment")
        .parse()
        .expect("RFC 3339");
    assert!(to - from < TimeDelta::seconds(2), "{from} {to}");
}
