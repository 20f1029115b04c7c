//! `--node-rules`: what a node does beside what it should do, against the recorded differences (fixtures/dumps/README.md).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::dumps::{backends, json, text};
use crate::recording::{list, run, validate};

/// A folder's files, unpacked.
fn unpack(folder: &Path, of: &str, files: &[&str]) -> Vec<PathBuf> {
    let unpacked = files.iter().map(|file| {
        let path = folder.join(file);
        std::fs::write(&path, text(of, file)).expect("a file");
        path
    });
    unpacked.collect()
}

/// The report about a folder's objects with some of its dumps as rules of a node.
fn report(of: &str, node: &str, files: &[&str], more: &[&str]) -> (Value, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = unpack(folder.path(), of, files);
    let given: Vec<_> = paths
        .iter()
        .map(|path| format!("{node}={}", path.display()))
        .collect();
    let mut arguments = vec!["-A", "-f", "-", "-o", "json", "--kube-version", "1.36.3"];
    for one in &given {
        arguments.extend(["--node-rules", one]);
    }
    arguments.extend(more);
    let ran = run(&arguments, &text(of, "objects.json"), 100);
    let report = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{:?}", ran.end));
    validate(&report);
    (report, format!("{:?}", ran.end))
}

/// The node's part of a report.
fn node(report: &Value) -> &Value {
    &list(&report["nodeRules"])[0]
}

/// A difference as words that can be compared.
fn key(each: &Value, from: &str) -> String {
    let mut words: Vec<String> = [
        "service", "portName", "protocol", "family", "path", "address",
    ]
    .iter()
    .map(|part| each[part].as_str().unwrap_or_default().to_owned())
    .collect();
    words.push(from.to_owned());
    for side in ["node", "model"] {
        words.push(
            each[side]["verdict"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        );
        words.push(backends(&each[side]).join(","));
    }
    words.join(" ")
}

#[test]
fn a_node_that_is_in_sync_agrees_in_every_decision() {
    for (folder, files) in [
        ("1-iptables-v4-1.36.3", &["node-a.iptables-save"][..]),
        ("2-nftables-v4-1.36.3", &["node-a.nft.json"]),
        ("2-nftables-v4-1.36.3", &["node-a.nft.txt"]),
        (
            "3-iptables-dual-1.36.3",
            &["node-a.iptables-save", "node-a.ip6tables-save"],
        ),
        ("6-nftables-v4-1.33.13", &["node-a.nft.json"]),
    ] {
        let (report, _) = report(folder, "node-a", files, &[]);
        let node = node(&report);
        assert_eq!(node["read"], true, "{folder}");
        assert_eq!(node["problem"], Value::Null, "{folder} {node:#}");
        assert_eq!(list(&node["differences"]), &[] as &[Value], "{folder}");
        assert_eq!(node["decisions"], node["agree"]);
        // Each recorded decision is asked for, and those of clients in a source range besides.
        let recorded = json(folder, "decisions.json");
        let recorded = list(&recorded["decisions"]).len() as u64;
        let asked = node["decisions"].as_u64().expect("a number");
        assert!(asked > recorded, "{folder}: {asked} of {recorded}");
        assert_eq!(list(&node["orphans"]), &[] as &[Value], "{folder}");
        let found = list(&report["findings"]).iter();
        assert!(
            !found.into_iter().any(|each| each["rule"] == "DC114"),
            "{folder}"
        );
    }
}

#[test]
fn a_stale_node_differs_exactly_where_its_packets_do() {
    let folder = "5-nftables-dual-stale-1.36.3";
    for file in ["node-a.nft.json", "node-a.nft.txt"] {
        let (report, _) = report(folder, "node-a", &[file], &[]);
        let node = node(&report);
        let ours: BTreeSet<_> = list(&node["differences"])
            .iter()
            .map(|each| key(each, each["from"].as_str().expect("one")))
            .collect();
        let recorded = json(folder, "differences.json");
        let theirs: BTreeSet<_> = list(&recorded["differences"])
            .iter()
            .map(|each| {
                let from = each["from"].as_str().expect("one");
                key(each, if from == "pod" { "pods" } else { from })
            })
            .collect();
        assert!(!theirs.is_empty());
        let missed: Vec<_> = theirs.difference(&ours).collect();
        let wrong: Vec<_> = ours.difference(&theirs).collect();
        assert!(
            missed.is_empty() && wrong.is_empty(),
            "missed {missed:#?} wrong {wrong:#?}"
        );
        let orphans = list(&node["orphans"]);
        let orphans: Vec<_> = orphans
            .iter()
            .map(|orphan| orphan["address"].clone())
            .collect();
        assert_eq!(orphans, ["10.96.0.23", "fd00:96::17"]);
        assert_eq!(
            list(&node["orphans"])[0]["service"],
            "shop/deleted-later:http"
        );
    }
}

/// How bad DC114 finds each Service.
fn severities(report: &Value) -> BTreeSet<(String, String)> {
    let found = list(&report["findings"]).iter();
    let found = found.filter(|each| each["rule"] == "DC114");
    let word = |value: &Value| value.as_str().expect("a text").to_owned();
    found
        .map(|each| (word(&each["object"]["name"]), word(&each["severity"])))
        .collect()
}

#[test]
fn one_dump_warns_and_two_of_them_are_sure() {
    let folder = "5-nftables-dual-stale-1.36.3";
    let (once, _) = report(folder, "node-a", &["node-a.nft.json"], &[]);
    let words = severities(&once);
    assert!(!words.is_empty());
    assert!(
        words.iter().all(|(_, severity)| severity == "warning"),
        "{words:?}"
    );
    let both = ["node-a.nft.json", "node-a.nft.txt"];
    let (twice, end) = report(folder, "node-a", &both, &["--select", "DC114"]);
    // These endpoints are still in the slices, terminating: they get what they should not, and are no error of certainty.
    assert_eq!(severities(&twice), words);
    let messages = list(&twice["findings"])
        .iter()
        .filter(|each| each["rule"] == "DC114");
    let messages: Vec<_> = messages
        .filter_map(|each| each["message"].as_str())
        .collect();
    assert!(
        messages
            .iter()
            .all(|message| message.ends_with("Two dumps show it.")),
        "{messages:#?}"
    );
    assert!(node(&twice)["differences"][0]["inFlight"] == false);
    assert!(node(&once)["differences"][0]["inFlight"].is_null());
    assert!(end.contains("Clean"), "warnings are below --fail-on: {end}");
    // An address that is in no slice any more is.
    let objects = text(folder, "objects.json").replace("10.244.1.11", "10.244.1.111");
    let folder_of = tempfile::tempdir().expect("a folder");
    let paths = unpack(folder_of.path(), folder, &both);
    let given: Vec<_> = paths
        .iter()
        .map(|path| format!("node-a={}", path.display()))
        .collect();
    let arguments = [
        "-A",
        "-f",
        "-",
        "-o",
        "json",
        "--kube-version",
        "1.36.3",
        "--node-rules",
        &given[0],
        "--node-rules",
        &given[1],
    ];
    let ran = run(&arguments, &objects, 100);
    let gone: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert!(severities(&gone).contains(&("ready".to_owned(), "error".to_owned())));
}

#[test]
fn rules_of_another_node_of_another_tool_or_cut_are_told_apart() {
    let problem = |report: &Value| {
        node(report)["problem"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let (other, _) = report("2-nftables-v4-1.36.3", "node-b", &["node-a.nft.json"], &[]);
    assert!(
        problem(&other).contains("the rules of node-a"),
        "{}",
        problem(&other)
    );
    let (other, _) = report(
        "1-iptables-v4-1.36.3",
        "node-b",
        &["node-a.iptables-save"],
        &[],
    );
    assert!(problem(&other).contains("node-a"), "{}", problem(&other));
    let (nobody, end) = report(
        "1-iptables-v4-1.36.3",
        "node-x",
        &["node-a.iptables-save"],
        &[],
    );
    assert!(
        problem(&nobody).contains("no such node"),
        "{}",
        problem(&nobody)
    );
    assert_eq!(node(&nobody)["read"], false);
    assert!(end.starts_with("Err"), "exit 2: {end}");
    let folder = tempfile::tempdir().expect("a folder");
    let whole = text("1-iptables-v4-1.36.3", "node-a.iptables-save");
    for (content, says) in [
        (&whole[..whole.len() - 300], "cut off"),
        ("", "empty"),
        ("hello", "no output of iptables-save"),
    ] {
        let path = folder.path().join("rules");
        std::fs::write(&path, content).expect("a file");
        let given = format!("node-a={}", path.display());
        let arguments = ["-A", "-f", "-", "-o", "json", "--node-rules", &given];
        let ran = run(
            &arguments,
            &text("1-iptables-v4-1.36.3", "objects.json"),
            100,
        );
        let report: Value = serde_json::from_str(&ran.out).expect("JSON");
        assert!(problem(&report).contains(says), "{}", problem(&report));
        assert!(ran.end.is_err());
    }
}

#[test]
fn people_see_the_nodes_rules_below_the_answer_and_on_the_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = "5-nftables-dual-stale-1.36.3";
    let path = unpack(folder.path(), of, &["node-a.nft.json"]).remove(0);
    let given = format!("node-a={}", path.display());
    let show = |arguments: &[&str]| {
        let all = [
            arguments,
            &[
                "-f",
                "-",
                "--kube-version",
                "1.36.3",
                "--node-rules",
                &given,
            ],
        ]
        .concat();
        run(&all, &text(of, "objects.json"), 100).out
    };
    let one = show(&["svc/ready", "-n", "shop"]);
    assert!(one.contains("NODE'S RULES"), "{one}");
    assert!(
        one.contains("10.244.1.11:8080") && one.contains("DC114"),
        "{one}"
    );
    let words: Vec<_> = one.split_whitespace().collect();
    let otherwise = "That is what the slices ask for; the rules of node-a do otherwise.";
    assert!(words.join(" ").contains(otherwise), "{one}");
    let scan = show(&["-A"]);
    assert!(
        scan.contains("NODE'S RULES") && scan.contains("shop/deleted-later:http"),
        "{scan}"
    );
    let page = show(&["-A", "-o", "html"]);
    assert!(
        page.contains("Node&#39;s rules") || page.contains("Node's rules"),
        "the page"
    );
    insta::assert_snapshot!("node_rules_of_a_stale_node", one);
}

#[test]
fn nothing_is_said_of_nodes_where_no_rules_were_given() {
    let ran = run(
        &["-A", "-f", "-", "-o", "json"],
        &text("1-iptables-v4-1.36.3", "objects.json"),
        100,
    );
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(report["nodeRules"], Value::Null);
}
