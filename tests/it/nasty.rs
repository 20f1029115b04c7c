//! Texts that nobody would write: read, judged and shown like any other, or refused.

use serde_json::Value;

use crate::nasty_texts;
use crate::recording::{run, validate};

/// Large enough that what grows with the square of a text is felt, and small enough for a test.
const SIZE: usize = 10 << 10;

/// The text with this name.
fn text(name: &str) -> Vec<u8> {
    let (_, make) = nasty_texts::all()
        .find(|(known, _)| *known == name)
        .expect("a known text");
    make(SIZE)
}

fn lint(name: &str) -> Value {
    let text = String::from_utf8(text(name)).expect("UTF-8");
    let ran = run(
        &["lint", "-f", "-", "-o", "json", "--fail-on", "never"],
        &text,
        80,
    );
    let report = serde_json::from_str(&ran.out)
        .unwrap_or_else(|error| panic!("{name}: {error}: {:?}", ran.end));
    validate(&report);
    report
}

/// The messages of what is wrong with a text itself.
fn complaints(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().expect("a list").iter();
    findings
        .filter(|finding| finding["rule"] == "DC901")
        .map(|finding| finding["message"].as_str().expect("a text"))
        .collect()
}

#[test]
fn every_nasty_text_gets_a_report_or_an_error() {
    for (name, make) in nasty_texts::all() {
        let Ok(text) = String::from_utf8(make(SIZE)) else {
            continue;
        };
        for command in [&["lint", "-f", "-"][..], &["-f", "-"]] {
            let ran = run(command, &text, 80);
            let said = ran.end.err().unwrap_or_default();
            assert!(!ran.out.is_empty() || !said.is_empty(), "{name}");
            let output = ran.out.len();
            // Names may be told again and again. But long lines are cut, and of very many problems some are told.
            let named = text.contains("Service");
            assert!(
                named || output < 12 * SIZE,
                "{name} of {SIZE} bytes becomes {output}"
            );
        }
    }
}

#[test]
fn every_way_to_laugh_a_billion_times_is_refused() {
    for name in [
        "aliases of lists of aliases",
        "aliases of mappings of aliases",
        "one small anchor and many aliases",
    ] {
        let report = lint(name);
        let said = complaints(&report);
        assert!(
            said[0].contains("expand to more than 4 MiB"),
            "{name}: {said:?}"
        );
    }
}

#[test]
fn what_is_nested_without_end_is_refused() {
    for name in [
        "brackets without end",
        "braces without end",
        "JSON objects without end",
        "lists in lists in lines",
        "mappings as deep as the line is long",
        "keys that are keys",
    ] {
        let report = lint(name);
        assert_eq!(complaints(&report).len(), 1, "{name}");
    }
}

#[test]
fn of_thousands_of_broken_documents_a_hundred_are_told_and_the_rest_counted() {
    for name in ["thousands of broken documents", "a List of nulls in lines"] {
        let report = lint(name);
        let said = complaints(&report);
        assert_eq!(said.len(), 101, "{name}");
        let last = said
            .iter()
            .filter(|text| text.contains("more problems of this text"));
        assert_eq!(last.count(), 1, "{name}");
    }
}
