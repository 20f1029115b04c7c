//! Which annotations are kept? Those that the model reads: they say how traffic goes, and until when.

use std::collections::BTreeMap;

use super::words;
use crate::sources;

/// Those that something else than the catalogue of traffic sources reads.
const KEPT: [&str; 14] = [
    // Which endpoints kube-proxy takes: src/proxy/topology.rs.
    "service.kubernetes.io/topology-aware-hints",
    "service.kubernetes.io/topology-mode",
    // What the controllers wrote: src/decode/endpoints.rs.
    "control-plane.alpha.kubernetes.io/leader",
    "endpoints.kubernetes.io/over-capacity",
    // Since when slices say what they say: src/decode/slice.rs.
    "endpoints.kubernetes.io/last-change-trigger-time",
    // Who serves an Ingress: src/sources/object_index.rs.
    "ingressclass.kubernetes.io/is-default-class",
    "kubernetes.io/ingress.class",
    // Which BackendConfig belongs to a Service: src/sources/tuning_places.rs.
    "beta.cloud.google.com/backend-config",
    "cloud.google.com/backend-config",
    // Which container serves: src/analysis/serves.rs.
    "kubectl.kubernetes.io/default-container",
    // Which ports lead to Dapr's sidecar: src/analysis/serves.rs.
    "dapr.io/app-port",
    // Through which ports only scrapes come: src/analysis/scrape.rs.
    "prometheus.io/port",
    "prometheus.io/scrape",
    // How long Istio's proxy drains: src/shutdown/proxies.rs.
    "proxy.istio.io/config",
];

/// How those begin that are for this tool, and those of the webhook that holds deletes back (src/rules/dc201.rs).
const PREFIXES: [&str; 2] = ["drain-check/", "pod-graceful-drain/"];

/// Leaves out the others.
pub(super) fn keep_known(annotations: &mut BTreeMap<String, String>) {
    annotations.retain(|key, _| {
        KEPT.contains(&key.as_str())
            || PREFIXES.iter().any(|prefix| key.starts_with(prefix))
            || sources::reads_annotation(key)
    });
    for value in annotations.values_mut() {
        *value = words::text(value);
    }
}
