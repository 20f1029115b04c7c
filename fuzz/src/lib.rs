//! What must hold of the program whatever it is given. Each function takes one input, and panics where something does not hold.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::Parser;
use drain_check::app::{self, Io};
use drain_check::cli::Cli;
use drain_check::manifest::locate::{Locator, Site, Written};
use drain_check::manifest::{Identity, Loaded, comments, load_text, load_with_texts};

#[path = "../../tests/support/colours.rs"]
mod colours;
mod hook;
mod kubeconfig;
mod recording;
mod selector;
mod snapshot_head;

pub use hook::hook;
pub use kubeconfig::kubeconfig;
pub use recording::recording;
pub use selector::selector;
pub use snapshot_head::snapshot_head;

use colours::without_colours;

/// Runs the program; says what it printed, and what it said when it could not.
pub fn run(arguments: &[&str], stdin: &[u8]) -> (Vec<u8>, Result<(), String>) {
    let cli = Cli::try_parse_from(["kubectl-drain_check"].iter().chain(arguments))
        .unwrap_or_else(|error| panic!("{error}"));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let end = app::run(
        &cli,
        Io {
            width: 80,
            ascii: false,
            terminal: false,
            screen: None,
            stdin: &mut &*stdin,
            out: &mut out,
            err: &mut err,
        },
    );
    let said = end.map(drop).map_err(|error| format!("{error:#}"));
    (out, said)
}

/// The loader, places and comments: the same bytes give the same objects, and every place is one of the text.
pub fn manifest(bytes: &[u8]) {
    let load = || load_with_texts(&[PathBuf::from("-")], false, &mut &*bytes);
    let mut loaded = load();
    assert!(loaded == load(), "read twice, two answers");
    let texts = loaded.texts.take().unwrap_or_default();
    let Some(text) = texts.get("-") else {
        return;
    };
    let lines = u32::try_from(text.matches('\n').count() + 1).expect("a small text");
    for problem in &loaded.problems {
        assert!(
            problem.line.is_none_or(|line| (1..=lines).contains(&line)),
            "{problem}"
        );
    }
    let locator = Locator::new(&texts);
    for object in &loaded.objects {
        assert!((1..=lines).contains(&object.line));
        let Some(identity) = Identity::of(&object.value) else {
            continue;
        };
        let written = Written {
            file: &object.file,
            line: object.line,
            identity: &identity,
        };
        for path in [
            None,
            Some("spec.template.spec.containers[0].lifecycle.preStop"),
        ] {
            if let Some(Site {
                bytes, start, end, ..
            }) = locator.locate(written, path)
            {
                assert!(
                    text.get(bytes.clone()).is_some(),
                    "{bytes:?} of {identity:?}"
                );
                assert!(start <= end && end.0 <= lines);
            }
        }
    }
    for comment in comments::find("-", text, "drain-check:") {
        assert!(comment.place.start < comment.place.end);
        for range in comment.about.iter().chain(&comment.object) {
            assert!(range.start <= range.end && range.end.0 <= lines);
        }
    }
}

/// Every way to print, in the words of the command line.
const WAYS: [&[&str]; 12] = [
    &["-f", "-"],
    &["-f", "-", "-o", "json"],
    &["-f", "-", "-o", "yaml"],
    &["-f", "-", "-o", "markdown", "--kube-version", "1.24"],
    &["lint", "-f", "-"],
    &["lint", "-f", "-", "-o", "json"],
    &["lint", "-f", "-", "-o", "sarif"],
    &["lint", "-f", "-", "-o", "junit"],
    &["lint", "-f", "-", "-o", "gitlab"],
    &["lint", "-f", "-", "-o", "github", "--kube-version", "1.24"],
    &["lint", "-f", "-", "-o", "markdown", "--show-suppressed"],
    &[
        "lint",
        "-f",
        "-",
        "-n",
        "shop",
        "--show-suppressed",
        "--drain-seconds",
        "20",
    ],
];

/// What is printed is text without signs that steer a terminal, and JSON where that was asked for.
pub fn printed(arguments: &[&str], out: Vec<u8>, said: &Result<(), String>) {
    let text = without_colours(&String::from_utf8(out).expect("UTF-8"));
    let steers = |sign: char| sign.is_control() && sign != '\n' && sign != '\t';
    assert!(
        !text.contains(steers),
        "{arguments:?} printed {:?}",
        text.chars().find(|sign| steers(*sign))
    );
    if arguments.contains(&"json") && (said.is_ok() || !text.is_empty()) {
        let report: Result<serde_json::Value, _> = serde_json::from_str(&text);
        assert!(report.is_ok(), "{arguments:?} printed {report:?}");
    }
}

/// Whose turn it is, where not everything is tried on each input: the same for the same input.
fn turn(bytes: &[u8]) -> usize {
    bytes.iter().fold(bytes.len(), |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(usize::from(*byte))
    })
}

/// Objects → facts → check and lint → every format: a report or an error.
pub fn objects(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let loaded = load_text("-", text);
    if loaded.objects.is_empty() {
        return;
    }
    // One way of each command at a time.
    let turn = turn(bytes);
    for way in [WAYS[turn % 4], WAYS[4 + turn % 8]] {
        let (out, said) = run(way, bytes);
        printed(way, out, &said);
    }
    let name = |kind: &str| {
        let mut found = loaded
            .objects
            .iter()
            .filter(|object| object.value["kind"] == kind);
        found.find_map(|object| Identity::of(&object.value))
    };
    if let Some(service) = name("Service") {
        let target = format!("svc/{}", service.name);
        let way = [target.as_str(), "-f", "-", "-o", "wide"];
        // A name may look like a flag.
        if Cli::try_parse_from(["kubectl-drain_check"].iter().chain(&way)).is_ok() {
            let (out, said) = run(&way, bytes);
            printed(&way, out, &said);
        }
    }
}

static FOLDER: LazyLock<tempfile::TempDir> =
    LazyLock::new(|| tempfile::tempdir().expect("a folder"));

/// What kinds of objects, and which complaints, a text holds.
fn outline(path: &Path) -> (String, Loaded) {
    let text = std::fs::read_to_string(path).expect("UTF-8");
    let loaded = load_text("a.yaml", &text);
    (text, loaded)
}

/// `lint --fix`: what is written back reads as the same objects, and nothing is left to do.
pub fn lint_fix(bytes: &[u8]) {
    if std::str::from_utf8(bytes).is_err() {
        return;
    }
    let file = FOLDER.path().join("a.yaml");
    std::fs::write(&file, bytes).expect("a file");
    let name = file.to_str().expect("UTF-8");
    let arguments = ["lint", "-f", name, "--fix", "--kube-version", "1.34"];
    let (old, before) = outline(&file);
    let (out, said) = run(&arguments, b"");
    printed(&arguments, out, &said);
    let (new, after) = outline(&file);
    if old == new {
        return;
    }
    assert_eq!(before.objects.len(), after.objects.len());
    let messages = |loaded: &Loaded| {
        let problems = loaded.problems.iter();
        problems
            .map(|problem| problem.message.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(messages(&before), messages(&after));
    let _ = run(&arguments, b"");
    assert_eq!(outline(&file).0, new, "fixed again, it changes again");
}
