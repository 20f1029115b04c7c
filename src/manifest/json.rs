//! What does a manifest say as JSON? From a YAML tree, or from text that already is JSON.

use serde_json::Value;

use super::place::{Places, cure};
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

/// Whether a text should be tried as JSON first: it is much faster than YAML on a large `kubectl get -o json`.
#[must_use]
pub fn looks_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && !template::begins_with_one(text)
}

/// Reads a stream of JSON values, each with the line it starts on, until the first error.
#[must_use]
pub fn read(file: &str, places: &Places<'_>) -> (Vec<(u32, Value)>, Option<Problem>) {
    let text = places.text();
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let mut values = Vec::new();
    loop {
        let before = stream.byte_offset();
        let blanks = text[before..].len() - text[before..].trim_start().len();
        let line = places.line_of(before + blanks);
        match stream.next() {
            None => return (values, None),
            Some(Ok(value)) => values.push((line, value)),
            Some(Err(error)) => {
                let problem = problem(file, places, &error);
                return (values, Some(problem));
            }
        }
    }
}

fn problem(file: &str, places: &Places<'_>, error: &serde_json::Error) -> Problem {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).max(1);
    let (line, column) = (number(error.line()), number(error.column()));
    // serde_json ends its message with the position, which a problem carries by itself.
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let message = text.strip_suffix(&position).unwrap_or(&text);
    let message = format!("not valid JSON: {message}");
    Problem::at(file, (line, column), message, cure(places.line(line)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_stream_of_json_values_carries_lines() {
        let (values, problem) = read("a.json", &Places::new("\n{\"a\": 1}\n\n{\"a\": 2}\n"));
        assert_eq!(values, [(2, json!({"a": 1})), (4, json!({"a": 2}))]);
        assert_eq!(problem, None);
    }

    #[test]
    fn a_json_error_has_a_place_and_keeps_what_came_before() {
        let (values, problem) = read("a.json", &Places::new("{\"a\": 1}\n{\"a\" 2}\n"));
        assert_eq!(values.len(), 1);
        let problem = problem.unwrap();
        assert_eq!((problem.line, problem.column), (Some(2), Some(6)));
        assert_eq!(problem.message, "not valid JSON: expected `:`");
    }

    #[test]
    fn brackets_without_end_are_refused() {
        let (values, problem) = read("a.json", &Places::new(&"[".repeat(20_000)));
        assert!(values.is_empty());
        assert!(problem.unwrap().message.contains("recursion limit"));
    }
}
