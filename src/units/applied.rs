//! What becomes of an object on its way through the kustomizations above it, as far as that decides what belongs together?
//!
//! The fields are those of kustomize's transformers (`api/internal/konfig/builtinpluginconsts/commonlabels.go`, `namespace.go`). Names
//! are left as they are written: prefixes are given to names and to what refers to them alike.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{Layer, Member, written_namespace};
use crate::manifest::ManifestObject;
use crate::manifest::namespace::is_cluster_wide;

/// An object as it is applied: in its namespace, with its labels, and with as many replicas as patches set.
pub(super) fn applied<'o>(
    written: &'o ManifestObject,
    member: &Member,
    namespace: Option<&str>,
    kustomized: bool,
) -> Cow<'o, ManifestObject> {
    let mut object = Cow::Borrowed(written);
    if let Some(words) = in_words(&written.value, kustomized) {
        object.to_mut().value["metadata"]["annotations"] = words;
    }
    let numbers = member.touched.iter();
    let number = numbers.filter_map(|touched| touched.replicas).next_back();
    if let Some(number) = number.filter(|_| written.value["spec"].is_object()) {
        object.to_mut().value["spec"]["replicas"] = json!(number);
    }
    let labelled = member
        .layers
        .iter()
        .filter(|layer| !layer.labels.is_empty());
    for layer in labelled {
        label(&mut object.to_mut().value, layer);
    }
    let Some(wanted) = namespace else {
        return object;
    };
    let kind = written.value["kind"].as_str().unwrap_or_default();
    let own = written_namespace(&written.value);
    let moves = own != Some(wanted) && !is_cluster_wide(kind);
    if moves && written.value["metadata"].is_object() {
        object.to_mut().value["metadata"]["namespace"] = json!(wanted);
    }
    object
}

/// An object's annotations, if they hold what is no word and becomes one: nothing, for kubectl, and for kustomize numbers and `true` too
/// (it reads and writes them as texts; those of pod templates stay what they are).
fn in_words(value: &Value, kustomized: bool) -> Option<Value> {
    let annotations = value["metadata"]["annotations"].as_object()?;
    let word = |value: &Value| match value {
        Value::Null => Some(json!("")),
        Value::Number(_) | Value::Bool(_) if kustomized => Some(json!(value.to_string())),
        _ => None,
    };
    let mut values = annotations.values();
    values.any(|value| word(value).is_some()).then(|| {
        let pairs = annotations.iter();
        let pairs = pairs.map(|(key, value)| {
            let word = word(value).unwrap_or_else(|| value.clone());
            (key.clone(), word)
        });
        Value::Object(pairs.collect())
    })
}

/// The map at a path, made where it is missing and `create` says so.
fn map_at<'v>(
    value: &'v mut Value,
    path: &[&str],
    create: bool,
) -> Option<&'v mut Map<String, Value>> {
    let mut value = value;
    for step in path {
        let map = value.as_object_mut()?;
        if create {
            map.entry(*step).or_insert_with(|| json!({}));
        }
        value = map.get_mut(*step)?;
        if create && value.is_null() {
            *value = json!({});
        }
    }
    value.as_object_mut()
}

/// Where pod templates have labels, by kind.
fn template_of(kind: &str) -> Option<&'static [&'static str]> {
    match kind {
        "Deployment"
        | "StatefulSet"
        | "DaemonSet"
        | "ReplicaSet"
        | "ReplicationController"
        | "Job" => Some(&["spec", "template", "metadata", "labels"]),
        "CronJob" => Some(&[
            "spec",
            "jobTemplate",
            "spec",
            "template",
            "metadata",
            "labels",
        ]),
        "Pod" => Some(&["metadata", "labels"]),
        _ => None,
    }
}

/// Where selectors are, by kind, and whether one is made where there is none.
fn selector_of(kind: &str) -> Option<(&'static [&'static str], bool)> {
    match kind {
        "Service" | "ReplicationController" => Some((&["spec", "selector"], true)),
        "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" => {
            Some((&["spec", "selector", "matchLabels"], true))
        }
        "PodDisruptionBudget" => Some((&["spec", "selector", "matchLabels"], false)),
        _ => None,
    }
}

fn label(value: &mut Value, layer: &Layer) {
    let kind = value["kind"].as_str().unwrap_or_default().to_owned();
    for labels in &layer.labels {
        let template = template_of(&kind)
            .filter(|_| labels.templates)
            .map(|path| (path, true));
        let selector = selector_of(&kind).filter(|_| labels.selectors);
        for (path, create) in template.into_iter().chain(selector) {
            let Some(map) = map_at(value, path, create) else {
                continue;
            };
            let pairs = labels.pairs.iter();
            map.extend(pairs.map(|(key, value)| (key.clone(), json!(value))));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::kustomization::Labels;
    use super::*;

    #[test]
    fn labels_reach_selectors_and_templates_and_the_namespace_everything_in_one() {
        let layer = Layer {
            namespace: None,
            labels: vec![Labels {
                pairs: [("env".to_owned(), "prod".to_owned())].into(),
                selectors: true,
                templates: true,
            }],
        };
        let member = Member {
            layers: vec![Arc::new(layer)],
            ..Member::written(0)
        };
        let object = |value| ManifestObject {
            file: "a.yaml".to_owned(),
            line: 1,
            value,
        };
        let service = object(
            json!({"kind": "Service", "metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}}}),
        );
        let service = applied(&service, &member, Some("shop"), true);
        assert_eq!(
            service.value["spec"]["selector"],
            json!({"app": "web", "env": "prod"})
        );
        assert_eq!(service.value["metadata"]["namespace"], "shop");
        let deployment = object(
            json!({"kind": "Deployment", "metadata": {"name": "web"}, "spec": {"template": {"metadata": {}}}}),
        );
        let deployment = applied(&deployment, &member, None, true);
        let labels = &deployment.value["spec"]["template"]["metadata"]["labels"];
        assert_eq!(*labels, json!({"env": "prod"}));
        let class = object(json!({"kind": "StorageClass", "metadata": {"name": "a"}}));
        let class = applied(&class, &member, Some("shop"), true);
        assert_eq!(class.value["metadata"], json!({"name": "a"}));
    }
}
