//! Which facts does one object of an answer hold?

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1 as core;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::parts;
use super::{json, objects};
use crate::decode;
use crate::facts::endpoints::Endpoints;
use crate::facts::kube_proxy::KubeProxyPod;
use crate::facts::node::Node;
use crate::facts::object::Object;
use crate::facts::pod::Pod;
use crate::facts::service::Service;
use crate::facts::slice::EndpointSlice;
use crate::facts::workload::{Workload, WorkloadKind};
use crate::sources;
use crate::words::plain;

/// Straight from the text: the lists of pods and slices are large.
fn typed<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    Ok(json::text(text)?)
}

/// A fact, and what the same object tells of who sends traffic.
pub(crate) type Seen<T> = (T, Option<Object>);

/// Items of a list say neither.
pub(crate) fn named(value: &mut Value, version: &str, kind: &str) {
    if let Some(fields) = value.as_object_mut() {
        fields.entry("apiVersion").or_insert_with(|| version.into());
        fields.entry("kind").or_insert_with(|| kind.into());
    }
}

/// What an object tells of who sends traffic. It is read once more from its text: few objects tell anything, and types that are
/// written as well as read would make the program larger by a few hundred kilobytes.
fn told(text: &str, version: &str, kind: &str) -> Option<Object> {
    let mut value: Value = json::text(text).ok()?;
    named(&mut value, version, kind);
    sources::keep(&value)
}

pub(crate) fn service(text: &str) -> Result<Seen<Service>, String> {
    let mut value: Value = typed(text)?;
    named(&mut value, "v1", "Service");
    let topology_keys = objects::topology_keys(&value);
    let told = sources::keep(&value);
    let service = Service {
        topology_keys,
        ..decode::service(json::value(&value)?)
    };
    Ok((service, told))
}

pub(crate) fn slice(text: &str) -> Result<EndpointSlice, String> {
    typed(text).map(decode::slice)
}

pub(crate) fn slice_v1beta1(text: &str) -> Result<EndpointSlice, String> {
    let mut value: Value = typed(text)?;
    objects::slice_to_v1(&mut value);
    Ok(decode::slice(json::value(&value)?))
}

pub(crate) fn endpoints(text: &str) -> Result<Endpoints, String> {
    typed(text).map(decode::endpoints)
}

/// May a pod tell who sends traffic? Few do, and pods are many.
fn pod_tells(pod: &parts::Pod) -> bool {
    let keys = |map: &Option<BTreeMap<String, String>>| {
        map.iter().flatten().any(|(key, _)| sources::tells(key))
    };
    let spec = pod.spec.as_ref();
    let containers = spec.into_iter().flat_map(|spec| {
        let init = spec.init_containers.iter().flatten();
        spec.containers.iter().chain(init)
    });
    keys(&pod.metadata.labels)
        || keys(&pod.metadata.annotations)
        || spec.is_some_and(|spec| spec.readiness_gates.iter().flatten().next().is_some())
        || containers.into_iter().any(|one| sources::tells(&one.name))
}

pub(crate) fn pod(text: &str) -> Result<Seen<Pod>, String> {
    Ok(seen_pod(text, typed(text)?))
}

/// A pod of any kind, and what it is as a kube-proxy.
pub(crate) fn any_pod(text: &str) -> Result<(Seen<Pod>, Option<KubeProxyPod>), String> {
    let pod: parts::Pod = typed(text)?;
    let kube_proxy = decode::kube_proxy::kube_proxy_pod(&pod);
    Ok((seen_pod(text, pod), kube_proxy))
}

fn seen_pod(text: &str, pod: parts::Pod) -> Seen<Pod> {
    let told = pod_tells(&pod).then(|| told(text, "v1", "Pod")).flatten();
    (decode::pod(pod), told)
}

pub(crate) fn node(text: &str) -> Result<Seen<Node>, String> {
    let node: core::Node = typed(text)?;
    let told = told(text, "v1", "Node");
    Ok((decode::node(node), told))
}

/// `None` for a pod that is not placed yet, or whose labels only look like kube-proxy's.
pub(crate) fn kube_proxy_pod(text: &str) -> Result<Option<KubeProxyPod>, String> {
    let pod: parts::Pod = typed(text)?;
    Ok(decode::kube_proxy::kube_proxy_pod(&pod))
}

pub(crate) fn config_map(text: &str) -> Result<core::ConfigMap, String> {
    typed(text)
}

fn of_workload<T: DeserializeOwned>(
    text: &str,
    kind: WorkloadKind,
    convert: fn(T) -> Workload,
) -> Result<Seen<Workload>, String> {
    let mut value: Value = typed(text)?;
    named(&mut value, "apps/v1", kind.name());
    let told = sources::keep(&value);
    Ok((convert(json::value(&value)?), told))
}

/// The reader for a kind of workload.
pub(crate) fn workload(kind: WorkloadKind, text: &str) -> Result<Seen<Workload>, String> {
    match kind {
        WorkloadKind::Deployment => of_workload(text, kind, decode::deployment),
        WorkloadKind::StatefulSet => of_workload(text, kind, decode::stateful_set),
        WorkloadKind::DaemonSet => of_workload(text, kind, decode::daemon_set),
        WorkloadKind::ReplicaSet => of_workload(text, kind, decode::replica_set),
    }
}

/// Namespace and name of any object.
pub(crate) fn name(text: &str) -> Result<crate::facts::ObjectName, String> {
    #[derive(Deserialize)]
    struct Any {
        metadata: Meta,
    }
    #[derive(Deserialize)]
    struct Meta {
        #[serde(default)]
        namespace: String,
        name: String,
    }
    let any: Any = typed(text)?;
    Ok(crate::facts::ObjectName::new(
        plain(&any.metadata.namespace),
        plain(&any.metadata.name),
    ))
}

/// The server's version, from its `/version`.
pub(crate) fn git_version(body: &[u8]) -> Result<String, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Version {
        git_version: String,
    }
    serde_json::from_slice::<Version>(body)
        .map(|version| version.git_version)
        .map_err(|error| error.to_string())
}
