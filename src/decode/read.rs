//! Which facts does one object hold? The one reader for answers of an API server, for large lists and for files.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::kube_proxy::{is_config_map, kube_proxy_config, kube_proxy_pod};
use super::parts;
use super::typed::{self, DecodeError};
use crate::facts::Snapshot;
use crate::facts::autoscaler::Autoscaler;
use crate::facts::disruption::DisruptionBudget;
use crate::facts::endpoints::Endpoints;
use crate::facts::event::Event;
use crate::facts::kube_proxy::KubeProxyPod;
use crate::facts::node::Node;
use crate::facts::object::ApiObject;
use crate::facts::pod::Pod;
use crate::facts::service::Service;
use crate::facts::slice::EndpointSlice;
use crate::facts::workload::{Workload, WorkloadKind};
use crate::sources;

/// A fact, and what the same object tells of traffic sources.
pub(crate) type Decoded<T> = (T, Option<ApiObject>);

/// An object as it came: the text of an answer or a list, or a value of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Raw<'a> {
    /// JSON. Lists of pods and slices are large, and values take ten times the room.
    Text(&'a str),
    /// With `apiVersion` and `kind`.
    Value(&'a Value),
}

impl<'a> Raw<'a> {
    /// As this type.
    pub(crate) fn typed<T: DeserializeOwned>(self) -> Result<T, DecodeError> {
        match self {
            Self::Text(text) => typed::text(text),
            Self::Value(value) => typed::value(value),
        }
    }

    /// With `apiVersion` and `kind`, which a text may leave out.
    pub(crate) fn value(self, version: &str, kind: &str) -> Result<Cow<'a, Value>, DecodeError> {
        match self {
            Self::Value(value) => Ok(Cow::Borrowed(value)),
            Self::Text(text) => {
                let mut value = typed::text(text)?;
                named(&mut value, version, kind);
                Ok(Cow::Owned(value))
            }
        }
    }

    /// What it tells of traffic sources.
    pub(super) fn traffic(self, version: &str, kind: &str) -> Option<ApiObject> {
        sources::keep(&*self.value(version, kind).ok()?)
    }
}

/// What an object says that it is.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Kind {
    /// `apiVersion`.
    pub(crate) api_version: Option<String>,
    /// `kind`.
    pub(crate) kind: Option<String>,
}

impl Kind {
    /// Of a text, without reading the rest of it; nothing of one that is none.
    pub(crate) fn of(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }
}

/// Says what an item of a list is, which leaves it out.
pub(crate) fn named(value: &mut Value, version: &str, kind: &str) {
    if let Some(fields) = value.as_object_mut() {
        fields.entry("apiVersion").or_insert_with(|| version.into());
        fields.entry("kind").or_insert_with(|| kind.into());
    }
}

/// A Service.
pub(crate) fn service(raw: Raw<'_>) -> Result<Decoded<Service>, DecodeError> {
    Ok((super::service(raw.typed()?), raw.traffic("v1", "Service")))
}

/// An EndpointSlice of any version.
pub(crate) fn slice(raw: Raw<'_>) -> Result<EndpointSlice, DecodeError> {
    raw.typed().map(super::slice)
}

/// An Endpoints object.
pub(crate) fn endpoints(raw: Raw<'_>) -> Result<Endpoints, DecodeError> {
    raw.typed().map(super::endpoints)
}

/// May a pod tell of traffic sources? Few do, pods are many, and to find out takes a value.
fn may_tell(pod: &parts::Pod) -> bool {
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

fn of_pod(raw: Raw<'_>, pod: parts::Pod) -> Decoded<Pod> {
    let traffic = may_tell(&pod).then(|| raw.traffic("v1", "Pod")).flatten();
    (super::pod(pod), traffic)
}

/// A pod.
pub(crate) fn pod(raw: Raw<'_>) -> Result<Decoded<Pod>, DecodeError> {
    Ok(of_pod(raw, raw.typed()?))
}

/// What a pod is as a kube-proxy; `None` for one that is not placed yet, or whose labels only look like kube-proxy's.
pub(crate) fn of_kube_proxy(raw: Raw<'_>) -> Result<Option<KubeProxyPod>, DecodeError> {
    raw.typed().map(|pod| kube_proxy_pod(&pod))
}

/// A node.
pub(crate) fn node(raw: Raw<'_>) -> Result<Decoded<Node>, DecodeError> {
    Ok((super::node(raw.typed()?), raw.traffic("v1", "Node")))
}

/// A `ConfigMap`.
pub(crate) fn config_map(raw: Raw<'_>) -> Result<parts::ConfigMap, DecodeError> {
    raw.typed()
}

/// A workload of apps/v1.
pub(crate) fn workload(kind: WorkloadKind, raw: Raw<'_>) -> Result<Decoded<Workload>, DecodeError> {
    let fact = super::workload(kind, raw.typed()?);
    Ok((fact, raw.traffic("apps/v1", kind.name())))
}

/// A `PodDisruptionBudget`.
pub(crate) fn disruption_budget(raw: Raw<'_>) -> Result<DisruptionBudget, DecodeError> {
    raw.typed().map(super::disruption_budget)
}

/// A `HorizontalPodAutoscaler`.
pub(crate) fn horizontal(raw: Raw<'_>) -> Result<Autoscaler, DecodeError> {
    raw.typed().map(super::horizontal)
}

/// An Event of either API.
pub(crate) fn event(raw: Raw<'_>) -> Result<Event, DecodeError> {
    raw.typed().map(super::event)
}

/// Takes a fact, and what the same object tells of traffic sources.
fn take<T>((fact, traffic): Decoded<T>, facts: &mut Vec<T>, others: &mut Vec<ApiObject>) {
    facts.push(fact);
    others.extend(traffic);
}

/// Adds what one object says. Kinds that nobody asks about are passed over. Of an object that does not fit its kind nothing is added.
pub(crate) fn add(
    raw: Raw<'_>,
    version: &str,
    kind: &str,
    facts: &mut Snapshot,
) -> Result<(), DecodeError> {
    let others = &mut facts.others;
    match (version, kind) {
        ("v1", "Service") => take(service(raw)?, &mut facts.services, others),
        ("v1", "Endpoints") => facts.endpoints.push(endpoints(raw)?),
        ("v1", "Pod") => {
            let parts: parts::Pod = raw.typed()?;
            facts.kube_proxies.pods.extend(kube_proxy_pod(&parts));
            let (mut pod, traffic) = of_pod(raw, parts);
            // Those of one template mostly come one after the other.
            if let Some(before) = facts.pods.last() {
                pod.share(&before.spec);
            }
            take((pod, traffic), &mut facts.pods, others);
        }
        ("v1", "Node") => take(node(raw)?, &mut facts.nodes, others),
        ("v1", "ConfigMap") => {
            if is_config_map(&*raw.value(version, kind)?) {
                let settings = kube_proxy_config(&config_map(raw)?);
                let known = facts.kube_proxies.config.take();
                facts.kube_proxies.config = settings.or(known);
            }
            others.extend(raw.traffic(version, kind));
        }
        ("discovery.k8s.io/v1" | "discovery.k8s.io/v1beta1", "EndpointSlice") => {
            facts.slices.push(slice(raw)?);
        }
        ("v1" | "events.k8s.io/v1", "Event") => facts.events.push(event(raw)?),
        ("policy/v1" | "policy/v1beta1", "PodDisruptionBudget") => {
            facts.disruption_budgets.push(disruption_budget(raw)?);
        }
        (version, "HorizontalPodAutoscaler") if version.starts_with("autoscaling/") => {
            facts.autoscalers.push(horizontal(raw)?);
        }
        ("keda.sh/v1alpha1", "ScaledObject") => {
            facts.autoscalers.push(super::scaled_object(raw.typed()?));
        }
        ("v1", "PersistentVolumeClaim") => facts.claims.push(super::claim(raw.typed()?)),
        ("apps/v1", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet") => {
            let kind = match kind {
                "Deployment" => WorkloadKind::Deployment,
                "StatefulSet" => WorkloadKind::StatefulSet,
                "DaemonSet" => WorkloadKind::DaemonSet,
                _ => WorkloadKind::ReplicaSet,
            };
            take(workload(kind, raw)?, &mut facts.workloads, others);
        }
        _ => {
            let value = raw.value(version, kind)?;
            facts.workloads.extend(super::other(&value));
            others.extend(sources::keep(&value));
        }
    }
    Ok(())
}
