//! What does a manifest say as JSON? From a YAML tree, or from text that already is JSON.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::place::Places;
use super::tree::{Kind, Node};
use super::{Problem, template};

/// A tree as a JSON value.
#[must_use]
pub fn from_tree(node: &Node) -> Value {
    match &node.kind {
        Kind::Scalar(scalar) => scalar.to_value(),
        Kind::Sequence(items) => items.iter().map(|item| from_tree(item)).collect(),
        Kind::Mapping(entries) => Value::Object(
            entries
                .iter()
                .map(|entry| (entry.key.clone(), from_tree(&entry.value)))
                .collect(),
        ),
    }
}

/// The same for a tree that nobody needs any more: its texts are not copied, but for those that aliases repeat.
pub(crate) fn of_tree(node: Arc<Node>) -> Value {
    let node = match Arc::try_unwrap(node) {
        Ok(node) => node,
        Err(shared) => return from_tree(&shared),
    };
    match node.kind {
        Kind::Scalar(scalar) => scalar.into_value(),
        Kind::Sequence(items) => items.into_iter().map(of_tree).collect(),
        Kind::Mapping(entries) => Value::Object(
            entries
                .into_iter()
                .map(|entry| (entry.key, of_tree(entry.value)))
                .collect(),
        ),
    }
}

/// Where a document begins that is to be tried as JSON first: behind comments and a marker. It is much faster than YAML on a large
/// `kubectl get -o json`, and tabs are allowed in it.
#[must_use]
pub fn begins(document: &str) -> Option<usize> {
    let mut at = 0;
    for line in document.split_inclusive('\n') {
        let words = line.trim();
        if !(words.is_empty() || words.starts_with('#') || words == "---") {
            at += line.len() - line.trim_start().len();
            let json = words.starts_with(['{', '[']) && template::begins_with_one(words).is_none();
            return json.then_some(at);
        }
        at += line.len();
    }
    None
}

/// What is wrong with JSON.
#[derive(Debug)]
pub struct Flaw {
    /// The problem, at its place.
    pub problem: Problem,
    /// It stands at a comment, which YAML would take for text.
    pub comment: bool,
}

/// Reads a stream of JSON values in some bytes of a text, each with the line it starts on, until the first error.
#[must_use]
pub fn read(
    file: &str,
    places: &Places<'_>,
    bytes: Range<usize>,
) -> (Vec<(u32, Value)>, Option<Flaw>) {
    let base = bytes.start;
    let text = &places.text()[bytes];
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let mut values = Vec::new();
    loop {
        let before = stream.byte_offset();
        let blanks = text[before..].len() - text[before..].trim_start().len();
        let line = places.line_of(base + before + blanks);
        match stream.next() {
            None => return (values, None),
            Some(Ok(value)) => values.push((line, value)),
            Some(Err(error)) => {
                let flaw = flaw(file, places, (base, text), &error);
                return (values, Some(flaw));
            }
        }
    }
}

fn flaw(
    file: &str,
    places: &Places<'_>,
    (base, text): (usize, &str),
    error: &serde_json::Error,
) -> Flaw {
    let before = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    let line: usize = before.map(str::len).sum();
    let at = line + error.column().saturating_sub(1);
    // serde_json ends its message with the position, which a problem carries by itself.
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&position).unwrap_or(&message);
    let message = format!("not valid JSON: {message}");
    let help = "correct the text here";
    Flaw {
        problem: Problem::at(file, places.at(base + at), message, help),
        comment: text.as_bytes().get(at) == Some(&b'/'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn all(text: &str) -> (Vec<(u32, Value)>, Option<Flaw>) {
        read("a.json", &Places::new(text), 0..text.len())
    }

    #[test]
    fn a_stream_of_json_values_carries_lines() {
        let (values, flaw) = all("\n{\"a\": 1}\n\n{\"a\": 2}\n");
        assert_eq!(values, [(2, json!({"a": 1})), (4, json!({"a": 2}))]);
        assert!(flaw.is_none());
    }

    #[test]
    fn a_json_error_has_a_place_and_keeps_what_came_before() {
        let (values, flaw) = all("{\"a\": 1}\n{\"a\" 2}\n");
        assert_eq!(values.len(), 1);
        let problem = flaw.unwrap().problem;
        assert_eq!((problem.line, problem.column), (Some(2), Some(6)));
        assert_eq!(problem.message, "not valid JSON: expected `:`");
    }

    #[test]
    fn a_comment_is_told_from_other_flaws() {
        assert!(all("{\n  // a\n\"b\": 1}").1.unwrap().comment);
        assert!(!all("{\"b\": 1,}").1.unwrap().comment);
    }

    #[test]
    fn json_may_begin_behind_comments_and_a_marker() {
        for (text, want) in [
            ("{}", Some(0)),
            ("# a\n---\n\n  {\"a\": 1}\n", Some(11)),
            ("---\na: {}\n", None),
            ("{{ a }}\n", None),
            ("", None),
        ] {
            assert_eq!(begins(text), want, "{text}");
        }
    }

    #[test]
    fn brackets_without_end_are_refused() {
        let (values, flaw) = all(&"[".repeat(20_000));
        assert!(values.is_empty());
        assert!(flaw.unwrap().problem.message.contains("recursion limit"));
    }
}
