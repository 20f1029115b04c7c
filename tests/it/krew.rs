//! krew: does its index take the manifest, and does what it installs run?

mod install;
mod rules;

use std::process::Output;

use serde_json::Value;

use crate::release::{RELEASE, TAG, said, script};

/// The repository in manifests of tests.
const REPOSITORY: &str = "acme/kubectl-drain-check";

fn render(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    script("krew.sh", arguments, variables)
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", said(output));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// The manifest of the release that was packed here.
fn manifest(variables: &[(&str, &str)]) -> Value {
    let files = RELEASE.files();
    let files = files.to_str().expect("UTF-8");
    let text = text(&render(&[TAG, REPOSITORY, files], variables));
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

#[test]
fn the_release_bot_is_given_the_same_template_with_the_repository_in_it() {
    let template = std::fs::read_to_string(crate::checkout::root().join(".krew.yaml"));
    let template = template.expect("the template under the name that the bot knows");
    assert!(template.contains("OWNER/REPOSITORY"));
    let filled = text(&render(&["bot", REPOSITORY], &[]));
    assert_eq!(filled, template.replace("OWNER/REPOSITORY", REPOSITORY));
    // The bot indents the second of the two lines that it puts in by four (krew-release-bot, `pkg/source/template.go`).
    let actions: Vec<_> = filled
        .lines()
        .filter(|line| line.contains("addURIAndSha"))
        .collect();
    assert_eq!(actions.len(), 6);
    for action in actions {
        assert!(
            action.starts_with("    {{addURIAndSha \"https://"),
            "{action}"
        );
    }
}

#[test]
fn what_cannot_be_filled_is_refused_and_nothing_is_printed() {
    let files = RELEASE.files();
    let files = files.to_str().expect("UTF-8");
    let empty = tempfile::tempdir().expect("a folder");
    let empty = empty.path().to_str().expect("UTF-8");
    for (arguments, reason) in [
        (&["0.1.0", REPOSITORY, files][..], "is not a tag"),
        (&["v1", REPOSITORY, files], "is not a tag"),
        (&[TAG, "acme", files], "must be owner/name"),
        (&["bot", "a/b/../c"], "must be owner/name"),
        (&[TAG, REPOSITORY, empty], "there is no"),
        (&[TAG, REPOSITORY], "usage"),
    ] {
        let output = render(arguments, &[]);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(said(&output).contains(reason), "{}", said(&output));
    }
}
