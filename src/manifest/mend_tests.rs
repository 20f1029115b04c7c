//! Is everything read that kubectl takes, and found where it stands? What kubectl makes of each text was asked of
//! `kubectl label --local -f FILE a=b -o json` (v1.32); it refuses what is refused here.

use serde_json::{Value, json};

use super::super::json::from_tree;
use super::super::node::{Kind, Node};
use super::super::place::Places;
use super::super::tree;

fn read(text: &str) -> Result<Value, String> {
    let mut values = Vec::new();
    for document in tree::read("a.yaml", &Places::new(text)) {
        let root = document.map_err(|problem| problem.message)?;
        values.push(from_tree(&root));
    }
    Ok(values.pop().unwrap_or_default())
}

fn spans(node: &Node, text: &str, all: &mut Vec<String>) {
    match &node.kind {
        Kind::Scalar(_) => all.push(text[node.span.clone()].to_owned()),
        Kind::Sequence(items) => items.iter().for_each(|item| spans(item, text, all)),
        Kind::Mapping(entries) => {
            for entry in entries {
                all.push(text[entry.key_span.clone()].to_owned());
                spans(&entry.value, text, all);
            }
        }
    }
}

#[test]
fn a_block_may_begin_in_the_column_of_its_key() {
    for (text, want) in [
        (
            "d:\n  a:\n  |\n    one\n    two\n  b: x\n",
            json!({"d": {"a": "one\ntwo\n", "b": "x"}}),
        ),
        (
            "d:\n  a:\n  >-\n    one\n    two\n",
            json!({"d": {"a": "one two"}}),
        ),
        (
            "d:\n  a: # why\n\n  # and why\n  |+ # so\n   one\n\n  b: x\n",
            json!({"d": {"a": "one\n\n", "b": "x"}}),
        ),
        ("d:\n  a:\n  |2\n    one\n", json!({"d": {"a": "one\n"}})),
        ("d:\n  a:\n  |\n  b: x\n", json!({"d": {"a": "", "b": "x"}})),
        ("x:\n|\n  one\n", json!({"x": "one\n"})),
        ("x:\n  |\n  one\n", json!({"x": "one\n"})),
        (
            "l:\n- m:\n  |\n    one\n- |\n  two\n",
            json!({"l": [{"m": "one\n"}, "two\n"]}),
        ),
        ("l:\n-\n|\n  one\n", json!({"l": ["one\n"]})),
        ("l:\n  -\n  |\n    one\n", json!({"l": ["one\n"]})),
    ] {
        assert_eq!(read(text), Ok(want), "{text}");
    }
    for refused in [
        "d:\n  a:\n |\n    one\n",
        "d:\n  a:\n  |\n  one\n",
        "d:\n  a: x\n  |\n    one\n",
        "d:\n  a: x # why\n  |\n    one\n",
        "d:\n  a:\n  !!str |\n    one\n",
        "d:\n  a:\n  b\n",
        "d:\n  a: b-\n  |\n    one\n",
        "l:\n- b -\n|\n  one\n",
    ] {
        assert!(read(refused).is_err(), "{refused}");
    }
}

#[test]
fn a_quoted_scalar_may_go_on_in_any_column() {
    for (text, want) in [
        ("d:\n  a: \"one\n two\"\n", json!({"d": {"a": "one two"}})),
        (
            "d:\n  a: \"one\ntwo\"\n  b: x\n",
            json!({"d": {"a": "one two", "b": "x"}}),
        ),
        ("d:\n  a: \"one\n\"\n", json!({"d": {"a": "one "}})),
        (
            "d:\n  a: 'one\n\ntwo''s\n'\n  b: x\n",
            json!({"d": {"a": "one\ntwo's ", "b": "x"}}),
        ),
        ("d:\n  a: \"one\n\ttwo\"\n", json!({"d": {"a": "one two"}})),
        ("x: \"one\n\ttwo\"\n", json!({"x": "one two"})),
        ("d:\n  a: 'one\n\ttwo'\n", json!({"d": {"a": "one two"}})),
        (
            "d:\n  a: \"one\n# two\"\n",
            json!({"d": {"a": "one # two"}}),
        ),
        (
            "d:\n  a: \"one\nb: two\"\n",
            json!({"d": {"a": "one b: two"}}),
        ),
        (
            "x:\n- \"one\ntwo\"\n- \"b\n \"\n",
            json!({"x": ["one two", "b "]}),
        ),
        (
            "d:\n  'it''s': \"one  \r\n\r\n\r\ntwo\"\r\n",
            json!({"d": {"it's": "one\n\ntwo"}}),
        ),
        (
            "d:\n  a: # it's\n    \"one\\\n  two\\t\n\\\"x\"\n",
            json!({"d": {"a": "onetwo\t \"x"}}),
        ),
        (
            "d:\n  a: 'say \"\\n\"\n\nx'\n",
            json!({"d": {"a": "say \"\\n\"\nx"}}),
        ),
        ("d:\n  a: \"\\'\"\n", json!({"d": {"a": "'"}})),
    ] {
        assert_eq!(read(text), Ok(want), "{text:?}");
    }
}

#[test]
fn tabs_may_stand_inside_of_brackets_and_not_in_blocks() {
    for (text, want) in [
        (
            "x: {\n\ta: b,\n\tc: d\n}\n",
            json!({"x": {"a": "b", "c": "d"}}),
        ),
        (
            "# x\n{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n",
            json!({"a": {"b": 1}}),
        ),
        (
            "d:\n  a:\tb\t# c\nx: [a,\tb]\n",
            json!({"d": {"a": "b"}, "x": ["a", "b"]}),
        ),
    ] {
        assert_eq!(read(text), Ok(want), "{text:?}");
    }
    for text in ["d:\n\ta: b\n", "d:\n  a: |\n\tx\n", "a: b\n\tc: d\n"] {
        assert!(read(text).is_err(), "{text:?}");
    }
}

#[test]
fn comments_and_marks_may_stand_close() {
    for (text, want) in [
        ("x: \"a\"#b\nz: 1\n", json!({"x": "a", "z": 1})),
        ("x: [a,#b\n c]\n", json!({"x": ["a", "c"]})),
        ("---\n\u{feff}x: a\n", json!({"x": "a"})),
    ] {
        assert_eq!(read(text), Ok(want), "{text:?}");
    }
    assert!(read("x: a\n\u{feff}y: b\n").is_err());
}

#[test]
fn what_stands_in_a_mended_document_keeps_its_place() {
    let text =
        "é: 1\n---\nd:\n  a: \"one\n\ntwo\"\n  b: 'é\nx'#c\n  c: [\"p\n\tq\",#d\n é]\ne: last\n";
    let documents = tree::read("a.yaml", &Places::new(text));
    let root = documents[1].as_ref().expect("a document");
    let mut all = Vec::new();
    spans(root, text, &mut all);
    let want = [
        "d",
        "a",
        "\"one\n\ntwo\"",
        "b",
        "'é\nx'",
        "c",
        "\"p\n\tq\"",
        "é",
        "e",
        "last",
    ];
    assert_eq!(all, want);
    let broken = Places::new("a: \"x\ny\"\nb: \"x\ny\"\nc: [\n");
    let problem = tree::read("a.yaml", &broken)
        .pop()
        .expect("one")
        .expect_err("a problem");
    assert_eq!(problem.line, Some(5));
}

/// Three hundred values that go on too far to the left, between others, and the same with every line indented.
fn many(indent: &str) -> String {
    let place = |index: usize| {
        format!(
            "  k{index}:\n    description: 'first {index}:\n{indent}it''s\n\n{indent}b'\n    items:\n    - \"a\n{indent}b {index}\" # x\n    run: |\n      a: 'b\n\n      c'\n    last: \"{index}\"\n"
        )
    };
    format!("d:\n{}", (0..300).map(place).collect::<String>())
}

#[test]
fn many_such_places_read_like_the_same_text_well_indented() {
    let text = many("");
    let whole = tree::read("a.yaml", &Places::new(&text));
    let root = whole[0].as_ref().expect("a document");
    let value = from_tree(root);
    assert_eq!(value, read(&many("       ")).expect("a document"));
    for index in [0, 1, 299] {
        let want = json!({
            "description": format!("first {index}: it's\nb"),
            "items": [format!("a b {index}")],
            "run": "a: 'b\n\nc'\n",
            "last": index.to_string(),
        });
        assert_eq!(value["d"][format!("k{index}")], want);
    }
    let mut all = Vec::new();
    spans(root, &text, &mut all);
    assert_eq!(all.len(), 1 + 300 * 9);
    let last = &all[all.len() - 9..];
    assert_eq!(last[0], "k299");
    assert_eq!(last[2], "'first 299:\nit''s\n\nb'");
    assert_eq!(last[4], "\"a\nb 299\"");
    assert_eq!(last[8], "\"299\"");
}

#[test]
fn lines_of_a_text_that_only_look_like_such_places_stay() {
    for (block, want) in [
        // Known by its header.
        ("run: |\n    x: 'a\n    b'\n", "x: 'a\nb'\n"),
        // A key that the header is not seen behind: only the parser knows.
        ("\"run\": >+ # x\n    x: 'a\n\n    b'\n", "x: 'a\nb'\n"),
        ("run: say\n    - 'a\n    b'\n", "say - 'a b'"),
    ] {
        let text = format!("d:\n  a: 'b\nc'\n  {block}  e: \"f\ng\"\n  h: 'i\nj'\n");
        let want = json!({"d": {"a": "b c", "run": want, "e": "f g", "h": "i j"}});
        assert_eq!(read(&text), Ok(want), "{text}");
    }
}

#[test]
fn what_is_wrong_behind_many_such_places_is_told_where_it_stands() {
    let text = format!("{}e: [\n", many(""));
    let line = u32::try_from(text.lines().count()).expect("a small number");
    let documents = tree::read("a.yaml", &Places::new(&text));
    let problem = documents.last().expect("one").as_ref();
    let problem = problem.expect_err("a problem");
    assert_eq!(problem.line, Some(line), "{problem:?}");
}

#[test]
fn very_many_such_places_are_read_in_time() {
    let text = "- \"a\nb\"\n".repeat(100_000);
    let documents = tree::read("a.yaml", &Places::new(&text));
    let items = documents[0].as_ref().expect("a document").items();
    assert_eq!(items.expect("a list").len(), 100_000);
}

#[test]
fn an_attack_ends_in_time() {
    let places = "- \"a\"#b\n".repeat(125);
    for text in [
        // Each has to be found by the parser.
        "- \"a\"#b\n".repeat(125_000),
        format!("---\n{places}").repeat(1000),
        // Guesses that are wrong, before a place that is one.
        "- a\n  - 'b\n  c'\n- \"d\ne\"\n".repeat(40_000),
        format!("- \"a\nb\"\n{}", "- 'a\n".repeat(200_000)),
    ] {
        let begin = std::time::Instant::now();
        let documents = tree::read("a.yaml", &Places::new(&text));
        assert!(documents.iter().any(Result::is_err));
        let took = begin.elapsed();
        assert!(took < std::time::Duration::from_secs(20), "{took:?}");
    }
}
