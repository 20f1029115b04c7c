//! What people see where a node's rules do otherwise: never that a path is fine because its slices are.

use serde_json::{Value, json};

use crate::checkout::text;
use crate::recording::{list, run, validate};

/// The answer about `shop/web`, whose slice lists 10.244.1.7 alone since 00:05:00Z (`docs/examples/stale.yaml`), on a node that sends to
/// this address.
fn answer(address: &str, more: &[&str]) -> String {
    beside(address, "", more)
}

/// The same with another object in the input.
fn beside(address: &str, object: &str, more: &[&str]) -> String {
    let rules = text("docs/examples/node-a.rules").replace("10.244.1.5", address);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("node-a.rules");
    std::fs::write(&path, rules).expect("a file");
    let given = format!("node-a={}", path.display());
    let mut arguments = vec!["svc/web", "-n", "shop", "-f", "-", "--node-rules", &given];
    arguments.extend(more);
    let objects = format!("{}---\n{object}", text("docs/examples/stale.yaml"));
    run(&arguments, &objects, 100).out
}

/// The part of a report that is about the node.
fn node(report: &str) -> Value {
    let report: Value = serde_json::from_str(report).expect("JSON");
    validate(&report);
    report["nodeRules"][0].clone()
}

/// The row of a path: its sign, and what it says.
fn row(answer: &str) -> String {
    let mut rows = answer.lines().filter(|line| line.contains(" clusterIP "));
    rows.next().expect("a row of the path").to_owned()
}

#[test]
fn a_path_on_a_node_that_does_otherwise_says_what_the_slices_ask_for_and_has_no_tick() {
    // Five minutes after the slices changed it sends to an address that is in none.
    let stuck = row(&answer("10.244.1.5", &[]));
    assert!(stuck.starts_with('✗'), "{stuck}");
    assert!(stuck.contains("by the slices 1 Ready endpoint"), "{stuck}");
    assert!(stuck.contains("its own rules differ"), "{stuck}");
    let wide = answer("10.244.1.5", &["-o", "wide"]);
    let rows: Vec<_> = wide
        .lines()
        .filter(|line| line.starts_with("clusterIP "))
        .collect();
    assert_eq!(rows.len(), 1, "{wide}");
    assert!(
        rows[0].contains("by the slices 1 ready endpoint; its own rules differ"),
        "{wide}"
    );
}

#[test]
fn what_a_sync_under_way_may_still_change_is_not_known() {
    let soon = row(&answer("10.244.1.5", &["--as-of", "2026-11-21T00:05:10Z"]));
    assert!(soon.starts_with('?'), "{soon}");
    assert!(soon.contains("by the slices 1 Ready endpoint"), "{soon}");
}

#[test]
fn a_path_on_a_node_that_does_as_it_should_is_as_ever() {
    let same = row(&answer("10.244.1.7", &[]));
    assert!(same.starts_with('✓'), "{same}");
    assert!(!same.contains("by the slices"), "{same}");
}

/// A second slice, whose endpoint terminates: while the other is Ready, kube-proxy selects it nowhere (KEP-1669).
const TERMINATING: &str = r"apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
addressType: IPv4
metadata: {name: web-2, namespace: shop, labels: {kubernetes.io/service-name: web}}
endpoints:
- {addresses: [10.244.1.5], nodeName: node-a, conditions: {ready: false, serving: true, terminating: true}}
ports: [{name: http, port: 8080, protocol: TCP}]
";

#[test]
fn no_endpoint_is_said_to_get_connections_that_a_nodes_own_rules_give_another() {
    for (moment, sign, verdict) in [
        (
            "2026-11-21T00:05:10Z",
            '?',
            "? NOT CERTAIN: OK BY THE SLICES",
        ),
        ("2026-11-21T00:10:00Z", '▲', "▲ WARNING"),
    ] {
        let told = beside("10.244.1.5", TERMINATING, &["--as-of", moment]);
        assert!(told.starts_with(verdict), "{told}");
        for (address, gets) in [
            ("10.244.1.5", "no, but node-a sends"),
            ("10.244.1.7", "yes, but not node-a"),
        ] {
            let row = told.lines().find(|line| line.contains(gets));
            let row = row.unwrap_or_else(|| panic!("{gets}: {told}"));
            assert!(row.contains(address) && row.starts_with(sign), "{row}");
        }
    }
    // Both tables of both endpoints.
    let wide = beside("10.244.1.5", TERMINATING, &["-o", "wide"]);
    let words = wide.split_whitespace().filter(|word| *word == "but");
    assert_eq!(words.count(), 4, "{wide}");
    // A node that does as it should changes nothing.
    let same = beside("10.244.1.7", TERMINATING, &[]);
    assert!(!same.contains(", but "), "{same}");
}

#[test]
fn where_a_node_sends_to_what_is_gone_is_data() {
    let report = answer("10.244.1.5", &["-o", "json"]);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    validate(&report);
    let differences = list(&report["nodeRules"][0]["differences"]);
    assert!(!differences.is_empty());
    for difference in differences {
        assert_eq!(difference["gone"], json!(["10.244.1.5:8080"]));
    }
}

#[test]
fn a_ticket_has_the_nodes_rules_too() {
    let page = answer("10.244.1.5", &["-o", "markdown"]);
    let (_, section) = page.split_once("### Node's rules\n").expect("a section");
    assert!(
        section.contains("| node-a | iptables IPv4 | differs: 3 of 3 decisions | - |"),
        "{section}"
    );
    assert!(
        section.contains("| node-a | shop/web | clusterIP IPv4 | stale | still sends to 10.244.1.5:8080; lacks 10.244.1.7:8080 |"),
        "{section}"
    );
    // Nothing of it where no rules were given.
    let ran = run(
        &["svc/web", "-n", "shop", "-f", "-", "-o", "markdown"],
        &text("docs/examples/stale.yaml"),
        100,
    );
    assert!(!ran.out.contains("Node's rules"), "{}", ran.out);
}

/// kube-proxy's ConfigMap, with a line of its configuration.
fn configured(line: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: kube-proxy, namespace: kube-system}}\ndata:\n  config.conf: |\n    \
         apiVersion: kubeproxy.config.k8s.io/v1alpha1\n    kind: KubeProxyConfiguration\n    {line}\n"
    )
}

// The defaults are 30 s and 1 s for iptables (termination-and-endpoints.md, `defaults.go`); the slices changed 300 s before the moment.
#[test]
fn how_long_a_sync_may_take_is_what_kube_proxy_is_told() {
    for (line, seconds, from, in_flight) in [
        ("iptables: {syncPeriod: 10m}", json!(601), "config", true),
        (
            "iptables: {syncPeriod: 4m59s, minSyncPeriod: 2s}",
            json!(301),
            "config",
            true,
        ),
        (
            "iptables: {syncPeriod: 4m59s, minSyncPeriod: 500ms}",
            json!(299.5),
            "config",
            false,
        ),
        ("iptables: {minSyncPeriod: 10s}", json!(40), "config", false),
        (
            "iptables: {syncPeriod: 0s, minSyncPeriod: 0s}",
            json!(31),
            "default",
            false,
        ),
        ("nftables: {syncPeriod: 10m}", json!(31), "default", false),
        ("mode: iptables", json!(31), "default", false),
    ] {
        let node = node(&beside("10.244.1.5", &configured(line), &["-o", "json"]));
        assert_eq!(
            node["longestSync"],
            json!({"seconds": seconds, "from": from}),
            "{line}"
        );
        assert_eq!(node["differences"][0]["inFlight"], in_flight, "{line}");
    }
    let unread = node(&answer("10.244.1.5", &["-o", "json"]));
    assert_eq!(
        unread["longestSync"],
        json!({"seconds": 31, "from": "assumed"})
    );
    let soon = ["--as-of", "2026-11-21T00:05:10Z", "-o", "wide"];
    let words = |page: String| page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(answer("10.244.1.5", &soon)).contains("31 s (assumed)"));
    let long = words(beside(
        "10.244.1.5",
        &configured("iptables: {syncPeriod: 10m}"),
        &["-o", "wide"],
    ));
    assert!(long.contains("601 s (kube-proxy's ConfigMap)"), "{long}");
}

const CILIUM: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cilium-config, namespace: kube-system}\ndata: {kube-proxy-replacement: \"true\"}\n";

const CALICO: &str = "apiVersion: crd.projectcalico.org/v1\nkind: FelixConfiguration\nmetadata: {name: default}\nspec: {bpfEnabled: true}\n";

// field.md names `cilium-dbg service list`; no fact sheet has a command for Calico's eBPF data plane.
#[test]
fn what_another_data_plane_routes_is_not_compared_and_that_is_said() {
    for (object, name, shows) in [
        (
            CILIUM,
            "Cilium kube-proxy replacement",
            Some("cilium-dbg service list"),
        ),
        (CALICO, "Calico eBPF dataplane", None),
    ] {
        let node = node(&beside("10.244.1.5", object, &["-o", "json"]));
        assert_eq!(node["decisions"], 0);
        let notes = list(&node["notes"]).iter().filter_map(Value::as_str);
        let notes: Vec<_> = notes.filter(|note| note.contains(name)).collect();
        assert_eq!(notes.len(), 1, "{node:#}");
        assert!(notes[0].contains("nothing was compared"), "{notes:?}");
        assert_eq!(
            notes[0].contains("What it has"),
            shows.is_some(),
            "{notes:?}"
        );
        assert!(notes[0].contains(shows.unwrap_or_default()), "{notes:?}");
        let page = beside("10.244.1.5", object, &[]);
        let (_, section) = page.split_once("NODE'S RULES").expect("a section");
        assert!(
            section.contains("nothing compared") && section.contains(name),
            "{section}"
        );
        assert!(!section.contains("same"), "{section}");
    }
}
