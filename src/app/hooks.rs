//! How far is each preStop hook read? All of an input share what reading them may cost.

use serde_json::Value;

use crate::facts::Snapshot;
use crate::facts::pod_spec::{Handler, PodSpec};
use crate::manifest::ManifestObject;
use crate::manifest::cores::of_many;
use crate::shutdown::hook::Steps;

/// Does it go round, or make much of little? Others take what they are long.
fn may_be_long<'w>(command: impl IntoIterator<Item = &'w (impl AsRef<str> + ?Sized + 'w)>) -> bool {
    let signs = ["$", "for", "while", "until"];
    let has_one = |word: &str| signs.iter().any(|sign| word.contains(sign));
    command.into_iter().any(|word| has_one(word.as_ref()))
}

/// The hooks of a pod's containers that may take long.
fn of_spec(spec: &PodSpec) -> usize {
    let containers = spec.containers.iter().chain(&spec.init_containers);
    let long = containers.filter(|container| match &container.lifecycle.pre_stop {
        Some(Handler::Exec(command)) => may_be_long(command),
        _ => false,
    });
    long.count()
}

/// Those that are written anywhere in a value.
fn of_value(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(of_value).sum(),
        Value::Object(fields) => {
            let own = |(key, value): (&String, &Value)| {
                let is_long = key == "lifecycle" && {
                    let command = value["preStop"]["exec"]["command"].as_array();
                    may_be_long(command.into_iter().flatten().filter_map(Value::as_str))
                };
                usize::from(is_long) + of_value(value)
            };
            fields.iter().map(own).sum()
        }
        _ => 0,
    }
}

/// By the hooks of pods and templates. Each is read wherever it stands, also where another says the same.
pub(super) fn of_facts(facts: &Snapshot) -> Steps {
    let pods = facts.pods.iter().map(|pod| &*pod.spec);
    let templates = facts.workloads.iter();
    let templates = templates.map(|workload| &workload.template.spec);
    let mut hooks: usize = 0;
    let mut last: Option<&PodSpec> = None;
    for spec in pods.chain(templates) {
        // Pods of one template mostly come one after the other, and share what they say.
        if !last.is_some_and(|last| std::ptr::eq(last, spec)) {
            hooks = hooks.saturating_add(of_spec(spec));
        }
        last = Some(spec);
    }
    Steps::of(hooks)
}

/// By the hooks of containers that manifests write anywhere. Every value is looked at, which takes its time where there is much.
pub(super) fn of_objects(objects: &[ManifestObject]) -> Steps {
    let hooks = of_many(objects, |object| of_value(&object.value));
    Steps::of(hooks.into_iter().sum())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::collect::snapshot::facts_of;

    /// A template with so many containers that all have this hook.
    fn template(containers: usize, script: &str) -> Value {
        let container = |at: usize| {
            let hook = json!({"preStop": {"exec": {"command": ["sh", "-c", script]}}});
            json!({"name": format!("c{at}"), "image": "a", "lifecycle": hook})
        };
        let containers: Vec<_> = (0..containers).map(container).collect();
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"template": {"spec": {"containers": containers}}}})
    }

    #[test]
    fn hooks_that_may_be_long_share_also_where_they_say_the_same() {
        for (containers, script, counted) in [
            (1, "sleep $SECONDS", 1),
            (1000, "sleep $SECONDS", 1000),
            (1000, "while true; do sleep 1; done", 1000),
            (1000, "sleep 5", 0),
        ] {
            let object = ManifestObject {
                value: template(containers, script),
                ..ManifestObject::default()
            };
            let (facts, _) = facts_of([&object].into_iter());
            let objects = std::slice::from_ref(&object);
            assert_eq!(of_objects(objects), Steps::of(counted));
            assert_eq!(of_facts(&facts), Steps::of(counted));
        }
    }
}
