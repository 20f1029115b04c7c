//! How are values written, so that they look like what stands around them?

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value};

use crate::manifest::scalar;
use crate::manifest::scalar::Scalar;

/// Signs that mean something inside plain text, at least in brackets.
const SPECIAL: [char; 8] = ['#', ':', ',', '[', ']', '{', '}', '`'];

/// Does a text mean itself without quotes?
fn is_plain(text: &str) -> bool {
    let begins = text.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '/');
    let printable = text
        .chars()
        .all(|sign| (sign == ' ' || sign.is_ascii_graphic()) && !SPECIAL.contains(&sign));
    let means = || scalar::read(text, true, None) == Ok(Scalar::String(text.to_owned()));
    begins && printable && !text.ends_with(' ') && means()
}

/// A scalar in YAML, with quotes where it needs them.
fn yaml_scalar(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        // What JSON writes in double quotes, YAML reads as the same.
        other => other.to_string(),
    }
}

/// A scalar in place of another one, in its quotes.
pub(super) fn like(old: &str, value: &Value, json: bool) -> String {
    match value {
        Value::String(text)
            if !json && old.starts_with('\'') && !text.contains(char::is_control) =>
        {
            format!("'{}'", text.replace('\'', "''"))
        }
        Value::String(_) if json || old.starts_with('"') => value.to_string(),
        _ => yaml_scalar(value),
    }
}

/// A value on one line: `{sleep: {seconds: 5}}`.
pub(super) fn flow(value: &Value, json: bool) -> String {
    let all = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| entry(key, value, json));
            format!("{{{}}}", all(entries.collect()))
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| flow(item, json));
            format!("[{}]", all(items.collect()))
        }
        scalar if json => scalar.to_string(),
        scalar => yaml_scalar(scalar),
    }
}

/// A key with its value on one line.
pub(super) fn entry(key: &str, value: &Value, json: bool) -> String {
    format!("{}: {}", flow(&key.into(), json), flow(value, json))
}

/// JSON over several lines, each but the first after `begin`.
pub(super) fn pretty(value: &Value, step: &str, begin: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(step.as_bytes());
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    match (written, String::from_utf8(bytes)) {
        (Ok(()), Ok(text)) => text.replace('\n', begin),
        // A value always can be written; if not, then on one line.
        _ => value.to_string(),
    }
}

/// Keys with their values in lines of their own, each after so many blanks.
pub(super) fn block(map: &Map<String, Value>, column: usize, step: usize, end: &str) -> String {
    map.iter()
        .map(|(key, value)| {
            let blanks = " ".repeat(column);
            let name = yaml_scalar(&key.as_str().into());
            match value {
                Value::Object(inner) if !inner.is_empty() => {
                    let below = block(inner, column + step, step, end);
                    format!("{blanks}{name}:{end}{below}")
                }
                other => format!("{blanks}{name}: {}{end}", flow(other, false)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_that_would_mean_something_else_is_quoted() {
        for plain in ["exec ./web --port 8080", "sh", "/bin/web", "a'b\"c"] {
            assert_eq!(yaml_scalar(&json!(plain)), plain);
        }
        for (text, quoted) in [
            ("yes", "\"yes\""),
            ("15", "\"15\""),
            ("a: b", "\"a: b\""),
            ("a #b", "\"a #b\""),
            ("-c", "\"-c\""),
            ("", "\"\""),
            ("a\nb", "\"a\\nb\""),
            ("a ", "\"a \""),
            ("*x", "\"*x\""),
        ] {
            assert_eq!(yaml_scalar(&json!(text)), quoted);
        }
        assert_eq!(yaml_scalar(&json!(30)), "30");
    }

    #[test]
    fn quotes_stay_what_they_are() {
        assert_eq!(like("'x'", &json!("it's"), false), "'it''s'");
        assert_eq!(like("\"x\"", &json!("z"), false), "\"z\"");
        assert_eq!(like("x", &json!("z"), false), "z");
        // `y` alone is true.
        assert_eq!(like("x", &json!("y"), false), "\"y\"");
        assert_eq!(like("'x'", &json!(5), false), "5");
        assert_eq!(like("'x'", &json!("a\nb"), false), "\"a\\nb\"");
    }

    #[test]
    fn maps_are_written_in_lines_or_in_brackets() {
        let value = json!({"preStop": {"sleep": {"seconds": 5}}, "none": {}});
        assert_eq!(
            flow(&value, false),
            "{none: {}, preStop: {sleep: {seconds: 5}}}"
        );
        assert_eq!(flow(&json!({"a": ["b"]}), true), "{\"a\": [\"b\"]}");
        let map = value.as_object().expect("a map");
        assert_eq!(
            block(map, 2, 4, "\r\n"),
            "  none: {}\r\n  preStop:\r\n      sleep:\r\n          seconds: 5\r\n"
        );
        assert_eq!(
            pretty(&json!({"a": {"b": 1}}), "  ", "\n    "),
            "{\n      \"a\": {\n        \"b\": 1\n      }\n    }"
        );
    }
}
