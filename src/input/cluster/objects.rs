//! Which facts does one object of an answer hold?

use k8s_openapi::api::core::v1 as core;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::api::plain;
use crate::facts::endpoints::Endpoints;
use crate::facts::kube_proxy::KubeProxyPod;
use crate::facts::node::Node;
use crate::facts::pod::Pod;
use crate::facts::service::Service;
use crate::facts::slice::EndpointSlice;
use crate::facts::workload::{Workload, WorkloadKind};
use crate::input::{convert, decode, objects};

/// Straight from the text: the lists of pods and slices are large.
fn typed<T: DeserializeOwned>(raw: &RawValue) -> Result<T, String> {
    decode::text(raw.get())
}

pub(super) fn service(raw: &RawValue) -> Result<Service, String> {
    let value: Value = typed(raw)?;
    let topology_keys = objects::topology_keys(&value);
    Ok(Service {
        topology_keys,
        ..convert::service(decode::value(&value)?)
    })
}

pub(super) fn slice(raw: &RawValue) -> Result<EndpointSlice, String> {
    typed(raw).map(convert::slice)
}

pub(super) fn slice_v1beta1(raw: &RawValue) -> Result<EndpointSlice, String> {
    let mut value: Value = typed(raw)?;
    objects::slice_to_v1(&mut value);
    decode::value(&value).map(convert::slice)
}

pub(super) fn endpoints(raw: &RawValue) -> Result<Endpoints, String> {
    typed(raw).map(convert::endpoints)
}

pub(super) fn pod(raw: &RawValue) -> Result<Pod, String> {
    typed(raw).map(convert::pod)
}

pub(super) fn node(raw: &RawValue) -> Result<Node, String> {
    typed(raw).map(convert::node)
}

/// `None` for a pod that is not placed yet, or whose labels only look like kube-proxy's.
pub(super) fn kube_proxy_pod(raw: &RawValue) -> Result<Option<KubeProxyPod>, String> {
    let pod: core::Pod = typed(raw)?;
    Ok(convert::kube_proxy::kube_proxy_pod(&pod))
}

pub(super) fn config_map(raw: &RawValue) -> Result<core::ConfigMap, String> {
    typed(raw)
}

/// The reader for a kind of workload.
pub(super) fn workload(kind: WorkloadKind, raw: &RawValue) -> Result<Workload, String> {
    match kind {
        WorkloadKind::Deployment => typed(raw).map(convert::deployment),
        WorkloadKind::StatefulSet => typed(raw).map(convert::stateful_set),
        WorkloadKind::DaemonSet => typed(raw).map(convert::daemon_set),
        WorkloadKind::ReplicaSet => typed(raw).map(convert::replica_set),
    }
}

/// Namespace and name of any object.
pub(super) fn name(raw: &RawValue) -> Result<crate::facts::ObjectName, String> {
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
    let any: Any = typed(raw)?;
    Ok(crate::facts::ObjectName::new(
        plain(&any.metadata.namespace),
        plain(&any.metadata.name),
    ))
}

/// The server's version, from its `/version`.
pub(super) fn git_version(body: &[u8]) -> Result<String, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Version {
        git_version: String,
    }
    serde_json::from_slice::<Version>(body)
        .map(|version| version.git_version)
        .map_err(|error| error.to_string())
}
