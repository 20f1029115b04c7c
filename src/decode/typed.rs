//! Does a JSON text or value fit a type? Where it does not, at which field?

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::words::without_value;

/// What does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {said}")]
pub(crate) struct DecodeError {
    /// The field, as `spec.ports[0].port`; `.` for the whole.
    pub(crate) path: String,
    /// What is wrong with it.
    pub(crate) said: String,
}

impl From<DecodeError> for String {
    fn from(error: DecodeError) -> Self {
        error.to_string()
    }
}

/// Reads text. What a type refuses is read once more as a value, which knows the way to each field; most texts fit and never pay for it.
pub(crate) fn text<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    serde_json::from_str(text).or_else(|_| {
        let whole = serde_json::from_str(text).map_err(|error| DecodeError {
            path: ".".to_owned(),
            said: without_value(&error.to_string()),
        })?;
        value(&whole)
    })
}

/// Reads a value.
pub(crate) fn value<T: DeserializeOwned>(value: &Value) -> Result<T, DecodeError> {
    T::deserialize(value).or_else(|_| {
        serde_path_to_error::deserialize(value).map_err(|error| DecodeError {
            path: error.path().to_string(),
            said: without_value(&error.inner().to_string()),
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::decode::parts::Service;

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
            (r#"{"spec":{"selector":["app"]}}"#, "spec.selector: "),
            (r#"{"metadata":"web"}"#, "metadata: "),
            (
                "{\n \"metadata\": {\n  \"labels\": {\"a.b/c\": 5}\n }\n}",
                "metadata.labels.a.b/c: ",
            ),
            ("{\n \"spec\": {\n  \"ports\": 5\n }\n}", "spec.ports: "),
            (r#""web""#, ".: "),
            (r#"{"spec":"#, ".: "),
        ] {
            let error = text::<Service>(json).expect_err(json).to_string();
            assert!(error.starts_with(path), "{json}: {error}");
        }
    }

    #[test]
    fn a_value_is_read_like_its_text() {
        let whole = serde_json::json!({"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80, "targetPort": "http"}]}});
        let of_value: Service = value(&whole).expect("a Service");
        let of_text: Service = text(&whole.to_string()).expect("a Service");
        assert_eq!(of_value.metadata.name.as_deref(), Some("web"));
        assert_eq!(format!("{of_value:?}"), format!("{of_text:?}"));
    }

    #[test]
    fn an_error_never_quotes_the_value() {
        let said = |json| text::<Service>(json).expect_err(json).to_string();
        for (json, expected) in [
            (
                r#"{"spec": "hunter2\", expected x"}"#,
                "spec: invalid type: string, expected struct",
            ),
            (
                r#"{"spec":{"ports":[{"port":"hunter2"}]}}"#,
                "spec.ports[0].port: invalid type: string, expected ",
            ),
            (r#""hunter2""#, ".: invalid type: string, expected "),
        ] {
            let said = said(json);
            assert!(said.starts_with(expected), "{json}: {said}");
            assert!(!said.contains("hunter2"), "{said}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(json in ".*") {
            let _ = text::<Service>(&json);
        }
    }
}
