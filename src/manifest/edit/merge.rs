//! Strategic merge patches: what does one make of a value, and what do two of them make together?
//!
//! Only what the patches of the rules need: maps are merged, null removes, the lists below are merged by key, every other list is
//! replaced (`patchMergeKey` in Kubernetes' `staging/src/k8s.io/api/core/v1/types.go`).

use serde_json::{Map, Value};

/// The key that identifies the items of a list; `None` for a list that is replaced as a whole.
#[must_use]
pub fn merge_key(list: &str) -> Option<&'static str> {
    match list {
        "containers" | "initContainers" | "ephemeralContainers" | "env" | "volumes" => Some("name"),
        "ports" => Some("containerPort"),
        "volumeMounts" => Some("mountPath"),
        _ => None,
    }
}

/// Durations, in seconds: where two patches ask for different ones, the longer one serves both.
const LONGEST_WINS: [&str; 3] = [
    "minReadySeconds",
    "seconds",
    "terminationGracePeriodSeconds",
];

/// A patch's list is merged if each of its items has the key.
fn keyed(list: &str, changes: &[Value]) -> bool {
    merge_key(list).is_some_and(|key| changes.iter().all(|change| change.get(key).is_some()))
}

/// The item of a list that a patch's item is about.
fn same<'v>(items: &'v mut [Value], list: &str, item: &Value) -> Option<&'v mut Value> {
    let key = merge_key(list)?;
    let wanted = item.get(key)?;
    items.iter_mut().find(|each| each.get(key) == Some(wanted))
}

/// A value with a patch applied.
#[must_use]
pub fn patched(value: &Value, patch: &Value) -> Value {
    let mut value = value.clone();
    apply(&mut value, patch, "");
    value
}

fn apply(value: &mut Value, patch: &Value, field: &str) {
    match (value, patch) {
        (Value::Object(map), Value::Object(changes)) => {
            for (key, change) in changes {
                if change.is_null() {
                    map.remove(key);
                } else if let Some(known) = map.get_mut(key) {
                    apply(known, change, key);
                } else {
                    map.insert(key.clone(), without_nulls(change));
                }
            }
        }
        (Value::Array(items), Value::Array(changes)) if keyed(field, changes) => {
            for change in changes {
                match same(items, field, change) {
                    Some(item) => apply(item, change, ""),
                    None => items.push(without_nulls(change)),
                }
            }
        }
        (value, patch) => *value = without_nulls(patch),
    }
}

/// What a patch makes where nothing was.
pub(super) fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let set = map.iter().filter(|(_, value)| !value.is_null());
            let kept: Map<_, _> = set
                .map(|(key, value)| (key.clone(), without_nulls(value)))
                .collect();
            Value::Object(kept)
        }
        other => other.clone(),
    }
}

/// The field for which two patches ask different values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction(pub String);

/// One patch that does what both do. Of two durations the longer one is used.
///
/// # Errors
///
/// The field for which they ask different values.
pub fn join(one: &Value, other: &Value) -> Result<Value, Contradiction> {
    let mut joined = one.clone();
    add(&mut joined, other, "")?;
    Ok(joined)
}

fn add(into: &mut Value, more: &Value, path: &str) -> Result<(), Contradiction> {
    let field = path.rsplit('.').next().unwrap_or_default();
    match (into, more) {
        (Value::Object(map), Value::Object(changes)) => {
            for (key, change) in changes {
                let path = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                match map.get_mut(key) {
                    Some(known) => add(known, change, &path)?,
                    None => {
                        map.insert(key.clone(), change.clone());
                    }
                }
            }
            Ok(())
        }
        (Value::Array(items), Value::Array(changes)) if keyed(field, changes) => {
            for change in changes {
                match same(items, field, change) {
                    Some(item) => add(item, change, path)?,
                    None => items.push(change.clone()),
                }
            }
            Ok(())
        }
        (Value::Number(known), Value::Number(wanted)) if LONGEST_WINS.contains(&field) => {
            if wanted.as_f64() > known.as_f64() {
                *known = wanted.clone();
            }
            Ok(())
        }
        (known, wanted) if known == wanted => Ok(()),
        _ => Err(Contradiction(path.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn null_removes_and_maps_are_merged() {
        let hook = json!({"lifecycle": {"preStop": {"exec": {"command": ["sleep", "5"]}}, "postStart": {"exec": {}}}});
        let patch = json!({"lifecycle": {"preStop": {"exec": null, "sleep": {"seconds": 5}}, "none": null}});
        let want =
            json!({"lifecycle": {"preStop": {"sleep": {"seconds": 5}}, "postStart": {"exec": {}}}});
        assert_eq!(patched(&hook, &patch), want);
    }

    #[test]
    fn containers_are_found_by_name_and_other_lists_are_replaced() {
        let spec = json!({"containers": [{"name": "a", "args": ["1", "2"]}, {"name": "b"}]});
        let patch =
            json!({"containers": [{"name": "b", "image": "x"}, {"name": "a", "args": ["3"]}]});
        let want =
            json!({"containers": [{"name": "a", "args": ["3"]}, {"name": "b", "image": "x"}]});
        assert_eq!(patched(&spec, &patch), want);
    }

    #[test]
    fn a_new_map_holds_no_nulls() {
        let patch = json!({"a": {"b": null, "c": {"d": null, "e": 1}}});
        assert_eq!(patched(&json!({}), &patch), json!({"a": {"c": {"e": 1}}}));
    }

    #[test]
    fn of_two_times_the_longer_one_is_taken_whatever_the_order() {
        let one = json!({"spec": {"terminationGracePeriodSeconds": 45}});
        let other = json!({"spec": {"terminationGracePeriodSeconds": 120}});
        assert_eq!(join(&one, &other), Ok(other.clone()));
        assert_eq!(join(&other, &one), Ok(other));
    }

    #[test]
    fn patches_of_several_containers_stand_side_by_side_and_of_one_together() {
        let patch = |name: &str, field: &str| json!({"containers": [{"name": name, field: 1}]});
        let joined = join(&patch("a", "x"), &patch("b", "x")).expect("one patch");
        let joined = join(&joined, &patch("a", "y")).expect("one patch");
        let want = json!({"containers": [{"name": "a", "x": 1, "y": 1}, {"name": "b", "x": 1}]});
        assert_eq!(joined, want);
    }

    #[test]
    fn what_two_patches_want_differently_is_named() {
        let patch = |word: &str| json!({"containers": [{"name": "a", "command": [word]}]});
        let found = join(&patch("x"), &patch("y"));
        assert_eq!(found, Err(Contradiction("containers.command".to_owned())));
        // One removes what the other sets.
        let (gone, set) = (json!({"exec": null}), json!({"exec": {"command": []}}));
        assert_eq!(join(&gone, &set), Err(Contradiction("exec".to_owned())));
    }
}
