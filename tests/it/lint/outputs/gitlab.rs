//! What GitLab reads: <https://docs.gitlab.com/ci/testing/code_quality/>.

use drain_check::render::gitlab;
use drain_check::rules::Severity;
use drain_check::suppress::Suppressor;
use serde_json::{Value, json};

use super::{
    CLEAN, HOSTILE, MANIFESTS, finding, harmless, hostile, json, lint, report, suppressed, written,
};
use crate::recording::list;

fn issues(report: &drain_check::report::v1::Report) -> Vec<Value> {
    let text = written(gitlab::write, report, &[], &[]);
    serde_json::from_str(&text).expect("a list")
}

#[test]
fn an_issue_names_its_rule_severity_and_line() {
    let value = json("gitlab", MANIFESTS);
    let seen: Vec<_> = list(&value)
        .iter()
        .map(|issue| {
            let keys: Vec<_> = issue.as_object().expect("an issue").keys().collect();
            assert_eq!(
                keys,
                [
                    "check_name",
                    "description",
                    "fingerprint",
                    "location",
                    "severity"
                ]
            );
            (&issue["check_name"], &issue["severity"], &issue["location"])
        })
        .collect();
    let place = |line: usize| json!({"path": "stdin", "lines": {"begin": line}});
    assert_eq!(
        seen,
        [
            (
                &json!("DC212 readiness-missing"),
                &json!("major"),
                &place(17)
            ),
            (
                &json!("DC202 prestop-uses-up-grace"),
                &json!("critical"),
                &place(21)
            ),
        ]
    );
}

#[test]
fn without_findings_there_is_an_empty_list() {
    assert_eq!(lint("gitlab", CLEAN), "[]\n");
}

#[test]
fn what_is_suppressed_is_left_out_and_changes_no_fingerprint() {
    let [one, two] = [1, 5].map(|line| finding(Severity::Info, "a.yaml", line, "x"));
    let both = issues(&report(vec![one.clone(), two.clone()], Vec::new()));
    // They are equal but for their line, and told apart by it.
    assert_ne!(both[0]["fingerprint"], both[1]["fingerprint"]);
    let known = suppressed(one, Suppressor::Baseline, None);
    let rest = issues(&report(vec![two], vec![known]));
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0], both[1]);
    assert_eq!(rest[0]["severity"], "info");
}

#[test]
fn hostile_text_is_told_and_a_path_stays_what_it_is() {
    let issues = issues(&hostile());
    assert_eq!(issues.len(), 2);
    for issue in &issues {
        let said = issue["description"].as_str().expect("words");
        assert!(
            harmless(said) && said.contains("<script>x</script>"),
            "{said}"
        );
        // Another path would be another file.
        assert_eq!(issue["location"]["path"], HOSTILE);
    }
}
