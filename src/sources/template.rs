//! Which labels and annotations will the pods of a workload have, and which has a pod that exists?

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::facts::object::ApiObject;

/// Where pod-graceful-drain keeps the labels that it takes from a pod, so that Services no longer select it.
const ORIGINAL_LABELS: &str = "pod-graceful-drain/original-labels";

/// A workload and the pods that it will make.
#[derive(Debug)]
pub(super) struct PodTemplate<'a> {
    pub(super) workload: &'a ApiObject,
    /// An object with the template's labels, annotations and spec, and the workload's kind and name.
    pub(super) pod: Rc<ApiObject>,
}

impl<'a> PodTemplate<'a> {
    pub(super) fn of(workload: &'a ApiObject) -> Self {
        let template = &workload.value["spec"]["template"];
        Self {
            workload,
            pod: Rc::new(ApiObject {
                api_version: workload.api_version.clone(),
                kind: workload.kind.clone(),
                namespace: workload.namespace.clone(),
                name: workload.name.clone(),
                labels: strings(&template["metadata"]["labels"]),
                annotations: strings(&template["metadata"]["annotations"]),
                value: json!({"spec": template["spec"].clone()}),
            }),
        }
    }
}

/// The labels by which Services selected a pod before pod-graceful-drain took it out of them.
pub(super) fn pod_labels(pod: &ApiObject) -> Cow<'_, BTreeMap<String, String>> {
    match pod
        .annotations
        .get(ORIGINAL_LABELS)
        .and_then(|text| serde_json::from_str::<Value>(text).ok())
    {
        Some(original) => Cow::Owned(strings(&original)),
        None => Cow::Borrowed(&pod.labels),
    }
}

/// The string fields of a JSON object.
fn strings(value: &Value) -> BTreeMap<String, String> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
        .collect()
}
