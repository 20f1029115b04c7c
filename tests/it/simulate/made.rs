//! A cluster of a test's own: nodes, workloads with their pods, Services and slices, budgets.

use drain_check::app::Outcome;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::recording::{Ran, list, run};

/// A workload, as a test says it.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) kind: &'static str,
    pub(crate) name: &'static str,
    /// The nodes of its pods, one for each.
    pub(crate) on: Vec<&'static str>,
    /// `strategy`, or `updateStrategy`.
    pub(crate) strategy: Value,
    pub(crate) pre_stop: u32,
    pub(crate) grace: u32,
    pub(crate) min_ready: u32,
    /// So many seconds its pods took from creation to Ready.
    pub(crate) took: u32,
    pub(crate) tolerations: Value,
    /// What else is in its pods' spec.
    pub(crate) more: Value,
}

impl Made {
    pub(crate) fn new(kind: &'static str, name: &'static str, on: &[&'static str]) -> Self {
        Self {
            kind,
            name,
            on: on.to_vec(),
            strategy: json!({}),
            pre_stop: 0,
            grace: 30,
            min_ready: 0,
            took: 8,
            tolerations: json!([
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
                {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
            ]),
            more: json!({}),
        }
    }

    fn spec(&self) -> Value {
        let mut spec = json!({
            "terminationGracePeriodSeconds": self.grace,
            "tolerations": self.tolerations,
            "containers": [{"name": "app", "image": "example.com/app:1", "ports": [{"containerPort": 8080}]}],
        });
        if self.pre_stop > 0 {
            spec["containers"][0]["lifecycle"] =
                json!({"preStop": {"sleep": {"seconds": self.pre_stop}}});
        }
        for (key, value) in self.more.as_object().expect("fields") {
            spec[key] = value.clone();
        }
        spec
    }

    fn objects(&self) -> Vec<Value> {
        let labels = json!({"app": self.name});
        let replicas = self.on.len();
        let workload = |kind: &str, name: &str| {
            json!({"apiVersion": "apps/v1", "kind": kind,
                "metadata": {"name": name, "namespace": "shop", "uid": format!("u-{name}")},
                "spec": {"replicas": replicas, "minReadySeconds": self.min_ready, "selector": {"matchLabels": labels},
                    "template": {"metadata": {"labels": labels}, "spec": self.spec()}}})
        };
        let mut own = workload(self.kind, self.name);
        let key = if self.kind == "Deployment" {
            "strategy"
        } else {
            "updateStrategy"
        };
        own["spec"][key] = self.strategy.clone();
        let mut all = vec![own];
        let owner = if self.kind == "Deployment" {
            let name = format!("{}-5d4f", self.name);
            let mut set = workload("ReplicaSet", &name);
            set["metadata"]["ownerReferences"] = json!([{"apiVersion": "apps/v1", "kind": "Deployment",
                "name": self.name, "uid": "u", "controller": true}]);
            all.push(set);
            ("ReplicaSet", name)
        } else {
            (self.kind, self.name.to_owned())
        };
        let mut endpoints = Vec::new();
        for (at, node) in self.on.iter().enumerate() {
            let name = match self.kind {
                "StatefulSet" => format!("{}-{at}", owner.1),
                _ => format!("{}-p{at}", owner.1),
            };
            let hash = self
                .name
                .bytes()
                .fold(0_usize, |sum, byte| sum * 7 + usize::from(byte))
                % 250;
            let ip = format!("10.1.{hash}.{}", at + 1);
            let ready = format!("2026-11-20T10:{:02}:{:02}Z", self.took / 60, self.took % 60);
            let mut spec = self.spec();
            spec["nodeName"] = json!(node);
            all.push(json!({"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "namespace": "shop", "uid": format!("u-{name}"), "labels": labels,
                    "creationTimestamp": "2026-11-20T10:00:00Z",
                    "ownerReferences": [{"apiVersion": "apps/v1", "kind": owner.0, "name": owner.1, "uid": "u", "controller": true}]},
                "spec": spec,
                "status": {"phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}],
                    "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": ready}],
                    "containerStatuses": [{"name": "app", "ready": true, "started": true, "restartCount": 0, "image": "", "imageID": "",
                        "state": {"running": {"startedAt": "2026-11-20T10:00:01Z"}}}]}}));
            endpoints.push(json!({"addresses": [ip], "nodeName": node,
                "conditions": {"ready": true, "serving": true, "terminating": false},
                "targetRef": {"kind": "Pod", "name": name, "namespace": "shop", "uid": format!("u-{name}")}}));
        }
        all.push(json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": self.name, "namespace": "shop"},
            "spec": {"type": "ClusterIP", "clusterIP": "10.96.0.9", "clusterIPs": ["10.96.0.9"], "ipFamilies": ["IPv4"],
                "selector": labels, "ports": [{"port": 80, "targetPort": 8080, "protocol": "TCP"}]}}));
        all.push(json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
            "metadata": {"name": format!("{}-x", self.name), "namespace": "shop", "labels": {"kubernetes.io/service-name": self.name}},
            "addressType": "IPv4", "ports": [{"name": "", "port": 8080, "protocol": "TCP"}], "endpoints": endpoints}));
        all
    }
}

/// A node in a zone, with labels.
pub(crate) fn node(name: &str, zone: &str, labels: &Value) -> Value {
    let mut all = json!({"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone});
    for (key, value) in labels.as_object().expect("labels") {
        all[key] = value.clone();
    }
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": all},
        "status": {"nodeInfo": {"kubeletVersion": "v1.36.0"},
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-01T00:00:00Z"}]}})
}

/// A budget over the pods of one workload.
pub(crate) fn budget(name: &str, spec: &Value) -> Value {
    let mut spec = spec.clone();
    spec["selector"] = json!({"matchLabels": {"app": name}});
    json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "shop"}, "spec": spec})
}

/// Nodes a and b in zone z1, c in z2, d in z3, and these workloads.
pub(crate) fn cluster(workloads: &[Made]) -> Vec<Value> {
    let nodes = [("a", "z1"), ("b", "z1"), ("c", "z2"), ("d", "z3")];
    let mut all: Vec<_> = nodes
        .into_iter()
        .map(|(name, zone)| node(name, zone, &json!({})))
        .collect();
    all.extend(workloads.iter().flat_map(Made::objects));
    all
}

/// Runs what-if on these objects.
pub(crate) fn ran(objects: &[Value], arguments: &[&str]) -> Ran {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("now.json");
    let text = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    std::fs::write(&file, text).expect("a file");
    let mut all = vec!["what-if"];
    all.extend(arguments);
    all.extend(["-f", file.to_str().expect("UTF-8")]);
    run(&all, "", 100)
}

/// The Timeline, and whether anything was found.
pub(crate) fn played(objects: &[Value], arguments: &[&str]) -> (Value, bool) {
    let ran = ran(objects, &[arguments, &["-o", "json"]].concat());
    let found = ran
        .end
        .clone()
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
    let timeline = serde_json::from_str(&ran.out).expect("JSON");
    (timeline, found == Outcome::Findings)
}

/// A Service's part of it; nothing where it is not touched.
pub(crate) fn service<'t>(timeline: &'t Value, name: &str) -> Option<&'t Value> {
    list(&timeline["services"])
        .iter()
        .find(|one| one["name"] == name)
}

/// Milliseconds of a moment after the first one.
pub(crate) fn after(timeline: &Value, moment: &Value) -> Option<i64> {
    let at = |value: &Value| {
        let text = value.as_str()?;
        Some(chrono::DateTime::parse_from_rfc3339(text).expect("a moment"))
    };
    Some((at(moment)? - at(&timeline["from"])?).num_milliseconds())
}

/// The windows of a kind, in milliseconds after the first moment; one that goes on has no end.
pub(crate) fn windows(timeline: &Value, name: &str, kind: &str) -> Vec<(i64, Option<i64>)> {
    let windows = service(timeline, name).map(|one| list(&one["windows"]));
    let windows = windows.into_iter().flatten();
    let of_kind = windows.filter(|window| window["kind"] == kind);
    let spans = of_kind.map(|window| {
        let from = after(timeline, &window["from"]).expect("a moment");
        let to = after(timeline, &window["to"]).filter(|_| window["open"] == false);
        (from, to)
    });
    spans.collect()
}

/// The text of an assumption.
pub(crate) fn assumption(timeline: &Value, id: &str) -> Option<String> {
    let all = list(&timeline["assumptions"]).iter();
    let found = all.into_iter().find(|one| one["id"] == id)?;
    Some(found["text"].as_str().expect("a text").to_owned())
}
