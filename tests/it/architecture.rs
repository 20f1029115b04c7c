//! The house stays as `docs/architecture.md` draws it: arrows in one direction, no circle between files, and each file with its question.

mod circles;
mod imports;
mod tokens;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use circles::{circles, told};
use imports::{Graph, Imports};

/// What each module may use of its own crate. `words` is for everyone.
const ARROWS: [(&str, &[&str]); 30] = [
    ("facts", &[]),
    ("gates", &["facts"]),
    ("sources", &["facts"]),
    ("columns", &["facts", "gates"]),
    ("proxy", &["facts", "gates"]),
    ("node_rules", &["facts"]),
    ("controllers", &["facts", "gates"]),
    ("shutdown", &["facts", "gates"]),
    (
        "analysis",
        &[
            "facts",
            "gates",
            "sources",
            "columns",
            "proxy",
            "node_rules",
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
    ("suppress", &["facts", "analysis", "rules"]),
    ("engine", &["facts", "analysis", "rules", "suppress"]),
    (
        "timeline",
        &["facts", "gates", "sources", "proxy", "shutdown", "analysis"],
    ),
    (
        "simulate",
        &[
            "facts",
            "gates",
            "controllers",
            "shutdown",
            "analysis",
            "timeline",
        ],
    ),
    (
        "report",
        &[
            "facts",
            "sources",
            "proxy",
            "node_rules",
            "shutdown",
            "analysis",
            "rules",
            "suppress",
            "timeline",
            "simulate",
        ],
    ),
    ("redact", &["sources", "shutdown", "decode"]),
    ("files", &[]),
    ("client", &["facts", "files"]),
    ("manifest", &["facts", "files"]),
    ("decode", &["facts", "sources", "manifest"]),
    (
        "collect",
        &["facts", "sources", "manifest", "decode", "client"],
    ),
    (
        "recording",
        &[
            "facts", "sources", "timeline", "files", "manifest", "decode", "collect",
        ],
    ),
    (
        "watch",
        &[
            "facts",
            "redact",
            "client",
            "decode",
            "collect",
            "recording",
        ],
    ),
    ("probe", &["timeline", "client", "recording"]),
    ("units", &["files", "manifest"]),
    ("settings", &["files", "manifest"]),
    ("render", &["rules", "report"]),
    ("cli", &["client"]),
    (
        "app",
        &[
            "facts",
            "files",
            "gates",
            "sources",
            "node_rules",
            "controllers",
            "shutdown",
            "analysis",
            "rules",
            "report",
            "suppress",
            "engine",
            "timeline",
            "simulate",
            "recording",
            "watch",
            "probe",
            "redact",
            "client",
            "collect",
            "decode",
            "manifest",
            "units",
            "settings",
            "render",
            "cli",
        ],
    ),
    ("words", &[]),
];

/// Modules without IO, clock or a client's types.
const PURE: [&str; 17] = [
    "facts",
    "gates",
    "columns",
    "sources",
    "proxy",
    "node_rules",
    "controllers",
    "shutdown",
    "analysis",
    "rules",
    "report",
    "suppress",
    "engine",
    "timeline",
    "simulate",
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

/// The files below `src` with their texts, by their paths in it. `main.rs` is another crate, and tests are not the house.
fn sources() -> Vec<(String, String)> {
    let src = root().join("src");
    let files = rust_files(&src).into_iter().map(|file| {
        let text = std::fs::read_to_string(&file).expect("UTF-8");
        let below = file.strip_prefix(&src).expect("a file of src");
        (below.to_str().expect("UTF-8").replace('\\', "/"), text)
    });
    let house = |file: &String| file != "main.rs" && !file.ends_with("tests.rs");
    files.filter(|(file, _)| house(file)).collect()
}

/// The module of the crate that a file is of.
fn top(file: &str) -> &str {
    let (top, _) = file.split_once('/').unwrap_or((file, ""));
    top.trim_end_matches(".rs")
}

/// The circles of a graph, in words.
fn refused(graph: &Graph) -> Vec<String> {
    let files: BTreeSet<String> = graph
        .iter()
        .flat_map(|(file, used)| std::iter::once(file).chain(used.keys()))
        .cloned()
        .collect();
    let all = circles(graph, &files);
    all.iter().map(|circle| told(graph, circle)).collect()
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let circles = refused(&Imports::of(&sources()).graph());
    assert!(circles.is_empty(), "\n{}", circles.join("\n"));
}

#[test]
fn arrows_go_one_way() {
    let graph = Imports::of(&sources()).graph();
    let mut wrong = Vec::new();
    for (file, used) in &graph {
        let allowed = ARROWS.iter().find(|(name, _)| *name == top(file));
        let allowed = allowed.map_or(&[][..], |(_, allowed)| allowed);
        for (other, names) in used {
            let everyones = top(other) == "words";
            let fine = top(other) == top(file) || everyones || allowed.contains(&top(other));
            if !fine && file != "lib.rs" {
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                wrong.push(format!("{file} -> {other} ({})", names.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
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
fn files_say_what_they_answer() {
    let mut files = rust_files(&root().join("src"));
    files.extend(rust_files(&root().join("tests")));
    for file in files {
        let text = std::fs::read_to_string(&file).expect("UTF-8");
        assert!(text.starts_with("//! "), "{}", file.display());
    }
}

/// A crate in which `a/x.rs` and `b.rs` use each other if the third file says so, and which has everything that is no import.
fn made_up(third: &str) -> Graph {
    let files = [
        ("lib.rs", "pub mod a; pub mod b; pub mod c;"),
        (
            "a/mod.rs",
            "//! use crate::b::Nothing;
             mod x; mod y;
             pub use x::{Deep as Shown, made};
             pub use y::*;
             pub struct Own;
             /* use crate::c::Nothing; */
             fn of() -> x::Deep { let _ = \"crate::c::Text\"; let _ = '\\''; x::made() }",
        ),
        (
            "a/x.rs",
            "use super::Own;
             use crate::b::{self, inner::{One, Two as Other}};
             pub struct Deep; pub fn made() -> Deep { b::build::<'static>(Own, One, Other) }",
        ),
        (
            "a/y.rs",
            "use crate::c; pub enum Kind { Left } pub fn all() { c::third() }",
        ),
        ("c.rs", "pub fn third() {}"),
        ("b.rs", third),
    ];
    let files = files.map(|(file, code)| (file.to_owned(), code.to_owned()));
    Imports::of(&files).graph()
}

fn used<'g>(graph: &'g Graph, from: &str, to: &str) -> Vec<&'g str> {
    let names = graph.get(from).and_then(|used| used.get(to));
    names.into_iter().flatten().map(String::as_str).collect()
}

#[test]
fn imports_lead_to_the_file_that_defines_what_they_name() {
    let graph = made_up(
        "use crate::a::Kind;
         pub mod inner { pub struct One; pub struct Two; use super::super::c::third as last; }
         pub fn build() { crate::a::made(); let _ = Kind::Left; }
         #[cfg(test)] mod tests { use crate::c::only_in_tests; }
         #[cfg(not(test))] use crate::a::y::all;",
    );
    assert_eq!(used(&graph, "a/mod.rs", "a/x.rs"), ["Deep", "made"]);
    assert_eq!(used(&graph, "a/mod.rs", "a/y.rs"), ["*"]);
    assert_eq!(used(&graph, "a/x.rs", "a/mod.rs"), ["Own"]);
    assert_eq!(used(&graph, "a/x.rs", "b.rs"), ["One", "Two", "build"]);
    assert_eq!(used(&graph, "a/y.rs", "c.rs"), ["third"]);
    // Through what a/mod.rs passes on, and from an inner module.
    assert_eq!(used(&graph, "b.rs", "a/x.rs"), ["made"]);
    assert_eq!(used(&graph, "b.rs", "a/y.rs"), ["Kind", "all"]);
    assert_eq!(used(&graph, "b.rs", "a/mod.rs"), [""; 0]);
    assert_eq!(used(&graph, "b.rs", "c.rs"), ["third"]);
    // No comment, no text, and no name that is the file's own.
    assert_eq!(used(&graph, "a/mod.rs", "b.rs"), [""; 0]);
    assert_eq!(used(&graph, "a/mod.rs", "c.rs"), [""; 0]);
}

#[test]
fn a_circle_is_found_and_named_and_a_module_with_its_children_is_none() {
    let none = "pub mod inner { pub struct One; pub struct Two; } pub fn build() {}";
    assert_eq!(refused(&made_up(none)), [""; 0]);
    let closed = format!("{none} pub fn back() {{ crate::a::made() }}");
    let graph = made_up(&closed);
    let circles = refused(&graph);
    assert_eq!(circles.len(), 1, "{circles:?}");
    for part in ["a/x.rs -> b.rs (One, Two, build)", "b.rs -> a/x.rs (made)"] {
        assert!(circles[0].contains(part), "{}", circles[0]);
    }
    // An exception is for its files alone.
    // Through the module above: b.rs uses what a/mod.rs defines, which uses its child, which uses b.rs.
    let through = format!("{none} pub fn back() -> crate::a::Own {{}}");
    let circles = refused(&made_up(&through));
    assert_eq!(circles.len(), 1);
    for part in ["b.rs -> a/mod.rs (Own)", "a/mod.rs -> a/x.rs (Deep, made)"] {
        assert!(circles[0].contains(part), "{}", circles[0]);
    }
    // Two children of one module.
    let siblings = [
        ("lib.rs", "mod a;"),
        (
            "a/mod.rs",
            "mod x; mod y; pub struct Own; fn of() { x::one(); y::two(); }",
        ),
        ("a/x.rs", "use super::{Own, y}; pub fn one() { y::two() }"),
        ("a/y.rs", "use super::Own; pub fn two() { super::x::one() }"),
    ];
    let siblings = siblings.map(|(file, code)| (file.to_owned(), code.to_owned()));
    let circles = refused(&Imports::of(&siblings).graph());
    assert_eq!(circles.len(), 1);
    assert!(
        circles[0].starts_with("2 files use each other: a/x.rs, a/y.rs\n"),
        "{}",
        circles[0]
    );
}
