//! Unit tests of `comments.rs`.

use super::*;

const TEXT: &str = "\
# mark: the first object
---
apiVersion: v1
kind: ConfigMap
metadata: {name: script}
data:
  run: |
    # mark: no comment but text
    echo \"# mark: neither\"
  quoted: \"a # mark: nor this\"
---
apiVersion: apps/v1
# mark: the second object
kind: Deployment
metadata:
  name: web # mark: its name
spec:
  # mark: every container
  # with more words

  containers:
  - name: app # mark: one container
    image: x # mark: its image
  # mark: the other container
  - name: other
    ports: [{name: a}, # mark: the list and its first item
            {name: b}] # mark: the second item
# mark: nothing
";

fn bytes(text: &str, place: Place) -> usize {
    let line: usize = text
        .split_inclusive('\n')
        .take(place.0 as usize - 1)
        .map(str::len)
        .sum();
    line + place.1 as usize - 1
}

/// The words of each comment with the texts that it is about.
fn found(text: &str) -> Vec<(String, Vec<&str>)> {
    let cut = |range: &Range<Place>| &text[bytes(text, range.start)..bytes(text, range.end)];
    find("a.yaml", text, "mark:")
        .iter()
        .map(|comment| {
            assert!(cut(&comment.place).starts_with('#'), "{comment:?}");
            (
                comment.text.clone(),
                comment.about.iter().map(cut).collect(),
            )
        })
        .collect()
}

/// The widest text that a comment is about.
fn about<'t>(found: &[(String, Vec<&'t str>)], words: &str) -> &'t str {
    let (_, about) = found
        .iter()
        .find(|(text, _)| text.ends_with(words))
        .expect("the comment");
    about
        .iter()
        .copied()
        .max_by_key(|text| text.len())
        .unwrap_or_default()
}

#[test]
fn only_comments_are_comments() {
    let words: Vec<_> = found(TEXT).into_iter().map(|(text, _)| text).collect();
    assert_eq!(words.len(), 10, "{words:?}");
    assert!(words.iter().all(|text| !text.contains("no comment")));
}

#[test]
fn a_comment_is_about_what_begins_on_its_line_or_below_it() {
    let found = found(TEXT);
    let of = |words: &str| about(&found, words);
    assert!(of("every container").starts_with("containers:\n"));
    assert!(of("every container").ends_with("{name: b}]"));
    assert_eq!(of("its name"), "name: web");
    assert_eq!(
        of("one container").lines().next(),
        Some("name: app # mark: one container")
    );
    assert!(of("one container").contains("image: x"));
    assert_eq!(of("its image"), "image: x");
    assert!(of("the other container").starts_with("name: other\n"));
    assert_eq!(of("the second item"), "{name: b}");
    assert_eq!(of("nothing"), "");
}

#[test]
fn a_comment_at_the_head_of_an_object_is_about_all_of_it() {
    let found = found(TEXT);
    assert!(about(&found, "the first object").starts_with("apiVersion: v1\n"));
    assert!(about(&found, "the first object").ends_with("nor this\""));
    let second = about(&found, "the second object");
    assert!(
        second.starts_with("apiVersion: apps/v1\n") && second.contains("name: other"),
        "{second}"
    );
}

#[test]
fn items_of_a_list_are_objects_of_their_own() {
    let text = "kind: List\nitems:\n- kind: A\n  metadata: {name: a} # mark: a\n- kind: B # mark: b\n  spec: {x: 1}\n";
    let found = found(text);
    assert!(about(&found, "mark: a").starts_with("kind: A\n"));
    assert!(about(&found, "mark: b").ends_with("spec: {x: 1}"));
}

#[test]
fn aliases_and_merged_keys_are_found_where_they_are_written() {
    let text = "a: &x\n  b: 1 # mark: b\nc: *x # mark: c\nd:\n  <<: *x\n  e: 2 # mark: e\n";
    let found = found(text);
    assert_eq!(about(&found, "mark: b"), "b: 1");
    assert_eq!(about(&found, "mark: c"), "c");
    assert_eq!(about(&found, "mark: e"), "e: 2");
}

#[test]
fn many_lines_of_comments_are_read_and_a_broken_document_keeps_the_next() {
    let many = "# words\n".repeat(200);
    let text = format!("a: [\n---\n# mark: far\n{many}b: 1\n");
    assert_eq!(about(&found(&text), "mark: far"), "b: 1");
}

#[test]
fn what_is_merged_from_inside_the_same_value_is_found_once() {
    let mut text = "{k: 1}".to_owned();
    for level in 0..12 {
        text = format!("{{x{level}: &a{level} {text}, <<: *a{level}}}");
    }
    let text = format!("{text} # mark: all\n");
    let found = found(&text);
    let deepest = found[0].1.iter().filter(|text| **text == "k: 1");
    assert_eq!(deepest.count(), 1);
}

#[test]
fn comments_one_after_the_other_are_about_the_same_line() {
    let text = format!("a:\n{}  b: 1\nc: 2\n", "  # mark: x\n".repeat(3));
    for (_, about) in found(&text) {
        assert_eq!(about, ["b: 1"]);
    }
}
