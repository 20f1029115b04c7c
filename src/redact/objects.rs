//! What is kept of an object of each kind? What is read of it, and a Secret never.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::parts::{self, meta, pod_spec, template};
use super::{untyped, words};
use crate::decode::kube_proxy::configuration;
use crate::decode::parts::{
    AutoscalerSpec, ClaimSpec, Condition, ConfigMap, ContainerStatus, DisruptionBudgetSpec,
    EndpointSlice, Endpoints, Event, Node, Pod, Service, Template, WithSpec, Workload,
};
use crate::decode::pod_template;
use crate::decode::read::Raw;
use crate::sources;

/// An object, and what it says that it is.
#[derive(Clone, Copy)]
struct Object<'a> {
    raw: Raw<'a>,
    version: &'a str,
    kind: &'a str,
}

/// The parts of an object that are read, with what it says that it is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Kept<'a, T> {
    api_version: &'a str,
    kind: &'a str,
    #[serde(flatten)]
    parts: T,
}

impl Object<'_> {
    /// Written again with these parts.
    fn with(self, parts: impl Serialize) -> Option<Box<RawValue>> {
        let kept = Kept {
            api_version: self.version,
            kind: self.kind,
            parts,
        };
        to_raw_value(&kept).ok()
    }
}

/// What is read of it, after `mask`; `None` for what does not fit, which nobody reads.
fn read<T: DeserializeOwned + Serialize>(
    object: Object<'_>,
    mask: impl FnOnce(&mut T),
) -> Option<Box<RawValue>> {
    object.with(parts::masked(object.raw, mask)?)
}

/// An object with a `spec` that holds nothing secret.
fn plain<S: DeserializeOwned + Serialize + Default>(object: Object<'_>) -> Option<Box<RawValue>> {
    read(object, |object: &mut WithSpec<S>| {
        meta(&mut object.metadata);
    })
}

fn pod(pod: &mut Pod) {
    meta(&mut pod.metadata);
    if let Some(spec) = &mut pod.spec {
        pod_spec(spec);
    }
    if let Some(status) = &mut pod.status {
        status.message = None;
        // The scheduler's; the kubelet's may hold anything.
        messages(&mut status.conditions, &["PodScheduled"]);
        let lists = [
            &mut status.container_statuses,
            &mut status.init_container_statuses,
            &mut status.ephemeral_container_statuses,
        ];
        for status in lists.into_iter().flatten().flatten() {
            unsaid(status);
        }
    }
}

/// Without the words of a runtime or an image registry.
fn unsaid(status: &mut ContainerStatus) {
    let waiting = status
        .state
        .as_mut()
        .and_then(|state| state.waiting.as_mut());
    if let Some(waiting) = waiting {
        waiting.message = None;
    }
}

/// Leaves messages to conditions of these types, as far as nothing in them looks like a secret.
fn messages(conditions: &mut Option<Vec<Condition>>, kept: &[&str]) {
    for condition in conditions.iter_mut().flatten() {
        let keep = kept.contains(&condition.type_.as_str());
        let message = condition.message.take().filter(|_| keep);
        condition.message = message.map(|text| words::text(&text));
    }
}

fn node(node: &mut Node) {
    meta(&mut node.metadata);
    if let Some(status) = &mut node.status {
        messages(&mut status.conditions, &[]);
    }
}

fn workload(workload: &mut Workload) {
    meta(&mut workload.metadata);
    template(&mut workload.spec.template);
    if let Some(status) = &mut workload.status {
        let kept = ["Progressing", "ReplicaFailure"];
        messages(&mut status.conditions, &kept);
    }
}

/// Events whose message holds nothing but names, or what the scheduler and controllers say; others hold what a probe, a hook or a registry said.
const SAID_BY_CONTROLLERS: [&str; 8] = [
    "Killing",
    "FailedScheduling",
    "FailedCreate",
    "FailedMount",
    "FailedAttachVolume",
    "FailedMapVolume",
    "FailedBinding",
    "FailedCreatePodSandBox",
];

fn event(event: &mut Event) {
    meta(&mut event.metadata);
    let reason = event.reason.as_deref().unwrap_or_default();
    let keep = SAID_BY_CONTROLLERS.contains(&reason);
    for message in [&mut event.message, &mut event.note] {
        let said = message.take().filter(|_| keep);
        *message = said.map(|text| words::text(&text));
    }
}

/// A `ConfigMap` with the keys that are known settings, and no other; `None` for one that nobody reads.
fn config_map(object: Object<'_>) -> Option<Box<RawValue>> {
    let value = object.raw.value(object.version, object.kind).ok()?;
    let traffic = sources::keep(&value);
    let known = |key: &str| {
        let traffic = traffic.as_ref();
        traffic.is_some_and(|object| object.value["data"].get(key).is_some())
    };
    let mut map: ConfigMap = object.raw.typed().ok()?;
    meta(&mut map.metadata);
    let data = map.data.take().unwrap_or_default().into_iter();
    let kept = data.filter_map(|(key, text)| {
        let settings = configuration(&text).and_then(|read| serde_yaml::to_string(&read).ok());
        let text = settings.or_else(|| known(&key).then(|| words::text(&text)))?;
        Some((key, text))
    });
    let kept: BTreeMap<_, _> = kept.collect();
    let is_read = traffic.is_some() || !kept.is_empty();
    map.data = Some(kept);
    is_read.then(|| object.with(map)).flatten()
}

/// Any other object with a pod template, as `decode::other` reads it.
fn with_template(value: &Value, of_pods: &Value) -> Option<Value> {
    let of_pods = parts::read(Raw::Value(of_pods), |all: &mut Template| template(all))?;
    let spec = &value["spec"];
    let mut kept = if spec["template"]["spec"]["containers"].is_array() {
        json!({"template": of_pods})
    } else {
        json!({"jobTemplate": {"spec": {"template": of_pods}}})
    };
    for field in ["replicas", "minReadySeconds"] {
        if let Some(number) = spec[field].as_i64() {
            kept[field] = number.into();
        }
    }
    Some(json!({
        "apiVersion": value["apiVersion"],
        "kind": value["kind"],
        "metadata": parts::read(Raw::Value(&value["metadata"]), meta)?,
        "spec": kept,
    }))
}

/// An object that has no type here: as the catalogue of traffic sources reads it, with all of its fields.
fn other(mut value: Value) -> Option<Value> {
    if let Some(of_pods) = pod_template(&value) {
        return with_template(&value, of_pods);
    }
    sources::keep(&value)?;
    let fields = value.as_object_mut()?;
    fields.remove("status");
    let of_object = parts::read(Raw::Value(&fields.remove("metadata")?), meta)?;
    let mut kept = untyped::masked(value);
    kept["metadata"] = of_object;
    Some(kept)
}

/// No type here is of its kind.
struct NoType;

fn typed(object: Object<'_>) -> Result<Option<Box<RawValue>>, NoType> {
    let kept = match (object.version, object.kind) {
        (_, "Secret") => None,
        ("v1", "Service") => read(object, |service: &mut Service| meta(&mut service.metadata)),
        ("v1", "Endpoints") => read(object, |one: &mut Endpoints| meta(&mut one.metadata)),
        ("v1", "Pod") => read(object, pod),
        ("v1", "Node") => read(object, node),
        ("v1" | "events.k8s.io/v1", "Event") => read(object, event),
        ("v1", "ConfigMap") => config_map(object),
        ("v1", "PersistentVolumeClaim") => plain::<ClaimSpec>(object),
        ("discovery.k8s.io/v1" | "discovery.k8s.io/v1beta1", "EndpointSlice") => {
            read(object, |slice: &mut EndpointSlice| {
                meta(&mut slice.metadata);
            })
        }
        ("apps/v1", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet") => {
            read(object, workload)
        }
        ("policy/v1" | "policy/v1beta1", "PodDisruptionBudget") => {
            plain::<DisruptionBudgetSpec>(object)
        }
        ("keda.sh/v1alpha1", "ScaledObject") => plain::<AutoscalerSpec>(object),
        (version, "HorizontalPodAutoscaler") if version.starts_with("autoscaling/") => {
            plain::<AutoscalerSpec>(object)
        }
        _ => return Err(NoType),
    };
    Ok(kept)
}

/// What may be shown of an object, written out; `None` for one that nobody reads or that does not fit its kind, and for every Secret.
#[must_use]
pub fn object(value: Value) -> Option<Box<RawValue>> {
    let text = |key: &str| value[key].as_str().unwrap_or_default();
    let kept = typed(Object {
        raw: Raw::Value(&value),
        version: text("apiVersion"),
        kind: text("kind"),
    });
    kept.unwrap_or_else(|NoType| to_raw_value(&other(value)?).ok())
}

/// The same of one that is written so, and is of this kind, which it may leave out: what has a type goes from text to text without ever
/// being a value.
#[must_use]
pub fn written(text: &str, version: &str, kind: &str) -> Option<Box<RawValue>> {
    let raw = Raw::Text(text);
    let kept = typed(Object { raw, version, kind });
    kept.unwrap_or_else(|NoType| {
        let value = raw.value(version, kind).ok()?.into_owned();
        to_raw_value(&other(value)?).ok()
    })
}
