//! One small case for each way in which the model once differed from a real kube-proxy (fixtures/oracle/minimal).

use serde_json::Value;

use super::oracle::{fixtures, read};
use crate::recording::{list, run, service, validate};

fn report(case: &str, arguments: &[&str]) -> Value {
    let path = fixtures().join(format!("minimal/{case}.json.gz"));
    let arguments: Vec<_> = ["-A", "-f", "-", "-o", "json", "--kube-version", "1.36.3"]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    let ran = run(&arguments, &read(&path).to_string(), 80);
    let report = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{:?}", ran.end));
    validate(&report);
    report
}

#[test]
fn nodes_that_are_in_the_file_are_not_missed() {
    let report = report("load-balancer-source-ranges", &[]);
    let gaps = list(&report["gaps"]).iter();
    let gaps: Vec<_> = gaps.filter_map(|gap| gap["resource"].as_str()).collect();
    assert!(
        !gaps.contains(&"nodes") && gaps.contains(&"pods"),
        "{gaps:?}"
    );
}

/// What a node does with new connections: the verdict, with the endpoints if it forwards; `not-programmed` where it has no such path.
fn answer(
    service: &Value,
    path: &str,
    family: &str,
    from: &str,
    ranges: Option<&str>,
    node: &str,
) -> String {
    let paths = list(&service["ports"][0]["paths"]);
    let known = paths.iter().find(|each| {
        each["path"] == path
            && each["family"] == family
            && each["from"] == from
            && each["sourceRanges"].as_str() == ranges
    });
    let Some(known) = known else {
        return "not-programmed".to_owned();
    };
    let of = |outcome: &&Value| list(&outcome["nodes"]).contains(&Value::from(node));
    let outcome = list(&known["outcomes"]).iter().find(of).expect("each node");
    let backends: Vec<_> = list(&outcome["backends"])
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let verdict = outcome["verdict"].as_str().expect("a verdict");
    [&[verdict], backends.as_slice()].concat().join(" ")
}

const CLUSTER_CIDR: [&str; 2] = ["--cluster-cidr", "10.128.0.0/9,fd00:10::/32"];

#[test]
fn only_those_in_the_source_ranges_reach_a_load_balancers_address() {
    for mode in ["iptables", "nftables"] {
        let arguments = [&CLUSTER_CIDR[..], &["--proxy-mode", mode]].concat();
        let report = report("load-balancer-source-ranges", &arguments);
        let ask = |name: &str, from, ranges: Option<&str>| {
            let service = service(&report, name);
            answer(service, "loadBalancer", "IPv4", from, ranges, "node-b")
        };
        let (within, out) = (|| Some("in"), || Some("out"));
        let both = "forward 10.130.3.1:8080 10.130.3.2:8080";
        assert_eq!(ask("lbsr", "outside", within()), both);
        assert_eq!(ask("lbsr", "outside", out()), "drop");
        assert_eq!(
            ask("lbsr", "inside", out()),
            "drop",
            "pods and nodes are in none"
        );
        assert_eq!(ask("lbsr", "inside", within()), "not-programmed");
        assert_eq!(ask("lbsr", "outside", None), "not-programmed");
        assert_eq!(
            ask("lbsr-local", "outside", within()),
            "forward 10.130.4.2:8080"
        );
        assert_eq!(
            ask("lbsr-node", "node", within()),
            "forward 10.130.5.1:8080"
        );
        assert_eq!(ask("lbsr-node", "pods", out()), "drop");
        assert_eq!(
            ask("lbsr-pods", "pods", within()),
            "forward 10.130.9.1:8080"
        );
        assert_eq!(ask("lbsr-pods", "node", out()), "drop");
        assert_eq!(
            ask("lbsr-local-none", "outside", within()),
            "forward 10.130.10.1:8080"
        );
        let none = service(&report, "lbsr-none");
        let none = |from, ranges| answer(none, "loadBalancer", "IPv4", from, ranges, "node-b");
        if mode == "iptables" {
            assert_eq!(none("outside", None), "reject", "refused before the ranges");
            assert_eq!(none("pods", None), "reject");
        } else {
            assert_eq!(none("outside", within()), "reject");
            assert_eq!(none("outside", out()), "drop", "the firewall comes first");
        }
        // Node ports are exempt, and who may not connect makes no Service worse.
        let plain = service(&report, "lbsr");
        assert_eq!(
            answer(plain, "nodePort", "IPv4", "outside", None, "node-d"),
            both
        );
        assert_eq!(plain["state"], "healthy");
        assert_eq!(service(&report, "lbsr-none")["state"], "no-backends");
    }
}

#[test]
fn iptables_has_no_rule_for_the_nodes_own_connections_where_nothing_is_usable() {
    let case = "iptables-node-to-external-without-endpoints";
    for (mode, own) in [("iptables", "not-programmed"), ("nftables", "reject")] {
        let report = report(case, &["--proxy-mode", mode]);
        for (name, path) in [("sctp-none", "loadBalancer"), ("ext-none", "externalIP")] {
            let service = service(&report, name);
            let ask = |from| answer(service, path, "IPv4", from, None, "node-a");
            let (pods, node) = if mode == "iptables" {
                (ask("pods"), ask("node"))
            } else {
                (ask("inside"), ask("inside"))
            };
            assert_eq!(pods, "reject", "{name} {mode}");
            assert_eq!(node, own, "{name} {mode}");
            assert_eq!(service["state"], "no-backends");
        }
        let sctp = service(&report, "sctp-none");
        let ask = answer(sctp, "nodePort", "IPv4", "inside", None, "node-a");
        assert_eq!(ask, "reject", "node ports are refused on INPUT");
    }
}

/// The status that a node answers over a family.
fn health(service: &Value, family: &str, node: &str) -> Value {
    let outcomes = list(&service["healthCheckNodePort"]["outcomes"]);
    let of = |outcome: &&Value| {
        (outcome["family"] == family || outcome["family"].is_null())
            && list(&outcome["nodes"]).contains(&Value::from(node))
    };
    outcomes.iter().find(of).expect("each node")["status"].clone()
}

#[test]
fn health_checks_are_answered_by_family_and_the_summary_names_the_family() {
    let report = report("dual-stack-health-check-and-summary", &[]);
    for (name, ready) in [("ds-46", "10.131.1.1:8080"), ("ds-64", "10.131.2.1:8080")] {
        let service = service(&report, name);
        assert_eq!(health(service, "IPv4", "node-a"), 200, "{name}");
        assert_eq!(health(service, "IPv6", "node-a"), 503, "{name}");
        assert_eq!(health(service, "IPv4", "node-b"), 503, "{name}");
        let ask = |family| answer(service, "clusterIP", family, "anywhere", None, "node-c");
        assert_eq!(ask("IPv4"), format!("forward {ready}"));
        assert!(
            ask("IPv6").starts_with("forward [fd00:10:131:"),
            "{}",
            ask("IPv6")
        );
    }
    let half = service(&report, "ds-46-no6");
    let summary = half["summary"].as_str().expect("a summary");
    assert!(summary.contains("IPv6"), "{summary}");
    assert_eq!(health(half, "IPv6", "node-a"), 503);
    // Before 1.36 one family's proxier answers for both in iptables mode.
    let path = fixtures().join("minimal/dual-stack-health-check-and-summary.json.gz");
    let arguments = ["-A", "-f", "-", "-o", "json", "--kube-version", "1.33.13"];
    let ran = run(&arguments, &read(&path).to_string(), 80);
    let older: Value = serde_json::from_str(&ran.out).expect("JSON");
    let notes = list(&service(&older, "ds-46")["notes"]);
    assert!(
        notes
            .iter()
            .any(|note| note["id"] == "health-check-one-family")
    );
    assert_eq!(health(service(&older, "ds-46"), "IPv6", "node-a"), 200);
}

fn notes(service: &Value) -> Vec<&str> {
    let notes = list(&service["notes"]).iter();
    notes.filter_map(|note| note["id"].as_str()).collect()
}

#[test]
fn entries_that_differ_in_nothing_that_is_read_do_not_contradict_each_other() {
    let report = report("contradict-false", &[]);
    for name in ["hostnet", "hostnet-ref-slices", "dup-zone"] {
        assert!(
            !notes(service(&report, name)).contains(&"slices-contradict"),
            "{name}"
        );
    }
}

#[test]
fn within_a_slice_the_last_entry_that_is_not_terminating_wins() {
    let report = report("contradict-same-slice", &[]);
    for (name, is) in [
        // Ready first, unready last; then the other way round.
        ("ru-one-slice", "reject"),
        ("ur-one-slice", "forward 10.131.22.1:8080"),
        // Both terminating: the first.
        ("tt-one-slice", "forward 10.131.23.1:8080"),
        ("dt-one-slice", "reject"),
    ] {
        let service = service(&report, name);
        let ask = answer(service, "clusterIP", "IPv4", "anywhere", None, "node-c");
        assert_eq!(ask, is, "{name}");
        assert!(!notes(service).contains(&"slices-contradict"), "{name}");
    }
    let nodes = service(&report, "nodes-one-slice");
    let ask = |node| answer(nodes, "clusterIP", "IPv4", "anywhere", None, node);
    assert_eq!(ask("node-b"), "forward 10.131.25.1:8080");
    assert_eq!(ask("node-a"), "drop");
}

#[test]
fn addresses_families_and_hints_are_read_as_kube_proxy_reads_them() {
    let ask = |report: &Value, name: &str, family, node| {
        let service = service(report, name);
        answer(service, "clusterIP", family, "anywhere", None, node)
    };
    let read = report("leading-zero-and-mapped", &[]);
    assert_eq!(
        ask(&read, "leading-zero", "IPv4", "node-a"),
        "forward 10.130.50.7:8080 10.130.50.9:8080"
    );
    let read = report("no-ipFamilies", &[]);
    assert_eq!(
        ask(&read, "no-fam", "IPv4", "node-a"),
        "forward 10.131.19.1:8080"
    );
    assert_eq!(ask(&read, "no-fam", "IPv6", "node-a"), "not-programmed");
    assert_eq!(ask(&read, "no-fam-64", "IPv4", "node-a"), "not-programmed");
    let read = report("ipFamilies-without-clusterIPs", &[]);
    assert_eq!(service(&read, "clusterip-only")["state"], "not-proxied");
    let read = report("empty-zone-hint", &[]);
    assert_eq!(
        ask(&read, "td-empty-hint", "IPv4", "node-d"),
        "forward 10.130.49.1:8080"
    );
    assert_eq!(
        ask(&read, "td-empty-hint", "IPv4", "node-c"),
        "forward 10.130.49.2:8080"
    );
}

#[test]
fn ipvs_routes_a_local_policys_traffic_into_a_black_hole_where_no_endpoint_is_local() {
    let report = report("ipvs-local-without-local", &["--proxy-mode", "ipvs"]);
    let none = service(&report, "lbsr-local-none");
    let ask = |path, from, ranges, node| answer(none, path, "IPv4", from, ranges, node);
    assert_eq!(ask("nodePort", "outside", None, "node-a"), "drop");
    assert_eq!(
        ask("nodePort", "outside", None, "node-b"),
        "forward 10.130.10.1:8080"
    );
    assert_eq!(
        ask("nodePort", "inside", None, "node-a"),
        "forward 10.130.10.1:8080"
    );
    assert_eq!(
        ask("loadBalancer", "outside", Some("in"), "node-b"),
        "forward 10.130.10.1:8080"
    );
    assert_eq!(
        ask("loadBalancer", "outside", Some("out"), "node-b"),
        "drop"
    );
    assert_eq!(none["state"], "degraded");
}
