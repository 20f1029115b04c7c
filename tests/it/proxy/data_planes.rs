//! Where kube-proxy does not route, is its answer kept out, and do the other data plane's rules count?

use serde_json::{Value, json};

use crate::recording::{list, outcome, report, run, service, text, validate};

const CILIUM: &str = r#"{"apiVersion": "v1", "kind": "ConfigMap",
    "metadata": {"name": "cilium-config", "namespace": "kube-system"}, "data": {"kube-proxy-replacement": "true"}}"#;

const CALICO: &str = r#"{"apiVersion": "crd.projectcalico.org/v1", "kind": "FelixConfiguration",
    "metadata": {"name": "default"}, "spec": {"bpfEnabled": true}}"#;

const KUBE_ROUTER: &str = r#"{"apiVersion": "apps/v1", "kind": "DaemonSet",
    "metadata": {"name": "kube-router", "namespace": "kube-system"},
    "spec": {"selector": {}, "template": {"spec": {"containers": [{"name": "kube-router", "args": ["--run-service-proxy=true"]}]}}}}"#;

/// The report about a recording of a cluster that also has this object.
fn with(recording: &str, object: &str, arguments: &[&str]) -> Value {
    let mut all: Value = serde_json::from_str(&text(recording)).expect("JSON");
    let object = serde_json::from_str(object).expect("JSON");
    all["items"].as_array_mut().expect("a list").push(object);
    let arguments: Vec<_> = ["-f", "-", "-o", "json"]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    let ran = run(&arguments, &all.to_string(), 80);
    let report = serde_json::from_str(&ran.out).expect("JSON");
    validate(&report);
    report
}

fn rules(report: &Value) -> Vec<&str> {
    list(&report["findings"])
        .iter()
        .filter_map(|finding| finding["rule"].as_str())
        .collect()
}

#[test]
fn cilium_falls_back_to_terminating_pods_whatever_kube_proxys_version() {
    let report = with(
        "all-terminating-serving",
        CILIUM,
        &["--kube-version", "1.25"],
    );
    let app = service(&report, "the-app");
    assert_eq!(app["dataPlane"]["id"], "cilium-kpr");
    assert_eq!(app["state"], "terminating-only");
    let outcome = outcome(app, "clusterIP", "anywhere", "node-a");
    assert_eq!(outcome["kubeProxy"], Value::Null);
    assert_eq!(list(&outcome["backends"]).len(), 7);
    assert!(list(&app["byVersion"]).is_empty());
    assert!(rules(&report).contains(&"DC403"));
    assert!(!rules(&report).contains(&"DC401"));
}

#[test]
fn calicos_ebpf_data_plane_never_uses_terminating_pods() {
    let report = with("all-terminating-serving", CALICO, &[]);
    let app = service(&report, "the-app");
    assert_eq!(app["dataPlane"]["id"], "calico-ebpf");
    assert_eq!(app["state"], "no-backends");
    for reason in list(&outcome(app, "clusterIP", "anywhere", "node-b")["reasons"]) {
        assert_eq!(reason["reason"], "no-fallback");
    }
}

/// A DaemonSet of a data plane, with the image of its agent.
fn agent(namespace: &str, name: &str, container: &str, image: &str) -> String {
    json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {}, "template": {"spec": {"containers": [{"name": container, "image": image,
            "args": ["--run-service-proxy=true"]}]}}}})
    .to_string()
}

fn kube_router(image: &str) -> String {
    agent("kube-system", "kube-router", "kube-router", image)
}

// new-sources.md, correction 3: `serving || ready`, weight 1, no look at terminating; consumers.md 1.5: since 2.1.0, before it ready ones only.
#[test]
fn where_none_is_ready_kube_router_sends_to_all_that_serve() {
    let report = with("all-terminating-serving", KUBE_ROUTER, &[]);
    let app = service(&report, "the-app");
    assert_eq!(app["dataPlane"]["id"], "kube-router");
    assert_eq!(app["dataPlane"]["version"], Value::Null);
    assert_eq!(app["dataPlane"]["confidence"], "read in its code");
    assert_eq!(app["state"], "terminating-only");
    assert_eq!(
        list(&outcome(app, "clusterIP", "anywhere", "node-a")["backends"]).len(),
        7
    );
    let report = with("all-terminating-unready", KUBE_ROUTER, &[]);
    assert_eq!(service(&report, "the-app")["state"], "no-backends");
}

#[test]
fn an_old_kube_router_never_uses_terminating_pods() {
    let old = kube_router("docker.io/cloudnativelabs/kube-router:v2.0.1");
    let report = with("all-terminating-serving", &old, &[]);
    let app = service(&report, "the-app");
    assert_eq!(app["dataPlane"]["version"], "2.0.1");
    assert_eq!(app["state"], "no-backends");
    // It stops with the slices, as consumers.yaml has it: E + 1.
    let source = list(&app["trafficSources"]).iter();
    let source = source.into_iter().find(|one| one["id"] == "kube-router");
    assert_eq!(source.expect("a source")["lastNewConnection"]["seconds"], 2);
}

#[test]
fn beside_ready_pods_it_is_said_that_kube_router_sends_to_terminating_ones_too_and_no_path_is_judged()
 {
    let report = with("policies-node-a-terminating", KUBE_ROUTER, &[]);
    let services = list(&report["services"]).iter();
    let mut mixed = 0;
    for one in services {
        let ends = |each: &Value, ready: bool| {
            each["conditions"]["ready"] == ready && (ready || each["conditions"]["serving"] == true)
        };
        let endpoints = list(&one["endpoints"]);
        let both = [true, false].map(|ready| endpoints.iter().any(|each| ends(each, ready)));
        let local =
            one["externalTrafficPolicy"] == "Local" || one["internalTrafficPolicy"] == "Local";
        if both == [true, true] && !local {
            assert_eq!(one["notProxiedBecause"], "other-data-plane");
            assert!(
                list(&one["ports"])
                    .iter()
                    .all(|port| list(&port["paths"]).is_empty())
            );
            let summary = one["summary"].as_str().expect("a text");
            assert!(
                summary.contains("also to Terminating ones beside Ready ones"),
                "{summary}"
            );
            mixed += 1;
        }
    }
    assert!(mixed > 0);
}

// What kube-router makes of a Local policy is in no fact sheet.
#[test]
fn what_is_not_known_of_a_data_plane_gets_no_verdict() {
    let report = with("policies-node-a-terminating", KUBE_ROUTER, &[]);
    let mut locals = 0;
    for one in list(&report["services"]) {
        if one["externalTrafficPolicy"] == "Local" || one["internalTrafficPolicy"] == "Local" {
            assert_eq!(
                one["notProxiedBecause"], "other-data-plane",
                "{}",
                one["name"]
            );
            locals += 1;
        }
    }
    assert!(locals > 0);
    // Cilium evaluates the conditions as specified since 1.14 (PR 24174).
    let mut all: Value = serde_json::from_str(&text("all-terminating-serving")).expect("JSON");
    let old = agent(
        "kube-system",
        "cilium",
        "cilium-agent",
        "quay.io/cilium/cilium:v1.11.20",
    );
    let items = all["items"].as_array_mut().expect("a list");
    items.extend([CILIUM, &old].map(|one| serde_json::from_str(one).expect("JSON")));
    let ran = run(&["-f", "-", "-o", "json"], &all.to_string(), 80);
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    let app = service(&report, "the-app");
    assert_eq!(app["dataPlane"]["version"], "1.11.20");
    assert_eq!(app["notProxiedBecause"], "other-data-plane");
}

// new-sources.md, correction 5: kube-proxy is named among what Auto Mode manages; the rest is deduced.
#[test]
fn on_eks_auto_mode_kube_proxys_rules_are_deduced() {
    let node = r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "auto", "labels": {"eks.amazonaws.com/compute-type": "auto"}}}"#;
    let report = with("all-terminating-serving", node, &[]);
    let app = service(&report, "the-app");
    assert_eq!(app["dataPlane"]["id"], "eks-auto-mode-dataplane");
    assert_eq!(app["dataPlane"]["confidence"], "deduced");
    assert_eq!(app["dataPlane"]["version"], Value::Null);
    assert_eq!(app["state"], "terminating-only");
    let found = list(&report["findings"]).iter();
    let mut found = found.into_iter().filter(|one| one["rule"] == "DC403");
    let message = found.next().expect("DC403")["message"]
        .as_str()
        .expect("a text");
    assert!(message.ends_with("That is deduced."), "{message}");
}

#[test]
fn the_tag_of_the_agents_image_is_the_data_planes_version() {
    let version = |agent: &str, also: &str| {
        let mut all: Value = serde_json::from_str(&text("all-terminating-serving")).expect("JSON");
        let items = all["items"].as_array_mut().expect("a list");
        let more = [agent, also].into_iter().filter(|one| !one.is_empty());
        items.extend(more.map(|one| serde_json::from_str::<Value>(one).expect("JSON")));
        let ran = run(&["-f", "-", "-o", "json"], &all.to_string(), 80);
        let report: Value = serde_json::from_str(&ran.out).expect("JSON");
        validate(&report);
        service(&report, "the-app")["dataPlane"].clone()
    };
    // Where the agents are: consumers.md, sections 1.1 to 1.5.
    for (id, namespace, name, container, image, also) in [
        (
            "cilium-kpr",
            "kube-system",
            "cilium",
            "cilium-agent",
            "quay.io/cilium/cilium",
            CILIUM,
        ),
        (
            "calico-ebpf",
            "calico-system",
            "calico-node",
            "calico-node",
            "docker.io/calico/node",
            CALICO,
        ),
        (
            "antrea-proxy",
            "kube-system",
            "antrea-agent",
            "antrea-agent",
            "antrea/antrea-agent-ubuntu",
            "",
        ),
        (
            "ovn-kubernetes",
            "ovn-kubernetes",
            "ovnkube-node",
            "ovnkube-node",
            "ovnkube/ovn-daemonset",
            "",
        ),
        (
            "kube-router",
            "kube-system",
            "kube-router",
            "kube-router",
            "cloudnativelabs/kube-router",
            "",
        ),
    ] {
        let of = |tag: &str| {
            version(
                &agent(namespace, name, container, &format!("{image}{tag}")),
                also,
            )
        };
        assert_eq!(of(":v3.4.5@sha256:00")["id"], id);
        assert_eq!(of(":v3.4.5@sha256:00")["version"], "3.4.5", "{id}");
        for unknown in ["@sha256:00", ":latest", ":v3.4", ""] {
            assert_eq!(of(unknown)["version"], Value::Null, "{id} {unknown}");
        }
        // Another container of the DaemonSet has a version of its own.
        let other = agent(namespace, name, "other", &format!("{image}:v3.4.5"));
        assert_eq!(version(&other, also)["version"], Value::Null, "{id}");
    }
}

#[test]
fn a_person_may_say_that_it_is_kube_proxy_after_all() {
    let report = with(
        "all-terminating-serving",
        CALICO,
        &["--proxy-mode", "iptables"],
    );
    let app = service(&report, "the-app");
    assert_eq!(app["dataPlane"], Value::Null);
    assert_eq!(app["state"], "terminating-only");
}

#[test]
fn without_a_sign_of_another_it_is_kube_proxy() {
    let report = report("all-terminating-serving", &[]);
    assert_eq!(service(&report, "the-app")["dataPlane"], Value::Null);
    assert!(!rules(&report).contains(&"DC403"));
}
