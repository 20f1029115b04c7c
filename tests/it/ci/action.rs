//! `action.yml`: its form, and what its steps run.

use std::collections::BTreeMap;
use std::fs;
use std::process::Output;

use serde_json::Value;

use super::{HOSTILE, Machine, NAME, pairs, said, text, word, yaml};

/// How GitHub starts `shell: bash` (actions/runner, `ScriptHandlerHelpers.cs`).
const BASH: [&str; 5] = ["bash", "--noprofile", "--norc", "-eo", "pipefail"];

pub(super) fn action() -> Value {
    yaml(&text("action.yml"))
}

fn steps(action: &Value) -> &[Value] {
    action["runs"]["steps"].as_array().expect("steps")
}

/// What GitHub makes of an expression of the action.
fn evaluated(expression: &str, inputs: &BTreeMap<String, String>) -> String {
    let inside = expression
        .strip_prefix("${{ ")
        .and_then(|rest| rest.strip_suffix(" }}"))
        .unwrap_or_else(|| panic!("not one expression: {expression}"));
    match inside.strip_prefix("inputs.") {
        Some(name) => inputs[name].clone(),
        None if inside == "github.action_repository || github.repository" => {
            "acme/drain-check".to_owned()
        }
        None if inside == "github.token" => "given-by-github".to_owned(),
        None => panic!("unknown: {expression}"),
    }
}

/// Whether a step runs.
fn runs(step: &Value, inputs: &BTreeMap<String, String>) -> bool {
    match step["if"].as_str() {
        None => true,
        Some("inputs.binary == ''") => inputs["binary"].is_empty(),
        Some(other) => panic!("unknown: {other}"),
    }
}

/// Runs the action's steps until one fails, with these inputs and these variables of the job.
pub(super) fn used(
    machine: &Machine,
    given: &[(&str, &str)],
    environment: &[(&str, &str)],
) -> Output {
    let action = action();
    let declared = action["inputs"].as_object().expect("inputs");
    let mut inputs: BTreeMap<_, _> = declared
        .iter()
        .map(|(name, input)| {
            let without = input["default"].as_str().unwrap_or_default();
            (name.clone(), without.to_owned())
        })
        .collect();
    for (name, value) in given {
        let known = inputs.insert((*name).to_owned(), (*value).to_owned());
        assert!(known.is_some(), "no input {name}");
    }
    let path = |below: &str| machine.path(below).to_string_lossy().into_owned();
    let mut last = None;
    for step in steps(&action).iter().filter(|step| runs(step, &inputs)) {
        let mut variables = pairs(environment);
        variables.push((
            "GITHUB_ACTION_PATH".to_owned(),
            super::root().display().to_string(),
        ));
        variables.push(("RUNNER_TEMP".to_owned(), path("temp")));
        variables.push(("GITHUB_OUTPUT".to_owned(), path("output")));
        variables.push(("GITHUB_STEP_SUMMARY".to_owned(), path("summary")));
        for (name, value) in step["env"].as_object().expect("env") {
            let value = value.as_str().expect("a text");
            variables.push((name.clone(), evaluated(value, &inputs)));
        }
        let output = machine.script(&BASH, word(step, "run"), &variables);
        let failed = !output.status.success();
        last = Some(output);
        if failed {
            break;
        }
    }
    last.expect("a step")
}

/// What the stub is called with for these inputs, beside `binary`.
fn arguments(inputs: &[(&str, &str)]) -> Vec<String> {
    let machine = Machine::with_stub();
    let output = used(&machine, &[inputs, &[("binary", NAME)]].concat(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    machine.assert_unharmed();
    let temp = machine.path("temp").to_string_lossy().into_owned();
    let arguments = machine.arguments().expect("a call").into_iter();
    arguments.map(|each| each.replace(&temp, "TEMP")).collect()
}

#[test]
fn the_action_has_what_github_requires() {
    let action = action();
    for field in ["name", "description"] {
        assert!(!word(&action, field).is_empty());
    }
    assert_eq!(word(&action["runs"], "using"), "composite");
    for step in steps(&action) {
        assert_eq!(word(step, "shell"), "bash", "{step}");
    }
    for (name, input) in action["inputs"].as_object().expect("inputs") {
        assert!(!word(input, "description").is_empty(), "{name}");
        let required = input["required"] == true;
        assert!(required != input["default"].is_string(), "{name}");
    }
    let ids: Vec<_> = steps(&action).iter().map(|step| &step["id"]).collect();
    for (name, output) in action["outputs"].as_object().expect("outputs") {
        assert_eq!(
            word(output, "value"),
            format!("${{{{ steps.lint.outputs.{name} }}}}")
        );
    }
    assert!(ids.contains(&&Value::from("lint")));
}

#[test]
fn no_script_of_the_action_is_made_of_expressions() {
    for step in steps(&action()) {
        assert!(!word(step, "run").contains("${{"), "{step}");
    }
}

#[test]
fn every_input_reaches_a_step() {
    let action = action();
    let texts: Vec<_> = steps(&action).iter().map(Value::to_string).collect();
    for name in action["inputs"].as_object().expect("inputs").keys() {
        let expression = format!("${{{{ inputs.{name} }}}}");
        assert!(
            texts.iter().any(|step| step.contains(&expression)),
            "{name}"
        );
    }
}

#[test]
fn the_action_lints_once_in_three_formats() {
    assert_eq!(
        arguments(&[("files", "deploy\n")]),
        [
            "lint",
            "--recursive",
            "--filename=deploy",
            "--fail-on=error",
            "-o",
            "github",
            "-o",
            "sarif=TEMP/drain-check.sarif",
            "-o",
            "markdown=TEMP/drain-check.md",
        ]
    );
    assert_eq!(
        arguments(&[
            ("files", "a\n\nb/*.yaml"),
            ("recursive", "false"),
            ("fail-on", "never"),
            ("args", " --kube-version 1.33\n--ignore  DC2*\t"),
            ("sarif-file", "out/my results.sarif"),
        ]),
        [
            "lint",
            "--filename=a",
            "--filename=b/*.yaml",
            "--fail-on=never",
            "--kube-version",
            "1.33",
            "--ignore",
            "DC2*",
            "-o",
            "github",
            "-o",
            "sarif=out/my results.sarif",
            "-o",
            "markdown=TEMP/drain-check.md",
        ]
    );
}

#[test]
fn hostile_inputs_of_the_action_stay_texts() {
    let files = HOSTILE.join("\n");
    let called = arguments(&[("files", &files)]);
    let wanted = HOSTILE.map(|name| format!("--filename={name}"));
    assert_eq!(called[2..10], wanted);
    for name in HOSTILE {
        let called = arguments(&[
            ("files", "deploy"),
            ("fail-on", name),
            ("args", name),
            ("sarif-file", name),
        ]);
        assert_eq!(called[3], format!("--fail-on={name}"));
        let words: Vec<_> = name.split_whitespace().collect();
        assert_eq!(called[4..4 + words.len()], words);
        assert!(called.contains(&format!("sarif={name}")), "{called:?}");
    }
    for name in HOSTILE {
        let machine = Machine::with_stub();
        let output = used(&machine, &[("files", "a"), ("binary", name)], &[]);
        assert!(matches!(output.status.code(), Some(126 | 127)), "{name}");
        machine.assert_unharmed();
        assert_eq!(machine.arguments(), None, "{name}");
    }
}

#[test]
fn inputs_that_mean_nothing_are_errors() {
    for (input, said_of) in [
        (("files", "\n"), "files must name"),
        (("recursive", "yes"), "recursive must be"),
        (("sarif-file", "a\nmarkdown-file=b"), "sarif-file must be"),
    ] {
        let machine = Machine::with_stub();
        let given = [("files", "deploy"), ("binary", NAME), input];
        let output = used(&machine, &given, &[]);
        assert_eq!(output.status.code(), Some(2), "{input:?}");
        assert!(said(&output).contains(said_of), "{}", said(&output));
        assert_eq!(machine.arguments(), None, "{input:?}");
        assert!(!machine.path("output").exists(), "{input:?}");
    }
}

#[test]
fn the_action_ends_as_lint_ends_and_offers_whole_reports_only() {
    for (code, whole) in [(0, true), (1, true), (2, false), (130, false)] {
        let machine = Machine::with_stub();
        let given = [("files", "deploy"), ("binary", NAME)];
        let output = used(&machine, &given, &[("STUB_EXIT", &code.to_string())]);
        assert_eq!(output.status.code(), Some(code));
        let offered = fs::read_to_string(machine.path("output")).unwrap_or_default();
        assert_eq!(offered.contains("sarif-file="), whole, "{code}");
        assert_eq!(offered.contains("markdown-file="), whole, "{code}");
    }
}

#[test]
fn the_program_takes_what_the_action_gives_it() {
    let machine = Machine::with_program();
    let given = [
        ("files", "de ploy"),
        ("args", "--kube-version 1.33 --ignore DC211"),
        ("sarif-file", "my results.sarif"),
        ("binary", NAME),
    ];
    let output = used(&machine, &given, &[]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let printed = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    assert!(
        printed.starts_with("::error file=de ploy/below/web.yaml,line=37,"),
        "{printed}"
    );
    let sarif = machine.path("checkout/my results.sarif");
    let sarif: Value =
        serde_json::from_str(&fs::read_to_string(sarif).expect("SARIF")).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "DC202");
    let summary = fs::read_to_string(machine.path("summary")).expect("a summary");
    assert!(summary.contains("DC202"), "{summary}");
    let markdown = machine.path("temp/drain-check.md");
    assert_eq!(
        fs::read_to_string(&markdown).expect("Markdown"),
        summary,
        "the comment is the summary"
    );
    assert_eq!(
        fs::read_to_string(machine.path("output")).expect("outputs"),
        format!(
            "sarif-file=my results.sarif\nmarkdown-file={}\n",
            markdown.display()
        )
    );
}

#[test]
fn input_that_cannot_be_read_is_shown_but_not_offered_for_upload() {
    let machine = Machine::with_program();
    let given = [("files", "de ploy\nmissing.yaml"), ("binary", NAME)];
    let output = used(&machine, &given, &[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let summary = fs::read_to_string(machine.path("summary")).expect("a summary");
    assert!(summary.contains("missing.yaml"), "{summary}");
    assert!(!machine.path("output").exists());
}
