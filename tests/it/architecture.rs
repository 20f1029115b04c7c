//! The house stays as `docs/architecture.md` draws it: arrows in one direction, small files, each with its question.

use std::path::{Path, PathBuf};

/// A file that takes longer to read holds more than one thing.
const LONGEST: usize = 400;

/// What each module may use of its own crate. `words` is for everyone.
const ARROWS: [(&str, &[&str]); 21] = [
    ("facts", &[]),
    ("gates", &["facts"]),
    ("sources", &["facts"]),
    ("columns", &["facts", "gates"]),
    ("proxy", &["facts", "gates"]),
    ("controllers", &["facts", "gates"]),
    ("shutdown", &["facts", "gates"]),
    (
        "analysis",
        &[
            "facts",
            "gates",
            "sources",
            "proxy",
            "controllers",
            "shutdown",
        ],
    ),
    (
        "rules",
        &[
            "facts",
            "gates",
            "sources",
            "proxy",
            "controllers",
            "shutdown",
            "analysis",
        ],
    ),
    (
        "report",
        &[
            "facts", "gates", "sources", "proxy", "columns", "shutdown", "analysis", "rules",
        ],
    ),
    ("suppress", &["rules", "report"]),
    ("redact", &["sources", "shutdown", "decode"]),
    ("manifest", &["facts"]),
    ("decode", &["facts", "sources", "manifest"]),
    ("client", &["facts"]),
    (
        "collect",
        &["facts", "sources", "manifest", "decode", "client"],
    ),
    ("settings", &["manifest"]),
    ("render", &["facts", "proxy", "analysis", "rules", "report"]),
    ("cli", &["client"]),
    (
        "app",
        &[
            "facts",
            "gates",
            "sources",
            "controllers",
            "analysis",
            "rules",
            "report",
            "suppress",
            "redact",
            "client",
            "collect",
            "decode",
            "manifest",
            "settings",
            "render",
            "cli",
        ],
    ),
    ("words", &[]),
];

/// Modules without IO, clock or a client's types.
const PURE: [&str; 13] = [
    "facts",
    "gates",
    "columns",
    "sources",
    "proxy",
    "controllers",
    "shutdown",
    "analysis",
    "rules",
    "report",
    "suppress",
    "redact",
    "words",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The files of a module, with their text up to their unit tests.
fn module(name: &str) -> Vec<(PathBuf, String)> {
    let src = root().join("src");
    let mut files = vec![src.join(format!("{name}.rs"))];
    files.retain(|file| file.exists());
    if src.join(name).is_dir() {
        files.extend(rust_files(&src.join(name)));
    }
    assert!(!files.is_empty(), "{name}");
    files
        .into_iter()
        .map(|file| {
            let text = std::fs::read_to_string(&file).expect("UTF-8");
            let code = text
                .split("#[cfg(test)]\nmod tests")
                .next()
                .unwrap_or_default();
            (file, code.to_owned())
        })
        .collect()
}

/// The modules of the crate that a text uses, by `crate::NAME` and `super::` from a module's top.
fn uses(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| {
            rest.split(|sign: char| !sign.is_alphanumeric() && sign != '_')
                .next()
                .unwrap_or_default()
        })
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn arrows_go_one_way() {
    for (name, allowed) in ARROWS {
        for (file, text) in module(name) {
            for used in uses(&text) {
                let everyones = used == "words";
                let fine = used == name || everyones || allowed.contains(&used);
                assert!(fine, "{} uses {used}", file.display());
            }
        }
    }
}

#[test]
fn every_module_is_drawn() {
    let lib = std::fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs");
    let page = std::fs::read_to_string(root().join("docs/architecture.md")).expect("the page");
    let modules: Vec<_> = lib
        .lines()
        .filter_map(|line| {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            line.strip_prefix("mod ")?.strip_suffix(';')
        })
        .collect();
    assert_eq!(modules.len(), ARROWS.len());
    for name in modules {
        assert!(ARROWS.iter().any(|(known, _)| *known == name), "{name}");
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
    }
}

#[test]
fn pure_modules_deny_io_and_know_no_client() {
    for name in PURE {
        let files = module(name);
        let top = &files[0].1;
        let entry = files
            .iter()
            .find(|(file, _)| file.ends_with("mod.rs"))
            .map_or(top, |(_, text)| text);
        assert!(
            entry.contains("#![deny(clippy::disallowed_methods)]"),
            "{name}"
        );
        for (file, text) in &files {
            for word in ["kube::", "k8s_openapi::", "tokio::", "Utc::now", "std::io"] {
                let io = word == "std::io" && name == "words";
                assert!(!text.contains(word) || io, "{}: {word}", file.display());
            }
        }
    }
}

#[test]
fn only_gates_compare_versions() {
    for (name, _) in ARROWS {
        if ["gates", "facts"].contains(&name) {
            continue;
        }
        for (file, text) in module(name) {
            for word in [".minor >", ".minor <", "at_least(", "::exact("] {
                assert!(!text.contains(word), "{}: {word}", file.display());
            }
        }
    }
}

#[test]
fn files_are_short_and_say_what_they_answer() {
    let mut files = rust_files(&root().join("src"));
    files.extend(rust_files(&root().join("tests")));
    for file in files {
        let text = std::fs::read_to_string(&file).expect("UTF-8");
        assert!(text.starts_with("//! "), "{}", file.display());
        // One row for each gate: data, which nobody reads from top to bottom.
        if !file.ends_with("gates/table.rs") {
            let lines = text.lines().count();
            assert!(lines <= LONGEST, "{}: {lines} lines", file.display());
        }
    }
}
