//! What must hold of every way to suppress.

use chrono::NaiveDate;

use super::*;
use crate::facts::ObjectName;
use crate::rules::{Severity, find};

fn object(kind: &str, name: &str) -> ObjectRef {
    ObjectRef::new("apps/v1", kind, ObjectName::new("shop", name))
}

fn place(line: usize, column: usize) -> Location {
    Location {
        file: "web.yaml".to_owned(),
        line,
        column,
        end_line: line,
        end_column: column + 1,
    }
}

fn finding(rule: &str, name: &str, line: usize) -> Finding {
    Finding {
        severity: Severity::Warning,
        message: "It is so.".to_owned(),
        location: Some(place(line, 5)),
        ..find(rule)
            .expect("a rule")
            .about(object("Deployment", name))
    }
}

fn text(range: Range<Place>) -> Scope {
    Scope::Text {
        file: "web.yaml".to_owned(),
        ranges: vec![range],
        object: None,
    }
}

fn origin() -> Origin {
    Origin::in_file(place(1, 1))
}

/// Rules and reasons that are suppressed, and the flaws' severities and messages.
type Outcome = (Vec<(String, String)>, Vec<(Severity, String)>);

fn outcome((suppressions, flaws): (Vec<Suppression>, Vec<Flaw>)) -> Outcome {
    let one = |each: Suppression| (each.rule.to_string(), each.reason);
    let flaw = |flaw: &Flaw| {
        let finding = flaw.finding();
        assert_eq!(
            (finding.rule.id, finding.rule.slug),
            ("DC903", "unknown-suppression")
        );
        (finding.severity, finding.message)
    };
    let flaws = flaws.iter().map(flaw).collect();
    (suppressions.into_iter().map(one).collect(), flaws)
}

fn comment(words: &str) -> Outcome {
    outcome(comments::read(words, &text((2, 1)..(9, 1)), &origin()))
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    let pair = |(one, other): &(&str, &str)| ((*one).to_owned(), (*other).to_owned());
    list.iter().map(pair).collect()
}

#[test]
fn a_comment_names_rules_and_a_reason() {
    let (suppressed, flaws) =
        comment("drain-check: ignore[DC201, grace-zero] waits itself: see #12");
    let reason = "waits itself: see #12";
    assert_eq!(suppressed, pairs(&[("DC201", reason), ("DC208", reason)]));
    assert_eq!(flaws, []);
}

#[test]
fn a_comment_that_is_wrong_has_no_effect_and_says_so() {
    for (words, message) in [
        ("drain-check: ignore[DC201]", "DC201 does not say why"),
        ("drain-check: ignore[DC999] x", "no rule \"DC999\""),
        ("drain-check: ignore[] x", "no rule \"\""),
        ("drain-check: ignore DC201 x", "malformed"),
        ("drain-check: ignore[DC201 x", "malformed"),
        ("drain-check: ingore[DC201] x", "malformed"),
        ("drain-check: ignore[DC903] x", "names DC903"),
    ] {
        let (suppressed, flaws) = comment(words);
        assert_eq!(suppressed, [], "{words}");
        assert_eq!(flaws.len(), 1, "{words}");
        assert!(
            flaws[0].0 == Severity::Warning && flaws[0].1.contains(message),
            "{flaws:?}"
        );
    }
    // One wrong name takes nothing from the others.
    let (suppressed, flaws) = comment("drain-check: ignore[DC201,DC999] x");
    assert_eq!((suppressed, flaws.len()), (pairs(&[("DC201", "x")]), 1));
}

#[test]
fn a_comment_that_only_mentions_this_tool_is_none_of_its_business() {
    for words in [
        "drain-check: runs in the pipeline",
        "see drain-check: ignore[DC201] x",
        "drain-check:",
    ] {
        assert_eq!(comment(words), (Vec::new(), Vec::new()), "{words}");
    }
}

#[test]
fn a_comment_above_nothing_is_reported() {
    let scope = Scope::Text {
        file: "web.yaml".to_owned(),
        ranges: Vec::new(),
        object: None,
    };
    let (suppressed, flaws) = outcome(comments::read(
        "drain-check: ignore[DC201] x",
        &scope,
        &origin(),
    ));
    assert_eq!(suppressed, []);
    assert!(flaws[0].1.contains("nothing below"), "{flaws:?}");
}

#[test]
fn an_annotation_holds_several_with_a_reason_each() {
    let read = |text: &str| outcome(annotations::read(text, &origin()));
    let (suppressed, flaws) =
        read("DC201: waits: itself; DC212, DC211: no probe\ngrace-zero: a test;");
    assert_eq!(
        suppressed,
        pairs(&[
            ("DC201", "waits: itself"),
            ("DC212", "no probe"),
            ("DC211", "no probe"),
            ("DC208", "a test"),
        ])
    );
    assert_eq!(flaws, []);
    let (suppressed, flaws) = read("DC201: waits; see there; DC212; DC999: x");
    assert_eq!(suppressed, pairs(&[("DC201", "waits")]));
    let messages: Vec<_> = flaws.iter().map(|(_, message)| message.as_str()).collect();
    assert!(
        messages[0].contains("malformed")
            && messages[1].contains("why")
            && messages[2].contains("DC999"),
        "{messages:?}"
    );
}

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day")
}

fn entry() -> config::Entry {
    config::Entry {
        rule: "DC201".to_owned(),
        reason: "by design".to_owned(),
        ..config::Entry::default()
    }
}

#[test]
fn an_entry_counts_through_its_last_day() {
    let entry = config::Entry {
        until: Some(day("2027-01-31")),
        owner: Some("team-shop".to_owned()),
        ..entry()
    };
    let on = |today: &str| outcome(config::read(&entry, day(today), &origin()));
    assert_eq!(
        on("2027-01-31"),
        (pairs(&[("DC201", "by design (team-shop)")]), Vec::new())
    );
    let (suppressed, flaws) = on("2027-02-01");
    assert_eq!(suppressed, []);
    assert_eq!(flaws[0].0, Severity::Warning);
    assert!(flaws[0].1.contains("2027-01-31"), "{flaws:?}");
}

fn holds(paths: &[&str], objects: &[&str], file: &str, about: &ObjectRef) -> bool {
    let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    let scope = Scope::Globs {
        paths: own(paths),
        objects: own(objects),
    };
    let known = Paths::from([("web.yaml".to_owned(), file.to_owned())]);
    scope.holds(about, Some(&place(3, 1)), &known)
}

#[test]
fn globs_name_files_and_objects() {
    let web = object("Deployment", "web");
    for (paths, objects, expected) in [
        (&[][..], &[][..], true),
        (&["legacy/**"], &[], true),
        (&["legacy/*"], &[], false),
        (&["**/*.yaml"], &[], true),
        (&["*.yaml"], &[], false),
        (&["leg*"], &[], false),
        (&["**"], &[], true),
        (&["legacy/**/web.yaml"], &[], true),
        (&["other/**", "legacy/a/web.yaml"], &[], true),
        (&[], &["Deployment/web"], true),
        (&[], &["Deployment/shop/web"], true),
        (&[], &["Deployment/shop/*"], true),
        (&[], &["*/other/web"], false),
        (&[], &["StatefulSet/*", "Deployment/w*"], true),
        (&[], &["StatefulSet/web"], false),
        (&["legacy/**"], &["StatefulSet/web"], false),
    ] {
        let held = holds(paths, objects, "legacy/a/web.yaml", &web);
        assert_eq!(held, expected, "{paths:?} {objects:?}");
    }
    // What is in no file below the folder is in none of the paths.
    let scope = Scope::Globs {
        paths: vec!["**".to_owned()],
        objects: Vec::new(),
    };
    assert!(!scope.holds(&web, None, &Paths::new()));
}

#[test]
fn a_glob_that_is_none_is_refused() {
    for (paths, objects) in [
        (vec!["[a"], vec![]),
        (vec![], vec!["web"]),
        (vec![], vec!["a/b/c/d"]),
    ] {
        let own = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
        let entry = config::Entry {
            paths: own(paths),
            objects: own(objects),
            ..entry()
        };
        assert!(config::wrong_glob(&entry).is_some(), "{entry:?}");
    }
    assert_eq!(config::wrong_glob(&entry()), None);
}

#[test]
fn a_text_scope_is_about_what_begins_in_it() {
    let scope = text((4, 5)..(6, 9));
    let web = object("Deployment", "web");
    for (line, column, expected) in [(4, 4, false), (4, 5, true), (6, 8, true), (6, 9, false)] {
        let held = scope.holds(&web, Some(&place(line, column)), &Paths::new());
        assert_eq!(held, expected, "{line}:{column}");
    }
    let other = Location {
        file: "other.yaml".to_owned(),
        ..place(5, 1)
    };
    assert!(!scope.holds(&web, Some(&other), &Paths::new()));
    assert!(!scope.holds(&web, None, &Paths::new()));
}

#[test]
fn what_is_nearest_to_the_finding_is_named_and_the_others_are_not_unused() {
    let (web, rule) = (object("Deployment", "web"), "DC201");
    let make = |by, scope| Suppression {
        by,
        rule: rule.parse().expect("a rule"),
        reason: format!("{by:?}"),
        scope,
        origin: origin(),
    };
    let mut filter = Filter {
        suppressions: vec![
            make(
                Suppressor::Config,
                Scope::Globs {
                    paths: Vec::new(),
                    objects: vec!["Deployment/web".to_owned()],
                },
            ),
            make(Suppressor::Comment, text((2, 1)..(9, 1))),
            make(Suppressor::Annotation, Scope::Object(web.clone())),
        ],
        ..Filter::default()
    };
    filter.tested = Some(Tested {
        judged: vec![Judged {
            object: web,
            location: Some(place(3, 1)),
        }],
        read: Vec::new(),
    });
    let decided = filter.apply(vec![finding(rule, "web", 3)]);
    assert_eq!(decided.findings, []);
    assert_eq!(decided.suppressed[0].by, Suppressor::Comment);
    assert_eq!(decided.suppressed[0].reason.as_deref(), Some("Comment"));
}

#[test]
fn a_suppression_is_unused_only_where_it_was_put_to_the_test() {
    let unused = |rule: &str, judged: &str, select: &str| {
        let web = object("Deployment", "web");
        let request = choice::RuleRequest {
            select: vec![select.parse().expect("a rule")],
            ..choice::RuleRequest::default()
        };
        let filter = Filter {
            choice: Choice::new(request, choice::RuleRequest::default()).expect("a choice"),
            suppressions: vec![Suppression {
                by: Suppressor::Annotation,
                rule: rule.parse().expect("a rule"),
                reason: "x".to_owned(),
                scope: Scope::Object(web),
                origin: origin(),
            }],
            tested: Some(Tested {
                judged: vec![Judged {
                    object: object("Deployment", judged),
                    location: None,
                }],
                read: Vec::new(),
            }),
            ..Filter::default()
        };
        let decided = filter.apply(vec![finding("DC212", "web", 3)]);
        let unused = decided
            .findings
            .iter()
            .filter(|finding| finding.rule.id == "DC903");
        unused.map(|finding| finding.severity).collect::<Vec<_>>()
    };
    assert_eq!(unused("DC201", "web", "DC2"), [Severity::Info]);
    assert_eq!(unused("DC212", "web", "DC2"), [], "it suppresses something");
    assert_eq!(
        unused("DC201", "other", "DC2"),
        [],
        "its object was not judged"
    );
    assert_eq!(unused("DC201", "web", "DC212"), [], "its rule did not run");
    assert_eq!(
        unused("DC213", "web", "DC2"),
        [],
        "manifests do not show it"
    );
    assert_eq!(unused("DC2", "web", "DC1"), [], "none of its rules ran");
}

#[test]
fn of_what_names_more_rules_than_there_are_the_first_count_and_the_rest_is_one_flaw() {
    let origin = origin();
    let many = "DC201,".repeat(100_000);
    let scope = Scope::Object(origin.object.clone());
    let comment = comments::read(&format!("drain-check: ignore[{many}] a"), &scope, &origin);
    let annotation = annotations::read(&"DC201: a; ".repeat(100_000), &origin);
    for (suppressions, flaws) in [comment, annotation] {
        assert_eq!(suppressions.len(), MOST_NAMES);
        assert_eq!(flaws.len(), 1);
        assert_eq!(flaws[0].kind, flaw::Kind::TooMany);
    }
}
