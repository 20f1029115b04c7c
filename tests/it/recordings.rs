//! The right story for each recording. What is expected was read off the recordings' README and the rules of Kubernetes, not
//! off the program's own answers; `oracle.rs` compares the same recordings with what kube-proxy programmed.

use drain_check::app::Outcome;
use serde_json::Value;

use crate::recording::{ALL, list, outcome, report, run, service, shown, text};

/// The rules about traffic and versions that a Service breaks; those about pods have tests of their own.
fn rules(report: &Value, name: &str) -> Vec<String> {
    list(&report["findings"])
        .iter()
        .filter(|finding| {
            finding["object"]["kind"] == "Service" && finding["object"]["name"] == name
        })
        .map(|finding| finding["rule"].as_str().expect("a rule").to_owned())
        .collect()
}

#[test]
fn what_the_controllers_wrote_is_what_they_should_have_written() {
    let mut compared = 0;
    for name in ALL {
        let report = report(name, &[]);
        for service in list(&report["services"]) {
            for endpoint in list(&service["endpoints"]) {
                let expected = &endpoint["expectedConditions"];
                assert_eq!(
                    expected, &endpoint["conditions"],
                    "{name} {} {}",
                    service["name"], endpoint["address"]
                );
                compared += 1;
            }
        }
        for finding in list(&report["findings"]) {
            let rule = finding["rule"].as_str().expect("a rule");
            assert!(!["DC104", "DC105"].contains(&rule), "{name}: {finding}");
        }
    }
    // 1050 of the large one, and those of the others.
    assert!(compared > 1400, "{compared}");
}

#[test]
fn seven_terminating_pods_get_everything_since_1_26_and_nothing_before() {
    let now = report("all-terminating-serving", &["svc/the-app"]);
    let app = service(&now, "the-app");
    assert_eq!(app["state"], "terminating-only");
    for node in ["node-a", "node-b", "node-c"] {
        let outcome = outcome(app, "clusterIP", "anywhere", node);
        assert_eq!(outcome["verdict"], "forward");
        assert_eq!(outcome["using"], "terminating");
        assert_eq!(list(&outcome["backends"]).len(), 7);
        for reason in list(&outcome["reasons"]) {
            assert_eq!(reason["reason"], "terminating-fallback");
        }
    }
    for endpoint in list(&app["endpoints"]) {
        assert_eq!(endpoint["podStatus"], "Terminating");
        assert_eq!(endpoint["podReady"], "1/1");
        assert_eq!(endpoint["endpointsObject"], "absent");
        assert_eq!(endpoint["termination"]["graceSeconds"], 60);
    }
    let spans: Vec<_> = list(&app["byVersion"])
        .iter()
        .map(|range| {
            (
                &range["from"],
                &range["to"],
                &range["state"],
                &range["thisCluster"],
            )
        })
        .map(|all| serde_json::json!([all.0, all.1, all.2, all.3]))
        .collect();
    assert_eq!(
        spans,
        [
            serde_json::json!(["1.19", "1.25", "no-backends", false]),
            serde_json::json!(["1.26", null, "terminating-only", true]),
        ]
    );
    assert_eq!(rules(&now, "the-app"), ["DC101"]);

    let before = report("all-terminating-serving", &["--kube-version", "1.25"]);
    let app = service(&before, "the-app");
    assert_eq!(app["state"], "no-backends");
    let outcome = outcome(app, "clusterIP", "anywhere", "node-a");
    assert_eq!(outcome["verdict"], "reject");
    assert_eq!(rules(&before, "the-app"), ["DC102", "DC401"]);
}

#[test]
fn pods_that_fail_their_readiness_probe_while_they_end_get_nothing() {
    let report = report("all-terminating-unready", &[]);
    let app = service(&report, "the-app");
    assert_eq!(app["state"], "no-backends");
    let outcome = outcome(app, "clusterIP", "anywhere", "node-b");
    assert_eq!(outcome["verdict"], "reject");
    for reason in list(&outcome["reasons"]) {
        assert_eq!(reason["reason"], "not-serving");
    }
    assert_eq!(rules(&report, "the-app"), ["DC102"]);
}

#[test]
fn under_a_local_policy_each_node_decides_for_itself() {
    let report = report("policies-node-a-terminating", &[]);
    let local = service(&report, "api-nodeport-local");
    let on = |node| outcome(local, "nodePort", "outside", node);
    assert_eq!(on("node-a")["using"], "terminating");
    assert_eq!(list(&on("node-a")["backends"]).len(), 2);
    assert_eq!(on("node-b")["using"], "ready");
    assert_eq!(on("node-c")["verdict"], "drop");
    // Pods and nodes reach every node's ready pods through the same port (the short cut of KEP-1669's predecessor).
    assert_eq!(
        outcome(local, "nodePort", "inside", "node-c")["using"],
        "ready"
    );
    assert_eq!(rules(&report, "api-nodeport-local"), ["DC101", "DC103"]);

    // An internal Local policy drops in place of refusing where a node has nothing.
    let internal = service(&report, "api-internal-local");
    let on = |node| outcome(internal, "clusterIP", "anywhere", node);
    assert_eq!(on("node-a")["using"], "terminating");
    assert_eq!(on("node-b")["using"], "ready");
    assert_eq!(on("node-c")["verdict"], "drop");

    assert_eq!(
        service(&report, "api-external")["notProxiedBecause"],
        "external-name"
    );
    let affinity = service(&report, "api-affinity");
    assert_eq!(affinity["state"], "healthy");
}

#[test]
fn in_the_middle_of_a_rollout_only_ready_pods_get_connections() {
    let report = report("rollout-midway", &["svc/web"]);
    let web = service(&report, "web");
    assert_eq!(web["state"], "healthy");
    for node in ["node-a", "node-b", "node-c"] {
        let outside = outcome(web, "loadBalancer", "outside", node);
        assert_eq!(outside["using"], "ready");
        assert_eq!(list(&outside["backends"]).len(), 1);
        let cluster = outcome(web, "clusterIP", "anywhere", node);
        assert_eq!(list(&cluster["backends"]).len(), 3);
    }
    assert_eq!(web["healthCheckNodePort"]["outcomes"][0]["status"], 200);
}

#[test]
fn a_headless_service_is_dns_and_publishes_pods_that_are_not_ready() {
    let report = report("publish-not-ready", &[]);
    let db = service(&report, "db");
    assert_eq!(db["notProxiedBecause"], "headless");
    assert_eq!(list(&db["dns"]["addresses"]).len(), 3);
    let read = service(&report, "db-read");
    let outcome = outcome(read, "clusterIP", "anywhere", "node-a");
    assert_eq!(outcome["using"], "ready");
    assert_eq!(list(&outcome["backends"]).len(), 3);
    assert_eq!(rules(&report, "db"), ["DC106"]);
    assert_eq!(rules(&report, "db-read"), ["DC106"]);
}

#[test]
fn addresses_written_by_hand_are_no_disagreement_and_a_selector_without_pods_is_found() {
    let report = report("selectorless-mirrored", &[]);
    let external = service(&report, "external-db");
    assert_eq!(external["state"], "healthy");
    assert!(rules(&report, "external-db").is_empty());
    assert_eq!(service(&report, "nothing")["state"], "no-backends");
    assert_eq!(rules(&report, "nothing"), ["DC102", "DC107"]);
}

#[test]
fn an_endpoints_object_that_was_cut_is_no_disagreement() {
    let report = report("large-truncated-endpoints", &[]);
    let big = service(&report, "big");
    assert_eq!(big["state"], "healthy");
    assert_eq!(
        list(&outcome(big, "clusterIP", "anywhere", "node-c")["backends"]).len(),
        1010
    );
    assert_eq!(rules(&report, "big"), ["DC110"]);
}

#[test]
fn yaml_says_what_json_says() {
    for name in ["rollout-midway", "policies-node-a-terminating"] {
        let yaml = shown(name, &["-o", "yaml"], 80);
        let yaml: Value = serde_yaml::from_str(&yaml).expect("YAML");
        assert_eq!(yaml, report(name, &[]), "{name}");
    }
}

#[test]
fn every_node_is_in_exactly_one_outcome_of_every_path() {
    for name in ALL {
        let report = report(name, &[]);
        for service in list(&report["services"]) {
            for path in list(&service["ports"])
                .iter()
                .flat_map(|port| list(&port["paths"]))
            {
                let mut nodes: Vec<_> = list(&path["outcomes"])
                    .iter()
                    .flat_map(|outcome| list(&outcome["nodes"]))
                    .filter_map(Value::as_str)
                    .collect();
                nodes.sort_unstable();
                assert_eq!(nodes, ["node-a", "node-b", "node-c"], "{name}");
            }
        }
    }
}

#[test]
fn one_node_can_be_asked_alone() {
    let arguments = ["svc/api-nodeport-local", "--node", "node-c"];
    let report = report("policies-node-a-terminating", &arguments);
    let local = service(&report, "api-nodeport-local");
    assert_eq!(
        outcome(local, "nodePort", "outside", "node-c")["verdict"],
        "drop"
    );
    let path = &local["ports"][0]["paths"][0];
    assert_eq!(path["outcomes"][0]["nodes"], serde_json::json!(["node-c"]));

    let wrong = run(
        &["-f", "-", "--node", "node-x"],
        &text("policies-node-a-terminating"),
        80,
    );
    let error = wrong.end.expect_err("no such node");
    assert!(error.contains("node-a"), "{error}");
}

#[test]
fn deployments_and_pods_lead_to_the_services_that_select_them() {
    let through = |target: &str| -> Vec<String> {
        let report = report("policies-node-a-terminating", &[target]);
        list(&report["services"])
            .iter()
            .map(|service| service["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let all = [
        "api-affinity",
        "api-internal-local",
        "api-node",
        "api-nodeport-local",
        "api-zone",
    ];
    assert_eq!(through("deploy/api"), all);
    assert_eq!(through("pod/api-5c559f78bb-jdzhh"), all);
    assert_eq!(through("svc/api-zone"), ["api-zone"]);

    let wrong = run(
        &["deploy/apy", "-f", "-"],
        &text("policies-node-a-terminating"),
        80,
    );
    let error = wrong.end.expect_err("no such Deployment");
    assert!(
        error.contains("deployment/apy") && error.contains("api"),
        "{error}"
    );
}

#[test]
fn the_exit_code_follows_the_worst_finding() {
    let end = |arguments: &[&str]| {
        let arguments: Vec<_> = ["-f", "-"].iter().chain(arguments).copied().collect();
        run(&arguments, &text("all-terminating-serving"), 80).end
    };
    // DC101 is a warning; at 1.25 the same Service is an error.
    assert_eq!(end(&[]), Ok(Outcome::Clean));
    assert_eq!(end(&["--fail-on", "warning"]), Ok(Outcome::Findings));
    assert_eq!(end(&["--kube-version", "1.25"]), Ok(Outcome::Findings));
    assert_eq!(
        end(&["--kube-version", "1.25", "--fail-on", "never"]),
        Ok(Outcome::Clean)
    );
}

#[test]
fn without_slices_nothing_is_claimed() {
    let input = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n\
                 spec: {clusterIP: 10.0.0.1, selector: {app: web}, ports: [{port: 80}]}\n";
    let ran = run(&["svc/web", "-f", "-", "-o", "json"], input, 80);
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    crate::recording::validate(&report);
    let web = service(&report, "web");
    assert_eq!(web["state"], "unknown");
    assert!(list(&web["byVersion"]).is_empty());
    assert!(list(&report["findings"]).is_empty(), "{report}");
    let gaps: Vec<_> = list(&report["gaps"])
        .iter()
        .map(|gap| gap["resource"].as_str().expect("a name"))
        .collect();
    assert_eq!(
        gaps,
        [
            "endpointslices.discovery.k8s.io",
            "endpoints",
            "pods",
            "nodes"
        ]
    );
    assert!(ran.end.is_err());
}
