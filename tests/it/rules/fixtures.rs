//! Does each rule fire on every bad fixture of its own and on no good one? `tests/fixtures/rules/DCnnn/bad-*.yaml`, `good-*.yaml`;
//! the first line of a file says what it shows.

use std::path::{Path, PathBuf};

use drain_check::rules::{self, Severity};

use crate::rules::{Found, found, said_of};

/// A file that a rule must judge, or must not.
struct Fixture {
    rule: String,
    name: String,
    text: String,
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    entries
}

fn name(path: &Path) -> String {
    let name = path.file_name().expect("a name");
    name.to_string_lossy().into_owned()
}

fn fixtures() -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rules");
    let mut fixtures = Vec::new();
    for folder in entries(&root) {
        for file in entries(&folder) {
            fixtures.push(Fixture {
                rule: name(&folder),
                name: name(&file),
                text: std::fs::read_to_string(&file).expect("UTF-8"),
            });
        }
    }
    fixtures
}

fn findings(rule: &str, text: &str) -> Found {
    said_of(rules::find(rule).expect("a rule"), text)
}

#[test]
fn every_fixture_is_named_for_what_it_is_and_says_what_it_shows() {
    for fixture in fixtures() {
        let Fixture { rule, name, text } = fixture;
        assert!(rules::find(&rule).is_some(), "{rule}");
        let kind = name.starts_with("bad-") || name.starts_with("good-");
        let yaml = name.strip_suffix(".yaml").is_some();
        assert!(kind && yaml, "{rule}/{name}");
        let first = text.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("# ") && first.ends_with('.'),
            "{rule}/{name}"
        );
    }
}

#[test]
fn every_bad_fixture_raises_its_rule_and_no_good_one_does() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let Fixture { rule, name, text } = fixture;
        let said = findings(&rule, &text);
        let raised = found(&rule, &said).is_some();
        if raised != name.starts_with("bad-") {
            wrong.push(format!("{rule}/{name} {said:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `(warning)` in the first line says how bad it is; without it a bad fixture may be as bad as it likes.
#[test]
fn a_fixture_that_says_how_bad_it_is_is_right() {
    for fixture in fixtures() {
        let Fixture { rule, name, text } = fixture;
        let first = text.lines().next().unwrap_or_default();
        let levels = [Severity::Info, Severity::Warning, Severity::Error];
        for level in levels {
            if first.contains(&format!("({})", level.name())) {
                let said = findings(&rule, &text);
                assert_eq!(found(&rule, &said), Some(level), "{rule}/{name} {said:#?}");
            }
        }
    }
}

#[test]
fn every_rule_has_two_bad_and_two_good_fixtures() {
    let fixtures = fixtures();
    for rule in rules::ALL {
        for kind in ["bad-", "good-"] {
            let of = |each: &&Fixture| each.rule == rule.id && each.name.starts_with(kind);
            let number = fixtures.iter().filter(of).count();
            assert!(number >= 2, "{} has {number} {kind} fixtures", rule.id);
        }
    }
}
