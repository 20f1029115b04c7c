//! Is a snapshot judged as the cluster was at that moment, whatever was asked and whatever could not be read?

use proptest::prelude::*;
use serde_json::{Value, json};

use super::catalogue::cluster_with;
use super::harness::{Ran, Setup, run};
use super::reading::SMALL;
use super::sources::{EDGE, web, yaml};
use crate::collect::snapshot;
use crate::fake_api::{FakeApi, Fault, kube_proxy, recording};
use crate::recording::validate;
use drain_check::sources::catalogue;

/// What every answer says that it was sent at: later than any real one, so that each run judges by the same moment.
const DATE: &str = "Sat, 21 Nov 2037 12:00:00 GMT";

/// A cluster whose clock stands.
fn cluster(objects: Vec<Value>) -> FakeApi {
    FakeApi::serving(objects)
}

/// What must not depend on where the answer comes from.
fn verdict(ran: &Ran) -> Value {
    let mut report: Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    validate(&report);
    report["source"].take();
    // Whose flags they are who reads a snapshot, nobody knows.
    for gap in report["gaps"].as_array_mut().expect("gaps") {
        if let Some(command) = gap["canI"].as_str() {
            gap["canI"] = json!(command.split(" --").next());
        }
    }
    report
}

/// Asks the cluster, takes a snapshot of it, and asks that.
fn same(api: &FakeApi, namespace: &str, asked: &[&str], again: &[&str]) -> Value {
    api.fault("/", Fault::Header("date", DATE.to_owned()));
    let setup = Setup::new(api, namespace);
    let live = setup.run(&[asked, &["-o", "json"]].concat());
    let taken = setup.run(&[&["snapshot"], asked].concat());
    // What may not be read is the same the next time; what failed is an error, beside the snapshot that says so.
    let lacks = |reason: &str| {
        let live: Value = serde_json::from_str(&live.out).unwrap_or_default();
        let gaps = live["gaps"].as_array().cloned().unwrap_or_default();
        gaps.iter().any(|gap| gap["reason"] == reason)
    };
    let incomplete = lacks("failed") || lacks("timed-out");
    assert_eq!(
        taken.code,
        Some(if incomplete { 2 } else { 0 }),
        "{}",
        taken.err
    );
    assert_eq!(
        taken.err.contains("error: the snapshot lacks "),
        incomplete,
        "{}",
        taken.err
    );
    assert_eq!(taken.err.is_empty(), !incomplete, "{}", taken.err);
    snapshot::validate(&taken.out);
    let path = setup.folder.path().join("now.yaml");
    std::fs::write(&path, &taken.out).expect("a file");
    let file = path.to_str().expect("UTF-8");
    let filed = run(
        setup.folder.path(),
        &[&["-f", file, "-o", "json"], again].concat(),
        &[],
    );
    assert_eq!(live.code, filed.code, "{}{}", live.err, filed.err);
    let (live, filed) = (verdict(&live), verdict(&filed));
    assert_eq!(live, filed, "{asked:?}");
    live
}

#[test]
fn every_recording_has_the_same_verdict_live_and_from_a_snapshot() {
    for (name, namespace) in SMALL {
        let api = FakeApi::of(name);
        let report = same(&api, namespace, &[], &[]);
        assert!(
            !report["services"].as_array().expect("a list").is_empty(),
            "{name}"
        );
    }
}

#[test]
fn whatever_is_asked_the_snapshot_holds_enough_to_answer_it() {
    for asked in [
        &["svc/web"][..],
        &["deploy/web"],
        &["rs/web-5cdf74f576"],
        &["pod/web-6b8546897-7jr6l"],
        &["-n", "rollout"],
        &["-A"],
    ] {
        let api = FakeApi::of("rollout-midway");
        api.pages_of(2);
        let again: &[&str] = if asked[0].starts_with('-') {
            &[]
        } else {
            asked
        };
        same(&api, "rollout", asked, again);
    }
    let api = FakeApi::of("policies-node-a-terminating");
    same(
        &api,
        "policies",
        &["svc/api-zone", "api-node"],
        &["svc/api-zone", "api-node"],
    );
    let api = FakeApi::of("policies-node-a-terminating");
    same(&api, "policies", &["-l", "nobody=has"], &[]);
}

#[test]
fn a_service_whose_slices_are_not_there_is_not_one_whose_slices_were_left_out() {
    let api = cluster([vec![web()], kube_proxy()].concat());
    let report = same(&api, "shop", &["svc/web"], &["svc/web"]);
    assert_ne!(report["services"][0]["state"], "unknown");
}

#[test]
fn whoever_sends_traffic_is_found_in_the_snapshot_too() {
    for asked in [
        &["svc/web"][..],
        &["-n", "shop"],
        &["-A"],
        &["-n", "kube-system"],
    ] {
        let api = cluster([yaml(EDGE), vec![web()], kube_proxy()].concat());
        same(&api, "shop", asked, &[]);
    }
    let mut seen = 0;
    for source in &catalogue().sources {
        let Some(objects) = cluster_with(&source.id) else {
            continue;
        };
        let api = cluster(objects);
        let report = same(&api, "shop", &["svc/web"], &["svc/web"]);
        seen += usize::from(report.to_string().contains(&format!("\"{}\"", source.id)));
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn what_could_not_be_read_is_said_by_the_snapshot_too() {
    let paths = [
        "/api/v1/namespaces/shop/pods",
        "/api/v1/namespaces/shop/endpoints",
        "/apis/discovery.k8s.io",
        "/api/v1/nodes",
        "/api/v1/namespaces/kube-system/pods",
        "/api/v1/namespaces/kube-system/configmaps",
        "/version",
        "/apis$",
        "/apis/apps/v1/namespaces/kube-system/daemonsets",
        "/apis/gateway.networking.k8s.io",
        "/apis/gateway.envoyproxy.io",
        "/apis/networking.k8s.io",
        "/apis/elbv2.k8s.aws",
        "/apis/apps/v1/deployments",
        "/api/v1/namespaces/edge-nginx/configmaps",
        "/apis/admissionregistration.k8s.io",
        "/api/v1/namespaces/kube-system/configmaps/coredns",
    ];
    for (at, path) in paths.into_iter().enumerate() {
        let fault = match at % 4 {
            0 => Fault::Status(504, "too late"),
            1 => Fault::Status(500, "etcd is gone"),
            2 => Fault::Body("application/json", "{\"kind\": \"Nonsense\"}".to_owned()),
            _ => Fault::Status(403, "you may not"),
        };
        for fault in [Fault::Status(403, "you may not"), fault] {
            let mut service = web();
            if path.ends_with("coredns") {
                service["spec"]["clusterIP"] = json!("None");
            }
            let api = cluster([yaml(EDGE), vec![service], kube_proxy()].concat());
            api.fault(path, fault);
            let report = same(&api, "shop", &["svc/web"], &["svc/web"]);
            assert_ne!(report["gaps"], json!([]), "{path}");
        }
    }
}

#[test]
fn what_was_asked_for_and_cannot_be_read_is_an_error_and_nothing_is_written() {
    let api = FakeApi::of("rollout-midway");
    let setup = Setup::new(&api, "rollout");
    setup.run(&["snapshot", "svc/none"]).refused(&["none"]);
    api.fault(
        "/api/v1/namespaces/rollout/services",
        Fault::Status(403, "you may not"),
    );
    setup.run(&["snapshot"]).refused(&["you may not"]);
}

#[test]
fn the_same_cluster_gives_the_same_bytes() {
    let api = cluster(
        [
            yaml(EDGE),
            vec![web()],
            kube_proxy(),
            recording("rollout-midway"),
        ]
        .concat(),
    );
    api.fault("/", Fault::Header("date", DATE.to_owned()));
    let setup = Setup::new(&api, "shop");
    let first = setup.run(&["snapshot", "-A"]).out;
    assert_eq!(first, setup.run(&["snapshot", "-A"]).out);
    let json = setup.run(&["snapshot", "-A", "-o", "json"]).out;
    let yaml: Value = serde_yaml::from_str(&first).expect("YAML");
    assert_eq!(yaml, serde_json::from_str::<Value>(&json).expect("JSON"));
}

/// A pod, its endpoint and what is said of it in three ways.
#[derive(Debug, Clone)]
struct Backend {
    node: usize,
    ready: bool,
    serving: bool,
    deleted: bool,
    listed: bool,
    hook: Option<&'static str>,
    grace: i64,
}

fn backends() -> impl Strategy<Value = Vec<Backend>> {
    let hook = prop::option::of(prop::sample::select(vec![
        "sleep 5",
        "sleep $DELAY",
        "curl -u me:pw http://localhost/drain; sleep \"$DELAY\"",
        "kill -QUIT 1; sleep 20",
    ]));
    let one = (0..3usize, any::<[bool; 4]>(), hook, 0i64..40);
    let one = one.prop_map(
        |(node, [ready, serving, deleted, listed], hook, grace)| Backend {
            node,
            ready,
            serving,
            deleted,
            listed,
            hook,
            grace,
        },
    );
    prop::collection::vec(one, 0..6)
}

/// A cluster with a Service of a kind, its pods on three nodes, and kube-proxy.
fn generated(backends: &[Backend], [local, headless, nodes, balanced]: [bool; 4]) -> Vec<Value> {
    let mut objects = if nodes { kube_proxy() } else { Vec::new() };
    let mut service = web();
    service["spec"]["type"] = json!(if balanced {
        "LoadBalancer"
    } else {
        "ClusterIP"
    });
    if headless {
        service["spec"]["type"] = json!("ClusterIP");
        service["spec"]["clusterIP"] = json!("None");
    } else if balanced && local {
        service["spec"]["externalTrafficPolicy"] = json!("Local");
        service["spec"]["healthCheckNodePort"] = json!(31000);
    }
    objects.push(service);
    let mut addresses = (Vec::new(), Vec::new());
    let mut endpoints = Vec::new();
    for (at, one) in backends.iter().enumerate() {
        let (name, ip, node) = (
            format!("web-{at}"),
            format!("10.0.1.{at}"),
            format!("node-{}", one.node),
        );
        let target = json!({"kind": "Pod", "namespace": "shop", "name": name, "uid": name});
        endpoints.push(json!({"addresses": [ip], "nodeName": node, "targetRef": target, "zone": "a", "conditions":
            {"ready": one.ready && !one.deleted, "serving": one.serving, "terminating": one.deleted}}));
        let address = json!({"ip": ip, "nodeName": node, "targetRef": target});
        if one.ready {
            addresses.0.push(address);
        } else {
            addresses.1.push(address);
        }
        let mut pod = json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"namespace": "shop", "name": name, "uid": name, "labels": {"app": "web"},
                "creationTimestamp": "2037-11-21T10:00:00Z",
                "annotations": {"drain-check/drain-seconds": "web=7", "example.org/token": "abc"}},
            "spec": {"nodeName": node, "terminationGracePeriodSeconds": one.grace, "volumes": [{"name": "a", "emptyDir": {}}],
                "containers": [{"name": "web", "image": "shop/web:1", "ports": [{"containerPort": 80}],
                    "env": [{"name": "DELAY", "value": "9"}, {"name": "PASSWORD", "value": "pw"}]}]},
            "status": {"phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}],
                "conditions": [{"type": "Ready", "status": if one.ready { "True" } else { "False" }}],
                "containerStatuses": [{"name": "web", "ready": one.ready, "state": {"running": {}}}]}});
        if let Some(hook) = one.hook {
            pod["spec"]["containers"][0]["lifecycle"] =
                json!({"preStop": {"exec": {"command": ["sh", "-c", hook]}}});
        }
        if one.deleted {
            pod["metadata"]["deletionTimestamp"] = json!("2037-11-21T12:00:05Z");
            pod["metadata"]["deletionGracePeriodSeconds"] = json!(one.grace);
        }
        if one.listed {
            objects.push(pod);
        }
    }
    if nodes {
        for node in ["node-0", "node-1", "node-2"] {
            objects.push(json!({"apiVersion": "v1", "kind": "Node",
                "metadata": {"name": node, "labels": {"topology.kubernetes.io/zone": "a"}},
                "spec": {"podCIDRs": ["10.0.0.0/24"], "taints": [{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}]},
                "status": {"nodeInfo": {"kubeletVersion": "v1.30.1"},
                    "conditions": [{"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}]}}));
        }
    }
    let ports = json!([{"name": "http", "port": 80}]);
    objects.push(json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
        "metadata": {"namespace": "shop", "name": "web-x", "labels": {"kubernetes.io/service-name": "web",
            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}},
        "endpoints": endpoints, "ports": ports}));
    objects.push(json!({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"namespace": "shop", "name": "web"},
        "subsets": [{"addresses": addresses.0, "notReadyAddresses": addresses.1, "ports": ports}]}));
    objects
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn generated_clusters_have_the_same_verdict_live_and_from_a_snapshot(
        backends in backends(), kind in any::<[bool; 4]>(), everything in any::<bool>(),
    ) {
        let api = cluster(generated(&backends, kind));
        let asked: &[&str] = if everything { &["-A"] } else { &["svc/web"] };
        same(&api, "shop", asked, &[]);
    }
}
