//! Is each kind of edit the smallest one, and is what is not certain left alone?

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::manifest::place::Places;
use crate::manifest::tree;

/// A patch of the only object of a text.
fn fixed(text: &str, patch: &Value) -> Result<String, Refusal> {
    let roots = tree::read("a.yaml", &Places::new(text));
    let root = roots[0].as_ref().expect("YAML");
    let change = Change {
        root: Arc::clone(root),
        index: 0,
        patch,
    };
    rewrite("a.yaml", text, &[change])
}

fn grace(seconds: i64) -> Value {
    json!({"spec": {"grace": seconds}})
}

#[test]
fn a_number_is_replaced_and_its_comment_stays() {
    for (old, new) in [
        (
            "kind: K\nspec:\n  grace: 30  # why\n  b: 1\n",
            "kind: K\nspec:\n  grace: 60  # why\n  b: 1\n",
        ),
        (
            "kind: K\r\nspec: {'grace': 30, b: 1}\r\n",
            "kind: K\r\nspec: {'grace': 60, b: 1}\r\n",
        ),
        (
            "{\"kind\":\"K\",\"spec\":{\"grace\":30}}",
            "{\"kind\":\"K\",\"spec\":{\"grace\":60}}",
        ),
        ("kind: K\nspec:\n  grace: 30", "kind: K\nspec:\n  grace: 60"),
    ] {
        assert_eq!(fixed(old, &grace(60)).as_deref(), Ok(new));
    }
}

#[test]
fn a_key_is_put_behind_the_last_one_of_its_mapping() {
    for (old, new) in [
        (
            "kind: K\nspec:\n    b:\n    - x: 1 # one\n    # end of b\n# end\n",
            "kind: K\nspec:\n    b:\n    - x: 1 # one\n    grace: 60\n    # end of b\n# end\n",
        ),
        (
            "kind: K\r\nspec:\r\n  b: 1",
            "kind: K\r\nspec:\r\n  b: 1\r\n  grace: 60",
        ),
        (
            "kind: K\nspec:\n  b:\n---\nkind: L\n",
            "kind: K\nspec:\n  b:\n  grace: 60\n---\nkind: L\n",
        ),
        ("kind: K\nspec: {}\n", "kind: K\nspec: {grace: 60}\n"),
        (
            "kind: K\nspec: {b: [1, 2]} # all\n",
            "kind: K\nspec: {b: [1, 2], grace: 60} # all\n",
        ),
        (
            "kind: K\nspec: {\n  b: 1,\n}\n",
            "kind: K\nspec: {\n  b: 1,\n  grace: 60,\n}\n",
        ),
        (
            "{\n\t\"kind\": \"K\",\n\t\"spec\": {\n\t\t\"b\": 1\n\t}\n}\n",
            "{\n\t\"kind\": \"K\",\n\t\"spec\": {\n\t\t\"b\": 1,\n\t\t\"grace\": 60\n\t}\n}\n",
        ),
        (
            "{\"kind\":\"K\",\"spec\":{\"b\":1}}",
            "{\"kind\":\"K\",\"spec\":{\"b\":1,\"grace\":60}}",
        ),
    ] {
        assert_eq!(fixed(old, &grace(60)).as_deref(), Ok(new));
    }
}

#[test]
fn a_mapping_that_is_new_is_indented_as_the_object_is() {
    let patch = json!({"spec": {"containers": [{"name": "b", "lifecycle": {"preStop": {"sleep": {"seconds": 5}, "exec": null}}}], "grace": 60}});
    let old =
        "kind: K\nspec:\n    containers:\n      - name: a\n      - name: b\n        image: x\n";
    let new = "kind: K\nspec:\n    containers:\n      - name: a\n      - name: b\n        image: x\n        lifecycle:\n            preStop:\n                sleep:\n                    seconds: 5\n    grace: 60\n";
    assert_eq!(fixed(old, &patch).as_deref(), Ok(new));
    let old = "{\n  \"kind\": \"K\",\n  \"spec\": {\n    \"containers\": [\n      {\n        \"name\": \"b\"\n      }\n    ]\n  }\n}\n";
    let new = "{\n  \"kind\": \"K\",\n  \"spec\": {\n    \"containers\": [\n      {\n        \"name\": \"b\",\n        \"lifecycle\": {\n          \"preStop\": {\n            \"sleep\": {\n              \"seconds\": 5\n            }\n          }\n        }\n      }\n    ],\n    \"grace\": 60\n  }\n}\n";
    assert_eq!(fixed(old, &patch).as_deref(), Ok(new));
}

#[test]
fn one_handler_takes_the_place_of_another() {
    let patch = json!({"preStop": {"exec": null, "sleep": {"seconds": 5}}});
    for (old, new) in [
        (
            "kind: K\npreStop:\n  exec:\n    command:\n    - sleep\n    - \"5\"\nend: 1\n",
            "kind: K\npreStop:\n  sleep:\n    seconds: 5\nend: 1\n",
        ),
        (
            "kind: K\npreStop: {exec: {command: [sleep, \"5\"]}}\n",
            "kind: K\npreStop: {sleep: {seconds: 5}}\n",
        ),
        (
            "kind: K\npreStop:\n  exec: {command: [a]}",
            "kind: K\npreStop:\n  sleep:\n    seconds: 5",
        ),
    ] {
        assert_eq!(fixed(old, &patch).as_deref(), Ok(new));
    }
    // In brackets the commas go with what they part.
    for (old, new) in [
        ("{x: 1, m: 2, z: 3}", "{x: 1, z: 3}"),
        ("{m: 2, z: 3}", "{z: 3}"),
        ("{x: 1, m: 2}", "{x: 1}"),
        ("{x: 1, m: 2, }", "{x: 1, }"),
    ] {
        let whole = |text: &str| format!("kind: K\na: {text}\n");
        let patch = json!({"a": {"m": null}});
        assert_eq!(fixed(&whole(old), &patch), Ok(whole(new)));
    }
}

#[test]
fn only_the_words_that_change_are_written_anew() {
    let patch = json!({"containers": [{"name": "a", "command": ["sh", "-c", "exec ./web"]}]});
    for (old, new) in [
        ("[sh, -c, ./web]", "[sh, -c, exec ./web]"),
        ("[\"sh\", '-c', './web']", "[\"sh\", '-c', 'exec ./web']"),
    ] {
        let whole = |text: &str| format!("kind: K\ncontainers:\n- name: a\n  command: {text}\n");
        assert_eq!(fixed(&whole(old), &patch), Ok(whole(new)));
    }
    let long = "kind: K\ncontainers:\n- name: a\n  command: [sh, -c, ./web, more]\n";
    assert_eq!(fixed(long, &patch), Err(Refusal::Unlike));
    let block = "kind: K\ncontainers:\n- name: a\n  command:\n  - sh\n  - -c\n  - |\n    ./web\n";
    assert_eq!(fixed(block, &patch), Err(Refusal::Layout));
}

#[test]
fn what_is_not_certain_is_left_alone() {
    for (text, why) in [
        ("kind: K\nspec:\n  grace:\n", Refusal::Null),
        ("kind: K\nspec:\n  grace: null\n", Refusal::Null),
        ("kind: K\nspec:\n", Refusal::Null),
        (
            "kind: K\nspec:\n  grace: 0\n  grace: 30\n",
            Refusal::Repeated,
        ),
        (
            "kind: K\nx: [{a: 1, a: 2}]\nspec:\n  grace: 30\n",
            Refusal::Repeated,
        ),
        ("kind: K\na: &g 30\nspec:\n  grace: *g\n", Refusal::Shared),
        ("kind: K\nspec:\n  grace: &g 30\nb: *g\n", Refusal::Shared),
        ("kind: K\na: &g {b: 1}\nspec: *g\n", Refusal::Shared),
        (
            "kind: K\na: &g {grace: 1}\nspec:\n  <<: *g\n  b: 1\n",
            Refusal::Shared,
        ),
        ("kind: K\nspec:\n  grace: !!int 30\n", Refusal::Shared),
        ("kind: K\nspec: [1]\n", Refusal::Unlike),
        ("kind: K\nspec:\n  grace: \"3\n    0\"\n", Refusal::Layout),
        ("kind: K\nspec:\n  grace: |-\n    30\n", Refusal::Layout),
        ("kind: K\nspec: { # why\n  b: 1}\n", Refusal::Comment),
        ("kind: K\na: \"{{ .b }}\"\nspec: {}\n", Refusal::Template),
        ("kind: K\nspec:\n  ? b\n  : 1\n", Refusal::Layout),
        // A new line would become part of the text.
        ("kind: K\nspec:\n  b: |+\n    x\n\n", Refusal::Unproven),
    ] {
        assert_eq!(fixed(text, &grace(60)), Err(why), "{text}");
    }
    let removed = "kind: K\nspec:\n  grace:\n    # why\n    b: 1\n  c: 1\n";
    let patch = json!({"spec": {"grace": null}});
    assert_eq!(fixed(removed, &patch), Err(Refusal::Comment));
    // Nothing would be left but a key without a value.
    let alone = json!({"spec": {"b": null}});
    assert_eq!(
        fixed("kind: K\nspec:\n  b: 1\n", &alone),
        Err(Refusal::Unproven)
    );
}

#[test]
fn an_anchor_that_others_repeat_is_no_place_for_an_edit() {
    let text = "kind: K\nspec:\n- &x\n  name: a\n- *x\n";
    let patch = json!({"spec": [{"name": "b"}]});
    assert!(fixed(text, &patch).is_err());
    let text = "kind: K\ncontainers:\n- &x\n  name: a\nothers:\n- *x\n";
    let patch = json!({"containers": [{"name": "a", "image": "y"}]});
    assert_eq!(fixed(text, &patch), Err(Refusal::Unproven));
}

#[test]
fn the_objects_of_a_text_are_patched_together_and_the_others_stay() {
    let text = "# one\nkind: K\nspec: {a: 1}\n---\nkind: [\n---\nkind: L\nspec:\n  a: 1\n";
    let roots = tree::read("a.yaml", &Places::new(text));
    let roots: Vec<_> = roots.into_iter().flatten().collect();
    let patch = grace(60);
    let changes: Vec<_> = roots
        .iter()
        .enumerate()
        .map(|(index, root)| Change {
            root: Arc::clone(root),
            index,
            patch: &patch,
        })
        .collect();
    let new = "# one\nkind: K\nspec: {a: 1, grace: 60}\n---\nkind: [\n---\nkind: L\nspec:\n  a: 1\n  grace: 60\n";
    assert_eq!(rewrite("a.yaml", text, &changes).as_deref(), Ok(new));
}
