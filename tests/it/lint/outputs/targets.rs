//! Several formats in one run, in files and on standard output.

use std::path::Path;

use clap::Parser;
use drain_check::app::Outcome;
use drain_check::cli::Cli;
use serde_json::Value;

use super::{CLEAN, MANIFESTS, lint};
use crate::recording::{Ran, run};

fn with(arguments: &[&str]) -> Ran {
    let all: Vec<_> = ["lint", "-f", "-"]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    run(&all, MANIFESTS, 80)
}

fn into(format: &str, file: &Path) -> String {
    format!("{format}={}", file.to_str().expect("UTF-8"))
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).expect("the file")
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<_> = entries
        .map(|entry| name(entry.expect("an entry")))
        .collect();
    names.sort();
    names
}

#[test]
fn one_run_writes_several_formats_each_as_if_it_were_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let formats = [
        "sarif", "junit", "gitlab", "github", "markdown", "json", "yaml",
    ];
    let mut arguments = vec!["-o".to_owned(), "table".to_owned()];
    for format in formats {
        arguments.extend(["-o".to_owned(), into(format, &folder.path().join(format))]);
    }
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let ran = with(&arguments);
    assert_eq!(ran.end, Ok(Outcome::Findings));
    assert_eq!(ran.out, lint("table", MANIFESTS));
    for format in formats {
        let alone = lint(format, MANIFESTS);
        assert_eq!(read(&folder.path().join(format)), alone, "{format}");
    }
    // Nothing is left beside them.
    assert_eq!(names(folder.path()).len(), formats.len());
}

#[test]
fn no_format_writes_nothing_or_something_broken_when_nothing_is_found() {
    for format in ["json", "sarif", "gitlab"] {
        let value: Value = serde_json::from_str(&lint(format, CLEAN)).expect("JSON");
        assert!(value.is_object() || value.is_array(), "{format}");
    }
    let table = lint("table", CLEAN);
    assert!(table.starts_with("Read "), "{table}");
    assert!(table.contains("\n0 errors, 0 warnings, 0 for information; 1 Service"));
    assert!(lint("markdown", CLEAN).starts_with("### kubectl drain-check lint: nothing found\n"));
    assert!(lint("junit", CLEAN).contains("nothing found"));
    // A workflow command for nothing would be an annotation.
    assert_eq!(lint("github", CLEAN), "");
}

#[test]
fn a_file_holds_no_colours_and_replaces_what_was_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("report.txt");
    std::fs::write(&file, "old ".repeat(10_000)).expect("a file");
    let ran = with(&["--output-file", file.to_str().expect("UTF-8")]);
    assert_eq!(ran.out, "");
    assert_eq!(read(&file), lint("table", MANIFESTS));
    assert!(!read(&file).contains('\u{1b}'));
}

#[test]
fn the_output_file_is_for_the_format_without_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let first = into("junit", &one);
    let ran = with(&[
        "-o",
        &first,
        "-o",
        "json",
        "--output-file",
        two.to_str().expect("UTF-8"),
    ]);
    assert_eq!(ran.out, "");
    assert_eq!(read(&one), lint("junit", MANIFESTS));
    assert_eq!(read(&two), lint("json", MANIFESTS));
}

#[test]
fn what_cannot_be_meant_is_an_error_that_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("f");
    let (json, yaml) = (into("json", &file), into("yaml", &file));
    let name = file.to_str().expect("UTF-8");
    for (arguments, what) in [
        (vec!["-o", "json", "-o", "table"], "-o sarif=results.sarif"),
        (
            vec!["-o", "json=-", "-o", "table"],
            "-o sarif=results.sarif",
        ),
        (vec!["-o", &json, "-o", &yaml], "a file of its own"),
        (vec!["-o", &json, "--output-file", name], "leave it out"),
        (
            vec!["-o", "json", "-o", "yaml", "--output-file", name],
            "-o FORMAT=FILE",
        ),
    ] {
        let ran = with(&arguments);
        let said = ran.end.expect_err("nothing to write");
        assert!(said.contains(what), "{arguments:?}: {said}");
        assert_eq!(
            (ran.out.as_str(), file.exists()),
            ("", false),
            "{arguments:?}"
        );
    }
    for (wrong, what) in [
        ("sarf", "'sarif'"),
        ("xml=f", "possible values"),
        ("json=", "after the `=`"),
    ] {
        let line = ["kubectl-drain_check", "lint", "-f", "-", "-o", wrong];
        let error = Cli::try_parse_from(line).expect_err("no such format");
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains(what), "{wrong}: {error}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_named_and_standard_output_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("none/results.sarif");
    let target = into("sarif", &file);
    let ran = with(&["-o", &target, "-o", "gitlab"]);
    let said = ran.end.expect_err("no such folder");
    assert!(
        said.contains("cannot write ") && said.contains("none/results.sarif"),
        "{said}"
    );
    assert_eq!(ran.out, lint("gitlab", MANIFESTS));
    assert!(names(folder.path()).is_empty());
    // A folder is no file either, and stays what it is.
    let target = into("sarif", folder.path());
    assert!(with(&["-o", &target]).end.is_err());
    assert!(folder.path().is_dir());
}

#[test]
#[cfg(unix)]
fn a_link_still_leads_to_the_file_that_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    std::fs::write(&file, "old").expect("a file");
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    with(&["-o", &into("junit", &link)]);
    assert!(link.is_symlink());
    assert_eq!(read(&file), lint("junit", MANIFESTS));
}
