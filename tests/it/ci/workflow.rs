//! The workflows: this project's own, and those that it shows.

use serde_json::Value;

use super::action::action;
use super::{text, word, yaml};

/// Every step of a workflow.
pub(super) fn steps(workflow: &Value) -> Vec<&Value> {
    let jobs = workflow["jobs"].as_object().expect("jobs").values();
    jobs.flat_map(|job| job["steps"].as_array().expect("steps"))
        .collect()
}

/// Panics unless every input that a step gives the action is one, and all that are required are given.
pub(super) fn assert_fits_the_action(step: &Value) {
    let action = action();
    let inputs = action["inputs"].as_object().expect("inputs");
    let given = step["with"].as_object().expect("inputs");
    for name in given.keys() {
        assert!(inputs.contains_key(name), "{name} in {step}");
    }
    for (name, input) in inputs {
        assert!(
            input["required"] != true || given.contains_key(name),
            "{name} in {step}"
        );
    }
}

/// Panics unless a workflow asks for no more than it is given, uses others by their commit, and makes no script of expressions.
pub(super) fn assert_careful(workflow: &Value, placeholder: Option<&str>) {
    let permissions = workflow["permissions"].as_object().expect("permissions");
    assert_eq!(permissions["contents"], "read");
    for step in steps(workflow) {
        if let Some(script) = step["run"].as_str() {
            assert!(!script.contains("${{"), "{script}");
            continue;
        }
        let used = word(step, "uses");
        let Some((repository, commit)) = used.split_once('@') else {
            assert_eq!(used, "./");
            continue;
        };
        let is_commit = commit.len() == 40 && commit.chars().all(|sign| sign.is_ascii_hexdigit());
        assert!(is_commit || Some(commit) == placeholder, "{used}");
        if repository == "actions/checkout" {
            assert_eq!(step["with"]["persist-credentials"], false, "{step}");
        }
    }
}

#[test]
fn the_project_s_own_workflow_runs_the_gate_and_the_action() {
    let workflow = yaml(&text(".github/workflows/ci.yml"));
    assert_careful(&workflow, None);
    let steps = steps(&workflow);
    let place = |field: &str, value: &str| {
        steps
            .iter()
            .position(|step| step[field] == value)
            .unwrap_or_else(|| panic!("no {field}: {value}"))
    };
    let (gate, own) = (place("run", ".ci/run"), place("uses", "./"));
    assert!(gate < own, "the action is given what the gate builds");
    assert_fits_the_action(steps[own]);
    let binary = word(&steps[own]["with"], "binary");
    assert!(text(".ci/run").contains(binary.trim_start_matches("target/")));
}
