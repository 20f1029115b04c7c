//! JSON text → one of the API's types; where it does not fit, at which field?
//!
//! A deserializer that keeps track of the path is compiled once more for each of the API's many types, a megabyte of program in all.
//! Here the path is found afterwards, from the place at which reading stopped.

use std::fmt::Write as _;

use serde::de::DeserializeOwned;
use serde_json::Value;

/// What does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {said}")]
pub(crate) struct DecodeError {
    /// The field, as `spec.ports[0].port`.
    pub(crate) path: String,
    /// What is wrong with it.
    pub(crate) said: String,
}

impl From<DecodeError> for String {
    fn from(error: DecodeError) -> Self {
        error.to_string()
    }
}

/// Reads text; the error names the field that does not fit.
pub(crate) fn text<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    serde_json::from_str(text).map_err(|error| {
        let said = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let path = path_at(text, offset(text, error.line(), error.column()));
        let said = said.strip_suffix(&place).unwrap_or(&said).to_owned();
        DecodeError { path, said }
    })
}

/// Reads a value. By its text: a reader of values would be compiled once more for each of the API's types.
pub(crate) fn value<T: DeserializeOwned>(value: &Value) -> Result<T, DecodeError> {
    text(&value.to_string())
}

/// The byte that a line and a column, both from 1, come to. Columns count bytes.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    (before + column).min(text.len())
}

/// A step on the way to a value.
enum Step {
    Key(String),
    Index(usize),
}

/// The path of the value that ends, or is being read, at a byte: `spec.ports[0].port`.
fn path_at(text: &str, end: usize) -> String {
    let mut steps: Vec<Step> = Vec::new();
    let mut wants_key = Vec::new();
    let mut bytes = text.bytes().enumerate().take(end);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'{' => {
                steps.push(Step::Key(String::new()));
                wants_key.push(true);
            }
            b'[' => {
                steps.push(Step::Index(0));
                wants_key.push(false);
            }
            b'}' | b']' => {
                steps.pop();
                wants_key.pop();
            }
            b',' => match steps.last_mut() {
                Some(Step::Index(index)) => *index += 1,
                Some(Step::Key(_)) => {
                    if let Some(wants) = wants_key.last_mut() {
                        *wants = true;
                    }
                }
                None => {}
            },
            b'"' => {
                let mut escaped = false;
                let mut closed = at + 1;
                for (place, byte) in bytes.by_ref() {
                    closed = place;
                    match byte {
                        _ if escaped => escaped = false,
                        b'\\' => escaped = true,
                        b'"' => break,
                        _ => {}
                    }
                }
                if let (Some(wants @ true), Some(Step::Key(key))) =
                    (wants_key.last_mut(), steps.last_mut())
                {
                    *wants = false;
                    text.get(at + 1..closed).unwrap_or_default().clone_into(key);
                }
            }
            _ => {}
        }
    }
    let mut path = String::new();
    for step in &steps {
        match step {
            Step::Key(key) if key.is_empty() => {}
            Step::Key(key) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
            }
            Step::Index(index) => {
                // Writing to a text does not fail.
                let _ = write!(path, "[{index}]");
            }
        }
    }
    if path.is_empty() {
        ".".to_owned()
    } else {
        path
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Service;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_error_names_the_field() {
        for (json, path) in [
            (
                r#"{"spec":{"ports":[{"port":80},{"port":"eighty"}]}}"#,
                "spec.ports[1].port: ",
            ),
            (
                r#"{"spec":{"ports":[{"name":"a\"{[","port":true}]}}"#,
                "spec.ports[0].port: ",
            ),
            (r#"{"spec":{"selector":["app"]}}"#, "spec.selector"),
            (r#"{"metadata":"web"}"#, "metadata: "),
            ("{\n \"spec\": {\n  \"ports\": 5\n }\n}", "spec.ports: "),
            (r#"["web"]"#, ""),
        ] {
            let error = text::<Service>(json).expect_err(json).to_string();
            assert!(error.starts_with(path), "{json}: {error}");
            assert!(!error.contains("column"), "{error}");
        }
    }

    #[test]
    fn a_value_is_read_like_its_text() {
        let value: Value = serde_json::json!({"metadata": {"name": "web"}});
        let service: Service = super::value(&value).expect("a Service");
        assert_eq!(service.metadata.name.as_deref(), Some("web"));
    }

    proptest! {
        #[test]
        fn no_text_and_no_place_make_it_panic(text in ".*", end in 0_usize..60) {
            let _ = path_at(&text, end.min(text.len()));
            let _ = super::text::<Service>(&text);
        }
    }
}
