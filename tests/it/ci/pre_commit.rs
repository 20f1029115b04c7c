//! `.pre-commit-hooks.yaml`: what pre-commit starts.

use serde_json::Value;

use super::{Machine, NAME, said, text, word, yaml};

pub(super) fn hooks() -> Vec<Value> {
    let hooks = yaml(&text(".pre-commit-hooks.yaml"));
    hooks.as_array().expect("a list").clone()
}

/// What pre-commit starts: the words of `entry`, then `args` (pre-commit, `lang_base.py`, `hook_cmd`).
fn command(hook: &Value) -> Vec<String> {
    let entry = word(hook, "entry");
    // Quotes would have to be read as a shell does.
    assert!(!entry.contains(['\'', '"', '\\']), "{entry}");
    let args = hook["args"].as_array().expect("args").iter();
    let args = args.map(|each| each.as_str().expect("a text"));
    entry
        .split_whitespace()
        .chain(args)
        .map(str::to_owned)
        .collect()
}

#[test]
fn there_is_a_hook_that_builds_the_program_and_one_that_has_it() {
    let hooks = hooks();
    let languages: Vec<_> = hooks
        .iter()
        .map(|hook| (word(hook, "id"), word(hook, "language")))
        .collect();
    assert_eq!(
        languages,
        [("drain-check", "rust"), ("drain-check-system", "system")]
    );
    for hook in &hooks {
        assert!(!word(hook, "name").is_empty());
        assert_eq!(hook["types_or"], serde_json::json!(["yaml", "json"]));
    }
}

#[test]
fn a_hook_reads_a_whole_directory_and_not_the_changed_files() {
    for hook in hooks() {
        assert_eq!(hook["pass_filenames"], false, "{hook}");
        assert_eq!(command(&hook), [NAME, "lint", "--recursive", "-f", "."]);
    }
}

#[test]
fn the_program_takes_what_a_hook_gives_it() {
    for hook in hooks() {
        let machine = Machine::with_program();
        let command = command(&hook);
        let words: Vec<_> = command.iter().map(String::as_str).collect();
        let output = machine.start(&words, &[]);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains("DC202"), "{}", said(&output));
    }
}

#[test]
fn cargo_installs_the_program_under_the_name_that_the_hook_starts() {
    let manifest = text("Cargo.toml");
    let (_, bin) = manifest.split_once("[[bin]]\n").expect("a binary");
    assert!(bin.starts_with(&format!("name = \"{NAME}\"\n")), "{bin}");
}
