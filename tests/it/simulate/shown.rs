//! What `what-if` says first: that nothing was done, and which evictions hold a drain up; and its exit codes.

use drain_check::app::Outcome;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::controllers::{cases, namespaced};
use super::made::{Made, cluster, ran};
use crate::recording::{Ran, list, run};

/// Runs what-if over what there was before a case.
fn what_if(case: &Value, arguments: &[&str]) -> Ran {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("before.json");
    let text = json!({"apiVersion": "v1", "kind": "List", "items": case["before"]}).to_string();
    std::fs::write(&file, text).expect("a file");
    let mut all = vec!["what-if"];
    all.extend(arguments);
    all.extend(["-f", file.to_str().expect("UTF-8")]);
    run(&all, "", 80)
}

/// Two pods on a node, and a budget that needs both (`oracle/controllers`): the real `kubectl drain` tried until its time was up.
#[test]
fn a_drain_that_a_budget_holds_up_says_so_first_and_ends_with_1() {
    let cases = cases();
    let case = namespaced(&cases, "o13-003");
    let node = case["drained"].as_str().expect("a node");
    let drain = ["drain", node, "--ignore-daemonsets"];
    let ran = what_if(case, &drain);
    assert_eq!(ran.end, Ok(Outcome::Findings), "{}", ran.err);
    let lines: Vec<_> = ran.out.lines().collect();
    assert!(lines[0].starts_with("WHAT IF drain"), "{}", ran.out);
    assert!(lines[0].contains("nothing was done"), "{}", ran.out);
    assert!(lines[1].starts_with("1 pod never goes"), "{}", ran.out);
    let data = what_if(case, &[&drain[..], &["-o", "json"]].concat());
    let data: Value = serde_json::from_str(&data.out).expect("JSON");
    assert_eq!(data["source"]["kind"], "scenario");
    for eviction in list(&data["evictions"]) {
        assert_eq!(eviction["decision"], "never");
        let because = eviction["because"].as_str().expect("a reason");
        assert!(
            because.contains("needs 2 healthy pods and has 2"),
            "{because}"
        );
        assert_eq!(eviction["budget"]["needs"], 2);
        assert_eq!(eviction["budget"]["has"], 2);
    }
    let markdown = what_if(case, &[&drain[..], &["-o", "markdown"]].concat());
    assert!(markdown.out.contains("never"), "{}", markdown.out);
    let quiet = what_if(case, &[&drain[..], &["--fail-on", "never"]].concat());
    assert_eq!(quiet.end, Ok(Outcome::Clean));
}

#[test]
fn what_is_not_there_is_an_error_with_its_name() {
    let cases = cases();
    let case = namespaced(&cases, "o13-003");
    for (arguments, said) in [
        (&["drain", "nowhere"][..], "node nowhere is not there"),
        (
            &["rollout", "deploy/nothing"][..],
            "deployment/nothing is not in the input",
        ),
        (&["rollout", "svc/web"][..], "name a workload"),
        (&["scale", "deploy/nothing", "2"][..], "is not in the input"),
        (&["delete", "pod/nothing"][..], "is not in the input"),
        (&["evict", "deploy/web"][..], "name a pod"),
    ] {
        let error = what_if(case, arguments).end.expect_err(said);
        assert!(error.contains(said), "{error}");
    }
}

/// A table of the Services, the worst first, the picture of one of them, and what would help; pages have all of it too.
#[test]
fn what_is_lost_is_told_worst_first_with_what_would_help() {
    let web = Made::new("Deployment", "web", &["a", "b"]);
    let db = Made::new("StatefulSet", "db", &["a"]);
    let objects = cluster(&[web, db]);
    let ran = ran(&objects, &["drain", "a"]);
    assert_eq!(ran.end, Ok(Outcome::Findings), "{}", ran.err);
    let at = |text: &str| {
        ran.out
            .find(text)
            .unwrap_or_else(|| panic!("{text}: {}", ran.out))
    };
    assert!(at("svc/db -n shop") < at("svc/web -n shop"), "{}", ran.out);
    assert!(
        ran.out.contains("BEFORE IT: the same with --set "),
        "{}",
        ran.out
    );
    assert_eq!(ran.out.matches("SECONDS  ").count(), 2, "{}", ran.out);
    assert!(ran.out.contains("WOULD REFUSE ALL for "), "{}", ran.out);
    // Nothing happened.
    for past in [
        " was deleted",
        " became Ready",
        "was usable",
        "In this rollout",
    ] {
        assert!(!ran.out.contains(past), "{past}: {}", ran.out);
    }
    for format in ["html", "markdown"] {
        let page = super::made::ran(&objects, &["drain", "a", "-o", format]).out;
        for said in [
            "WHAT IF drain a",
            "BEFORE IT",
            "shop/db-0",
            "no budget counts it",
            "allowed",
        ] {
            assert!(page.contains(said), "{format} {said}");
        }
    }
}

/// The Endpoints object follows the pods as the slices do: nobody is told to look after a controller that did nothing wrong.
#[test]
fn what_a_rollout_makes_of_the_endpoints_object_agrees_with_the_pods() {
    let folder = TempDir::new().expect("a folder");
    let file = crate::recording::file(folder.path(), "rollout-starts");
    let file = file.to_str().expect("UTF-8");
    let rollout = ["what-if", "rollout", "deploy/web", "-f", file, "-o", "json"];
    let timeline: Value = serde_json::from_str(&run(&rollout, "", 80).out).expect("JSON");
    let [service] = list(&timeline["services"]) else {
        panic!("{timeline}")
    };
    assert!(
        list(&service["pods"])
            .iter()
            .any(|pod| !pod["deletedAt"].is_null())
    );
    let findings = list(&timeline["findings"]).iter();
    let named: Vec<_> = findings
        .map(|finding| (&finding["rule"], &finding["object"]["kind"]))
        .collect();
    assert!(!named.iter().any(|(rule, _)| *rule == "DC104"), "{named:?}");
    // Pods of the new ReplicaSet are the Deployment's too.
    let owners: Vec<_> = named.iter().map(|(_, kind)| kind.as_str()).collect();
    assert_eq!(owners, [Some("Deployment")], "{named:?}");
}

/// One replica that is replaced by Recreate, as somebody writes it: no address, no pod, no slice.
const MANIFESTS: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 1
  strategy: {type: Recreate}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: a, ports: [{containerPort: 8080}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
";

fn seconds(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Recreate makes the new pod once the old one is gone (`pkg/controller/deployment/recreate.go`): none is usable for as long as that takes.
#[test]
fn manifests_alone_tell_what_a_rollout_loses_and_what_would_help() {
    let rollout = ["what-if", "rollout", "deploy/web", "--ready-after", "5s"];
    let rollout = |more: &[&str]| {
        let mut all = rollout.to_vec();
        all.extend(["-f", "-", "-o", "json"]);
        all.extend(more);
        let ran = run(&all, MANIFESTS, 80);
        serde_json::from_str::<Value>(&ran.out).expect("JSON")
    };
    let timeline = rollout(&[]);
    let none = &timeline["summary"]["noUsableEndpointSeconds"];
    assert!((5.0..9.0).contains(&seconds(none)), "{none}");
    let named: Vec<_> = list(&timeline["gaps"])
        .iter()
        .map(|gap| &gap["resource"])
        .collect();
    assert_eq!(named, ["nodes"], "what is made here is not missing");
    let [remedy] = list(&timeline["remedies"]) else {
        panic!("{timeline}")
    };
    assert_eq!(remedy["losesNothing"], true);
    let set: Vec<_> = list(&remedy["set"]).iter().map(Value::as_str).collect();
    assert!(
        set.contains(&Some("deploy/web.maxUnavailable=0")),
        "{set:?}"
    );

    // An application that takes its whole grace period of 30 s serves that long, and no longer is anything usable then.
    let late = &timeline["lateEnds"]["summary"];
    let only = seconds(&late["terminatingOnlySeconds"]);
    assert!((30.0..34.0).contains(&only), "{late}");
    let then = &late["noUsableEndpointSeconds"];
    assert!((seconds(then) - seconds(none)).abs() < 1.0, "{then} {none}");
    // Where somebody says how long it takes, there is one end.
    assert!(rollout(&["--drain-seconds", "4"])["lateEnds"].is_null());
}
