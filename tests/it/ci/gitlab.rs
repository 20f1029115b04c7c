//! `ci/gitlab-ci.yml`: the job that teams include.

use std::fs;
use std::process::Output;

use serde_json::Value;

use super::{HOSTILE, Machine, pairs, said, text, word, yaml};

/// The shells that an image may have: GitLab's runner takes bash if there is one, and sh if not.
const SHELLS: [&[&str]; 2] = [&["bash", "-eo", "pipefail"], &["sh", "-e"]];

pub(super) fn job() -> Value {
    yaml(&text("ci/gitlab-ci.yml"))["drain-check"].clone()
}

/// Runs the job's lines with its variables, some of them as a project sets them.
fn run(machine: &Machine, shell: &[&str], given: &[(&str, &str)]) -> Output {
    let job = job();
    let script = job["script"].as_array().expect("lines").iter();
    let script: Vec<_> = script.map(|line| line.as_str().expect("a text")).collect();
    let variables = job["variables"].as_object().expect("variables").iter();
    let variables =
        variables.map(|(name, value)| (name.clone(), value.as_str().expect("a text").to_owned()));
    let environment: Vec<_> = variables.chain(pairs(given)).collect();
    machine.script(shell, &script.join("\n"), &environment)
}

#[test]
fn the_job_has_what_gitlab_requires() {
    let job = job();
    assert_eq!(word(&job["image"], "name"), "$DRAIN_CHECK_IMAGE");
    assert_eq!(job["image"]["entrypoint"], serde_json::json!([""]));
    assert!(!job["script"].as_array().expect("lines").is_empty());
}

#[test]
fn the_job_lints_once_with_what_its_variables_say() {
    for shell in SHELLS {
        let machine = Machine::with_stub();
        let given = [
            ("DRAIN_CHECK_FILES", "deploy/base\n\ndeploy/prod\n"),
            ("DRAIN_CHECK_ARGS", "--kube-version 1.33"),
            ("DRAIN_CHECK_FAIL_ON", "warning"),
        ];
        let output = run(&machine, shell, &given);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(
            machine.arguments().expect("a call"),
            [
                "lint",
                "--recursive",
                "--filename=deploy/base",
                "--filename=deploy/prod",
                "--fail-on=warning",
                "--kube-version",
                "1.33",
                "-o",
                "table",
                "-o",
                "gitlab=drain-check-code-quality.json",
                "-o",
                "junit=drain-check-junit.xml",
            ]
        );
    }
}

#[test]
fn hostile_variables_of_the_job_stay_texts() {
    for shell in SHELLS {
        let machine = Machine::with_stub();
        let given = [
            ("DRAIN_CHECK_FILES", &*HOSTILE.join("\n")),
            ("DRAIN_CHECK_FAIL_ON", "$(touch harm) *"),
            ("DRAIN_CHECK_ARGS", "`touch harm` *.yaml ; $HOME"),
        ];
        let output = run(&machine, shell, &given);
        assert!(output.status.success(), "{}", said(&output));
        machine.assert_unharmed();
        let called = machine.arguments().expect("a call");
        let wanted = HOSTILE.map(|name| format!("--filename={name}"));
        assert_eq!(called[2..10], wanted);
        assert_eq!(called[10], "--fail-on=$(touch harm) *");
        assert_eq!(called[11..16], ["`touch", "harm`", "*.yaml", ";", "$HOME"]);
    }
}

#[test]
fn the_job_ends_as_lint_ends() {
    for shell in SHELLS {
        for code in [0, 1, 2] {
            let machine = Machine::with_stub();
            let code_text = code.to_string();
            let output = run(&machine, shell, &[("STUB_EXIT", &code_text)]);
            assert_eq!(output.status.code(), Some(code));
        }
    }
}

#[test]
fn the_program_takes_what_the_job_gives_it_and_writes_the_reports_that_gitlab_collects() {
    for shell in SHELLS {
        let machine = Machine::with_program();
        let output = run(&machine, shell, &[("DRAIN_CHECK_FILES", "de ploy")]);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains("DC202"), "{}", said(&output));
        let reports = &job()["artifacts"]["reports"];
        let report = |kind| {
            let file = machine.path("checkout").join(word(reports, kind));
            fs::read_to_string(file).expect("a report")
        };
        let quality: Value = serde_json::from_str(&report("codequality")).expect("JSON");
        let paths: Vec<_> = super::super::recording::list(&quality)
            .iter()
            .map(|each| word(&each["location"], "path"))
            .collect();
        assert!(paths.contains(&"de ploy/below/web.yaml"), "{paths:?}");
        assert!(roxmltree::Document::parse(&report("junit")).is_ok());
    }
}

#[test]
fn a_job_that_names_no_files_fails() {
    let machine = Machine::with_program();
    let output = run(&machine, SHELLS[1], &[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
}
