//! What people see where a node's rules do otherwise: never that a path is fine because its slices are.

use serde_json::Value;

use crate::checkout::text;
use crate::recording::{list, run, validate};

/// The answer about `shop/web`, whose slice lists 10.244.1.7 alone since 00:05:00Z (`docs/examples/stale.yaml`), on a node that sends to
/// this address.
fn answer(address: &str, more: &[&str]) -> String {
    let rules = text("docs/examples/node-a.rules").replace("10.244.1.5", address);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("node-a.rules");
    std::fs::write(&path, rules).expect("a file");
    let given = format!("node-a={}", path.display());
    let mut arguments = vec!["svc/web", "-n", "shop", "-f", "-", "--node-rules", &given];
    arguments.extend(more);
    run(&arguments, &text("docs/examples/stale.yaml"), 100).out
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

#[test]
fn where_a_node_sends_to_what_is_gone_is_data() {
    let report = answer("10.244.1.5", &["-o", "json"]);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    validate(&report);
    let differences = list(&report["nodeRules"][0]["differences"]);
    assert!(!differences.is_empty());
    for difference in differences {
        assert_eq!(difference["gone"], serde_json::json!(["10.244.1.5:8080"]));
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
