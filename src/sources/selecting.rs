//! Whose pods does an object choose by labels? A pool's selector, or the flag of a router that watches pods: no Service is named.

use std::collections::BTreeMap;

use serde_json::Value;

use super::field_texts::flag_words;
use super::rule::Selects;
use crate::facts::object::ApiObject;

type Labels = BTreeMap<String, String>;

/// The equalities in the words of a selector. Its other terms are left out: it then chooses no more than what is compared.
fn equalities<'w>(words: impl Iterator<Item = &'w str>) -> Labels {
    let terms = words.flat_map(|word| word.split([',', ' ']));
    let pairs = terms.filter_map(|term| {
        let (key, value) = term.split_once('=')?;
        let value = value.strip_prefix('=').unwrap_or(value);
        let plain = !key.is_empty() && !key.ends_with('!');
        plain.then(|| (key.trim().to_owned(), value.trim().to_owned()))
    });
    pairs.collect()
}

impl Selects {
    /// The labels that a pod must have for the object to choose it; empty where it chooses none, or all.
    pub(super) fn labels(&self, object: &ApiObject) -> Labels {
        match self {
            Self::Labels(path) => {
                let found = path.find(&object.value);
                let fields = found.into_iter().filter_map(Value::as_object).flatten();
                fields
                    .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
                    .collect()
            }
            Self::Argument { flag, .. } => equalities(flag_words(object, flag).into_iter()),
        }
    }

    /// Does the object look at pods of a namespace? A condition on the object's own namespace is not this one's matter.
    pub(super) fn looks_at(&self, object: &ApiObject, namespace: &str) -> bool {
        let Self::Argument {
            namespace: Some(flag),
            ..
        } = self
        else {
            return true;
        };
        // What `$(POD_NAMESPACE)` is, is not known here.
        let only = flag_words(object, flag);
        let only = only.first().filter(|word| !word.starts_with("$("));
        only.is_none_or(|only| *only == namespace)
    }
}

/// A selector as it is written on command lines.
pub(super) fn written(labels: &Labels) -> String {
    let pairs: Vec<_> = labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    pairs.join(",")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn router(args: &Value) -> ApiObject {
        ApiObject {
            kind: "Deployment".to_owned(),
            namespace: "ai".to_owned(),
            name: "router".to_owned(),
            value: json!({"spec": {"template": {"spec": {"containers": [{"args": args}]}}}}),
            ..ApiObject::default()
        }
    }

    fn chosen(args: &Value, namespace: &str) -> Option<String> {
        let selects = Selects::Argument {
            flag: "--selector".to_owned(),
            namespace: Some("--namespace".to_owned()),
        };
        let labels = selects.labels(&router(args));
        let chosen = !labels.is_empty() && selects.looks_at(&router(args), namespace);
        chosen.then(|| written(&labels))
    }

    #[test]
    fn selectors_are_read_as_routers_take_them() {
        let both = Some("app=sglang,role=decode".to_owned());
        for args in [
            json!(["--selector", "app=sglang", "role=decode", "--port", "a=b"]),
            json!(["--selector", "app=sglang,role=decode"]),
            json!(["--selector=app==sglang,role=decode,tier!=old,beta"]),
        ] {
            assert_eq!(chosen(&args, "ai"), both, "{args}");
        }
        assert_eq!(chosen(&json!(["--selector"]), "ai"), None);
        assert_eq!(
            chosen(&json!(["--prefill-selector", "app=sglang"]), "ai"),
            None
        );
    }

    #[test]
    fn a_router_may_look_at_one_namespace_only() {
        let args = json!(["--selector", "app=sglang", "--namespace", "ai"]);
        assert_eq!(chosen(&args, "ai"), Some("app=sglang".to_owned()));
        assert_eq!(chosen(&args, "other"), None);
        let args = json!(["--selector", "app=sglang", "--namespace", "$(NS)"]);
        assert_eq!(chosen(&args, "other"), Some("app=sglang".to_owned()));
    }
}
