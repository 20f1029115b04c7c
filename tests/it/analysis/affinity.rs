//! What does `sessionAffinity: ClientIP` mean for the clients of a pod that turns terminating, by mode and version?
//!
//! Expected values: `pkg/apis/core/types.go` (the default), `pkg/proxy/{iptables,nftables,ipvs}/proxier.go`, kubernetes#106030.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::recording::run;

/// A Service with more in its spec, a pod and its slice.
fn web(more: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\n\
         spec: {{clusterIP: 10.96.0.10, selector: {{app: web}}, ports: [{{port: 80}}], {more}}}\n---\n\
         apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\naddressType: IPv4\n\
         metadata: {{name: web-x, namespace: shop, labels: {{kubernetes.io/service-name: web}}}}\n\
         ports: [{{name: '', port: 80, protocol: TCP}}]\n\
         endpoints: [{{addresses: [10.244.1.5], nodeName: a, conditions: {{ready: true, serving: true, terminating: false}}}}]\n"
    )
}

const STICKY: &str = "sessionAffinity: ClientIP";

fn told(yaml: &str, arguments: &[&str]) -> Value {
    let ran = run(&[&["-f", "-", "-o", "json"], arguments].concat(), yaml, 80);
    let report: Value = serde_json::from_str(&ran.out).expect("one JSON document");
    report["services"][0].clone()
}

#[test]
fn its_type_and_timeout_are_in_json_and_null_without_it() {
    let service = told(&web(""), &[]);
    assert_eq!(service["sessionAffinity"], Value::Null);
    let none = told(&web("sessionAffinity: None"), &[]);
    assert_eq!(none["sessionAffinity"], Value::Null);
    let service = told(&web(STICKY), &[]);
    assert_eq!(service["sessionAffinity"]["type"], "ClientIP");
    // What the API server writes.
    assert_eq!(service["sessionAffinity"]["timeoutSeconds"], 10_800);
    let set = format!("{STICKY}, sessionAffinityConfig: {{clientIP: {{timeoutSeconds: 600}}}}");
    let service = told(&web(&set), &[]);
    assert_eq!(service["sessionAffinity"]["timeoutSeconds"], 600);
}

#[test]
fn what_becomes_of_clients_differs_by_mode_and_in_1_22() {
    let text = |mode: &str, version: &str| {
        let service = told(
            &web(STICKY),
            &["--proxy-mode", mode, "--kube-version", version],
        );
        let notes = service["notes"].as_array().expect("a list");
        let note = notes.iter().find(|note| note["id"] == "sticky-clients");
        let text = service["sessionAffinity"]["text"].clone();
        assert_eq!(note.expect("a note")["text"], text, "one answer");
        text.as_str().expect("a text").to_owned()
    };
    let new = text("iptables", "1.33");
    assert!(
        new.contains("up to 10800 s") && new.contains("iptables"),
        "{new}"
    );
    assert!(new.contains("go to others"), "{new}");
    for stuck in ["1.22.0", "1.22.3"] {
        let text = text("iptables", stuck);
        assert!(text.contains("still go to it"), "{stuck}: {text}");
    }
    assert!(!text("iptables", "1.22.4").contains("still go to it"));
    assert!(text("nftables", "1.33").contains("nftables"));
    assert!(text("ipvs", "1.33").contains("expire_quiescent_template"));
    assert!(text("winkernel", "1.33").contains("not known"));
    let all: BTreeSet<_> = ["iptables", "nftables", "ipvs", "winkernel"]
        .map(|mode| text(mode, "1.33"))
        .into();
    assert_eq!(all.len(), 4);
}

#[test]
fn a_headless_service_has_none() {
    let headless = web(STICKY).replace("clusterIP: 10.96.0.10", "clusterIP: None");
    let text = told(&headless, &[])["sessionAffinity"]["text"].clone();
    assert!(
        text.as_str().is_some_and(|text| text.contains("no effect")),
        "{text}"
    );
}

#[test]
fn a_snapshot_keeps_it() {
    let set = format!("{STICKY}, sessionAffinityConfig: {{clientIP: {{timeoutSeconds: 600}}}}");
    let snapshot = run(&["snapshot", "-f", "-"], &web(&set), 80).out;
    assert_eq!(
        told(&snapshot, &[])["sessionAffinity"]["timeoutSeconds"],
        600
    );
}
