//! Is `lint` quiet on manifests that drain as they should, in whatever style, and does it find each known defect in them?

use std::collections::BTreeMap;

use drain_check::manifest;
use serde_json::Value;

use crate::corpus::{App, Dice, mutate, yaml};
use crate::recording::run;

/// Applications that are linted one by one.
const APPS: u64 = 600;

/// Rule, severity and message of each finding.
fn lint(text: &str) -> Vec<(String, String, String)> {
    let ran = run(
        &["lint", "-f", "-", "-o", "json", "--fail-on", "never"],
        text,
        80,
    );
    assert!(ran.end.is_ok(), "{:?}\n{text}", ran.end);
    let report: Value = serde_json::from_str(&ran.out).expect("one JSON document");
    let findings = report["findings"].as_array().expect("a list").iter();
    findings
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().expect("a text").to_owned();
            (text("rule"), text("severity"), text("message"))
        })
        .collect()
}

#[test]
fn every_style_of_the_corpus_is_read_as_the_values_it_was_written_from() {
    for seed in 0..APPS {
        let app = App::new(seed);
        let style = yaml::Style::new(&mut Dice::new(seed), false);
        let text = yaml::documents(&app.objects, &style);
        let loaded = manifest::load_text("a.yaml", &text);
        assert_eq!(loaded.problems, [], "{text}");
        let values: Vec<_> = loaded.objects.into_iter().map(|each| each.value).collect();
        assert_eq!(values, app.objects, "{text}");
    }
}

#[test]
fn manifests_that_drain_as_they_should_raise_nothing_above_info() {
    for seed in 0..APPS {
        let app = App::new(seed);
        let style = yaml::Style::new(&mut Dice::new(seed), false);
        let text = yaml::documents(&app.objects, &style);
        let mut findings = lint(&text);
        findings.retain(|(_, severity, _)| severity != "info");
        assert_eq!(findings, [], "{text}");
    }
}

/// The rules that found something, each with how bad and how often; of other rules than the one that is looked for, nothing that is for
/// information only.
fn counted<'f>(
    findings: &'f [(String, String, String)],
    looked_for: &str,
) -> BTreeMap<(&'f str, &'f str), usize> {
    let mut counted = BTreeMap::new();
    for (rule, severity, _) in findings {
        if rule == looked_for || severity != "info" {
            *counted
                .entry((rule.as_str(), severity.as_str()))
                .or_default() += 1;
        }
    }
    counted
}

#[test]
fn each_known_defect_is_found_and_nothing_else_beside_it() {
    // What is found in an application before it is changed: the same for all changes.
    let mut befores = BTreeMap::new();
    for mutation in mutate::ALL {
        let mut tried = 0;
        for seed in 0..APPS {
            let mut app = App::new(seed);
            let whole = app.clone();
            if (mutation.apply)(&mut app).is_none() {
                continue;
            }
            tried += 1;
            let style = yaml::Style::new(&mut Dice::new(seed), false);
            let before = befores
                .entry(seed)
                .or_insert_with(|| lint(&yaml::documents(&whole.objects, &style)));
            let text = yaml::documents(&app.objects, &style);
            let after = lint(&text);
            let (before, found) = (
                counted(before, mutation.rule),
                counted(&after, mutation.rule),
            );
            let more = |key: &(&str, &str)| found[key] > before.get(key).copied().unwrap_or(0);
            let new = found.keys().filter(|key| more(key));
            let new: Vec<_> = new.map(|(rule, _)| *rule).collect();
            assert!(
                new.contains(&mutation.rule),
                "{}: {new:?}\n{text}",
                mutation.name
            );
            let expected = |rule: &&str| *rule == mutation.rule || mutation.also.contains(rule);
            assert!(
                new.iter().all(expected),
                "{}: {after:#?}\n{text}",
                mutation.name
            );
            if tried == 60 {
                break;
            }
        }
        assert!(tried >= 10, "{}: {tried} applications", mutation.name);
    }
}
