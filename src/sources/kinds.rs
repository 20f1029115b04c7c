//! Which kinds of Kubernetes' own does detection know, and in which API groups are they?

/// Kinds that name Services as backends, in the ways of the Ingress and the Gateway API.
pub(super) const ROUTING_KINDS: [&str; 6] = [
    "Ingress",
    "HTTPRoute",
    "GRPCRoute",
    "TCPRoute",
    "TLSRoute",
    "UDPRoute",
];

/// Is it a kind of the Ingress or the Gateway API that names Services as backends? Files without any say nothing of such traffic.
#[must_use]
pub fn names_services(kind: &str) -> bool {
    ROUTING_KINDS.contains(&kind)
}

/// Kinds with a template of pods that a Service may select.
pub(super) const WORKLOAD_KINDS: [&str; 3] = ["Deployment", "StatefulSet", "DaemonSet"];

/// The API groups of a kind that is Kubernetes' own, today's first; the core's group is empty. `None` for the kinds of others:
/// the catalogue's rules name their group where the kind's name alone is ambiguous.
pub(super) fn own_groups(kind: &str) -> Option<&'static [&'static str]> {
    match kind {
        "Service" | "Pod" | "Node" | "Namespace" | "ConfigMap" => Some(&[""]),
        "Deployment" | "StatefulSet" | "DaemonSet" => Some(&["apps"]),
        "Ingress" | "IngressClass" => Some(&["networking.k8s.io", "extensions"]),
        "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration" => {
            Some(&["admissionregistration.k8s.io"])
        }
        "CustomResourceDefinition" => Some(&["apiextensions.k8s.io"]),
        "Gateway" | "GatewayClass" => Some(&["gateway.networking.k8s.io"]),
        route if ROUTING_KINDS.contains(&route) => Some(&["gateway.networking.k8s.io"]),
        _ => None,
    }
}
