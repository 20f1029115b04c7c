//! What must hold of suppressions whatever is written, and wherever?

use drain_check::rules::ALL;
use proptest::prelude::*;
use serde_json::Value;

use crate::lint::{MANIFESTS, lint};
use crate::recording::{self, list, run};
use crate::rules;

/// Rule, object and field of findings that are not about suppressions.
fn known<'r>(findings: impl Iterator<Item = &'r Value>) -> Vec<String> {
    let mut known: Vec<_> = findings
        .filter(|finding| finding["rule"] != "DC903")
        .map(|finding| {
            format!(
                "{} {} {}",
                finding["rule"], finding["object"], finding["path"]
            )
        })
        .collect();
    known.sort();
    known
}

fn findings(report: &Value) -> impl Iterator<Item = &Value> {
    list(&report["findings"]).iter()
}

fn suppressed(report: &Value) -> impl Iterator<Item = &Value> {
    list(&report["suppressed"])
        .iter()
        .map(|each| &each["finding"])
}

fn names() -> impl Strategy<Value = Vec<&'static str>> {
    let mut names: Vec<_> = ALL.iter().flat_map(|rule| [rule.id, rule.slug]).collect();
    names.extend(["DC2", "DC2xx", "DC1", "DC999", "", "no rule"]);
    prop::collection::vec(prop::sample::select(names), 0..4)
}

fn reason() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", " a test", " see: #12, [x]"])
}

/// The manifests with comments put in, each above some line.
fn commented(comments: &[(usize, Vec<&str>, &str)]) -> String {
    let mut lines: Vec<_> = MANIFESTS.lines().map(str::to_owned).collect();
    for (at, names, reason) in comments {
        let at = at % (lines.len() + 1);
        let text = format!("# drain-check: ignore[{}]{reason}", names.join(", "));
        lines.insert(at, text);
    }
    lines.join("\n") + "\n"
}

fn annotated(text: &str, names: &[&str], reason: &str) -> String {
    let value = format!("{}:{reason}", names.join(","));
    text.replace(
        "metadata: {name: web}\n",
        &format!("metadata: {{name: web, annotations: {{drain-check/ignore: {value:?}}}}}\n"),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_suppression_loses_nothing_and_touches_no_other_rule(
        comments in prop::collection::vec((0..100_usize, names(), reason()), 0..4),
        (annotation, why) in (names(), reason()),
        choice in prop::option::of(prop::sample::select(vec!["DC2", "DC202", "DC212", "DC1"])),
    ) {
        let flags = choice.map_or(vec![], |rule| vec!["--select", rule]);
        let all = [&["-f", "-", "-n", "shop"][..], &flags].concat();
        let before = lint(&all, MANIFESTS);
        let text = annotated(&commented(&comments), &annotation, why);
        let after = lint(&all, &text);
        prop_assert_eq!(known(findings(&before)), known(findings(&after).chain(suppressed(&after))));
        // Only what somebody named is suppressed.
        let said: Vec<_> = comments.iter().flat_map(|(_, names, _)| names).chain(&annotation).collect();
        for finding in suppressed(&after) {
            let id = finding["rule"].as_str().expect("an id");
            let slug = finding["slug"].as_str().expect("a slug");
            let named = |name: &&&str| [id, slug, &id[..3], &format!("{}xx", &id[..3])].contains(*name);
            prop_assert!(said.iter().any(named), "{id}: {said:?}");
        }
        for each in list(&after["suppressed"]) {
            prop_assert!(each["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
        }
    }
}

/// Inputs of every kind that the tests have.
fn corpus() -> Vec<String> {
    let pages = ALL
        .iter()
        .flat_map(|rule| [rules::bad(rule.id), rules::good(rule.id)]);
    let recordings = recording::ALL.iter().map(|name| recording::text(name));
    let broken = [
        format!("kind: [\n---\n{MANIFESTS}---\nkind: [\n"),
        commented(&[
            (0, vec!["DC201"], ""),
            (3, vec!["DC999"], " x"),
            (20, vec!["DC201"], " x"),
        ]),
        MANIFESTS.to_owned(),
    ];
    pages.chain(recordings).chain(broken).collect()
}

#[test]
fn nothing_is_new_right_after_a_baseline_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let known = folder.path().join("known.json");
    let known = known.to_str().expect("UTF-8");
    let mut held = 0;
    for text in corpus() {
        let ran = run(
            &["lint", "-f", "-", "-n", "shop", "--write-baseline", known],
            &text,
            80,
        );
        assert!(ran.end.is_ok(), "{:?}", ran.end);
        let before = lint(&["-f", "-", "-n", "shop"], &text);
        let after = lint(&["-f", "-", "-n", "shop", "--baseline", known], &text);
        assert_eq!(findings(&after).count(), 0, "{text}\n{after}");
        assert_eq!(
            after["summary"]["suppressed"].as_u64(),
            Some(list(&before["findings"]).len() as u64 + list(&before["suppressed"]).len() as u64)
        );
        held += list(&after["suppressed"]).len();
    }
    assert!(held > 50, "{held}");
}
