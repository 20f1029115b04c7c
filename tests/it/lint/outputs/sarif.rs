//! SARIF 2.1.0 as GitHub's code scanning wants it (`tests/fixtures/sarif`).

use std::path::Path;
use std::sync::LazyLock;

use drain_check::render::sarif;
use drain_check::report::v1::Report;
use drain_check::rules::{self, Severity};
use drain_check::suppress::Suppressor;
use serde_json::{Value, json};

use super::{CLEAN, MANIFESTS, finding, harmless, hostile, report, suppressed, unread, written};
use crate::checkout::text;
use crate::recording::{list, run};

static SCHEMA: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| validator(&schema("github.json")));

/// The standard's own schema.
static STANDARD: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let mut schema = schema("sarif-schema-2.1.0.json");
    // Its pattern for languages, of which we write none, is no regular expression for this validator.
    for owner in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][owner]["properties"]["language"];
        language
            .as_object_mut()
            .expect("a property")
            .remove("pattern");
    }
    let title = schema["title"].as_str().expect("a title");
    assert!(title.contains("2.1.0"), "{title}");
    validator(&schema)
});

fn schema(file: &str) -> Value {
    serde_json::from_str(&text(Path::new("tests/fixtures/sarif").join(file))).expect("JSON")
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::validator_for(schema).expect("a schema")
}

/// The only run of a log that fits the schema, and whose results fit its rules.
fn only_run(text: &str) -> Value {
    let log: Value = serde_json::from_str(text).expect("one JSON document");
    let errors: Vec<_> = (SCHEMA.iter_errors(&log))
        .chain(STANDARD.iter_errors(&log))
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    let run = log["runs"][0].clone();
    for result in list(&run["results"]) {
        let index = result["ruleIndex"].as_u64().expect("a number");
        let rules = list(&run["tool"]["driver"]["rules"]);
        let rule = &rules[usize::try_from(index).expect("a small number")];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    run
}

fn lint(arguments: &[&str], input: &str) -> Value {
    let all: Vec<_> = ["lint", "-o", "sarif"]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    only_run(&run(&all, input, 80).out)
}

fn of(report: &Report) -> Value {
    only_run(&written(sarif::write, report, &[], &[]))
}

/// Where a result is.
fn place(result: &Value) -> &Value {
    &result["locations"][0]["physicalLocation"]
}

#[test]
fn results_name_rule_level_and_the_region_of_the_text() {
    let run = lint(&["-f", "-"], MANIFESTS);
    let results = list(&run["results"]);
    let seen: Vec<_> = results
        .iter()
        .map(|result| (&result["ruleId"], &result["level"], place(result)))
        .collect();
    let region = |line: usize, from: usize, to: usize| {
        json!({
            "artifactLocation": {"uri": "stdin"},
            "region": {"startLine": line, "startColumn": from, "endLine": line, "endColumn": to},
        })
    };
    assert_eq!(
        seen,
        [
            (&json!("DC212"), &json!("warning"), &region(17, 9, 18)),
            (&json!("DC202"), &json!("error"), &region(21, 11, 52)),
        ]
    );
    let line = MANIFESTS.lines().nth(20).expect("the hook");
    assert_eq!(&line[10..51], "preStop: {exec: {command: [sleep, \"62\"]}}");
    let said = results[1]["message"]["text"].as_str().expect("words");
    assert!(
        said.starts_with("Deployment shop/web: preStop (exec) of container app takes 62 s"),
        "{said}"
    );
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn columns_count_characters() {
    let text = MANIFESTS
        .replace("- name: app", "- {\"ü🦀\": 1, name: app, image: python}")
        .replace("\n        image: python", "");
    let text = text.replace("\n        ports: [{containerPort: 8080}]\n        lifecycle:\n          preStop: {exec: {command: [sleep, \"62\"]}}", "");
    let run = lint(&["-f", "-"], &text);
    let results = list(&run["results"]);
    let name = results
        .iter()
        .find(|result| result["ruleId"] == "DC212")
        .expect("DC212");
    let region = &place(name)["region"];
    // `      - {"ü🦀": 1, ` has 18 characters, in which the crab counts once.
    assert_eq!(
        (&region["startColumn"], &region["endColumn"]),
        (&json!(19), &json!(28))
    );
    assert_eq!(run["columnKind"], "unicodeCodePoints");
}

#[test]
fn without_findings_there_are_results_and_they_are_empty() {
    let run = lint(&["-f", "-"], CLEAN);
    assert_eq!(run["results"], json!([]));
}

#[test]
fn every_rule_is_described_in_the_order_of_the_catalogue() {
    let run = lint(&["-f", "-"], CLEAN);
    let described = list(&run["tool"]["driver"]["rules"]);
    assert_eq!(described.len(), rules::ALL.len());
    for (value, rule) in described.iter().zip(rules::ALL) {
        assert_eq!(value["id"], rule.id);
        assert_eq!(value["help"]["markdown"], rule.page);
        let plain = value["help"]["text"].as_str().expect("words");
        assert!(
            plain.contains("\nWHAT IT SAYS\n") && !plain.contains("\n## "),
            "{}",
            rule.id
        );
        let level = match rule.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "note",
        };
        assert_eq!(value["defaultConfiguration"]["level"], level);
    }
}

#[test]
fn a_file_of_the_repository_is_named_from_its_root_however_it_was_given() {
    let root = env!("CARGO_MANIFEST_DIR");
    let whole = format!("{root}/docs/examples/web.yaml");
    for file in [
        "docs/examples/web.yaml",
        "./docs/../docs/examples/web.yaml",
        &whole,
    ] {
        let run = lint(&["-f", file], "");
        let results = list(&run["results"]);
        assert!(!results.is_empty());
        for result in results {
            let expected = json!({"uri": "docs/examples/web.yaml", "uriBaseId": "%SRCROOT%"});
            assert_eq!(place(result)["artifactLocation"], expected, "{file}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("50% ü.yaml");
    std::fs::write(&file, MANIFESTS).expect("a file");
    let run = lint(&["-f", file.to_str().expect("UTF-8")], "");
    let address = &place(&run["results"][0])["artifactLocation"]["uri"];
    let address = address.as_str().expect("an address");
    assert!(
        address.starts_with("file:///") && address.ends_with("/50%25%20%C3%BC.yaml"),
        "{address}"
    );
}

#[test]
fn a_place_without_width_becomes_one_column_wide() {
    let run = lint(&["-f", "-"], "kind: [\n");
    let results = list(&run["results"]);
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["ruleId"], "DC901");
    let region = &place(&results[0])["region"];
    let number = |key: &str| region[key].as_u64().expect("a number");
    assert_eq!(number("endColumn"), number("startColumn") + 1);
}

#[test]
fn suppressed_findings_are_results_that_say_who_suppressed_them_and_why() {
    let one = finding(Severity::Error, "a.yaml", 1, "x");
    let by = |by, reason| suppressed(one.clone(), by, reason);
    let run = of(&report(
        vec![one.clone()],
        vec![
            by(Suppressor::Comment, Some("ends by itself")),
            by(Suppressor::Annotation, Some("")),
            by(Suppressor::Config, Some("known")),
            by(Suppressor::Baseline, None),
        ],
    ));
    let seen: Vec<_> = list(&run["results"])
        .iter()
        .map(|result| &result["suppressions"])
        .collect();
    let accepted = |kind: &str| json!([{"kind": kind, "status": "accepted"}]);
    let because =
        |kind: &str, why: &str| json!([{"kind": kind, "status": "accepted", "justification": why}]);
    assert_eq!(
        seen,
        [
            &json!([]),
            &because("inSource", "ends by itself"),
            &accepted("inSource"),
            &because("external", "known"),
            &accepted("external"),
        ]
    );
}

#[test]
fn hostile_text_is_told_and_steers_nothing() {
    let run = of(&hostile());
    for result in list(&run["results"]) {
        let said = result["message"]["text"].as_str().expect("words");
        assert!(harmless(said), "{said}");
        // Single braces are placeholders, and `[x](1)` a link.
        assert!(
            said.contains("{{0}} [x] (1)") && said.contains("\\u{{1b}}[2J"),
            "{said}"
        );
    }
    assert_eq!(list(&run["results"]).len(), 3);
}

#[test]
fn a_finding_without_a_place_and_a_file_that_was_not_read_fit_too() {
    let mut nowhere = finding(Severity::Info, "a.yaml", 1, "x");
    nowhere.location = None;
    let lost = [unread("b.yaml", "permission denied")];
    let run = only_run(&written(
        sarif::write,
        &report(vec![nowhere], Vec::new()),
        &[],
        &lost,
    ));
    assert_eq!(place(&run["results"][0]), &Value::Null);
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(
        invocation["toolExecutionNotifications"][0]["message"]["text"],
        "b.yaml: permission denied"
    );
}
