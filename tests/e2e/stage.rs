//! A namespace and Nodes for one test, and everything that a scheduler and a kubelet would write there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::cluster::{Cluster, until};

/// Who runs here.
const APP: &str = "web";

/// A label of the Nodes: whose they are.
const STAGE: &str = "drain-check/stage";

/// Every pod has an address that no other pod has.
static ADDRESSES: AtomicU32 = AtomicU32::new(1);

/// What a test plays on. Everything is removed when it goes.
pub(crate) struct Stage {
    cluster: Arc<Cluster>,
    /// The namespace, which also begins the names of the Nodes.
    name: String,
    nodes: Vec<String>,
    /// What was made beside, outside of the namespace.
    beside: Vec<String>,
    /// Since 1.26 kube-proxy sends to pods that terminate, where none is ready (KEP-1669).
    pub(crate) fails_open: bool,
    /// The API server's minor version.
    pub(crate) minor: u32,
}

impl Drop for Stage {
    fn drop(&mut self) {
        for node in &self.nodes {
            // Pods on it would wait for a kubelet for ever.
            self.cluster.delete(&format!("/api/v1/nodes/{node}"));
        }
        for pod in self.pods() {
            let path = self.path(&format!("pods/{}?gracePeriodSeconds=0", name_of(&pod)));
            self.cluster.delete(&path);
        }
        for path in &self.beside {
            self.cluster.delete(path);
        }
        self.cluster
            .delete(&format!("/api/v1/namespaces/{}", self.name));
    }
}

/// The moment that it is.
pub(crate) fn now() -> DateTime<Utc> {
    std::time::SystemTime::now().into()
}

/// The name of an object.
pub(crate) fn name_of(object: &Value) -> String {
    let name = object["metadata"]["name"].as_str();
    name.expect("a name").to_owned()
}

/// Is a pod being deleted?
pub(crate) fn is_terminating(pod: &Value) -> bool {
    pod["metadata"]["deletionTimestamp"].is_string()
}

impl Stage {
    /// A namespace and so many Nodes, as new as the server.
    pub(crate) fn new(test: &str, nodes: usize) -> Self {
        let cluster = Cluster::shared();
        let name = format!("drain-check-{test}-{}", std::process::id());
        let mut stage = Self {
            cluster,
            name,
            nodes: Vec::new(),
            beside: Vec::new(),
            fails_open: true,
            minor: 0,
        };
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": stage.name}});
        stage.cluster.create("/api/v1/namespaces", &namespace);
        let version = stage.cluster.get("/version");
        let minor = version["minor"].as_str().expect("a number");
        let minor: String = minor.chars().filter(char::is_ascii_digit).collect();
        stage.minor = minor.parse().expect("a number");
        stage.fails_open = stage.minor >= 26;
        let version = &version["gitVersion"];
        for number in 0..nodes {
            stage.node(number, version);
        }
        stage
    }

    fn node(&mut self, number: usize, version: &Value) {
        let name = format!("{}-{number}", self.name);
        // Nobody else's pods may come here.
        let taint = json!({"key": "drain-check/test", "effect": "NoSchedule"});
        let mut node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {STAGE: self.name}}, "spec": {"taints": [taint]}});
        self.cluster.create("/api/v1/nodes", &node);
        node["status"] = json!({
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
            "nodeInfo": {"kubeletVersion": version, "kubeProxyVersion": version, "architecture": "amd64", "bootID": "", "containerRuntimeVersion": "",
                "kernelVersion": "", "machineID": "", "operatingSystem": "linux", "osImage": "", "systemUUID": ""},
        });
        let path = format!("/api/v1/nodes/{name}/status");
        self.cluster.replace(&path, &node);
        self.nodes.push(name);
    }

    /// The name of a Node.
    pub(crate) fn node_name(&self, number: usize) -> &str {
        &self.nodes[number]
    }

    /// Is a Node one of these?
    pub(crate) fn has(&self, node: &str) -> bool {
        self.nodes.iter().any(|own| own == node)
    }

    /// The cluster.
    pub(crate) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The name of the namespace.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Makes an object outside of the namespace, which goes with it.
    pub(crate) fn beside(&mut self, list: &str, object: &Value) {
        self.cluster.create(list, object);
        self.beside.push(format!("{list}/{}", name_of(object)));
    }

    /// Makes an object in the namespace; `group` is `/api/v1` or `/apis/GROUP/VERSION`.
    pub(crate) fn create(&self, group: &str, plural: &str, object: &Value) {
        let path = format!("{group}/namespaces/{}/{plural}", self.name);
        self.cluster.create(&path, object);
    }

    /// Where only the Nodes of this test are.
    pub(crate) fn own_nodes(&self) -> Value {
        json!({STAGE: self.name})
    }

    /// The path of something in the namespace, of the core API.
    pub(crate) fn path(&self, below: &str) -> String {
        format!("/api/v1/namespaces/{}/{below}", self.name)
    }

    /// A Service for the pods of the application.
    pub(crate) fn service(&self, spec: &Value) {
        let mut spec = spec.clone();
        spec["selector"] = json!({"app": APP});
        spec["ports"] = json!([{"name": "http", "port": 80, "targetPort": 8080}]);
        let service =
            json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": APP}, "spec": spec});
        self.cluster.create(&self.path("services"), &service);
    }

    /// What a pod of an application looks like.
    pub(crate) fn template(app: &str, version: &str) -> Value {
        json!({
            "metadata": {"labels": {"app": app, "version": version}},
            "spec": {
                // Nobody but the test decides where it runs.
                "schedulerName": "drain-check-test", "terminationGracePeriodSeconds": 60, "automountServiceAccountToken": false,
                "tolerations": [{"operator": "Exists"}],
                "containers": [{"name": "app", "image": "example.com/web:1", "ports": [{"containerPort": 8080}],
                    "lifecycle": {"preStop": {"exec": {"command": ["sleep", "10"]}}}}],
            },
        })
    }

    fn deployments(&self) -> String {
        format!("/apis/apps/v1/namespaces/{}/deployments", self.name)
    }

    /// A Deployment that starts a new pod before it stops an old one.
    pub(crate) fn deployment(&self, replicas: u32) {
        let spec = json!({
            "replicas": replicas, "selector": {"matchLabels": {"app": APP}}, "template": Self::template(APP, "1"),
            "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        });
        let object = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": APP}, "spec": spec});
        self.cluster.create(&self.deployments(), &object);
    }

    /// A Deployment that stops all old pods before a new one is ready; preStop takes two seconds.
    pub(crate) fn hasty_deployment(&self, replicas: u32) {
        let mut template = Self::template(APP, "1");
        let hook = json!({"exec": {"command": ["sleep", "2"]}});
        template["spec"]["containers"][0]["lifecycle"]["preStop"] = hook;
        let spec = json!({
            "replicas": replicas, "selector": {"matchLabels": {"app": APP}}, "template": template,
            "strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "100%"}},
        });
        let object = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": APP}, "spec": spec});
        self.cluster.create(&self.deployments(), &object);
    }

    /// Changes the Deployment.
    pub(crate) fn change(&self, field: &str, value: &Value) {
        self.change_at(&format!("{}/{APP}", self.deployments()), field, value);
    }

    /// Changes an object.
    pub(crate) fn change_at(&self, path: &str, field: &str, value: &Value) {
        until("it can be written", || {
            let mut now = self.cluster.get(path);
            let spec = now.pointer_mut(field).expect("the field");
            *spec = value.clone();
            let raw = ["replace", "--raw", path, "-f", "-"];
            let written = self.cluster.run(&raw, &now.to_string());
            // A controller may have written in between.
            written.status.success().then_some(())
        });
    }

    /// A pod without owner.
    pub(crate) fn pod(&self, name: &str) {
        let mut pod = Self::template(APP, "1");
        pod["apiVersion"] = json!("v1");
        pod["kind"] = json!("Pod");
        pod["metadata"]["name"] = json!(name);
        self.makes_pod(&pod);
    }

    /// Makes a pod.
    pub(crate) fn makes_pod(&self, pod: &Value) {
        until("the namespace takes pods", || {
            // Where accounts are needed, they are made a moment after the namespace.
            let raw = ["create", "--raw", &self.path("pods"), "-f", "-"];
            let made = self.cluster.run(&raw, &pod.to_string());
            made.status.success().then_some(())
        });
    }

    /// The pods that there are.
    pub(crate) fn pods(&self) -> Vec<Value> {
        let pods = self.cluster.get(&self.path("pods"))["items"].take();
        serde_json::from_value(pods).expect("a list")
    }

    /// Waits for so many pods, terminating ones too.
    pub(crate) fn pods_are(&self, count: usize) -> Vec<Value> {
        until("there are so many pods", || {
            Some(self.pods()).filter(|pods| pods.len() == count)
        })
    }

    /// The Node that a pod of a `DaemonSet` is for.
    pub(crate) fn meant_for(&self, pod: &str) -> Option<usize> {
        let pod = self.cluster.get(&self.path(&format!("pods/{pod}")));
        let affinity = &pod["spec"]["affinity"]["nodeAffinity"];
        let terms =
            &affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
        let node = &terms[0]["matchFields"][0]["values"][0];
        self.nodes.iter().position(|own| node == own)
    }

    /// What scheduler and kubelet do: the pod is bound to a Node and runs there.
    pub(crate) fn runs(&self, pod: &str, node: usize, ready: bool) {
        let node = self.node_name(node);
        let binding = json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": {"kind": "Node", "name": node}});
        let path = self.path(&format!("pods/{pod}/binding"));
        self.cluster.create(&path, &binding);
        self.is_ready(pod, ready);
    }

    /// What a kubelet says of a pod that runs.
    pub(crate) fn is_ready(&self, pod: &str, ready: bool) {
        let path = self.path(&format!("pods/{pod}"));
        let mut object = self.cluster.get(&path);
        let address = object["status"]["podIP"].as_str().map(str::to_owned);
        let address = address.unwrap_or_else(|| {
            let number = ADDRESSES.fetch_add(1, Ordering::Relaxed);
            format!("10.244.{}.{}", number / 250, number % 250 + 1)
        });
        let status = if ready { "True" } else { "False" };
        let conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"];
        let of = |kind: &str| {
            let early = ["PodScheduled", "Initialized"].contains(&kind);
            json!({"type": kind, "status": if early { "True" } else { status }})
        };
        object["status"] = json!({
            "phase": "Running", "podIP": address, "podIPs": [{"ip": address}], "hostIP": "192.0.2.1",
            "conditions": conditions.map(of),
            "containerStatuses": [{"name": "app", "ready": ready, "started": true, "restartCount": 0, "image": "example.com/web:1",
                "imageID": "", "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}],
        });
        self.cluster.replace(&format!("{path}/status"), &object);
    }

    /// What a kubelet does once the containers of a deleted pod have ended: it says so, and the pod is gone.
    pub(crate) fn ends(&self, pod: &str) {
        self.has_ended(pod);
        self.cluster
            .delete(&self.path(&format!("pods/{pod}?gracePeriodSeconds=0")));
    }

    /// What a kubelet says of a pod whose containers have all ended.
    pub(crate) fn has_ended(&self, pod: &str) {
        let path = self.path(&format!("pods/{pod}"));
        let mut object = self.cluster.get(&path);
        let now = now().to_rfc3339_opts(SecondsFormat::Secs, true);
        let status = &mut object["status"];
        status["phase"] = json!("Succeeded");
        for condition in status["conditions"].as_array_mut().expect("conditions") {
            if ["ContainersReady", "Ready"].contains(&condition["type"].as_str().expect("a type")) {
                condition["status"] = json!("False");
                condition["reason"] = json!("PodCompleted");
            }
        }
        let container = &mut status["containerStatuses"][0];
        container["ready"] = json!(false);
        container["started"] = json!(false);
        container["state"] = json!({"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": "2026-01-01T00:00:00Z", "finishedAt": now}});
        self.cluster.replace(&format!("{path}/status"), &object);
    }

    /// Deletes a pod as `kubectl delete` does. It stays, as no kubelet says that it is gone.
    pub(crate) fn delete(&self, pod: &str) {
        self.cluster.delete(&self.path(&format!("pods/{pod}")));
    }

    /// Waits until the slices say so of so many endpoints.
    pub(crate) fn slices_say(&self, condition: &str, count: usize) {
        let path = format!(
            "/apis/discovery.k8s.io/v1/namespaces/{}/endpointslices",
            self.name
        );
        until("the slices say so", || {
            let slices = self.cluster.get(&path);
            let slices = slices["items"].as_array().expect("a list");
            let endpoints = slices
                .iter()
                .filter_map(|slice| slice["endpoints"].as_array());
            let so = endpoints
                .flatten()
                .filter(|endpoint| endpoint["conditions"][condition] == true);
            (so.count() == count).then_some(())
        });
    }

    /// What `kubectl get endpoints` shows of the Service's addresses.
    pub(crate) fn endpoints(&self) -> String {
        let arguments = ["get", "endpoints", APP, "-n", &self.name, "--no-headers"];
        self.cluster.said(&arguments, "")
    }

    /// The exit code and the report of a check of the Service, with more flags.
    pub(crate) fn check(&self, flags: &[&str]) -> (i32, Value) {
        let target = format!("svc/{APP}");
        let mut arguments = vec!["drain-check", &target, "-n", &self.name, "-o", "json"];
        arguments.extend(flags);
        let output = self.cluster.run(&arguments, "");
        let report = serde_json::from_slice(&output.stdout);
        let report = report.unwrap_or_else(|error| panic!("{error}: {output:?}"));
        (output.status.code().expect("a code"), report)
    }

    /// What a snapshot of the Service holds, checked again from a file.
    pub(crate) fn check_of_snapshot(&self) -> Value {
        let target = format!("svc/{APP}");
        let taken = ["drain-check", "snapshot", &target, "-n", &self.name];
        let snapshot = self.cluster.said(&taken, "");
        let again = [
            "drain-check",
            &target,
            "-n",
            &self.name,
            "-f",
            "-",
            "-o",
            "json",
        ];
        let output = self.cluster.run(&again, &snapshot);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }
}
