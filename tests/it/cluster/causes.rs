//! Why pods are missing, asked of a server: as its objects in a file say, and less without a permission.

use serde_json::Value;

use super::ended::Ended;
use super::harness::Setup;
use crate::fake_api::{FakeApi, Fault, fixtures};

fn objects(name: &str) -> Vec<Value> {
    let file = fixtures().join(format!("causes/{name}.yaml"));
    let text = std::fs::read_to_string(file).expect("the fixture");
    let mut list: Value = serde_yaml::from_str(&text).expect("YAML");
    match list["items"].take() {
        Value::Array(items) => items,
        _ => panic!("{name} is a list"),
    }
}

/// Ids and messages.
fn told(ended: &Ended) -> Vec<(String, String)> {
    let causes = ended.report()["services"][0]["causes"].as_array();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let causes = causes.expect("causes").iter();
    causes
        .map(|one| (text(&one["id"]), text(&one["message"])))
        .collect()
}

fn one(id: &str, message: &str) -> Vec<(String, String)> {
    vec![(id.to_owned(), message.to_owned())]
}

#[test]
fn workloads_autoscalers_and_events_are_asked_for() {
    for (name, message) in [
        (
            "replicas-zero",
            "Deployment/web wants 0 replicas, which ScaledObject/web may set",
        ),
        (
            "startup-probe-not-passed",
            "container app of 2 pods has not passed its startup probe: HTTP probe failed with statuscode: 503",
        ),
    ] {
        let api = FakeApi::serving(objects(name));
        let setup = Setup::new(&api, "rollout");
        assert_eq!(told(&Ended::of(&setup, &["svc/web"])), one(name, message));
    }
}

#[test]
fn without_the_right_less_is_said_and_nothing_else_changes() {
    let api = FakeApi::serving(objects("startup-probe-not-passed"));
    let setup = Setup::new(&api, "rollout");
    let whole = Ended::of(&setup, &["svc/web"]);
    let which = |path: &str, _: &str| path.contains("/events") || path.contains("autoscalers");
    api.fault_where(which, usize::MAX, Fault::Status(403, "forbidden"));
    let ended = Ended::of(&setup, &["svc/web"]);
    let message = "container app of 2 pods has not passed its startup probe";
    assert_eq!(told(&ended), one("startup-probe-not-passed", message));
    assert_eq!(ended.code, whole.code, "{}", ended.said);
    assert_eq!(ended.findings(), whole.findings());
    let commands: Vec<_> = ended
        .gaps()
        .iter()
        .filter_map(|gap| gap["canI"].as_str())
        .map(str::to_owned)
        .collect();
    for command in [
        "list events -n rollout",
        "list horizontalpodautoscalers.autoscaling -n rollout",
    ] {
        assert!(
            commands.iter().any(|one| one.contains(command)),
            "{command}: {commands:?}"
        );
    }
}

#[test]
fn a_look_at_everything_asks_for_no_events() {
    let api = FakeApi::serving(objects("startup-probe-not-passed"));
    let setup = Setup::new(&api, "rollout");
    for arguments in [&[][..], &["-A"]] {
        api.start_over();
        Ended::of(&setup, arguments);
        let paths = api.paths();
        assert!(
            paths.iter().any(|path| path.contains("/statefulsets")),
            "{paths:?}"
        );
        assert!(
            !paths
                .iter()
                .any(|path| path.contains("/events") || path.contains("/replicasets")),
            "{paths:?}"
        );
    }
}
