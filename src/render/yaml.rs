//! A value as one YAML document. What another reader would take for something else than text is quoted, and what could steer a terminal
//! is escaped, as in JSON: to a program the same.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use super::text::is_hostile;
use crate::report::v1::Report;

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

/// What is written as an escape, which only a text in double quotes can have. Line ends and tabs are layout outside of them, and the
/// writer knows what to do with those.
const fn is_escaped(sign: char) -> bool {
    is_hostile(sign) && !matches!(sign, '\n' | '\t')
}

/// Marks each text that needs quotes.
fn marked(value: Value) -> Value {
    let mark = |text: String| {
        if means_something_else(&text) || text.contains(is_escaped) {
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

/// With escapes in place of what could steer a terminal; all of that stands between quotes.
fn escaped(text: String) -> String {
    if !text.contains(is_escaped) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        let code = u32::from(sign);
        // Writing to a String cannot fail.
        let _ = match sign {
            sign if !is_escaped(sign) => out.write_char(sign),
            _ if code > 0xffff => write!(out, "\\U{code:08X}"),
            _ => write!(out, "\\u{code:04X}"),
        };
    }
    out
}

/// Writes a value.
pub fn value(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let value = marked(serde_json::to_value(value)?);
    let text = serde_yaml::to_string(&value).map_err(io::Error::other)?;
    out.write_all(escaped(text.replace("\"\\uFFFE", "\"")).as_bytes())
}

/// Writes items of a list, one after the other: at no time is there more than one of them in another form.
pub fn items<T: Serialize>(items: &[T], out: &mut dyn Write) -> io::Result<()> {
    items.iter().try_for_each(|item| value(&[item], out))
}

/// Writes the report.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    value(report, out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn text(of: &Value) -> String {
        let mut out = Vec::new();
        value(of, &mut out).expect("YAML");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn texts_that_yaml_would_take_for_something_else_are_quoted() {
        let labels = json!({"a": "yes", "b": "On", "c": "1_000", "n": "plain", "d": "true", "e": "yes, please"});
        let text = text(&json!({"labels": labels}));
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
        assert_eq!(read["labels"], labels);
    }

    #[test]
    fn what_could_steer_a_terminal_is_an_escape_wherever_it_stands() {
        let hostile = json!({
            "a\u{202e}b": "x\u{2066}y\nz: \u{61c}",
            "list": ["\u{e0041}", "\u{9b}2J", "# \u{200f}", "- \u{feff}", "\tplain\nlines\n"],
        });
        let text = text(&hostile);
        assert!(!text.contains(is_escaped), "{text}");
        let read: Value = serde_yaml::from_str(&text).expect("YAML");
        assert_eq!(read, hostile);
    }

    proptest! {
        #[test]
        fn every_text_is_read_as_it_was(key in ".*", one in "(?s).*", other in "[\u{0}-\u{20}\u{7f}-\u{a0}\u{200b}-\u{2069}a:#'\"-]*") {
            let whole = json!({key: [one, {"other": other}]});
            let text = text(&whole);
            prop_assert!(!text.contains(is_escaped));
            let read: Value = serde_yaml::from_str(&text).expect("YAML");
            prop_assert_eq!(read, whole);
        }
    }
}
