//! Which kinds belong to no namespace?

/// Kinds whose objects belong to the whole cluster, in the order of their names.
const CLUSTER_WIDE: [&str; 21] = [
    "APIService",
    "ClusterPolicy",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "FelixConfiguration",
    "GatewayClass",
    "IngressClass",
    "IngressClassParams",
    "Installation",
    "MutatingWebhookConfiguration",
    "Namespace",
    "Network",
    "Node",
    "NodePool",
    "PersistentVolume",
    "PriorityClass",
    "RuntimeClass",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingWebhookConfiguration",
];

/// Do objects of this kind belong to no namespace?
pub(crate) fn is_cluster_wide(kind: &str) -> bool {
    CLUSTER_WIDE.contains(&kind)
}
