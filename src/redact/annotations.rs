//! Which annotations are kept? Those that the model reads: they say how traffic goes, and until when.

use serde_json::Value;

use super::words;
use crate::sources;

/// Those that something else than the catalogue of traffic sources reads.
const KEPT: [&str; 10] = [
    // Which endpoints kube-proxy takes: src/proxy/topology.rs.
    "service.kubernetes.io/topology-aware-hints",
    "service.kubernetes.io/topology-mode",
    // What the controllers wrote: src/input/convert/endpoints.rs.
    "control-plane.alpha.kubernetes.io/leader",
    "endpoints.kubernetes.io/over-capacity",
    // Who serves an Ingress: src/sources/object_index.rs.
    "ingressclass.kubernetes.io/is-default-class",
    "kubernetes.io/ingress.class",
    // Which BackendConfig belongs to a Service: src/sources/tuning_places.rs.
    "beta.cloud.google.com/backend-config",
    "cloud.google.com/backend-config",
    // Which container serves: src/check/serves.rs.
    "kubectl.kubernetes.io/default-container",
    // How long Istio's proxy drains: src/shutdown/proxies.rs.
    "proxy.istio.io/config",
];

/// How those begin that are for this tool, and those of the webhook that holds deletes back (src/rules/dc201.rs).
const PREFIXES: [&str; 2] = ["drain-check/", "pod-graceful-drain/"];

/// `metadata.annotations` without the others.
pub(super) fn known(annotations: Value) -> Value {
    let Value::Object(mut all) = annotations else {
        return annotations;
    };
    all.retain(|key, _| {
        KEPT.contains(&key.as_str())
            || PREFIXES.iter().any(|prefix| key.starts_with(prefix))
            || sources::reads_annotation(key)
    });
    for value in all.values_mut() {
        if let Value::String(text) = value {
            *text = words::text(text);
        }
    }
    Value::Object(all)
}
