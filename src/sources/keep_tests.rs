//! Is what is kept of objects what is needed, and nothing that should stay where it is?

use serde_json::json;

use super::*;

#[test]
fn secrets_and_strangers_are_never_kept() {
    let named = |version: &str, kind: &str| {
        keep(
            &json!({"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, "data": {"Corefile": "x"}}),
        )
    };
    assert_eq!(named("v1", "Secret"), None);
    assert_eq!(named("batch/v1", "Job"), None);
    // Knative's Service is another kind than the core's.
    assert_eq!(named("serving.knative.dev/v1", "Service"), None);
    assert!(kinds().iter().all(|(_, kind)| *kind != "Secret"));
    assert!(kinds().contains(&("", "Service")));
    assert!(kinds().contains(&("elbv2.k8s.aws", "TargetGroupBinding")));
}

#[test]
fn of_config_maps_only_the_keys_that_are_asked_about_are_kept() {
    let map = |name: &str| {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "kube-system"},
            "data": {"Corefile": "x", "password": "p"}})
    };
    let kept = keep(&map("coredns")).expect("kept");
    assert_eq!(kept.value["data"], json!({"Corefile": "x"}));
    let mut other = map("other");
    other["data"] = json!({"password": "p"});
    assert_eq!(keep(&other), None);
}

#[test]
fn of_pods_only_those_that_tell_something_are_kept_without_their_environment() {
    let pod = |containers: Value| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "b", "labels": {"app": "a"}},
            "spec": {"containers": containers}, "status": {"phase": "Running"}})
    };
    assert_eq!(keep(&pod(json!([{"name": "app"}]))), None);
    let kept = keep(&pod(json!([{"name": "istio-proxy", "image": "i", "env": [
        {"name": "TOKEN", "value": "t"}, {"name": "EXIT_ON_ZERO_ACTIVE_CONNECTIONS", "value": "true"}]}])))
    .expect("kept");
    assert_eq!(
        kept.value["spec"],
        json!({"containers": [{"name": "istio-proxy", "env": [{"name": "EXIT_ON_ZERO_ACTIVE_CONNECTIONS", "value": "true"}]}]})
    );
}

#[test]
fn of_workloads_only_known_arguments_are_kept() {
    let kept = keep(&json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "c", "namespace": "b"},
        "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "c", "args": [
            "--token=t", "--sync-rate-limit", "2", "--other"]}]}}}}))
    .expect("kept");
    assert_eq!(
        kept.value["spec"]["template"]["spec"]["containers"][0]["args"],
        json!(["--sync-rate-limit", "2"])
    );
    assert_eq!(kept.value["spec"].get("replicas"), None);
}

#[test]
fn of_a_selector_on_a_command_line_every_pair_is_kept() {
    let kept = keep(&json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "c", "namespace": "b"},
        "spec": {"template": {"spec": {"containers": [{"name": "c", "args": [
            "--api-key", "k", "--selector", "app=a", "role=b", "--other", "c=d"]}]}}}}))
    .expect("kept");
    assert_eq!(
        kept.value["spec"]["template"]["spec"]["containers"][0]["args"],
        json!(["--selector", "app=a", "role=b"])
    );
}

#[test]
fn of_a_custom_resource_definition_only_who_converts_is_kept() {
    let conversion = json!({"strategy": "Webhook", "webhook": {"clientConfig": {"service": {"name": "web", "namespace": "shop"}}}});
    let kept = keep(&json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "a.b"},
        "spec": {"group": "b", "versions": [{"name": "v1", "schema": {}}], "conversion": conversion}}))
    .expect("kept");
    assert_eq!(kept.value["spec"], json!({"conversion": conversion}));
}

#[test]
fn of_other_objects_the_status_is_not_kept() {
    let kept = keep(&json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
        "metadata": {"name": "a", "namespace": "b", "managedFields": [{}]}, "spec": {"rules": []}, "status": {"parents": []}}))
    .expect("kept");
    assert_eq!(kept.value.get("status"), None);
    assert_eq!(kept.value["spec"], json!({"rules": []}));
}
