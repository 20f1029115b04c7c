//! Does the tree hold what kubectl would read, and refuse what would mislead?

use std::fmt::Write as _;

use super::*;
use crate::manifest::ProblemKind;
use crate::manifest::json::from_tree;
use serde_json::{Value, json};

fn read_all(text: &str) -> Vec<Result<Value, Problem>> {
    let places = Places::new(text);
    let documents = read("a.yaml", &places);
    documents
        .into_iter()
        .map(|document| document.map(|root| from_tree(&root)))
        .collect()
}

fn one(text: &str) -> Value {
    let mut all = read_all(text);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).unwrap()
}

fn problem(text: &str) -> Problem {
    read_all(text).remove(0).unwrap_err()
}

#[test]
fn scalars_mean_what_they_mean_to_kubectl() {
    let text = "a: NO\nb: 0644\nc: 1_000\nd: 'yes'\ne: ~\nf:\n";
    let want = json!({"a": false, "b": 420, "c": 1000, "d": "yes", "e": null, "f": null});
    assert_eq!(one(text), want);
}

/// As `kubectl create --dry-run=client -o json` reads it.
#[test]
fn of_a_key_that_occurs_twice_the_last_counts_and_it_is_told_of() {
    let mut all = read_all("a:\n  x: 1\n  z: 3\n  x: 2\n---\nb: 1\n");
    assert_eq!(all.len(), 3, "{all:?}");
    assert_eq!(all.remove(0), Ok(json!({"a": {"x": 2, "z": 3}})));
    let problem = all.remove(0).unwrap_err();
    assert_eq!(problem.kind, ProblemKind::RepeatedKey);
    assert_eq!((problem.line, problem.column), (Some(4), Some(3)));
    assert_eq!(
        problem.message,
        "the key `x` occurs twice in this mapping: kubectl uses the last"
    );
    assert_eq!(all, [Ok(json!({"b": 1}))]);
}

#[test]
fn a_key_that_occurs_twice_with_the_same_value_loses_nothing() {
    let mut all = read_all("a:\n  command: [run, it]\n  command: [run, it]\n");
    assert_eq!(all.remove(0), Ok(json!({"a": {"command": ["run", "it"]}})));
    let problem = all.remove(0).unwrap_err();
    assert_eq!(problem.kind, ProblemKind::RepeatedAlike);
    assert_eq!((problem.line, problem.column), (Some(3), Some(3)));
}

#[test]
fn keys_that_differ_only_in_spelling_are_the_same_key() {
    let all = read_all("16: a\n0x10: b\n");
    assert_eq!(all[0], Ok(json!({"16": "b"})));
    assert!(all[1].as_ref().unwrap_err().message.contains("twice"));
}

#[test]
fn of_very_many_keys_that_occur_twice_the_first_are_told_and_of_a_broken_document_none() {
    let many = read_all(&"a: 1\n".repeat(10_000));
    assert_eq!(many.len(), 1 + MOST_REPEATED);
    let broken = read_all("a: 1\na: 1\nb: [\n");
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert_eq!(
        broken[0].as_ref().unwrap_err().kind,
        ProblemKind::Unreadable
    );
}

#[test]
fn merge_keys_are_merged_and_own_keys_win() {
    let text = "base: &b {x: 1, z: 2}\nuse:\n  <<: *b\n  z: 3\n";
    assert_eq!(one(text)["use"], json!({"x": 1, "z": 3}));
}

#[test]
fn the_first_of_several_merged_mappings_wins() {
    let text = "a: &a {x: 1}\nb: &b {x: 2, z: 2}\nc:\n  <<: [*a, *b]\n";
    assert_eq!(one(text)["c"], json!({"x": 1, "z": 2}));
}

#[test]
fn a_merge_after_an_own_key_overrides_it_as_in_kubectl() {
    let text = "a: &a {x: 1}\nb:\n  x: 2\n  <<: *a\n";
    assert_eq!(one(text)["b"], json!({"x": 1}));
}

#[test]
fn merging_a_scalar_is_refused() {
    assert!(problem("<<: 1\n").message.contains("`<<`"));
    assert_eq!(one("'<<': 1\n"), json!({"<<": 1}));
}

#[test]
fn a_large_anchor_repeated_often_is_refused_fast() {
    let started = std::time::Instant::now();
    let big = "x".repeat(40_000);
    let text = format!("a: &a {big}\nb: [{}]\n", "*a,".repeat(2000));
    assert!(text.len() < 47_000);
    assert!(problem(&text).message.contains("4 MiB"));
    assert!(started.elapsed().as_secs() < 2);
}

#[test]
fn aliases_of_aliases_are_refused_fast() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let below = format!("*a{},", level - 1).repeat(9);
        writeln!(text, "a{level}: &a{level} [{below}]").unwrap();
    }
    assert!(problem(&text).message.contains("4 MiB"));
}

#[test]
fn a_chain_of_aliases_counts_as_depth() {
    let mut text = "a0: &a0 [x]\n".to_owned();
    for level in 1..1000 {
        writeln!(text, "a{level}: &a{level} [*a{}]", level - 1).unwrap();
    }
    assert!(problem(&text).message.contains("deep"));
}

#[test]
fn an_alias_inside_its_own_anchor_is_refused() {
    assert!(problem("a: &a [*a]\n").message.contains("inside"));
}

#[test]
fn an_unknown_alias_is_refused_with_its_place() {
    let problem = problem("a: 1\nb: *c\n");
    assert_eq!(problem.line, Some(2));
}

#[test]
fn anchors_do_not_reach_the_next_document() {
    let all = read_all("a: &a 1\n---\nb: *a\n");
    assert!(all[0].is_ok() && all[1].is_err());
}

#[test]
fn brackets_without_end_are_refused() {
    assert!(problem(&"[".repeat(20_000)).line.is_some());
    assert!(problem(&"- ".repeat(20_000)).line.is_some());
}

#[test]
fn a_broken_document_does_not_take_the_next_one_with_it() {
    for broken in [
        "b: [1, 2",
        "b: \"open",
        "b: 'open",
        "b:\n\tc: 1",
        "b: {x",
        "b: 1\nb: 2\n\tc: 3",
    ] {
        let all = read_all(&format!("a: 1\n---\n{broken}\n---\nc: 3\n"));
        assert_eq!(all.len(), 3, "{broken}: {all:?}");
        assert_eq!(all[0], Ok(json!({"a": 1})));
        assert!(all[1].as_ref().unwrap_err().line >= Some(3), "{broken}");
        assert_eq!(all[2], Ok(json!({"c": 3})), "{broken}");
    }
}

#[test]
fn markers_may_carry_content_comments_and_directives() {
    let text = "%YAML 1.1\n---\na: 1\n--- # two\nb: 2\n--- {c: 3}\n--- |\n  text\n";
    let all: Vec<Value> = read_all(text).into_iter().map(Result::unwrap).collect();
    let want = json!([{"a": 1}, {"b": 2}, {"c": 3}, "text\n"]);
    assert_eq!(Value::from(all), want);
}

#[test]
fn dashes_inside_a_value_do_not_end_the_document() {
    assert_eq!(one("a: |\n  ---\n  b\n"), json!({"a": "---\nb\n"}));
    assert_eq!(one("a: ---b\n"), json!({"a": "---b"}));
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_are_read() {
    let all = read_all("\u{feff}a: 1\r\n---\r\nb: 2\r\n");
    assert_eq!(all, [Ok(json!({"a": 1})), Ok(json!({"b": 2}))]);
}

#[test]
fn a_text_of_comments_holds_no_document() {
    assert!(read_all("# nothing\n\n").is_empty());
    assert!(read_all("").is_empty());
}

#[test]
fn spans_cover_exactly_the_text_of_a_value() {
    let text = "x: 1\n---\nä: b\nspec:\n  ports:\n  - port: 80\n  # end\n\nlast: {a: [1, 2]}\n";
    let places = Places::new(text);
    let documents = read("a.yaml", &places);
    let root = documents[1].as_ref().unwrap();
    let spec = root.get("spec").unwrap();
    assert_eq!(&text[spec.span.clone()], "ports:\n  - port: 80");
    let ports = spec.get("ports").unwrap();
    assert_eq!(&text[ports.items().unwrap()[0].span.clone()], "port: 80");
    assert_eq!(&text[root.get("last").unwrap().span.clone()], "{a: [1, 2]}");
    assert_eq!(places.at(spec.span.start), (5, 3));
}

#[test]
fn a_template_is_told_to_be_rendered() {
    let problem = problem("metadata:\n  name: {{ .Values.name }}\n");
    assert!(problem.help.contains("helm template"), "{problem:?}");
}

#[test]
fn common_mistakes_come_with_their_cure() {
    for (text, cure) in [
        ("a: [1\n", "close the bracket"),
        ("a: \"x\n", "close the quote"),
        ("a: b: c\n", "quote the value"),
        ("a: @b\n", "quote the value"),
        ("a: *b\n", "define the anchor"),
        ("a:\n  b: 1\n c: 2\n", "same column"),
        ("a:\n\tb: 1\n", "spaces"),
    ] {
        let problem = problem(text);
        assert!(problem.help.contains(cure), "{text}: {problem:?}");
    }
}

#[test]
fn a_collection_as_a_key_is_refused() {
    assert!(problem("{a: 1}: b\n").message.contains("key"));
    assert!(problem("~: b\n").message.contains("key"));
}

#[test]
fn tags_of_strangers_make_strings() {
    assert_eq!(one("a: !mine 5\nb: !!str 5\n"), json!({"a": "5", "b": "5"}));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "[-a\u{e4}: \n\t\\[\\]{}&*<|>'\"#!%,?~.0\r\u{feff}]{0,80}") {
        let _ = read_all(&text);
        let _ = crate::manifest::load_text("a.yaml", &text);
        let _ = crate::manifest::load_text("a.json", &format!("{{{text}"));
    }

    #[test]
    fn yaml_that_is_json_means_the_same(words in proptest::collection::vec("[a-z0-9 .:#'-]{0,12}", 0..8)) {
        let value = json!({"words": words, "n": words.len(), "none": null, "deep": [{"x": words}]});
        let pretty = serde_json::to_string_pretty(&value).expect("JSON can be written");
        proptest::prop_assert_eq!(one(&pretty), value);
    }
}
