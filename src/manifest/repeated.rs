//! Is an object in the input more than once? `kubectl apply` would let the last one win; nobody can say which one is meant.

use std::collections::{BTreeSet, HashMap};

use super::{Identity, ManifestObject, Problem, ProblemKind};
use crate::facts::ObjectName;

/// Objects, each once.
#[derive(Debug, Default)]
pub struct Once {
    /// The first of each.
    pub kept: Vec<ManifestObject>,
    /// Every other that is not the same to the letter.
    pub problems: Vec<Problem>,
    /// The Services among these.
    pub services: BTreeSet<ObjectName>,
}

/// Keeps the first of each object, and tells of every other that is not the same to the letter.
#[must_use]
pub fn set_aside(objects: Vec<ManifestObject>) -> Once {
    let mut known: HashMap<[&str; 4], &ManifestObject> = HashMap::with_capacity(objects.len());
    let mut problems = Vec::new();
    let mut services = BTreeSet::new();
    let mut again = vec![false; objects.len()];
    for (object, again) in objects.iter().zip(&mut again) {
        let Some(key) = Identity::parts(&object.value) else {
            continue;
        };
        let Some(first) = known.get(&key) else {
            known.insert(key, object);
            continue;
        };
        *again = true;
        if first.value != object.value {
            let [group, kind, namespace, name] = key;
            if group.is_empty() && kind == "Service" {
                services.insert(ObjectName::new(namespace, name));
            }
            let message = format!(
                "{kind} {name} is defined twice: only the one at {}:{} was checked",
                first.file, first.line
            );
            let help = "check what is applied together in one run, and each environment in a run of its own";
            problems.push(Problem {
                kind: ProblemKind::Repeated,
                ..Problem::at(&object.file, (object.line, 1), message, help)
            });
        }
    }
    let kept = objects.into_iter().zip(again);
    let kept = kept.filter_map(|(object, again)| (!again).then_some(object));
    Once {
        kept: kept.collect(),
        problems,
        services,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn object(line: u32, value: Value) -> ManifestObject {
        let file = "a.yaml".to_owned();
        ManifestObject { file, line, value }
    }

    #[test]
    fn the_first_counts_and_a_second_that_differs_is_told_of() {
        let web = |kind: &str, version: &str, n: u32| json!({"apiVersion": version, "kind": kind, "metadata": {"name": "web"}, "n": n});
        let Once {
            kept,
            problems,
            services,
        } = set_aside(vec![
            object(1, web("Deployment", "apps/v1", 1)),
            object(9, web("Deployment", "apps/v1", 1)),
            object(20, web("Deployment", "apps/v1beta2", 2)),
            object(30, web("Service", "v1", 1)),
            object(40, web("Service", "serving.knative.dev/v1", 1)),
        ]);
        let lines: Vec<_> = kept.iter().map(|object| object.line).collect();
        assert_eq!(lines, [1, 30, 40]);
        assert_eq!(problems.len(), 1);
        assert!(services.is_empty(), "{services:?}");
        assert_eq!(problems[0].line, Some(20));
        assert!(problems[0].message.contains("only the one at a.yaml:1"));
    }
}
