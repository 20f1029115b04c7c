//! What is kept of an object of each kind? What nobody reads is not kept at all, and a Secret never.

use serde_json::Value;

use super::pods::{CONDITIONS, POD, TEMPLATE};
use super::shape::{Keep, META, apply};
use crate::sources;

const EXACT: Keep = Keep::Exact;
const MASKED: Keep = Keep::Masked;

/// A Service is read as a whole.
const SERVICE: Keep = Keep::Fields(&[
    ("apiVersion", EXACT),
    ("kind", EXACT),
    ("metadata", META),
    ("spec", EXACT),
    ("status", Keep::Fields(&[("loadBalancer", EXACT)])),
]);

const SLICE: Keep = Keep::Fields(&[
    ("apiVersion", EXACT),
    ("kind", EXACT),
    ("metadata", META),
    ("addressType", EXACT),
    ("endpoints", EXACT),
    ("ports", EXACT),
]);

const ENDPOINTS: Keep = Keep::Fields(&[
    ("apiVersion", EXACT),
    ("kind", EXACT),
    ("metadata", META),
    ("subsets", EXACT),
]);

const NODE: Keep = Keep::Fields(&[
    ("apiVersion", EXACT),
    ("kind", EXACT),
    ("metadata", META),
    (
        "spec",
        Keep::Fields(&[
            ("podCIDR", EXACT),
            ("podCIDRs", EXACT),
            ("providerID", EXACT),
            ("taints", EXACT),
        ]),
    ),
    (
        "status",
        Keep::Fields(&[
            ("conditions", CONDITIONS),
            (
                "nodeInfo",
                Keep::Fields(&[("kubeletVersion", EXACT), ("operatingSystem", EXACT)]),
            ),
        ]),
    ),
]);

/// Whatever has a pod template, there or in a `CronJob`'s place.
const WORKLOAD: Keep = Keep::Fields(&[
    ("apiVersion", EXACT),
    ("kind", EXACT),
    ("metadata", META),
    (
        "spec",
        Keep::Fields(&[
            ("replicas", EXACT),
            ("minReadySeconds", EXACT),
            ("strategy", EXACT),
            ("updateStrategy", EXACT),
            ("template", TEMPLATE),
            (
                "jobTemplate",
                Keep::Fields(&[("spec", Keep::Fields(&[("template", TEMPLATE)]))]),
            ),
        ]),
    ),
]);

const BUDGET: Keep = Keep::Fields(&[
    ("apiVersion", EXACT),
    ("kind", EXACT),
    ("metadata", META),
    (
        "spec",
        Keep::Fields(&[
            ("selector", EXACT),
            ("minAvailable", EXACT),
            ("maxUnavailable", EXACT),
        ]),
    ),
]);

const AUTOSCALER: Keep = Keep::Fields(&[
    ("apiVersion", EXACT),
    ("kind", EXACT),
    ("metadata", META),
    (
        "spec",
        Keep::Fields(&[
            (
                "scaleTargetRef",
                Keep::Fields(&[("apiVersion", EXACT), ("kind", EXACT), ("name", EXACT)]),
            ),
            ("minReplicas", EXACT),
            ("maxReplicas", EXACT),
            ("minReplicaCount", EXACT),
            ("maxReplicaCount", EXACT),
            ("idleReplicaCount", EXACT),
        ]),
    ),
]);

const CLAIM: Keep = Keep::Fields(&[
    ("apiVersion", EXACT),
    ("kind", EXACT),
    ("metadata", META),
    ("spec", Keep::Fields(&[("accessModes", EXACT)])),
]);

/// What kube-proxy's configuration is read for: `input::decode::kube_proxy`.
const KUBE_PROXY: Keep = Keep::Fields(&[
    ("apiVersion", EXACT),
    ("kind", EXACT),
    ("mode", EXACT),
    ("clusterCIDR", EXACT),
    ("detectLocalMode", EXACT),
    ("featureGates", EXACT),
]);

/// The configuration of kube-proxy without the rest, if this is one.
fn kube_proxy(text: &str) -> Option<String> {
    if !text.contains("KubeProxyConfiguration") {
        return None;
    }
    let found: Value = serde_yaml::from_str(text).ok()?;
    let kept = (found["kind"] == "KubeProxyConfiguration").then(|| apply(KUBE_PROXY, found))?;
    serde_yaml::to_string(&kept).ok()
}

/// A `ConfigMap` with the keys that are known settings, and no other; `None` for one that nobody reads.
fn config_map(mut value: Value) -> Option<Value> {
    let told = sources::keep(&value);
    let mut kept = serde_json::Map::new();
    if let Value::Object(data) = value["data"].take() {
        for (key, text) in data {
            let known = told
                .as_ref()
                .is_some_and(|told| told.value["data"].get(&key).is_some());
            if let Some(config) = text.as_str().and_then(kube_proxy) {
                kept.insert(key, config.into());
            } else if known {
                kept.insert(key, apply(MASKED, text));
            }
        }
    }
    (told.is_some() || !kept.is_empty()).then(|| {
        let head = Keep::Fields(&[("apiVersion", EXACT), ("kind", EXACT), ("metadata", META)]);
        let mut whole = apply(head, value);
        whole["data"] = kept.into();
        whole
    })
}

/// An object of a kind that has no table: as the catalogue of traffic sources reads it, with all of its fields.
fn other(mut value: Value) -> Option<Value> {
    let templates = [
        &value["spec"]["template"],
        &value["spec"]["jobTemplate"]["spec"]["template"],
    ];
    if templates
        .iter()
        .any(|template| template["spec"]["containers"].is_array())
    {
        return Some(apply(WORKLOAD, value));
    }
    sources::keep(&value)?;
    let fields = value.as_object_mut()?;
    fields.remove("status");
    let meta = fields.remove("metadata")?;
    let mut kept = apply(MASKED, value);
    kept["metadata"] = apply(META, meta);
    Some(kept)
}

/// What may be shown of an object; `None` for one that nobody reads, and for every Secret.
#[must_use]
pub fn object(value: Value) -> Option<Value> {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let (version, kind) = (text("apiVersion"), text("kind"));
    let table = match (version.as_str(), kind.as_str()) {
        (_, "Secret") => return None,
        ("v1", "Service") => SERVICE,
        ("v1", "Endpoints") => ENDPOINTS,
        ("v1", "Pod") => POD,
        ("v1", "Node") => NODE,
        ("v1", "ConfigMap") => return config_map(value),
        ("v1", "PersistentVolumeClaim") => CLAIM,
        ("discovery.k8s.io/v1" | "discovery.k8s.io/v1beta1", "EndpointSlice") => SLICE,
        ("apps/v1", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet") => WORKLOAD,
        ("policy/v1" | "policy/v1beta1", "PodDisruptionBudget") => BUDGET,
        ("keda.sh/v1alpha1", "ScaledObject") => AUTOSCALER,
        (version, "HorizontalPodAutoscaler") if version.starts_with("autoscaling/") => AUTOSCALER,
        _ => return other(value),
    };
    Some(apply(table, value))
}
