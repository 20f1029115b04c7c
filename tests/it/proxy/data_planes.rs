//! Where kube-proxy does not route, is its answer kept out, and do the other data plane's rules count?

use serde_json::Value;

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

#[test]
fn a_data_plane_whose_rules_do_not_follow_from_conditions_gets_no_verdict() {
    let report = with("all-terminating-serving", KUBE_ROUTER, &[]);
    let app = service(&report, "the-app");
    assert_eq!(app["dataPlane"]["id"], "kube-router");
    assert_eq!(app["state"], "not-proxied");
    assert_eq!(app["notProxiedBecause"], "other-data-plane");
    assert!(
        list(&app["ports"])
            .iter()
            .all(|port| list(&port["paths"]).is_empty())
    );
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
