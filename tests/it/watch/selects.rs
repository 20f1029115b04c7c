//! Which objects are told of? Those that an answer about what was named depends on, also where that changes.

use drain_check::collect::Request;
use drain_check::recording::line::Said;
use serde_json::{Value, json};

use super::harness::{Watching, pod, shop, word, words};
use crate::cluster::harness::{Setup, everything, named};
use crate::fake_api::{Change, FakeApi, Fault};

fn start(api: &FakeApi, request: Request) -> Watching {
    let setup = Setup::new(api, "shop");
    Watching::start(setup.connection(), request)
}

fn service(name: &str, selector: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Service",
        "metadata": {"namespace": "shop", "name": name, "uid": name, "labels": {"team": "a"}},
        "spec": {"clusterIP": "10.0.0.2", "selector": selector, "ports": [{"port": 80}]}})
}

fn workload(kind: &str, name: &str, app: &str, owner: Option<&str>) -> Value {
    let mut object = json!({"apiVersion": "apps/v1", "kind": kind,
        "metadata": {"namespace": "shop", "name": name, "uid": name},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": app}},
            "template": {"metadata": {"labels": {"app": app}}, "spec": {"containers": []}}}});
    if let Some(owner) = owner {
        object["metadata"]["ownerReferences"] =
            json!([{"kind": "Deployment", "name": owner, "controller": true}]);
    }
    object
}

fn event(name: &str, kind: &str, about: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "type": "Normal", "reason": "Killing",
        "metadata": {"namespace": "shop", "name": name, "uid": name},
        "involvedObject": {"kind": kind, "namespace": "shop", "name": about}})
}

#[test]
fn each_resource_is_listed_once_and_those_that_have_nothing_too() {
    let api = FakeApi::serving(shop(&["a", "b"]));
    let watching = start(&api, named(&["svc/web"]));
    let mut lists = words(&watching.lists);
    lists.sort();
    let wanted = [
        "LIST daemonsets 0",
        "LIST deployments 0",
        "LIST endpoints 1",
        "LIST endpointslices 1",
        "LIST events 0",
        "LIST nodes 1",
        "LIST pods 2",
        "LIST replicasets 0",
        "LIST services 1",
        "LIST statefulsets 0",
    ];
    assert_eq!(lists, wanted);
    let list = watching.lists.iter().find(|line| line.resource == "pods");
    let Some(Said::Listed(list)) = list.map(|line| &line.said) else {
        panic!("a list");
    };
    assert_eq!(
        (&list["kind"], &list["apiVersion"]),
        (&json!("PodList"), &json!("v1"))
    );
    assert_eq!(watching.begun.server.as_deref(), Some("1.36.3"));
    let text: String = watching
        .lists
        .iter()
        .map(drain_check::recording::line::Line::written)
        .collect();
    assert!(!text.contains("hunter2"), "{text}");
}

#[test]
fn what_was_read_for_one_thing_only_has_a_list_of_its_own() {
    let api = FakeApi::of("rollout-midway");
    let setup = Setup::new(&api, "rollout");
    let watching = Watching::start(setup.connection(), named(&["svc/web"]));
    let lists = words(&watching.lists);
    assert!(
        lists.contains(&"LIST kubeProxy/pods 1".to_owned()),
        "{lists:?}"
    );
    assert!(
        lists.contains(&"LIST kubeProxy/configmaps 1".to_owned()),
        "{lists:?}"
    );
    let pods = lists.iter().filter(|list| list.starts_with("LIST pods "));
    assert_eq!(pods.count(), 1);
}

#[test]
fn nothing_is_told_of_pods_and_workloads_that_no_target_has_to_do_with() {
    let mut objects = shop(&["a"]);
    objects.push(workload("Deployment", "web", "web", None));
    objects.push(workload("Deployment", "other", "other", None));
    let api = FakeApi::serving(objects);
    let watching = start(&api, named(&["svc/web"]));
    assert!(words(&watching.lists).contains(&"LIST deployments 1".to_owned()));
    api.happens(Change::Put, pod("x", "x", "other"));
    let mut other = workload("Deployment", "other", "other", None);
    other["spec"]["replicas"] = json!(2);
    api.happens(Change::Put, other);
    api.happens(
        Change::Put,
        workload("ReplicaSet", "other-1", "other", Some("other")),
    );
    api.happens(Change::Put, event("x.1", "Pod", "x"));
    watching.quiet();
    api.happens(
        Change::Put,
        workload("ReplicaSet", "web-2", "web", Some("web")),
    );
    assert_eq!(words(&watching.until(|_| true)), ["+replicasets/web-2"]);
    api.happens(Change::Put, event("a.1", "Pod", "a"));
    assert_eq!(words(&watching.until(|_| true)), ["+events/a.1"]);
    api.happens(Change::Gone, pod("a", "a", "web"));
    assert_eq!(words(&watching.until(|_| true)), ["-pods/a"]);
    // Events may come after what they are about.
    api.happens(Change::Put, event("a.2", "Pod", "a"));
    assert_eq!(words(&watching.until(|_| true)), ["+events/a.2"]);
}

#[test]
fn a_service_that_begins_to_select_others_brings_them_along() {
    let mut objects = shop(&["a"]);
    objects.push(pod("green", "g", "green"));
    let api = FakeApi::serving(objects);
    let watching = start(&api, named(&["svc/web"]));
    assert!(words(&watching.lists).contains(&"LIST pods 1".to_owned()));
    let mut web = service("web", &json!({"app": "green"}));
    web["metadata"]["uid"] = json!("s");
    api.happens(Change::Put, web);
    assert_eq!(
        words(&watching.until(|line| line.resource == "pods")),
        ["+services/web", "+pods/green"]
    );
    api.happens(Change::Put, pod("green-2", "g2", "green"));
    assert_eq!(words(&watching.until(|_| true)), ["+pods/green-2"]);
    // Those of before still count: connections to them last.
    api.happens(Change::Gone, pod("a", "a", "web"));
    assert_eq!(words(&watching.until(|_| true)), ["-pods/a"]);
}

#[test]
fn a_pod_that_two_services_select_is_gone_when_neither_does_any_more() {
    let mut objects = shop(&["a"]);
    objects.push(service("two", &json!({"tier": "front"})));
    let mut both = pod("both", "b", "web");
    both["metadata"]["labels"]["tier"] = json!("front");
    objects.push(both.clone());
    let api = FakeApi::serving(objects);
    let watching = start(&api, named(&["svc/web", "svc/two"]));
    assert!(words(&watching.lists).contains(&"LIST pods 2".to_owned()));
    both["metadata"]["labels"]["app"] = json!("other");
    api.happens(Change::Put, both.clone());
    assert_eq!(words(&watching.until(|_| true)), ["+pods/both"]);
    watching.quiet();
    both["metadata"]["labels"]["tier"] = json!("back");
    api.happens(Change::Put, both);
    assert_eq!(words(&watching.until(|_| true)), ["-pods/both"]);
}

#[test]
fn a_service_that_is_new_and_has_the_labels_brings_its_slices_whenever_they_came() {
    let mut objects = shop(&["a"]);
    objects[0]["metadata"]["labels"] = json!({"team": "a"});
    let api = FakeApi::serving(objects);
    let request = Request {
        selector: Some("team=a".to_owned()),
        ..Request::default()
    };
    let watching = start(&api, request);
    let slice = json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4", "endpoints": [],
        "metadata": {"namespace": "shop", "name": "two-x", "uid": "y", "labels": {"kubernetes.io/service-name": "two"}}});
    api.happens(Change::Put, slice);
    api.happens(Change::Put, pod("t", "t", "two"));
    watching.quiet();
    api.happens(Change::Put, service("two", &json!({"app": "two"})));
    let mut all = Vec::new();
    watching.until(|line| {
        all.push(word(line));
        all.len() == 3
    });
    all.sort();
    assert_eq!(all, ["+endpointslices/two-x", "+pods/t", "+services/two"]);
}

#[test]
fn everything_in_a_namespace_is_told_of_where_nothing_is_named() {
    let mut objects = shop(&["a"]);
    objects.push(pod("x", "x", "other"));
    objects.push(event("x.1", "Pod", "x"));
    let mut warning = event("x.2", "Pod", "x");
    warning["type"] = json!("Warning");
    warning["reason"] = json!("Unhealthy");
    objects.push(warning);
    let api = FakeApi::serving(objects);
    let later = Fault::Late(std::time::Duration::from_millis(100));
    api.fault_times("/api/v1/namespaces/shop/events?Killing", 1, later);
    let watching = start(&api, everything());
    let lists = words(&watching.lists);
    // Events are listed in two parts, of which the second holds both.
    assert_eq!(
        lists
            .iter()
            .rfind(|list| list.starts_with("LIST events"))
            .map(String::as_str),
        Some("LIST events 2")
    );
    for wanted in ["LIST pods 2", "LIST services 1", "LIST replicasets 0"] {
        let same = lists.iter().filter(|list| *list == wanted);
        assert_eq!(same.count(), 1, "{wanted}: {lists:?}");
    }
    api.happens(Change::Put, service("new", &json!({"app": "new"})));
    assert_eq!(words(&watching.until(|_| true)), ["+services/new"]);
}
