//! Slices without terminating pods on 1.22 to 1.25: gate `EndpointSliceTerminatingCondition` is off, and nothing lags.
//!
//! Expected values: `pkg/controller/endpointslice/utils.go` of 1.22 (`podToEndpoint` sets `serving` and `terminating` only with the gate) and
//! `reconciler.go` (`ShouldPodBeInEndpointSlice` with `includeTerminating`).

use serde_json::{Value, json};

use crate::recording::run;

/// A Service of two pods, one of which has been terminating for an hour, in a cluster of this version; `conditions` are those of the pod
/// that is listed.
fn cluster(version: &str, conditions: &str) -> String {
    let pod = |name: &str, ip: &str, more: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop, labels: {{app: web}}, creationTimestamp: '2026-11-21T00:00:00Z', {more}}}\n\
             spec: {{nodeName: node-a, containers: [{{name: app, image: web}}]}}\n\
             status: {{phase: Running, podIP: {ip}, conditions: [{{type: Ready, status: 'True', lastTransitionTime: '2026-11-21T00:00:05Z'}}]}}\n---\n"
        )
    };
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\n\
         spec: {{clusterIP: 10.96.0.10, selector: {{app: web}}, ports: [{{port: 80}}]}}\n---\n{}{}\
         apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\naddressType: IPv4\n\
         metadata: {{name: web-x, namespace: shop, labels: {{kubernetes.io/service-name: web, endpointslice.kubernetes.io/managed-by: endpointslice-controller.k8s.io}}}}\n\
         ports: [{{name: '', port: 80, protocol: TCP}}]\n\
         endpoints: [{{addresses: [10.244.1.5], nodeName: node-a, targetRef: {{kind: Pod, namespace: shop, name: web-1}}, conditions: {conditions}}}]\n---\n\
         apiVersion: v1\nkind: Node\nmetadata: {{name: node-a}}\nstatus: {{nodeInfo: {{kubeletVersion: {version}}}}}\n",
        pod("web-1", "10.244.1.5", ""),
        pod(
            "web-2",
            "10.244.1.6",
            "deletionTimestamp: '2026-11-21T02:00:00Z', deletionGracePeriodSeconds: 3600",
        ),
    )
}

const READY_ONLY: &str = "{ready: true}";

fn report(yaml: &str, arguments: &[&str]) -> Value {
    let base = ["-f", "-", "-o", "json", "--as-of", "2026-11-21T02:00:00Z"];
    let ran = run(&[&base[..], arguments].concat(), yaml, 80);
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{:?} {}", ran.end, ran.err))
}

fn finding<'r>(report: &'r Value, rule: &str) -> Option<&'r Value> {
    let findings = report["findings"].as_array().expect("a list");
    findings.iter().find(|finding| finding["rule"] == rule)
}

fn left_out() -> Value {
    json!([{
        "pod": "web-2", "node": "node-a", "reason": "terminating-not-in-slices",
        "text": "left out of slices: gets no new connections"
    }])
}

#[test]
fn slices_with_ready_only_are_a_gate_and_no_lag() {
    for version in ["v1.22.17", "v1.25.16"] {
        let report = report(&cluster(version, READY_ONLY), &[]);
        let found = finding(&report, "DC105").expect("the finding");
        assert_eq!(found["severity"], "info", "{version}");
        let text = found.to_string();
        assert!(text.contains("EndpointSliceTerminatingCondition"), "{text}");
        assert!(
            !text.contains("leader lease") && !text.contains("behind"),
            "{text}"
        );
        let service = &report["services"][0];
        assert_eq!(service["leftOut"], left_out());
        let notes = service["notes"].as_array().expect("a list");
        assert!(
            notes
                .iter()
                .any(|note| note["id"] == "terminating-left-out")
        );
        let summary = service["summary"].as_str().expect("a text");
        assert!(
            summary.contains("1 Terminating pod is left out of slices"),
            "{summary}"
        );
        // The pod has a row of its own.
        let moment = ["-f", "-", "svc/web", "--as-of", "2026-11-21T02:00:00Z"];
        let table = run(&moment, &cluster(version, READY_ONLY), 80).out;
        let row = |line: &&str| line.contains("left out of slices  no");
        assert!(table.lines().any(|line| row(&line)), "{table}");
    }
}

#[test]
fn slices_that_lag_are_no_gate() {
    // With the gate a controller sets all three; these are old.
    let with_all = "{ready: true, serving: true, terminating: false}";
    let lags = report(&cluster("v1.24.17", with_all), &[]);
    assert_eq!(
        finding(&lags, "DC105").expect("a lag")["severity"],
        "warning"
    );
    assert_eq!(lags["services"][0]["leftOut"], json!([]));
    // From 1.26 on the gate is locked.
    let locked = report(&cluster("v1.26.15", READY_ONLY), &[]);
    assert_eq!(
        finding(&locked, "DC105").expect("a lag")["severity"],
        "warning"
    );
}

#[test]
fn the_gate_can_be_declared_and_before_1_22_it_is_the_default() {
    let gate = ["--feature-gates", "EndpointSliceTerminatingCondition=false"];
    let declared = report(&cluster("v1.24.17", READY_ONLY), &gate);
    assert_eq!(finding(&declared, "DC105"), None);
    assert_eq!(declared["services"][0]["leftOut"], left_out());
    let old = report(&cluster("v1.21.14", READY_ONLY), &[]);
    assert_eq!(finding(&old, "DC105"), None);
    assert_eq!(old["services"][0]["leftOut"], left_out());
    let locked = run(
        &[&["-f", "-"][..], &gate].concat(),
        &cluster("v1.26.15", READY_ONLY),
        80,
    );
    let error = locked.end.expect_err("it would not start");
    assert!(error.contains("locked to true since 1.26"), "{error}");
}
