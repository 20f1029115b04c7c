//! Objects as one v1 List, which `-f` of this and of other programs takes.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct List<'a, T> {
    api_version: &'static str,
    kind: &'static str,
    items: &'a [T],
}

const fn list<T>(items: &[T]) -> List<'_, T> {
    List {
        api_version: "v1",
        kind: "List",
        items,
    }
}

/// A sign that stands in no text of a cluster, and that YAML can only write as an escape between quotes.
const QUOTED: char = '\u{FFFE}';

/// Do kubectl and this program, which read YAML 1.1, take this text for something else than text where the writer, which knows
/// YAML 1.2, leaves out the quotes? `on` and `yes` are booleans (<https://yaml.org/type/bool.html>), `1_000` is a number.
fn means_something_else(text: &str) -> bool {
    let word = ["y", "yes", "n", "no", "on", "off"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    let digits = text.contains('_')
        && text.starts_with(|sign: char| sign.is_ascii_digit() || "+-.".contains(sign));
    word || digits
}

/// Marks each text that needs quotes.
fn marked(value: Value) -> Value {
    let mark = |text: String| {
        if means_something_else(&text) {
            format!("{QUOTED}{text}")
        } else {
            text
        }
    };
    match value {
        Value::String(text) => Value::String(mark(text)),
        Value::Array(all) => Value::Array(all.into_iter().map(marked).collect()),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            Value::Object(
                fields
                    .map(|(key, value)| (mark(key), marked(value)))
                    .collect(),
            )
        }
        other => other,
    }
}

/// Writes YAML; the words stand before it as comments.
pub fn yaml<T: Serialize>(words: &[String], items: &[T], out: &mut dyn Write) -> io::Result<()> {
    for word in words {
        writeln!(out, "# {word}")?;
    }
    let items = items
        .iter()
        .map(|item| Ok(marked(serde_json::to_value(item)?)));
    let items: Vec<Value> = items.collect::<Result<_, serde_json::Error>>()?;
    let text = serde_yaml::to_string(&list(&items)).map_err(io::Error::other)?;
    out.write_all(text.replace("\"\\uFFFE", "\"").as_bytes())
}

/// Writes JSON with a final newline.
pub fn json<T: Serialize>(items: &[T], out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &list(items))?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_that_yaml_would_take_for_something_else_are_quoted() {
        let labels = json!({"a": "yes", "b": "On", "c": "1_000", "n": "plain", "d": "true", "e": "yes, please"});
        let mut out = Vec::new();
        yaml(&[], &[json!({"labels": labels})], &mut out).expect("YAML");
        let text = String::from_utf8(out).expect("text");
        for line in [
            "a: \"yes\"",
            "b: \"On\"",
            "c: \"1_000\"",
            "\"n\": plain",
            "d: 'true'",
            "e: yes, please",
        ] {
            assert!(text.lines().any(|one| one.trim() == line), "{line}: {text}");
        }
        let read: Value = serde_yaml::from_str(&text).expect("YAML");
        assert_eq!(read["items"][0]["labels"], labels);
    }
}
