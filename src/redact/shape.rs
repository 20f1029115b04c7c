//! Which fields of an object are kept? Tables say it, and this walks them.

use serde_json::{Map, Value};

use super::{MASK, annotations, names, pods, words};

/// What is kept of a value.
#[derive(Clone, Copy)]
pub(super) enum Keep {
    /// All of it, to the letter.
    Exact,
    /// All of it, but for what looks like a secret.
    Masked,
    /// These fields only. A list is kept with these fields of each item.
    Fields(&'static [(&'static str, Keep)]),
    /// What this makes of it.
    By(fn(Value) -> Value),
}

/// What is kept of each of some fields, to the letter.
const EXACT: Keep = Keep::Exact;

/// `ownerReferences`.
const OWNERS: Keep = Keep::Fields(&[
    ("apiVersion", EXACT),
    ("kind", EXACT),
    ("name", EXACT),
    ("controller", EXACT),
]);

/// `metadata`.
pub(super) const META: Keep = Keep::Fields(&[
    ("name", EXACT),
    ("namespace", EXACT),
    ("uid", EXACT),
    ("labels", EXACT),
    ("annotations", Keep::By(annotations::known)),
    ("ownerReferences", OWNERS),
    ("creationTimestamp", EXACT),
    ("deletionTimestamp", EXACT),
    ("deletionGracePeriodSeconds", EXACT),
    ("finalizers", EXACT),
]);

/// A value without what is not kept.
pub(super) fn apply(keep: Keep, value: Value) -> Value {
    match (keep, value) {
        (Keep::Exact, value) => value,
        (Keep::By(make), value) => make(value),
        (Keep::Fields(fields), Value::Object(mut object)) => {
            let mut kept = Map::new();
            for (field, keep) in fields {
                if let Some(value) = object.remove(*field) {
                    kept.insert((*field).to_owned(), apply(*keep, value));
                }
            }
            Value::Object(kept)
        }
        (Keep::Fields(_), Value::Array(items)) => {
            let items = items.into_iter().map(|item| apply(keep, item));
            Value::Array(items.collect())
        }
        (Keep::Fields(_) | Keep::Masked, value) => masked(value),
    }
}

/// Parts of `tls` that are certificates and keys, in a `Route` of `OpenShift`.
const CERTIFICATES: [&str; 4] = [
    "caCertificate",
    "certificate",
    "destinationCACertificate",
    "key",
];

/// One field of an object of which everything is kept.
fn field(name: &str, value: Value) -> Option<Value> {
    let list_of_objects = value
        .as_array()
        .is_some_and(|all| all.iter().all(Value::is_object));
    Some(match name {
        "managedFields" | "caBundle" | "imagePullSecrets" | "envFrom" => return None,
        "annotations" if value.is_object() => annotations::known(value),
        "args" | "command" => words::command(value),
        "env" if list_of_objects => pods::variables(value, &[]),
        "volumes" if list_of_objects => pods::claims(value),
        "containers" | "initContainers" | "ephemeralContainers" if list_of_objects => {
            pods::containers(value)
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
fn masked(value: Value) -> Value {
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
