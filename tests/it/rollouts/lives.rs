//! The lives of pods: what was seen of each, against what the recordings' own lines say.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{ALL, seconds, timeline, unpacked};
use crate::recording::list;

/// When each pod was first said to be so, by the recording's own lines, which the program did not read.
fn first(name: &str, so: impl Fn(&str, &Value) -> bool) -> BTreeMap<String, f64> {
    let mut first = BTreeMap::new();
    for line in unpacked(name, "watch.jsonl").lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let kind = line["type"].as_str().expect("a type");
        if line["resource"] != "pods" || kind == "BOOKMARK" {
            continue;
        }
        let at = line["t"].as_f64().expect("a moment");
        let object = &line["object"];
        let items = object["items"].as_array();
        let items = items.cloned().unwrap_or_else(|| vec![object.clone()]);
        for pod in items {
            let name = pod["metadata"]["name"].as_str().expect("a name").to_owned();
            if so(kind, &pod) {
                first.entry(name).or_insert(at);
            }
        }
    }
    first
}

/// Compares a moment of each pod with that of the recording; returns how many there were.
fn compare(name: &str, field: &str, expected: &BTreeMap<String, f64>) -> usize {
    let timeline = timeline(name);
    let pods = list(&timeline["services"][0]["pods"]);
    let mut seen = 0;
    for pod in pods {
        let called = pod["name"].as_str().expect("a name");
        match expected.get(called) {
            Some(at) => {
                let found = seconds(&pod[field]);
                // Lines that arrived at once may stand in another order.
                assert!((found - at).abs() < 0.05, "{name} {called} {field}");
                seen += 1;
            }
            None => assert!(pod[field].is_null(), "{name} {called} {field}: {pod}"),
        }
    }
    seen
}

#[test]
fn deletes_and_ends_are_when_they_were_heard() {
    let (mut deleted, mut gone) = (0, 0);
    for name in ALL {
        let asked = first(name, |_, pod| {
            !pod["metadata"]["deletionTimestamp"].is_null()
        });
        deleted += compare(name, "deletedAt", &asked);
        gone += compare(name, "goneAt", &first(name, |kind, _| kind == "DELETED"));
    }
    // Three of a restart or scale, two of recreate, one of each other.
    assert!(deleted >= 25, "{deleted}");
    assert_eq!(deleted, gone);
}

#[test]
fn sigterm_comes_after_the_delete_and_before_the_end() {
    let mut seen = 0;
    for name in ALL {
        let timeline = timeline(name);
        for pod in list(&timeline["services"][0]["pods"]) {
            let Some(codes) = pod["exitCodes"]
                .as_object()
                .filter(|codes| !codes.is_empty())
            else {
                continue;
            };
            let (min, max) = (&pod["sigtermAt"]["min"], &pod["sigtermAt"]["max"]);
            let deleted = seconds(&pod["deletedAt"]);
            assert!(
                deleted <= seconds(min) && seconds(min) <= seconds(max),
                "{pod}"
            );
            // The kubelet writes whole seconds.
            assert!(
                seconds(min) <= seconds(&pod["endedAt"]) + 1.0,
                "{name}: {pod}"
            );
            // `ignores-sigterm` and `short-delete` end by SIGKILL, the others well.
            let killed = ["ignores-sigterm", "short-delete"].contains(&name);
            let code = if killed { 137 } else { 0 };
            assert_eq!(codes["app"], code, "{name}: {pod}");
            seen += 1;
        }
    }
    assert!(seen >= 25, "{seen}");
}

#[test]
fn a_pod_leaves_the_slices_before_it_is_gone() {
    for name in ALL {
        let timeline = timeline(name);
        for pod in list(&timeline["services"][0]["pods"]) {
            if pod["goneAt"].is_null() {
                assert!(pod["leftSlicesAt"].is_null(), "{name}: {pod}");
                continue;
            }
            let left = seconds(&pod["leftSlicesAt"]);
            assert!(seconds(&pod["deletedAt"]) <= left, "{name}: {pod}");
            // Two watches: what both say at once may arrive in either order.
            assert!(left <= seconds(&pod["goneAt"]) + 0.05, "{name}: {pod}");
        }
    }
}
