//! `docs/ci.md`: is what it shows there to be copied?

use clap::Parser;
use drain_check::cli::Cli;
use serde_json::Value;

use super::action::action;
use super::pre_commit::hooks;
use super::workflow::{assert_careful, assert_fits_the_action, steps};
use super::{gitlab, text, word, yaml};

/// The page's blocks of code with their languages.
fn blocks() -> Vec<(String, String)> {
    let page = text("docs/ci.md");
    page.split("```")
        .skip(1)
        .step_by(2)
        .map(|block| {
            let (language, code) = block.split_once('\n').expect("a language");
            (language.to_owned(), code.to_owned())
        })
        .collect()
}

/// The YAML of the page that has this field at its top.
fn shown(field: &str) -> Vec<Value> {
    let blocks = blocks().into_iter();
    let yaml = blocks.filter(|(language, _)| language == "yaml");
    yaml.map(|(_, code)| self::yaml(&code))
        .filter(|value| value.get(field).is_some())
        .collect()
}

#[test]
fn each_workflow_of_the_page_is_careful_and_gives_the_action_what_it_takes() {
    let workflows = shown("jobs");
    assert!(workflows.len() >= 5, "{}", workflows.len());
    let mut count = 0;
    for workflow in &workflows {
        assert_careful(workflow, Some("COMMIT"));
        for step in steps(workflow) {
            let uses = step["uses"].as_str().unwrap_or_default();
            if uses.starts_with("OWNER/REPOSITORY@") {
                assert_fits_the_action(step);
                count += 1;
            }
        }
    }
    assert!(count >= 4, "{count}");
}

#[test]
fn the_page_uses_the_outputs_that_the_action_has() {
    let page = text("docs/ci.md");
    let action = action();
    let outputs = action["outputs"].as_object().expect("outputs");
    let mut uses = page.split("steps.lint.outputs.").skip(1).peekable();
    assert!(uses.peek().is_some());
    for rest in uses {
        let end = rest.find(|sign: char| sign != '-' && !sign.is_ascii_lowercase());
        let name = &rest[..end.expect("an end")];
        assert!(outputs.contains_key(name), "{name}");
    }
}

#[test]
fn the_page_lists_every_input_and_every_variable() {
    let page = text("docs/ci.md");
    for (name, input) in action()["inputs"].as_object().expect("inputs") {
        let without = match input["default"].as_str() {
            None => "required".to_owned(),
            Some("") => String::new(),
            Some(value) => format!("`{value}`"),
        };
        let row = format!("| `{name}` | {without}");
        assert!(page.contains(&row), "{row}");
    }
    let mut variables: Vec<_> = gitlab::job()["variables"]
        .as_object()
        .expect("variables")
        .keys()
        .cloned()
        .collect();
    variables.push("DRAIN_CHECK_IMAGE".to_owned());
    for name in &variables {
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
    }
    let given = &shown("include")[0]["drain-check"]["variables"];
    for name in given.as_object().expect("variables").keys() {
        assert!(variables.contains(name), "{name}");
    }
}

#[test]
fn the_page_s_hooks_are_there() {
    let hooks = hooks();
    let ids: Vec<_> = hooks.iter().map(|hook| word(hook, "id")).collect();
    let shown = &shown("repos")[0]["repos"][0]["hooks"][0];
    assert!(ids.contains(&word(shown, "id")));
    let page = text("docs/ci.md");
    for (id, hook) in ids.iter().zip(&hooks) {
        assert!(page.contains(&format!("| `{id}` |")), "{id}");
        // What a team writes takes the place of the hook's own arguments.
        let entry = word(hook, "entry").split_whitespace();
        let args = shown["args"].as_array().expect("args").iter();
        let args = args.map(|each| each.as_str().expect("a text"));
        let read = Cli::try_parse_from(entry.chain(args));
        assert!(read.is_ok(), "{:?}", read.err());
    }
}

#[test]
fn the_program_knows_every_command_of_the_page() {
    let mut commands = 0;
    for (_, code) in blocks() {
        for line in code.lines() {
            let last = line.rsplit(" | ").next().unwrap_or_default();
            let called = ["kubectl drain-check ", "kubectl-drain_check "];
            let call = called.iter().find_map(|name| last.split_once(name));
            let Some((_, arguments)) = call else {
                continue;
            };
            let words = std::iter::once("kubectl-drain_check").chain(arguments.split_whitespace());
            let read = Cli::try_parse_from(words);
            assert!(read.is_ok(), "{line}: {:?}", read.err());
            commands += 1;
        }
    }
    assert!(commands >= 8, "{commands}");
}
