//! Does the answer stand on one screen: the verdict, the cause, and the first thing to do, within 24 lines of 80 columns?

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::look::services;
use crate::recording::{ALL, list, report, run, service, shown, text};

/// A terminal of 24 lines, less the one on which the prompt stands afterwards.
const LINES: usize = 23;

/// The line that begins with one of these, from 1 on.
fn line(answer: &str, begins: &[&str]) -> Option<usize> {
    let mut lines = answer.lines();
    let found = lines.position(|line| begins.iter().any(|begin| line.starts_with(begin)));
    found.map(|index| index + 1)
}

/// Each Service of each recording, with its answer at 80 columns and in JSON.
fn answers() -> Vec<(String, String, Value)> {
    let mut answers = Vec::new();
    for name in ALL {
        for target in services(name) {
            let answer = shown(name, &[&target], 80);
            let report = report(name, &[&target]);
            answers.push((format!("{name} {target}"), answer, report));
        }
    }
    answers
}

#[test]
fn every_answer_fits_a_terminal_of_24_lines() {
    for (of, answer, report) in answers() {
        let lines = answer.lines().count();
        assert!(lines <= LINES, "{of}: {lines}\n{answer}");
        // A name that is longer than the terminal is wide is not broken.
        let wide = answer.lines().map(UnicodeWidthStr::width).max();
        assert!(wide <= Some(80), "{of}: {wide:?}\n{answer}");
        assert_eq!(
            line(&answer, &["✗ ", "▲ ", "✓ ", "? ", "  NO CLUSTER IP"]),
            Some(1),
            "{of}\n{answer}"
        );
        let findings = list(&report["findings"]);
        let urgent = findings.iter().any(|finding| finding["severity"] != "info");
        assert_eq!(
            line(&answer, &["NOW ", "NEXT "]).is_some(),
            urgent,
            "{of}\n{answer}"
        );
    }
}

#[test]
fn the_first_cause_is_in_the_sentences() {
    let mut causes = 0;
    for (of, answer, report) in answers() {
        let service = &report["services"][0];
        let Some(cause) = list(&service["causes"]).first() else {
            continue;
        };
        // Lines are broken between words.
        let text = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = cause["message"].as_str().expect("a message");
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&message), "{of}: {message}\n{answer}");
        causes += 1;
    }
    assert!(causes > 0);
}

#[test]
fn nothing_to_say_takes_eight_lines() {
    let report = report("prestop-and-sidecars", &["svc/mesh"]);
    assert_eq!(service(&report, "mesh")["state"], "healthy");
    let answer = shown("prestop-and-sidecars", &["svc/mesh"], 80);
    assert!(answer.lines().count() <= 8, "{answer}");
    assert!(
        answer.starts_with("✓ OK  svc/mesh -n sidecars (ClusterIP) "),
        "{answer}"
    );
}

#[test]
fn a_verdict_is_a_word_and_a_sign_that_say_the_same() {
    let verdict = |name: &str, target: &str| {
        let answer = shown(name, &[target], 120);
        answer.split("  ").next().expect("a verdict").to_owned()
    };
    // What each situation is: the recordings' README, and tests/it/recordings.rs.
    for (name, target, expected) in [
        ("all-terminating-serving", "svc/the-app", "▲ WARNING"),
        ("all-terminating-unready", "svc/the-app", "✗ REFUSES ALL"),
        ("rollout-midway", "svc/web", "✓ OK NOW"),
        (
            "policies-node-a-terminating",
            "svc/api-nodeport-local",
            "✗ DROPS",
        ),
        (
            "policies-node-a-terminating",
            "svc/api-external",
            "✓ DNS ONLY",
        ),
        ("prestop-and-sidecars", "svc/hn", "✗ FAILS NEXT"),
        ("prestop-and-sidecars", "svc/mesh", "✓ OK"),
        ("selectorless-mirrored", "svc/nothing", "✗ REFUSES ALL"),
    ] {
        assert_eq!(verdict(name, target), expected, "{name} {target}");
    }
    let ascii = shown("all-terminating-unready", &["svc/the-app", "--ascii"], 80);
    assert!(ascii.starts_with("x REFUSES ALL"), "{ascii}");
    assert!(ascii.is_ascii(), "{ascii}");
}

/// `rollout-midway` with one of its terminating pods granted so many seconds, deleted at 00:38:23.
fn granted(seconds: i64) -> String {
    let mut list: Value = serde_json::from_str(&text("rollout-midway")).expect("JSON");
    let items = list["items"].as_array_mut().expect("a list");
    let pod = items
        .iter_mut()
        .find(|item| item["metadata"]["name"] == "web-5cdf74f576-29g75")
        .expect("the pod");
    let meta = &mut pod["metadata"];
    meta["deletionGracePeriodSeconds"] = seconds.into();
    meta["deletionTimestamp"] = format!("2026-11-21T00:38:{:02}Z", 23 + seconds).into();
    list.to_string()
}

/// What the row of that pod says, and its container in JSON.
fn schedule(seconds: i64) -> (String, Value) {
    let input = granted(seconds);
    let arguments = ["svc/web", "-f", "-", "--as-of", "2026-11-21T00:38:26Z"];
    let table = run(&arguments, &input, 100).out;
    let row = table.lines().find(|line| line.contains("5cdf74f576-29g75"));
    let row = row.expect("its row").to_owned();
    let json = run(&[&arguments[..], &["-o", "json"]].concat(), &input, 100).out;
    let report: Value = serde_json::from_str(&json).expect("JSON");
    let endpoints = list(&service(&report, "web")["endpoints"]);
    let endpoint = endpoints
        .iter()
        .find(|endpoint| endpoint["pod"] == "web-5cdf74f576-29g75");
    let container = endpoint.expect("its endpoint")["termination"]["containers"][0].clone();
    (row, container)
}

#[test]
fn a_terminating_pod_has_its_own_schedule_in_the_table_and_in_json() {
    // Its own 60 s: SIGTERM at once, for there is no preStop, and SIGKILL at their end (oracle/kubelet).
    let (row, app) = schedule(33);
    assert!(row.ends_with("3 s ago  in 30-57 s"), "{row}");
    let moment = |at: &str| Value::from(format!("2026-11-21T00:{at}Z"));
    assert_eq!(app["sigtermAt"]["max"], moment("38:23"));
    // Deleted once with 33 s, or first with 60 and then with 33: a second, shorter delete does not shorten a stop under way
    // (tests/fixtures/oracle/kubelet), so that one look gives a range.
    assert_eq!(app["sigkillAt"]["min"], moment("38:56"));
    assert_eq!(app["sigkillAt"]["max"], moment("39:23"));
    assert_eq!(app["reasons"][0]["id"], "first-delete-not-seen");

    // Deleted by force: SIGKILL two seconds later, as measured, or 60 s after a first delete; since 1.33 that may have been earlier.
    let (row, app) = schedule(0);
    let sigkill = |end: &str| app["sigkillAt"][end].as_str().expect("a moment").to_owned();
    assert!(sigkill("min").as_str() <= "2026-11-21T00:38:25Z", "{app}");
    assert_eq!(sigkill("max"), "2026-11-21T00:39:23Z");
    assert!(row.ends_with("within 57 s"), "{row}");
}

#[test]
fn pods_that_end_otherwise_than_their_template_are_drawn_apart() {
    let lanes = |input: &str| {
        let table = run(&["svc/web", "-f", "-"], input, 120).out;
        let lanes = table.lines().filter(|line| line.starts_with("  app "));
        lanes.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lanes(&text("rollout-midway")).len(), 1);
    let apart = lanes(&granted(4));
    assert_eq!(apart.len(), 2, "{apart:?}");
    assert!(apart[0].ends_with("no preStop, SIGKILL 60 s"), "{apart:?}");
    assert!(apart[1].starts_with("  app (29g75) "), "{apart:?}");
    assert!(
        apart[1].ends_with("SIGTERM 0 s, SIGKILL 4-60 s"),
        "{apart:?}"
    );
}

#[test]
fn manifests_say_nothing_of_pods_that_nobody_read() {
    let text = crate::checkout::text("docs/examples/web.yaml");
    let answer = run(&["svc/web", "-f", "-"], &text, 80).out;
    assert!(answer.contains("svc/web (ClusterIP) "), "{answer}");
    assert!(answer.contains("It has no cluster IP"), "{answer}");
    assert!(!answer.contains("Fewer are Ready"), "{answer}");
}
