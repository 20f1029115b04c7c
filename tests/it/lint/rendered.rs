//! What Helm rendered is told for its templates, where these are known, with the place in what was rendered.

use serde_json::Value;

use super::MANIFESTS;
use crate::recording::{Ran, run};

/// A template's name in a chart `shop`; the Service and the Deployment are documents of one template.
const TEMPLATE: &str = "shop/templates/web.yaml";

/// As `helm template` prints it.
fn rendered() -> String {
    let marked = |document: &str| format!("---\n# Source: {TEMPLATE}\n{document}");
    MANIFESTS.split("---\n").map(marked).collect()
}

fn lint(more: &[&str]) -> Ran {
    let all = ["lint", "-f", "-", "--select", "DC202", "--fail-on", "never"];
    let all: Vec<_> = all.iter().chain(more).copied().collect();
    run(&all, &rendered(), 100)
}

/// The line of the hook in what was rendered.
fn line() -> usize {
    let text = rendered();
    let mut lines = text.lines();
    lines
        .position(|line| line.contains("preStop:"))
        .expect("a hook")
        + 1
}

/// A folder with the chart, as somebody calls it, and its path.
fn chart() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let chart = folder.path().join("charts/web");
    std::fs::create_dir_all(chart.join("templates")).expect("folders");
    std::fs::write(chart.join("templates/web.yaml"), "{{ .Values }}\n").expect("a template");
    let name = chart.to_str().expect("UTF-8").to_owned();
    (folder, name)
}

fn finding(ran: &Ran) -> Value {
    let report: Value = serde_json::from_str(&ran.out).expect("one JSON document");
    crate::recording::validate(&report);
    report["findings"][0].clone()
}

#[test]
fn the_report_names_the_template_and_where_it_lies() {
    let named = finding(&lint(&["-o", "json"]));
    assert_eq!(named["template"]["name"], TEMPLATE);
    assert_eq!(named["template"]["file"], Value::Null);
    assert_eq!(named["location"]["file"], "-");
    assert_eq!(named["location"]["line"], line());
    let (_folder, chart) = chart();
    let known = finding(&lint(&["-o", "json", "--chart", &chart]));
    assert_eq!(
        known["template"]["file"],
        format!("{chart}/templates/web.yaml")
    );
    assert_eq!(known["location"], named["location"]);
}

#[test]
fn the_table_names_the_template_beside_the_rendered_lines() {
    let ran = lint(&[]);
    assert!(
        ran.out
            .contains(&format!("Deployment shop/web, {TEMPLATE}\n")),
        "{}",
        ran.out
    );
    assert!(ran.out.contains(&format!("-:{}:", line())), "{}", ran.out);
    let (_folder, chart) = chart();
    let ran = lint(&["--chart", &chart]);
    assert!(
        ran.out.contains(&format!("{chart}/templates/web.yaml")),
        "{}",
        ran.out
    );
}

#[test]
fn other_programs_are_told_of_a_template_that_is_there() {
    let (_folder, chart) = chart();
    let file = format!("{chart}/templates/web.yaml");
    let said = format!("(rendered: stdin:{})", line());
    let ran = lint(&["-o", "github", "--chart", &chart]);
    let begin = format!("::error file={file},line=1,endLine=1,col=1,endColumn=1,");
    assert!(
        ran.out.starts_with(&begin) && ran.out.contains(&said),
        "{}",
        ran.out
    );
    let ran = lint(&["-o", "sarif", "--chart", &chart]);
    let log: Value = serde_json::from_str(&ran.out).expect("SARIF");
    let result = &log["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], format!("file://{file}"));
    assert_eq!(place["region"]["startLine"], 1);
    assert!(
        result["message"]["text"]
            .as_str()
            .expect("a text")
            .contains(&said)
    );
    // Nobody has a template that is not there: the place in what was rendered stays.
    let ran = lint(&["-o", "github"]);
    let begin = format!("::error file=stdin,line={}", line());
    assert!(ran.out.starts_with(&begin), "{}", ran.out);
}

#[test]
fn a_file_that_was_rendered_elsewhere_stays_what_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("web.yaml");
    std::fs::write(&file, rendered()).expect("a file");
    let file = file.to_str().expect("UTF-8");
    let all = [
        "lint",
        "-f",
        file,
        "--select",
        "DC202",
        "--fail-on",
        "never",
        "-o",
        "json",
    ];
    let alone = finding(&run(&all, "", 100));
    assert_eq!(alone.get("template"), None);
    let (_folder, chart) = chart();
    let with: Vec<_> = all.into_iter().chain(["--chart", chart.as_str()]).collect();
    let beside = finding(&run(&with, "", 100));
    assert_eq!(beside["template"]["name"], TEMPLATE);
    assert_eq!(beside["location"]["file"], file);
}
