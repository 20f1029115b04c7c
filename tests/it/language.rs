//! One word for one thing, and that of the field: do the docs, the help, the reports and their schema keep to it? Ids, slugs, and what
//! stands between backquotes, are names and not words.

use std::collections::BTreeSet;
use std::path::Path;

use clap::CommandFactory;
use drain_check::cli::Cli;
use serde_json::Value;

use crate::checkout::{root, text};
use crate::look::services;
use crate::recording::{ALL, run, shown};

/// A phrase that is not written, and what is written instead.
struct Phrase {
    /// `*` is any word.
    not: &'static str,
    but: &'static str,
    /// It may be followed by one of these.
    unless_before: &'static [&'static str],
    /// It may follow one of these.
    unless_after: &'static [&'static str],
}

const fn phrase(not: &'static str, but: &'static str) -> Phrase {
    Phrase {
        not,
        but,
        unless_before: &[],
        unless_after: &[],
    }
}

const PHRASES: [Phrase; 31] = [
    phrase("consumer", "traffic source"),
    phrase("consumers", "traffic sources"),
    phrase("sender", "traffic source"),
    phrase("senders", "traffic sources"),
    phrase("who sends", "traffic sources"),
    phrase("whoever sends", "traffic sources"),
    phrase("who send", "traffic sources"),
    phrase("who stops sending", "traffic sources"),
    Phrase {
        unless_after: &["configured"],
        ..phrase("stop signal", "SIGTERM")
    },
    Phrase {
        unless_after: &["configured"],
        ..phrase("stop signals", "SIGTERM")
    },
    phrase("signal 0 s", "SIGTERM 0 s"),
    phrase("kill", "SIGKILL"),
    phrase("the kills", "SIGKILL"),
    Phrase {
        unless_before: &["period", "periods", "seconds"],
        ..phrase("grace", "grace period")
    },
    phrase("graces", "grace periods"),
    phrase("old connections", "in-flight requests"),
    phrase("old ones end", "in-flight requests are done"),
    phrase("smallest safe prestop", "minimum preStop delay"),
    phrase("smallest safe", "minimum"),
    phrase("slices written", "EndpointSlice update"),
    phrase("min sync", "kube-proxy sync"),
    // The last words of a sum, with whoever is the slowest.
    phrase("margin * decides", "slowest: …"),
    phrase("turned away", "refused or dropped"),
    phrase("turns away", "refuses or drops"),
    phrase("taken by default", "assumed"),
    phrase("version taken from", "version: …"),
    phrase("cure", "fix"),
    phrase("cures", "fixes"),
    phrase("cured", "fixed"),
    phrase("put aside", "recorded"),
    phrase("puts aside", "records"),
];

/// Where a phrase is meant as plain English, or is somebody else's name: the text's name, words around it, and why.
const ALLOWED: [(&str, &str, &str); 0] = [];

/// Something to read, with its name.
struct Text {
    name: String,
    words: String,
}

/// Hyphens and underscores are part of a word: ids and slugs are names.
fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '-' || sign == '_'
}

/// The words of a text in small letters, each with its line from 1 on; whatever stands between two of them is left out.
fn words(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (line, row) in (1..).zip(text.lines()) {
        let words = row.split(|sign| !is_word(sign));
        let words = words.filter(|word| !word.is_empty());
        found.extend(words.map(|word| (word.to_lowercase(), line)));
    }
    found
}

/// The lines on which a text says a phrase where it should not.
fn said(text: &[(String, usize)], phrase: &Phrase) -> Vec<usize> {
    let not: Vec<&str> = phrase.not.split(' ').collect();
    let word = |at: Option<usize>| {
        at.and_then(|at| text.get(at))
            .map(|(word, _)| word.as_str())
    };
    let among = |word: Option<&str>, list: &[&str]| word.is_some_and(|word| list.contains(&word));
    let mut lines = Vec::new();
    for (at, window) in text.windows(not.len()).enumerate() {
        let same = window
            .iter()
            .zip(&not)
            .all(|((word, _), part)| *part == "*" || word == part);
        let fine = among(word(Some(at + not.len())), phrase.unless_before)
            || among(word(at.checked_sub(1)), phrase.unless_after);
        if same && !fine {
            lines.push(window[0].1);
        }
    }
    lines
}

/// A page without the names in it: code in sentences, addresses of links, and blocks that show no output of ours. Lines stay lines.
fn prose(page: &str) -> String {
    let mut kept = String::new();
    let mut block: Option<bool> = None;
    for line in page.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            block = match block {
                Some(_) => None,
                None => Some(["console", "text"].contains(&language)),
            };
            kept.push('\n');
            continue;
        }
        if block != Some(false) {
            let plain = line.split('`').step_by(2).collect::<Vec<_>>().join(" _ ");
            let mut rest = plain.as_str();
            while let Some((before, link)) = rest.split_once("](") {
                kept.push_str(before);
                kept.push(' ');
                rest = link.split_once(')').map_or("", |(_, after)| after);
            }
            kept.push_str(rest);
        }
        kept.push('\n');
    }
    kept
}

fn pages(folder: &Path, found: &mut Vec<Text>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(page(path.strip_prefix(root()).expect("a page of ours")));
        }
    }
}

/// A page, whose name is judged too.
fn page(path: &Path) -> Text {
    let stem = path
        .file_stem()
        .expect("a name")
        .to_string_lossy()
        .replace('-', " ");
    Text {
        name: path.display().to_string(),
        words: format!("{} {stem}", prose(&text(path))),
    }
}

/// The help of a command and of all below it.
fn help(command: &mut clap::Command, found: &mut Vec<Text>) {
    let words = command.render_long_help().to_string();
    found.push(Text {
        name: format!("{} --help", command.get_name()),
        words,
    });
    for below in command.get_subcommands_mut() {
        help(below, found);
    }
}

/// The words in a key such as `graceSeconds`, and the texts that are sentences: a value of one word is an id.
fn of_json(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let mut words = String::new();
                for sign in key.chars() {
                    if sign.is_uppercase() {
                        words.push(' ');
                    }
                    words.push(sign);
                }
                // Kubernetes' own fields are names.
                let ours = key.chars().all(char::is_alphanumeric);
                if ours {
                    found.insert(words);
                }
                of_json(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| of_json(item, found)),
        Value::String(text) if text.contains(' ') => {
            found.insert(prose(text));
        }
        _ => {}
    }
}

fn json(name: String, text: &str) -> Text {
    let mut found = BTreeSet::new();
    of_json(&serde_json::from_str(text).expect("JSON"), &mut found);
    let words = found.into_iter().collect::<Vec<_>>().join("\n");
    Text { name, words }
}

/// Everything that somebody reads.
fn texts() -> Vec<Text> {
    let mut found = vec![page(Path::new("README.md"))];
    pages(&root().join("docs"), &mut found);
    help(&mut Cli::command(), &mut found);
    let schema = "docs/schema/report-v1.json";
    found.push(json(schema.to_owned(), &text(schema)));
    for recording in ALL {
        found.push(Text {
            name: format!("{recording} as a scan"),
            words: shown(recording, &[], 200),
        });
        let services = services(recording);
        let services: Vec<_> = services.iter().map(String::as_str).collect();
        // Wide has all that the table has.
        for format in ["wide", "markdown"] {
            let arguments = [&services[..], &["-o", format]].concat();
            found.push(Text {
                name: format!("{recording} -o {format}"),
                words: prose(&shown(recording, &arguments, 200)),
            });
        }
        let report = shown(recording, &["-o", "json"], 200);
        found.push(json(format!("{recording} -o json"), &report));
    }
    for file in ["docs/examples/shop.yaml", "docs/examples/web.yaml"] {
        for format in ["table", "markdown", "json"] {
            let ran = run(&["lint", "-f", "-", "-o", format], &text(file), 200);
            assert!(ran.end.is_ok(), "{:?}", ran.end);
            let name = format!("lint {file} -o {format}");
            found.push(if format == "json" {
                json(name, &ran.out)
            } else {
                Text {
                    name,
                    words: prose(&ran.out),
                }
            });
        }
    }
    found
}

#[test]
fn nothing_is_said_in_a_language_of_our_own() {
    let mut wrong = Vec::new();
    let mut needed = BTreeSet::new();
    for text in texts() {
        let words = words(&text.words);
        let lines: Vec<&str> = text.words.lines().collect();
        for phrase in &PHRASES {
            let mut places = said(&words, phrase);
            places.retain(|line| {
                let row = lines[line - 1];
                let allowed = ALLOWED
                    .iter()
                    .position(|(name, around, _)| *name == text.name && row.contains(around));
                needed.extend(allowed);
                allowed.is_none()
            });
            if let Some(line) = places.first() {
                wrong.push(format!(
                    "{}:{line}: {} x {} (write {}): {}",
                    text.name,
                    places.len(),
                    phrase.not,
                    phrase.but,
                    lines[line - 1].trim()
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} phrases\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(needed.len(), ALLOWED.len(), "an exception is none any more");
}

#[test]
fn a_phrase_is_found_across_lines_and_not_in_names() {
    let found = |text: &str, not: &str| {
        let phrase = PHRASES.iter().find(|phrase| phrase.not == not);
        said(&words(&prose(text)), phrase.expect("a phrase"))
    };
    assert_eq!(found("a\nStop\nsignal", "stop signal"), [2]);
    assert_eq!(found("a configured stop signal", "stop signal"), [0; 0]);
    assert_eq!(found("Grace, the grace period, GRACE", "grace"), [1, 1]);
    assert_eq!(
        found("prestop-uses-up-grace `grace` [x](y.md#grace)", "grace"),
        [0; 0]
    );
    assert_eq!(
        found("```yaml\nkill\n```\n```console\nkill\n```", "kill"),
        [5]
    );
    let key = json(
        String::new(),
        "{\"graceSeconds\": 60, \"graceLeft\": 60, \"x\": [{\"killAt\": \"the kill\"}]}",
    );
    let key = words(&key.words);
    for (not, times) in [("grace", 1), ("kill", 2)] {
        let phrase = PHRASES.iter().find(|phrase| phrase.not == not);
        assert_eq!(said(&key, phrase.expect("a phrase")).len(), times, "{not}");
    }
}
