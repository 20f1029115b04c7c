//! Does what is read at once say what the tree says?

use super::*;

/// What is read at once, and what the tree says.
fn both(text: &str) -> [Vec<Result<Document, Problem>>; 2] {
    let places = Places::new(text);
    let read = |read: &dyn Fn(Range<usize>) -> Vec<Result<Document, Problem>>| {
        tree::chunks(&places).into_iter().flat_map(read).collect()
    };
    let at_once = read(&|chunk| read_chunk("a.yaml", &places, chunk, &Budget::of(text)));
    let tree = read(&|chunk| {
        let documents = tree::read_chunk("a.yaml", &places, chunk).into_iter();
        documents
            .map(|document| document.map(Document::of_tree))
            .collect()
    });
    [at_once, tree]
}

/// Is a text read without a tree?
fn is_plain(text: &str) -> bool {
    Reader::new(text, 0, &Budget::of(text))
        .documents()
        .is_some()
}

#[test]
fn plain_documents_are_read_without_a_tree_and_mean_the_same() {
    for text in [
        "",
        "# nothing\n",
        "---\n---\n",
        "a: NO\nb: 0644\nc: 1_000\nd: 'yes'\ne: ~\nf:\ng: .5\nh: 1e3\ni: -0x10\n",
        "a: |\n  b\n  c\nd: >-\n  e\n  f\n\"g\\n\": \"h\\u0041\"\n",
        "kind: List\nitems:\n- a: 1\n\n- {b: 2}\n- [c, [d]]\n-\n",
        "spec:\n  items: [1, 2]\nother: [3]\n",
        "- items: [1]\n- 2\n",
        "items:\n  items: [1]\n",
        "a: [b: c, d]\n12: x\ntrue: y\n'<<': 1\n",
        "%YAML 1.1\n---\na: 1\n...\n---\nb: 2\n",
        "é: ü\n---\n\n  b: [😀]\n",
        "a: &a {x: 1}\nb: *a\n---\nc: &a 2\nd: [&b 'on', *a, *b]\n",
        "a: &a {x: 1}\nb:\n  x: 2\n  <<: *a\n",
        "a: &a {x: 1, y: 2}\nb:\n  <<: *a\n  x: 3\n",
        "a: [&a {x: 1, y: 2}, &b {x: 3, z: 4}]\nb:\n  <<: [*a, *b]\n  <<: {z: 5}\n  y: &c [*b]\nc: *c\n",
        "items: [{a: &a 1, b: *a}]\n",
    ] {
        assert!(is_plain(text), "{text}");
        let [at_once, tree] = both(text);
        assert_eq!(at_once, tree, "{text}");
    }
}

#[test]
fn items_begin_where_they_are_written() {
    let [documents, _] = both("# a\nkind: List\nitems:\n- a: 1\n- b: [2]\n");
    let document = documents.into_iter().next().expect("a document");
    let document = document.expect("YAML");
    assert_eq!((document.start, document.items), (4, vec![24, 31]));
}

#[test]
fn what_is_left_to_the_tree_means_what_it_says_and_is_told_as_it_tells_it() {
    let deep = format!("{}{}", "[".repeat(130), "]".repeat(130));
    for text in [
        "a: &a {x: 1}\n<<: *a\n",
        "a: &a [1]\nitems: *a\n",
        "a: &a {x: 1}\nitems: [b, *a]\n",
        "a: &a [*a]\n",
        "b:\n  <<: 1\n",
        "a: &a {x: 1}\nb: {x: 2, <<: *a, x: 3}\n",
        "&k a: 1\nb: *k\n",
        "a: !!str 5\nb: !mine c\n",
        "a: 1\na: 2\n",
        "16: a\n0x10: b\n",
        "~: a\n",
        "? [a]\n: b\n",
        "a: .inf\n",
        "a: b: c\n",
        "a: [\n",
        "a: *nothing\n",
        "a: \"b\n c\"\n---\nd: \"e\nf\"\n",
        "a: {{ b }}\n",
        &deep,
    ] {
        assert!(
            !tree::chunks(&Places::new(text))
                .into_iter()
                .all(|chunk| is_plain(&text[chunk])),
            "{text}"
        );
        let [at_once, tree] = both(text);
        assert_eq!(at_once, tree, "{text}");
    }
}

#[test]
fn a_text_of_too_many_values_is_refused_as_the_tree_refuses_it() {
    let text = format!("[{}]\n", "{a: 1},".repeat(100_000));
    let [at_once, tree] = both(&text);
    let message = |read: &[Result<Document, Problem>]| {
        let problem = read[0].as_ref().expect_err("too many");
        problem.message.clone()
    };
    assert_eq!(message(&at_once), message(&tree));
    assert!(message(&tree).contains("far more values"));
    assert_eq!(at_once, tree);
}

#[test]
fn a_schema_is_not_kept_and_what_is_wrong_in_it_is_told() {
    let text = |schema: &str| format!("spec:\n  openAPIV3Schema:\n{schema}  name: b\n");
    let schema = text("    type: object\n    properties: {a: [1, {b: 'c'}], b: ~}\n");
    assert!(is_plain(&schema));
    let [documents, _] = both(&schema);
    let value = &documents[0].as_ref().expect("YAML").value;
    let want = serde_json::json!({"spec": {"openAPIV3Schema": null, "name": "b"}});
    assert_eq!(*value, want);
    for wrong in [
        "    a: 1\n    b: {}\n    a: 2\n",
        "    a: {b: 1, c: 2, b: 3}\n",
        "    a: .inf\n",
        "    a: [b: c: d]\n",
        "    a: !!int b\n",
        "    ~: a\n",
        "    a: *b\n",
    ] {
        let [at_once, tree] = both(&text(wrong));
        assert!(at_once.iter().any(Result::is_err), "{wrong}");
        assert_eq!(at_once, tree, "{wrong}");
    }
}
