//! What may be going on in a cluster: for tests that take something away.

use serde_json::{Value, json};

use crate::fake_api::{kube_proxy, recording};

/// A Service of three pods on two of three nodes, all ready.
fn ready_pods(spec: &Value, pod: &Value) -> Vec<Value> {
    let name = json!({"namespace": "shop", "name": "web"});
    let labels = json!({"app": "web"});
    let mut service = json!({"apiVersion": "v1", "kind": "Service", "metadata": name, "spec": {
        "type": "ClusterIP", "clusterIP": "10.96.0.9", "clusterIPs": ["10.96.0.9"], "ipFamilies": ["IPv4"],
        "internalTrafficPolicy": "Cluster", "selector": labels,
        "ports": [{"name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP"}]}});
    for (key, value) in spec.as_object().expect("fields") {
        service["spec"][key] = value.clone();
    }
    let mut objects = Vec::new();
    let (mut endpoints, mut addresses) = (Vec::new(), Vec::new());
    for (index, node) in ["node-a", "node-a", "node-b"].iter().enumerate() {
        let ip = format!("10.244.0.{}", index + 1);
        let name = format!("web-{index}");
        let target = json!({"kind": "Pod", "namespace": "shop", "name": name, "uid": name});
        let mut one = json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"namespace": "shop", "name": name, "uid": name, "labels": labels,
                "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"nodeName": node, "terminationGracePeriodSeconds": 60, "containers": [{
                "name": "app", "image": "web:1", "ports": [{"containerPort": 8080}],
                "readinessProbe": {"httpGet": {"path": "/", "port": 8080}},
                "lifecycle": {"preStop": {"sleep": {"seconds": 20}}}}]},
            "status": {"phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}],
                "conditions": [{"type": "Ready", "status": "True"}],
                "containerStatuses": [{"name": "app", "ready": true, "restartCount": 0, "image": "web:1",
                    "imageID": "", "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}]}});
        for (key, value) in pod.as_object().expect("fields") {
            one["spec"][key] = value.clone();
        }
        objects.push(one);
        endpoints.push(
            json!({"addresses": [ip], "nodeName": node, "targetRef": target,
            "conditions": {"ready": true, "serving": true, "terminating": false}}),
        );
        addresses.push(json!({"ip": ip, "nodeName": node, "targetRef": target}));
    }
    objects.push(service);
    objects.push(json!({"apiVersion": "v1", "kind": "Endpoints", "metadata": name,
        "subsets": [{"addresses": addresses, "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}]}]}));
    objects.push(json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
        "metadata": {"namespace": "shop", "name": "web-x", "labels": {"kubernetes.io/service-name": "web",
            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}},
        "endpoints": endpoints, "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}]}));
    objects.push(
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": name,
        "spec": {"replicas": 3, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": objects[0]["spec"]}}}),
    );
    for node in ["node-a", "node-b", "node-c"] {
        objects.push(
            json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": node},
            "status": {"nodeInfo": {"kubeletVersion": "v1.36.3", "operatingSystem": "linux"}}}),
        );
    }
    objects
}

/// Cilium in kube-proxy's place.
fn cilium() -> Vec<Value> {
    let settings = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"kube-proxy-replacement": "true"},
        "metadata": {"namespace": "kube-system", "name": "cilium-config"}});
    let node =
        json!({"apiVersion": "cilium.io/v2", "kind": "CiliumNode", "metadata": {"name": "node-a"}});
    let agent = json!({"apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": {"namespace": "kube-system", "name": "cilium"},
        "spec": {"selector": {}, "template": {"spec": {"containers": []}}}});
    vec![settings, node, agent]
}

/// kube-router in kube-proxy's place.
fn kube_router() -> Vec<Value> {
    vec![json!({"apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": {"namespace": "kube-system", "name": "kube-router"},
        "spec": {"selector": {}, "template": {"spec": {"containers": [
            {"name": "kube-router", "args": ["--run-service-proxy=true"]}]}}}})]
}

/// kube-proxy with a gate that an old version lets people turn off.
fn without_fallback() -> Vec<Value> {
    let mut objects = kube_proxy();
    objects[0]["spec"]["containers"][0]["image"] = json!("registry.example/kube-proxy:v1.27.9");
    objects[1]["data"]["config.conf"] = json!(
        "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: iptables\nfeatureGates: {ProxyTerminatingEndpoints: false}\n"
    );
    objects
}

/// The same with kubelets of this version.
fn aged(mut objects: Vec<Value>, kubelet: &str) -> Vec<Value> {
    for object in &mut objects {
        if object["kind"] == "Node" {
            object["status"]["nodeInfo"]["kubeletVersion"] = json!(kubelet);
        }
    }
    objects
}

/// kube-proxies of this version and mode on every node.
fn proxies(version: &str, mode: &str) -> Vec<Value> {
    let mut objects = vec![json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"namespace": "kube-system", "name": "kube-proxy"},
        "data": {"config.conf": format!(
            "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: {mode}\n")}})];
    for node in ["node-a", "node-b", "node-c"] {
        objects.push(json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"namespace": "kube-system", "name": format!("kube-proxy-{node}"),
                "labels": {"k8s-app": "kube-proxy"}},
            "spec": {"nodeName": node, "containers": [{"name": "kube-proxy",
                "image": format!("registry.example/kube-proxy:{version}")}]}}));
    }
    objects
}

/// What makes a Service one with a Local policy.
fn local() -> Value {
    json!({"type": "NodePort", "externalTrafficPolicy": "Local", "ports": [
        {"name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP", "nodePort": 30080}]})
}

/// What may be going on in a cluster, and what is asked of it.
pub(crate) struct Situation {
    pub(crate) name: &'static str,
    pub(crate) objects: Vec<Value>,
    pub(crate) server: &'static str,
    pub(crate) namespace: &'static str,
    /// As they are typed; nothing is all Services of the namespace.
    pub(crate) targets: &'static [&'static str],
}

/// All of them.
pub(crate) fn situations() -> Vec<Situation> {
    let with = |name, objects: Vec<Value>, namespace, targets| Situation {
        name,
        objects,
        server: "v1.36.3",
        namespace,
        targets,
    };
    let terminating = || recording("all-terminating-serving");
    vec![
        with(
            "healthy",
            [ready_pods(&json!({}), &json!({})), kube_proxy()].concat(),
            "shop",
            &["svc/web", "", "deploy/web", "pod/web-0", "-A"],
        ),
        with(
            "a node without an endpoint",
            [
                ready_pods(&local(), &json!({})),
                kube_proxy(),
            ]
            .concat(),
            "shop",
            &["svc/web", "", "deploy/web", "-A"],
        ),
        with(
            "a node without an endpoint in ipvs mode",
            [
                ready_pods(&local(), &json!({})),
                proxies("v1.36.3", "ipvs"),
            ]
            .concat(),
            "shop",
            &["svc/web", "-A"],
        ),
        Situation {
            server: "v1.27.9",
            ..with(
                "kubelets older than kube-proxy",
                aged(
                    [ready_pods(&json!({}), &json!({})), proxies("v1.27.9", "iptables")].concat(),
                    "v1.25.3",
                ),
                "shop",
                &["svc/web", "-A"],
            )
        },
        Situation {
            server: "v1.27.9",
            ..with(
                "kube-proxy older than the kubelets",
                aged(
                    [terminating(), proxies("v1.25.3", "iptables")].concat(),
                    "v1.27.9",
                ),
                "all-terminating",
                &["svc/the-app", "-A"],
            )
        },
        with(
            "a grace of nothing",
            [
                ready_pods(&json!({}), &json!({"terminationGracePeriodSeconds": 0})),
                kube_proxy(),
            ]
            .concat(),
            "shop",
            &["svc/web", "", "-A"],
        ),
        with(
            "a port that no pod has",
            [
                ready_pods(
                    &json!({"ports": [{"name": "http", "port": 80, "targetPort": "web", "protocol": "TCP"}]}),
                    &json!({}),
                ),
                kube_proxy(),
            ]
            .concat(),
            "shop",
            &["svc/web", "-A"],
        ),
        with(
            "terminating pods",
            [terminating(), kube_proxy()].concat(),
            "all-terminating",
            &["svc/the-app", "", "deploy/the-app", "-A"],
        ),
        with(
            "terminating pods and Cilium",
            [terminating(), cilium()].concat(),
            "all-terminating",
            &["svc/the-app", "-A"],
        ),
        with(
            "terminating pods and kube-router",
            [terminating(), kube_router()].concat(),
            "all-terminating",
            &["svc/the-app", "-A"],
        ),
        Situation {
            server: "v1.27.9",
            ..with(
                "terminating pods that an old kube-proxy does not use",
                aged([terminating(), without_fallback()].concat(), "v1.27.9"),
                "all-terminating",
                &["svc/the-app", "-A"],
            )
        },
        with(
            "Local policies",
            [recording("policies-node-a-terminating"), kube_proxy()].concat(),
            "policies",
            &["svc/api-nodeport-local", "", "deploy/api", "-A"],
        ),
        with(
            "a rollout",
            [recording("rollout-midway"), kube_proxy()].concat(),
            "rollout",
            &["svc/web", "pod/web-6b8546897-7jr6l", "-A"],
        ),
    ]
}
