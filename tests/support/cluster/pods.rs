//! Pods: behind a Service, of a batch job, and kube-proxy's own.

use serde_json::{Value, json};

use super::services::App;
use super::{BEFORE, Backend, NOW, Size, hex, ip, managed, node_name, suffix, uid};
use crate::corpus::Dice;

/// How a pod is right now.
struct State {
    ready: bool,
    terminating: bool,
    done: bool,
}

/// A container as people write it, less what the API server fills in.
fn container(dice: &mut Dice, name: &str, image: &str, port: Option<u16>) -> Value {
    let env: Vec<_> = (0..dice.between(4, 12))
        .map(|number| match dice.below(4) {
            0 => json!({"name": format!("SETTING_{number}"), "valueFrom": {"configMapKeyRef":
                {"name": "settings", "key": format!("setting.{number}")}}}),
            1 => json!({"name": format!("POD_{number}"), "valueFrom": {"fieldRef":
                {"apiVersion": "v1", "fieldPath": "metadata.name"}}}),
            _ => json!({"name": format!("OPTION_{number}"), "value": format!("http://backend-{}.example:8080/", dice.below(1000))}),
        })
        .collect();
    let mut container = json!({"name": name, "image": image, "imagePullPolicy": "IfNotPresent",
        "args": ["--config=/etc/app/config.yaml", "--log-level=info"], "env": env,
        "resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "250m", "memory": "512Mi"}},
        "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": true},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        "volumeMounts": [{"name": "config", "mountPath": "/etc/app", "readOnly": true},
            {"name": "kube-api-access-x7k2p", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": true}]});
    if let Some(port) = port {
        let probe = |period: u32| {
            json!({"httpGet": {"path": "/healthz", "port": "http", "scheme": "HTTP"}, "periodSeconds": period,
                "timeoutSeconds": 1, "successThreshold": 1, "failureThreshold": 3})
        };
        container["ports"] = json!([{"name": "http", "containerPort": port, "protocol": "TCP"}]);
        container["readinessProbe"] = probe(5);
        container["livenessProbe"] = probe(10);
    }
    container
}

fn status_of(dice: &mut Dice, container: &Value, state: &State) -> Value {
    let now = if state.done {
        json!({"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": BEFORE, "finishedAt": NOW}})
    } else {
        json!({"running": {"startedAt": BEFORE}})
    };
    json!({"name": container["name"], "image": container["image"],
        "imageID": format!("registry.example/app@sha256:{}", hex(dice, 64)),
        "containerID": format!("containerd://{}", hex(dice, 64)),
        "ready": state.ready, "started": !state.done, "restartCount": 0, "lastState": {}, "state": now})
}

fn status(
    dice: &mut Dice,
    containers: &[Value],
    address: usize,
    host: usize,
    state: &State,
) -> Value {
    let conditions: Vec<_> = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"]
        .iter()
        .map(|kind| {
            let is = state.ready || !kind.ends_with("Ready");
            json!({"type": kind, "status": if is { "True" } else { "False" }, "lastProbeTime": null, "lastTransitionTime": BEFORE})
        })
        .collect();
    let statuses: Vec<_> = containers
        .iter()
        .map(|container| status_of(dice, container, state))
        .collect();
    json!({"phase": if state.done { "Succeeded" } else { "Running" }, "conditions": conditions,
        "hostIP": format!("172.31.{}.{}", host / 250, host % 250),
        "hostIPs": [{"ip": format!("172.31.{}.{}", host / 250, host % 250)}],
        "podIP": ip(address), "podIPs": [{"ip": ip(address)}], "startTime": BEFORE, "containerStatuses": statuses,
        "qosClass": "Burstable"})
}

/// What all pods have: `meta` and `spec` hold what is their own.
fn whole(
    dice: &mut Dice,
    mut meta: Value,
    mut spec: Value,
    (address, host): (usize, usize),
    state: &State,
) -> Value {
    let containers: Vec<_> = spec["containers"].as_array().cloned().unwrap_or_default();
    let status = status(dice, &containers, address, host, state);
    let by_controller = managed(
        "kube-controller-manager",
        "v1",
        &json!({"metadata": {"labels": meta["labels"], "ownerReferences": meta["ownerReferences"]}, "spec": spec}),
        false,
    );
    meta["managedFields"] = json!([
        by_controller,
        managed("kubelet", "v1", &json!({"status": status}), true)
    ]);
    meta["creationTimestamp"] = json!(BEFORE);
    meta["resourceVersion"] = json!("7654321");
    meta["uid"] = json!(uid(dice));
    if state.terminating {
        meta["deletionTimestamp"] = json!("2026-11-21T00:38:40Z");
        meta["deletionGracePeriodSeconds"] = json!(30);
    }
    let more = json!({"dnsPolicy": "ClusterFirst", "enableServiceLinks": true, "nodeName": node_name(host),
        "preemptionPolicy": "PreemptLowerPriority", "priority": 0, "schedulerName": "default-scheduler",
        "securityContext": {"fsGroup": 1000}, "serviceAccount": "app", "serviceAccountName": "app",
        "terminationGracePeriodSeconds": 30,
        "tolerations": [
            {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
            {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}],
        "volumes": [{"name": "config", "configMap": {"name": "config", "defaultMode": 420}},
            {"name": "kube-api-access-x7k2p", "projected": {"defaultMode": 420, "sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                {"downwardAPI": {"items": [{"path": "namespace", "fieldRef":
                    {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}}]}}]});
    for (key, value) in more.as_object().into_iter().flatten() {
        spec[key] = value.clone();
    }
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": status})
}

fn owned(dice: &mut Dice, kind: &str, version: &str, name: &str) -> Value {
    json!([{"apiVersion": version, "kind": kind, "name": name, "uid": uid(dice), "controller": true, "blockOwnerDeletion": true}])
}

/// A pod that a Service selects.
pub(super) fn behind(dice: &mut Dice, app: &App, address: usize, size: Size) -> (Value, Backend) {
    let host = dice.below(size.nodes.max(1));
    let state = State {
        ready: !dice.one_in(100),
        terminating: dice.one_in(200),
        done: false,
    };
    // The same spec for all pods of a template: only the environment's dice are the template's own.
    let mut own = Dice::new(app.seed);
    let mut containers = vec![container(&mut own, "app", &app.image, Some(8080))];
    if app.sidecar {
        containers.push(container(
            &mut own,
            "log-shipper",
            "registry.example/log-shipper:3.1",
            None,
        ));
    }
    if app.drains {
        containers[0]["lifecycle"] = json!({"preStop": {"exec": {"command": ["sleep", "10"]}}});
    }
    let old = app.rolling && dice.one_in(2);
    let hash = if old { "5cdf74f576" } else { "6b8546897d" };
    let set = format!("{}-{hash}", app.name);
    let name = format!("{set}-{}", suffix(dice, 5));
    let meta = json!({"namespace": app.namespace, "name": name, "generateName": format!("{set}-"),
        "labels": {"app.kubernetes.io/instance": app.namespace, "app.kubernetes.io/name": app.name,
            "app.kubernetes.io/version": "1.4.2", "pod-template-hash": hash, "team": format!("team-{}", app.seed % 40)},
        "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "8080",
            "checksum/config": format!("{:064x}", u128::from(app.seed) << 64)},
        "ownerReferences": owned(dice, "ReplicaSet", "apps/v1", &set)});
    let spec = json!({"containers": containers, "restartPolicy": "Always"});
    let pod = whole(dice, meta, spec, (address, host), &state);
    let backend = Backend {
        name,
        uid: pod["metadata"]["uid"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        ip: ip(address),
        node: host,
        ready: state.ready,
        terminating: state.terminating,
    };
    (pod, backend)
}

/// A pod of no Service.
pub(super) fn batch(dice: &mut Dice, address: usize, size: Size) -> Value {
    let host = dice.below(size.nodes.max(1));
    let done = dice.one_in(2);
    let state = State {
        ready: !done,
        terminating: false,
        done,
    };
    let job = format!("report-{}", dice.below(500));
    let namespace = super::services::namespace(dice, size);
    let meta = json!({"namespace": namespace, "name": format!("{job}-{address}-{}", suffix(dice, 5)), "generateName": format!("{job}-"),
        "labels": {"batch.kubernetes.io/job-name": job, "job-name": job}, "ownerReferences": owned(dice, "Job", "batch/v1", &job)});
    let spec = json!({"containers": [container(dice, "report", "registry.example/report:2", None)], "restartPolicy": "Never"});
    whole(dice, meta, spec, (address, host), &state)
}

pub(super) fn kube_proxy(dice: &mut Dice, host: usize) -> Value {
    let state = State {
        ready: true,
        terminating: false,
        done: false,
    };
    let meta = json!({"namespace": "kube-system", "name": format!("kube-proxy-{}-{host}", suffix(dice, 5)), "generateName": "kube-proxy-",
        "labels": {"controller-revision-hash": "7d9f8c6b5", "k8s-app": "kube-proxy", "pod-template-generation": "3"},
        "ownerReferences": owned(dice, "DaemonSet", "apps/v1", "kube-proxy")});
    let mut main = container(
        &mut Dice::new(0),
        "kube-proxy",
        "registry.example/kube-proxy:v1.36.3",
        None,
    );
    main["command"] = json!([
        "/usr/local/bin/kube-proxy",
        "--config=/var/lib/kube-proxy/config.conf"
    ]);
    let spec = json!({"containers": [main], "restartPolicy": "Always", "hostNetwork": true, "priorityClassName": "system-node-critical"});
    whole(dice, meta, spec, (0xff_0000 + host, host), &state)
}
