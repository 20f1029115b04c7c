//! What may be secret in objects that have no type here? All of their fields are kept, as the catalogue of traffic sources may ask for
//! any of them, but for what looks like a secret.

use serde_json::Value;

use super::{MASK, annotations, names, parts, words};
use crate::decode::read::Raw;

/// Parts of `tls` that are certificates and keys, in a `Route` of `OpenShift`.
const CERTIFICATES: [&str; 4] = [
    "caCertificate",
    "certificate",
    "destinationCACertificate",
    "key",
];

/// The words of a command.
fn command(mut value: Value) -> Value {
    let all = value.as_array_mut();
    words::command(all.into_iter().flatten().filter_map(|word| match word {
        Value::String(word) => Some(word),
        _ => None,
    }));
    value
}

/// One field of an object of which everything is kept.
fn field(name: &str, value: Value) -> Option<Value> {
    let list_of_objects = value
        .as_array()
        .is_some_and(|all| all.iter().all(Value::is_object));
    Some(match name {
        "managedFields" | "caBundle" | "imagePullSecrets" | "envFrom" => return None,
        "annotations" if value.is_object() => {
            return parts::read(Raw::Value(&value), annotations::keep_known);
        }
        "args" | "command" => command(value),
        "env" if list_of_objects => {
            return parts::read(Raw::Value(&value), |env: &mut Vec<_>| {
                parts::variables(env, &[]);
            });
        }
        "volumes" if list_of_objects => return parts::read(Raw::Value(&value), parts::claims),
        "containers" | "initContainers" | "ephemeralContainers" if list_of_objects => {
            return parts::read(Raw::Value(&value), |all: &mut Vec<_>| {
                parts::containers(all);
            });
        }
        "tls" => {
            let mut value = value;
            if let Value::Object(fields) = &mut value {
                fields.retain(|name, _| !CERTIFICATES.contains(&name.as_str()));
            }
            masked(value)
        }
        _ => match value {
            Value::String(text) if names::is_secret(name) && !names::is_harmless(&text) => {
                MASK.into()
            }
            value => masked(value),
        },
    })
}

/// All of a value, but for what looks like a secret.
pub(super) fn masked(value: Value) -> Value {
    match value {
        Value::String(text) => words::text(&text).into(),
        Value::Array(items) => items.into_iter().map(masked).collect(),
        Value::Object(fields) => {
            // A header, or a variable.
            let secret = fields
                .get("name")
                .and_then(Value::as_str)
                .is_some_and(names::is_secret);
            let kept = fields.into_iter().filter_map(|(name, value)| {
                let hidden = secret
                    && name == "value"
                    && value.as_str().is_some_and(|text| !names::is_harmless(text));
                let value = if hidden {
                    Some(MASK.into())
                } else {
                    field(&name, value)
                };
                Some((name, value?))
            });
            Value::Object(kept.collect())
        }
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_no_text_stays_and_hides_no_secret_behind_it() {
        let args = json!({"args": ["app", "--password", "a, b", 7], "n": 1});
        let left = json!({"args": ["app", "--password", MASK, 7], "n": 1});
        assert_eq!(masked(args), left);
    }

    #[test]
    fn what_does_not_fit_its_type_is_left_out() {
        let spec = json!({"containers": [{"name": "a", "env": "x"}], "env": [{"name": 5}], "n": 1});
        assert_eq!(masked(spec), json!({"n": 1}));
    }
}
