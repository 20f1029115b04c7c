//! `what-if` asks a cluster: what it reads, what it says where something may not be read, and that it changes nothing.

use serde_json::Value;

use super::harness::{Ran, Setup};
use crate::fake_api::{FakeApi, Fault};
use crate::recording::list;
use crate::simulate::made::{Made, budget, cluster};

fn served() -> FakeApi {
    let mut objects = cluster(&[
        Made::new("Deployment", "web", &["a"]),
        Made::new("Deployment", "held", &["a"]),
    ]);
    objects.push(budget("held", &serde_json::json!({"minAvailable": 1})));
    FakeApi::serving(objects)
}

fn timeline(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err))
}

fn decisions(timeline: &Value) -> Vec<(String, String)> {
    let all = list(&timeline["evictions"]).iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut all: Vec<_> = all
        .map(|one| (text(&one["pod"]), text(&one["decision"])))
        .collect();
    all.sort();
    all
}

/// The context's namespace is another one: a drain is about pods of all of them.
#[test]
fn a_drain_reads_every_namespace_and_its_budgets_and_only_reads() {
    let api = served();
    let setup = Setup::new(&api, "elsewhere");
    let ran = setup.run(&["what-if", "drain", "a", "-o", "json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let expected = [
        ("shop/held-5d4f-p0", "never"),
        ("shop/web-5d4f-p0", "allowed"),
    ];
    let expected = expected.map(|(pod, decision)| (pod.to_owned(), decision.to_owned()));
    assert_eq!(decisions(&timeline(&ran)), expected);
    let asked = api.asked();
    assert!(asked.iter().all(|one| one.method == "GET"), "{asked:?}");
    let paths = api.paths();
    assert!(
        paths
            .iter()
            .any(|path| path.starts_with("/apis/policy/v1/poddisruptionbudgets")),
        "{paths:?}"
    );
    assert!(
        paths
            .iter()
            .any(|path| path.starts_with("/apis/apps/v1/replicasets")),
        "{paths:?}"
    );
    assert!(
        !paths.iter().any(|path| path.contains("secrets")),
        "{paths:?}"
    );
    // Only these Services are told of.
    let ran = setup.run(&["what-if", "drain", "a", "-n", "elsewhere", "-o", "json"]);
    assert_eq!(timeline(&ran)["services"], serde_json::json!([]));
    assert_eq!(decisions(&timeline(&ran)).len(), 2);
}

/// A rollout needs no more than its namespace.
#[test]
fn a_rollout_reads_its_own_namespace() {
    let api = served();
    let setup = Setup::new(&api, "shop");
    let ran = setup.run(&["what-if", "rollout", "deploy/web", "-o", "json"]);
    let told = timeline(&ran);
    let names: Vec<_> = list(&told["services"])
        .iter()
        .map(|one| one["name"].clone())
        .collect();
    assert_eq!(names, ["web"]);
    let pods = api.paths();
    let pods: Vec<_> = pods.iter().filter(|path| path.contains("/pods")).collect();
    assert!(
        pods.iter()
            .any(|path| path.starts_with("/api/v1/namespaces/shop/pods")),
        "{pods:?}"
    );
    assert!(
        !pods.iter().any(|path| path.starts_with("/api/v1/pods")),
        "{pods:?}"
    );
}

/// Without the right to read budgets nobody is told that an eviction is allowed as if it were certain.
#[test]
fn budgets_that_may_not_be_read_are_said_to_be_unknown() {
    let api = served();
    api.fault(
        "/apis/policy/v1/poddisruptionbudgets",
        Fault::Status(403, "Forbidden"),
    );
    let setup = Setup::new(&api, "shop");
    let ran = setup.run(&["what-if", "drain", "a", "-o", "json"]);
    let told = timeline(&ran);
    let gaps: Vec<_> = list(&told["gaps"])
        .iter()
        .map(|gap| gap["resource"].clone())
        .collect();
    assert!(
        gaps.contains(&Value::from("poddisruptionbudgets.policy")),
        "{gaps:?}"
    );
    let said = list(&told["assumptions"])
        .iter()
        .find(|one| one["id"] == "budgets");
    let said = said.expect("an assumption")["text"]
        .as_str()
        .expect("a text");
    assert!(said.contains("could not be read"), "{said}");
}

/// A snapshot holds what it takes.
#[test]
fn a_snapshot_of_the_cluster_gives_the_same_answer() {
    let api = served();
    let setup = Setup::new(&api, "shop");
    let live = setup.run(&["what-if", "drain", "a", "-o", "json"]);
    let taken = setup.run(&["snapshot", "-A"]);
    let path = setup.folder.path().join("now.yaml");
    std::fs::write(&path, &taken.out).expect("a file");
    let file = path.to_str().expect("UTF-8");
    let filed = setup.run(&["what-if", "drain", "a", "-o", "json", "-f", file]);
    assert_eq!(decisions(&timeline(&live)), decisions(&timeline(&filed)));
    let windows = |told: &Value| {
        let all = list(&told["services"]).iter();
        all.map(|one| (one["name"].clone(), list(&one["windows"]).len()))
            .collect::<Vec<_>>()
    };
    assert_eq!(windows(&timeline(&live)), windows(&timeline(&filed)));
    assert!(!windows(&timeline(&live)).is_empty());
}
