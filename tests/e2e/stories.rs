//! What happens to traffic while pods go, told by a real API server and real controllers.

use serde_json::Value;

use crate::stage::{Stage, is_terminating, name_of};

/// The verdict on a path for one node, and which kind of endpoints it uses.
fn outcome<'r>(
    report: &'r Value,
    path: &str,
    from: &str,
    node: &str,
) -> (&'r str, Option<&'r str>) {
    let paths = report["services"][0]["ports"][0]["paths"].as_array();
    let one = |each: &&Value| each["path"] == path && each["from"] == from;
    let found = paths.expect("paths").iter().find(one).expect("the path");
    let outcomes = found["outcomes"].as_array().expect("outcomes");
    let has = |each: &&Value| {
        let nodes = each["nodes"].as_array().expect("nodes");
        nodes.iter().any(|name| name == node)
    };
    let found = outcomes.iter().find(has).expect("the node");
    (
        found["verdict"].as_str().expect("a verdict"),
        found["using"].as_str(),
    )
}

fn state(report: &Value) -> &str {
    report["services"][0]["state"].as_str().expect("a state")
}

fn rules(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().expect("findings");
    findings
        .iter()
        .filter_map(|each| each["rule"].as_str())
        .collect()
}

/// The state, and the backends that each node of the test has on each path: a snapshot must say what the cluster says. Nodes
/// of other tests come and go meanwhile.
fn verdicts(report: &Value, stage: &Stage) -> (String, Vec<String>) {
    let paths = report["services"][0]["ports"][0]["paths"].as_array();
    let mut found = Vec::new();
    for path in paths.expect("paths") {
        for outcome in path["outcomes"].as_array().expect("outcomes") {
            let nodes = outcome["nodes"].as_array().expect("nodes");
            let own = nodes.iter().filter_map(Value::as_str);
            for node in own.filter(|node| stage.has(node)) {
                let (path, from) = (&path["path"], &path["from"]);
                found.push(format!(
                    "{path} {from} {node} {} {}",
                    outcome["verdict"], outcome["backends"]
                ));
            }
        }
    }
    (state(report).to_owned(), found)
}

#[test]
#[ignore = "needs a cluster: see CONTRIBUTING.md"]
fn when_all_pods_terminate_traffic_still_goes_to_them_and_endpoints_are_empty() {
    let stage = Stage::new("all", 2);
    stage.service(&serde_json::json!({}));
    stage.deployment(2);
    for (number, pod) in stage.pods_are(2).iter().enumerate() {
        stage.runs(&name_of(pod), number, true);
    }
    stage.slices_say("ready", 2);
    let (_, report) = stage.check(&[]);
    assert_eq!(state(&report), "healthy");

    stage.change("/spec/replicas", &0.into());
    stage.slices_say("terminating", 2);
    assert!(
        stage.endpoints().contains("<none>"),
        "{}",
        stage.endpoints()
    );
    let (code, report) = stage.check(&["--fail-on", "warning"]);
    let (expected, verdict, rule) = if stage.fails_open {
        (
            "terminating-only",
            ("forward", Some("terminating")),
            "DC101",
        )
    } else {
        ("no-backends", ("reject", None), "DC102")
    };
    assert_eq!((code, state(&report)), (1, expected));
    assert!(rules(&report).contains(&rule), "{:?}", rules(&report));
    let node = stage.node_name(0);
    assert_eq!(outcome(&report, "clusterIP", "anywhere", node), verdict);
    let told = |report: &Value| verdicts(report, &stage);
    assert_eq!(told(&stage.check_of_snapshot()), told(&report));

    // Until 1.25 nobody would have got an answer.
    let (code, report) = stage.check(&["--kube-version", "1.25"]);
    assert_eq!((code, state(&report)), (1, "no-backends"));
}

#[test]
#[ignore = "needs a cluster: see CONTRIBUTING.md"]
fn in_a_rollout_traffic_goes_to_ready_pods_only() {
    let stage = Stage::new("rollout", 1);
    stage.service(&serde_json::json!({}));
    stage.deployment(1);
    let old = name_of(&stage.pods_are(1)[0]);
    stage.runs(&old, 0, true);
    stage.slices_say("ready", 1);

    stage.change("/spec/template/metadata/labels/version", &"2".into());
    let pods = stage.pods_are(2);
    let new = pods
        .iter()
        .map(name_of)
        .find(|name| *name != old)
        .expect("a new pod");
    stage.runs(&new, 0, false);
    stage.slices_say("serving", 1);
    let (_, report) = stage.check(&[]);
    assert_eq!(state(&report), "healthy");

    stage.is_ready(&new, true);
    stage.slices_say("terminating", 1);
    let terminating: Vec<_> = stage
        .pods()
        .into_iter()
        .filter(is_terminating)
        .map(|pod| name_of(&pod))
        .collect();
    assert_eq!(terminating, [old.as_str()]);
    let (_, report) = stage.check(&[]);
    assert_eq!(state(&report), "healthy");
    let endpoints = report["services"][0]["endpoints"]
        .as_array()
        .expect("endpoints");
    let of = |name: &str| {
        endpoints
            .iter()
            .find(|each| each["pod"] == name)
            .expect("its endpoint")
    };
    assert_eq!(of(&old)["podStatus"], "Terminating");
    assert_eq!(of(&old)["conditions"]["serving"], true);
    assert_eq!(of(&new)["conditions"]["ready"], true);
    let backends = &report["services"][0]["ports"][0]["paths"][0]["outcomes"][0]["backends"];
    assert_eq!(backends.as_array().map(Vec::len), Some(1), "{backends}");
    let told = |report: &Value| verdicts(report, &stage);
    assert_eq!(told(&stage.check_of_snapshot()), told(&report));
}

#[test]
#[ignore = "needs a cluster: see CONTRIBUTING.md"]
fn under_a_local_policy_each_node_decides_for_itself() {
    let stage = Stage::new("local", 3);
    stage.service(&serde_json::json!({"type": "NodePort", "externalTrafficPolicy": "Local"}));
    for (number, pod) in ["stays", "goes"].iter().enumerate() {
        stage.pod(pod);
        stage.runs(pod, number, true);
    }
    stage.slices_say("ready", 2);
    stage.delete("goes");
    stage.slices_say("terminating", 1);
    let (_, report) = stage.check(&[]);
    assert_eq!(state(&report), "degraded");
    let at = |number| outcome(&report, "nodePort", "outside", stage.node_name(number));
    assert_eq!(at(0), ("forward", Some("ready")));
    let fallback = ("forward", Some("terminating"));
    let none = ("drop", None);
    assert_eq!(at(1), if stage.fails_open { fallback } else { none });
    assert_eq!(at(2), ("drop", None));
    assert_eq!(
        outcome(&report, "clusterIP", "anywhere", stage.node_name(2)),
        ("forward", Some("ready"))
    );
    let told = |report: &Value| verdicts(report, &stage);
    assert_eq!(told(&stage.check_of_snapshot()), told(&report));
}
