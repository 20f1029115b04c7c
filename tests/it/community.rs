//! The files for people who take part: do forms have the shape that GitHub reads, do links lead to files, are commands real?

use std::collections::BTreeSet;
use std::fs;

use clap::Parser;
use drain_check::cli::Cli;
use serde_json::Value;

use crate::checkout::{root, text};

const PAGES: [&str; 7] = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CODE_OF_CONDUCT.md",
    "CHANGELOG.md",
    "docs/releasing.md",
    "docs/krew-submission.md",
];

/// The forms for issues, by name.
fn forms() -> Vec<(String, Value)> {
    let folder = ".github/ISSUE_TEMPLATE";
    let names = fs::read_dir(root().join(folder)).expect("the forms");
    let names = names.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = names
        .map(|name| name.into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names.retain(|name| name != "config.yml");
    names
        .into_iter()
        .map(|name| {
            let form = serde_yaml::from_str(&text(format!("{folder}/{name}")));
            (
                name.clone(),
                form.unwrap_or_else(|error| panic!("{name}: {error}")),
            )
        })
        .collect()
}

fn fields(form: &Value) -> &[Value] {
    form["body"].as_array().expect("fields")
}

#[test]
fn every_form_has_the_shape_that_github_reads() {
    let forms = forms();
    assert_eq!(forms.len(), 3);
    for (name, form) in &forms {
        for part in ["name", "description"] {
            assert!(
                form[part].as_str().is_some_and(|text| !text.is_empty()),
                "{name}"
            );
        }
        let mut ids = BTreeSet::new();
        for field in fields(form) {
            let kind = field["type"].as_str().expect("a type");
            let attributes = &field["attributes"];
            match kind {
                "markdown" => assert!(attributes["value"].is_string(), "{name}"),
                "textarea" | "input" => {
                    assert!(attributes["label"].is_string(), "{name}");
                    let id = field["id"].as_str().expect("an id");
                    assert!(ids.insert(id), "{name}: {id} twice");
                    let required = &field["validations"]["required"];
                    assert!(required.is_null() || required.is_boolean(), "{name}");
                }
                other => panic!("{name}: {other}"),
            }
        }
    }
}

#[test]
fn every_form_asks_for_a_snapshot_and_says_to_look_through_it() {
    for (name, form) in forms() {
        let mut asked = fields(&form)
            .iter()
            .filter(|field| field["id"] == "snapshot");
        let asked = asked.next().unwrap_or_else(|| panic!("{name}"));
        let words = asked["attributes"]["description"].as_str().expect("words");
        assert!(words.contains("kubectl drain-check snapshot"), "{name}");
        assert!(
            words.to_lowercase().contains("look") && words.contains("through it"),
            "{name}"
        );
        assert_eq!(
            asked["validations"]["required"] == true,
            name == "wrong-answer.yml"
        );
    }
}

#[test]
fn every_command_in_them_is_one() {
    let mut texts: Vec<_> = PAGES.iter().map(text).collect();
    texts.extend(forms().into_iter().map(|(_, form)| form.to_string()));
    let mut commands = 0;
    for text in &texts {
        for rest in text.split("`kubectl drain-check ").skip(1) {
            let (command, _) = rest.split_once('`').expect("its end");
            let command = command.split(" > ").next().unwrap_or_default();
            let words = command
                .split_whitespace()
                .map(|word| word.trim_end_matches(','));
            let words = std::iter::once("kubectl drain-check").chain(words);
            let error = Cli::try_parse_from(words)
                .err()
                .filter(clap::Error::use_stderr);
            assert!(error.is_none(), "{command}: {error:?}");
            commands += 1;
        }
    }
    assert!(commands >= 10, "{commands}");
}

#[test]
fn every_link_to_a_file_leads_to_one() {
    let mut links = 0;
    for page in PAGES {
        let folder = root().join(page);
        let folder = folder.parent().expect("a folder");
        for rest in text(page).split("](").skip(1) {
            let (target, _) = rest.split_once(')').expect("its end");
            let file = target.split('#').next().unwrap_or_default();
            if file.is_empty() || file.starts_with("https://") {
                continue;
            }
            assert!(folder.join(file).exists(), "{page}: {target}");
            links += 1;
        }
    }
    assert!(links >= 20, "{links}");
}

#[test]
fn no_page_invents_an_address_of_the_project() {
    for page in PAGES {
        let text = text(page);
        for rest in text.split("github.com/").skip(1) {
            let known = ["kubernetes-sigs/krew-index/pull/", "OWNER/REPOSITORY"];
            assert!(
                known.iter().any(|start| rest.starts_with(start)),
                "{page}: {}",
                &rest[..40.min(rest.len())]
            );
        }
    }
}
