//! What stands beside an application in a repository, and takes as long to read.

use serde_json::{Value, json};

use super::Dice;

/// What stands beside an application in a repository, and is nobody's business here.
pub(crate) fn beside_it(
    dice: &mut Dice,
    name: &str,
    namespace: &str,
    labels: &Value,
) -> Vec<Value> {
    let meta = |suffix: &str| json!({"name": format!("{name}{suffix}"), "namespace": namespace, "labels": labels});
    let mut objects = vec![
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta(""), "automountServiceAccountToken": false}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("-config"), "data": {
            "alert": "up {{ $labels.instance }}\nfor: 5m", "app.yaml": "kind: [not\n---\nyaml",
            "rules.json": format!("{{\"upstreams\": [{}]}}", vec!["\"10.0.0.1:8080\""; 20].join(", ")),
        }}),
    ];
    if dice.one_in(2) {
        objects.push(json!({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": meta(""), "spec": {
            "podSelector": {"matchLabels": labels}, "policyTypes": ["Ingress", "Egress"],
            "ingress": [{"from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ingress"}}}], "ports": [{"port": 8080}]}],
            "egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.0.99.0/24"]}}]}, {"ports": [{"port": 53, "protocol": "UDP"}]}],
        }}));
    }
    if dice.one_in(3) {
        objects.push(json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": meta(""), "rules": [
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]},
            {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]}]}));
        objects.push(json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": meta(""),
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}]}));
    }
    if dice.one_in(3) {
        objects.push(json!({"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor", "metadata": meta(""), "spec": {
            "selector": {"matchLabels": labels}, "endpoints": [{"port": "http", "path": "/metrics", "interval": "30s"}]}}));
    }
    objects
}
