//! What is said, to people and in JSON, of traffic sources that are not known?

use serde_json::Value;

use crate::lint::lint;
use crate::recording::{run, text, validate};

fn report(arguments: &[&str], input: &str) -> Value {
    let ran = run(arguments, input, 80);
    let report = serde_json::from_str(&ran.out).expect("one JSON document");
    validate(&report);
    report
}

/// The reasons for which a sum is a lower bound.
fn because(sum: &Value) -> Vec<&str> {
    let all = sum["because"].as_array().expect("a list").iter();
    all.filter_map(|one| one["reason"].as_str()).collect()
}

#[test]
fn a_load_balancer_that_nobody_identified_makes_no_number_a_minimum() {
    let input = text("rollout-midway");
    let json = report(
        &["svc/web", "-n", "rollout", "-f", "-", "-o", "json"],
        &input,
    );
    let web = &json["services"][0];
    let row = &web["trafficSources"][1];
    assert_eq!(row["id"], "unidentified-load-balancer");
    assert_eq!(row["lastNewConnection"]["seconds"], Value::Null);
    assert_eq!(row["lastNewConnection"]["until"], "unknown");
    assert_eq!(row["evidence"][0]["object"], "Service rollout/web");
    assert_eq!(row["evidence"][0]["value"], "LoadBalancer");
    let budget = &web["shutdown"][0]["budget"];
    assert_eq!(budget["preStop"]["atLeast"], true);
    assert_eq!(because(&budget["preStop"]), ["not-identified", "not-read"]);
    assert_eq!(budget["unknown"][0], "unidentified-load-balancer");
    let gaps = json["gaps"].as_array().expect("a list").iter();
    let gaps: Vec<_> = gaps.filter_map(|gap| gap["resource"].as_str()).collect();
    assert_eq!(gaps, ["ingresses.networking.k8s.io"]);

    for wide in [&[][..], &["-o", "wide"]] {
        let arguments = [&["svc/web", "-n", "rollout", "-f", "-"], wide].concat();
        let shown = run(&arguments, &input, 200).out;
        assert!(shown.contains("preStop sleep of at least 7 s"), "{shown}");
        for claim in ["preStop sleep of 7 s", "preStop delay: 7 s", "to 67 s"] {
            assert!(!shown.contains(claim), "{claim}: {shown}");
        }
    }
}

#[test]
fn a_file_with_an_ingress_or_a_route_says_which_there_are() {
    let service = "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: 10.0.0.1, selector: {app: web}, ports: [{port: 80}]}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop, labels: {app: web}}, spec: {containers: [{name: a, ports: [{containerPort: 80}]}]}}\n---\n{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web-1, namespace: shop, labels: {kubernetes.io/service-name: web}}, addressType: IPv4, ports: [{name: '', port: 80, protocol: TCP}], endpoints: [{addresses: [10.1.0.1], conditions: {ready: true}}]}\n---\n";
    let sum = |more: &str| {
        let json = report(
            &["svc/web", "-f", "-", "-o", "json"],
            &format!("{service}{more}"),
        );
        json["services"][0]["shutdown"][0]["budget"]["preStop"].clone()
    };
    let alone = sum("");
    assert_eq!(because(&alone), ["not-read"]);
    assert_eq!(alone["atLeast"], true);
    let ingress = "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: other, namespace: shop}, spec: {}}";
    let route = "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: other, namespace: shop}, spec: {}}";
    for more in [ingress, route] {
        let sum = sum(more);
        assert_eq!(because(&sum), [""; 0], "{more}");
        assert_eq!(sum["atLeast"], false);
    }
}

const DEPLOYMENT: &str = "
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: app
        image: nginx
        ports: [{containerPort: 8080}]
";

fn message_of(report: &Value, rule: &str) -> String {
    let mut all = report["findings"].as_array().expect("a list").iter();
    let found = all.find(|one| one["rule"] == rule);
    let found = found.unwrap_or_else(|| panic!("{rule}: {report}"));
    ["message", "why", "help"]
        .map(|part| found[part].as_str().unwrap_or_default().to_owned())
        .join("\n")
}

#[test]
fn lint_says_that_a_sum_is_a_lower_bound_and_of_whom_it_knows_nothing() {
    let never = ["--fail-on", "never"];
    // A repository without an Ingress says nothing of one that is missing.
    let plain = message_of(
        &lint(&[&["-f", "-"], &never[..]].concat(), DEPLOYMENT),
        "DC201",
    );
    assert!(!plain.contains("at least"), "{plain}");
    let declared = lint(
        &[&["-f", "-", "--source", "f5-xc-ce"], &never[..]].concat(),
        DEPLOYMENT,
    );
    let said = message_of(&declared, "DC201");
    for part in [
        "preStop sleep of at least 7 s",
        "(at least 7 s = ",
        "it is not known when F5 Distributed Cloud Customer Edge stops",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let short = DEPLOYMENT.replace(
        "        image: nginx\n",
        "        image: nginx\n        lifecycle: {preStop: {sleep: {seconds: 1}}}\n",
    );
    let declared = lint(
        &[&["-f", "-", "--source", "f5-xc-ce"], &never[..]].concat(),
        &short,
    );
    let said = message_of(&declared, "DC204");
    for part in [
        "use at least 7 s",
        "Make preStop at least 7 s long",
        "Minimum preStop delay: at least 7 s = ",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn what_stands_for_the_unidentified_is_explained() {
    for id in [
        "unidentified-load-balancer",
        "unidentified-ingress",
        "unidentified-gateway",
    ] {
        let page = run(&["explain", id], "", 100).out;
        assert!(page.starts_with(&format!("{id}\n")), "{page}");
        for way in ["--source ID", ".drain-check.yaml", "drain-check/sources"] {
            assert!(page.contains(way), "{page}");
        }
    }
}
