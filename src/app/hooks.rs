//! How far is each preStop hook read? All different ones of an input share what reading them may cost.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use crate::facts::Snapshot;
use crate::facts::pod_spec::{Handler, PodSpec};
use crate::manifest::ManifestObject;
use crate::shutdown::hook::Steps;

/// Does it go round, or make much of little? Others take what they are long.
fn may_be_long(command: &[String]) -> bool {
    let signs = ["$", "for", "while", "until"];
    command
        .iter()
        .any(|word| signs.iter().any(|sign| word.contains(sign)))
}

/// Different hooks, with the environment that each has.
#[derive(Default)]
struct Hooks(HashSet<u64>);

impl Hooks {
    fn add(&mut self, hook: &impl Hash) {
        let mut hasher = DefaultHasher::new();
        hook.hash(&mut hasher);
        self.0.insert(hasher.finish());
    }

    fn spec(&mut self, spec: &PodSpec) {
        for container in spec.containers.iter().chain(&spec.init_containers) {
            let Some(Handler::Exec(command)) = &container.lifecycle.pre_stop else {
                continue;
            };
            if may_be_long(command) {
                let env = container.env.iter().map(|one| (&one.name, &one.value));
                self.add(&(command, env.collect::<Vec<_>>()));
            }
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.value(item)),
            Value::Object(fields) => {
                let hook = fields.get("lifecycle");
                let hook = hook.and_then(|hook| hook["preStop"]["exec"]["command"].as_array());
                let words = hook.into_iter().flatten().filter_map(Value::as_str);
                let words: Vec<_> = words.map(str::to_owned).collect();
                if may_be_long(&words) {
                    let env = fields.get("env").map(Value::to_string);
                    self.add(&(words, env));
                }
                fields.values().for_each(|value| self.value(value));
            }
            _ => {}
        }
    }
}

/// By the hooks of pods and templates.
pub(super) fn of_facts(facts: &Snapshot) -> Steps {
    let mut hooks = Hooks::default();
    let pods = facts.pods.iter().map(|pod| &*pod.spec);
    let templates = facts.workloads.iter();
    let templates = templates.map(|workload| &workload.template.spec);
    let mut last: Option<&PodSpec> = None;
    for spec in pods.chain(templates) {
        // Pods of one template mostly come one after the other.
        if !last.is_some_and(|last| std::ptr::eq(last, spec)) {
            hooks.spec(spec);
        }
        last = Some(spec);
    }
    Steps::of(hooks.0.len())
}

/// By the hooks of containers that manifests write anywhere.
pub(super) fn of_objects(objects: &[ManifestObject]) -> Steps {
    let mut hooks = Hooks::default();
    for object in objects {
        hooks.value(&object.value);
    }
    Steps::of(hooks.0.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::collect::snapshot::facts_of;

    /// A template whose containers run so many different hooks of a kind, each of them twice.
    fn template(hooks: usize, script: &str) -> Value {
        let container = |at: usize| {
            let env = json!([{"name": "SECONDS", "value": (at % hooks).to_string()}]);
            let hook = json!({"preStop": {"exec": {"command": ["sh", "-c", script]}}});
            json!({"name": format!("c{at}"), "image": "a", "env": env, "lifecycle": hook})
        };
        let containers: Vec<_> = (0..2 * hooks).map(container).collect();
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"template": {"spec": {"containers": containers}}}})
    }

    #[test]
    fn different_hooks_that_may_be_long_share_and_the_same_one_counts_once() {
        for (hooks, script, counted) in [
            (1, "sleep $SECONDS", 1),
            (1000, "sleep $SECONDS", 1000),
            (1000, "sleep 5", 0),
        ] {
            let object = ManifestObject {
                value: template(hooks, script),
                ..ManifestObject::default()
            };
            let (facts, _) = facts_of([&object].into_iter());
            let objects = std::slice::from_ref(&object);
            assert_eq!(of_objects(objects), Steps::of(counted));
            assert_eq!(of_facts(&facts), Steps::of(counted));
        }
    }
}
