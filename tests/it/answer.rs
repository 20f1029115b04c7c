//! Does the answer stand on one screen: the verdict, the cause, and the first thing to do, within 24 lines of 80 columns?

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::look::services;
use crate::recording::{ALL, list, report, service, shown};

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
            line(&answer, &["✗ ", "▲ ", "✓ ", "? ", "  NOT KUBE-PROXY"]),
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
