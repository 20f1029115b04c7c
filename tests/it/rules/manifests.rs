//! What rules say of manifests: the field that a finding is about, what it says, and which patch it offers.

use std::path::Path;

use drain_check::analysis;
use drain_check::analysis::Assumptions;
use drain_check::analysis::Cluster;
use drain_check::rules::{self, Doubt, Finding, Patch};
use serde_json::json;

use crate::rules::{bad, read};

fn findings(yaml: &str) -> Vec<Finding> {
    let snapshot = read(yaml);
    let assumptions = Assumptions::default();
    let nodes = analysis::cluster::nodes(&snapshot, &assumptions);
    let cluster = Cluster::new(&snapshot, &nodes, &assumptions);
    let services: Vec<_> = snapshot.services.iter().collect();
    let workloads = analysis::workload::workloads(&services, &cluster);
    rules::of_manifests(&workloads, &cluster)
}

/// The finding of a rule about a file of its fixtures.
fn of(id: &str, fixture: &str) -> Finding {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rules");
    let file = folder.join(id).join(format!("{fixture}.yaml"));
    let yaml = std::fs::read_to_string(file).expect("UTF-8");
    let found = findings(&yaml);
    let mut of = found.into_iter().filter(|each| each.rule.id == id);
    let first = of.next().expect("a finding");
    assert_eq!(of.count(), 0, "one finding of {id} for {fixture}");
    first
}

#[test]
fn findings_name_the_object_and_the_field_to_change() {
    for (id, fixture, kind, path) in [
        (
            "DC301",
            "bad-shares-rounded-to-zero",
            "Deployment",
            "spec.strategy.rollingUpdate.maxUnavailable",
        ),
        ("DC301", "bad-recreate", "Deployment", "spec.strategy.type"),
        (
            "DC301",
            "bad-daemon-set-on-all-nodes-at-once",
            "DaemonSet",
            "spec.updateStrategy.rollingUpdate.maxUnavailable",
        ),
        ("DC302", "bad-stateful-set", "StatefulSet", "spec.replicas"),
        (
            "DC303",
            "bad-percent-rounds-up-to-all",
            "PodDisruptionBudget",
            "spec.minAvailable",
        ),
        (
            "DC303",
            "bad-max-unavailable-zero-percent",
            "PodDisruptionBudget",
            "spec.maxUnavailable",
        ),
        (
            "DC305",
            "bad-label-of-the-workload-only",
            "PodDisruptionBudget",
            "spec.selector",
        ),
        (
            "DC306",
            "bad-bare-pod",
            "PodDisruptionBudget",
            "spec.selector",
        ),
        (
            "DC309",
            "bad-keda-and-replicas",
            "Deployment",
            "spec.replicas",
        ),
        (
            "DC309",
            "bad-two-autoscalers",
            "HorizontalPodAutoscaler",
            "spec.scaleTargetRef",
        ),
        (
            "DC111",
            "bad-named-port",
            "Ingress",
            "spec.rules[0].http.paths[0].backend.service.port.name",
        ),
        (
            "DC111",
            "bad-default-backend",
            "Ingress",
            "spec.defaultBackend.service.port.number",
        ),
        (
            "DC111",
            "bad-old-kind",
            "Ingress",
            "spec.rules[0].http.paths[0].backend.servicePort",
        ),
        (
            "DC111",
            "bad-http-route",
            "HTTPRoute",
            "spec.rules[0].backendRefs[0].port",
        ),
        (
            "DC111",
            "bad-mirror",
            "HTTPRoute",
            "spec.rules[0].filters[0].requestMirror.backendRef.port",
        ),
    ] {
        let finding = of(id, fixture);
        assert_eq!(finding.object.kind, kind, "{id} {fixture}");
        assert_eq!(finding.path.as_deref(), Some(path), "{id} {fixture}");
    }
}

#[test]
fn messages_show_the_numbers() {
    for (id, fixture, part) in [
        (
            "DC301",
            "bad-shares-rounded-to-zero",
            "maxSurge 0 and maxUnavailable 25% of 1 are both 0 when rounded",
        ),
        (
            "DC301",
            "bad-autoscaler-counts-at-its-fewest",
            "at least 2 replicas (HorizontalPodAutoscaler web)",
        ),
        (
            "DC303",
            "bad-percent-rounds-up-to-all",
            "minAvailable 51%: none of the 2 pods of Deployment web can be evicted.",
        ),
        (
            "DC303",
            "bad-while-the-autoscaler-is-at-its-fewest",
            "can be evicted while HorizontalPodAutoscaler web is at its minimum (2 replicas).",
        ),
        (
            "DC303",
            "bad-two-workloads-together",
            "none of the 2 pods of Deployment web and Deployment web-canary",
        ),
        (
            "DC305",
            "bad-label-of-the-workload-only",
            "the selector team=shop matches no pod, not even those of Deployment web, which have app=web.",
        ),
        (
            "DC309",
            "bad-target-is-another-kind",
            "there is a StatefulSet of that name",
        ),
        (
            "DC111",
            "bad-default-backend",
            "no port 8080: it has http 80 (8080 is the targetPort of 80)",
        ),
        ("DC111", "bad-mistyped-service", "there is storefront"),
        (
            "DC111",
            "bad-plural",
            "there is no Service carts in namespace shop; there is cart.",
        ),
        (
            "DC303",
            "bad-job-beside-a-deployment",
            "counts the pods of Job migrate, which has none: until they are deleted, no pod can be evicted, not even of Deployment web.",
        ),
        (
            "DC304",
            "bad-budget-asks-for-no-pod",
            "there are 2 replicas, and PodDisruptionBudget web (minAvailable 0) protects none of them",
        ),
        (
            "DC305",
            "bad-plural",
            "the selector app=carts matches no pod, the closest are those of Deployment cart, which have app=cart.",
        ),
        (
            "DC309",
            "bad-plural",
            "its target is Deployment carts, and there is none; there is Deployment cart.",
        ),
        (
            "DC310",
            "bad-two-workloads",
            "pods of Deployment web and StatefulSet api that run and are not ready can be evicted only while enough others are healthy.",
        ),
    ] {
        let message = of(id, fixture).message;
        assert!(message.contains(part), "{id} {fixture}: {message}");
    }
}

#[test]
fn a_surge_is_offered_only_where_a_new_pod_finds_a_place_beside_the_old_ones() {
    let patch = |yaml: &str| {
        let found = findings(yaml);
        let of = found.into_iter().find(|each| each.rule.id == "DC301");
        of.expect("DC301").patch
    };
    let rolling = |fields| {
        let change = json!({"spec": {"strategy": {"rollingUpdate": fields}}});
        let doubt = Some(Doubt::Room);
        let change = (&change).into();
        Some(Patch { change, doubt })
    };
    // There is a surge of 1 already.
    assert_eq!(patch(&bad("DC301")), rolling(json!({"maxUnavailable": 0})));
    let none = bad("DC301").replace("maxSurge: 1", "maxSurge: 0");
    let both = json!({"maxUnavailable": 0, "maxSurge": 1});
    assert_eq!(patch(&none), rolling(both));
    let container = "image: example/web:1,";
    for ports in [
        "ports: [{containerPort: 8080, hostPort: 80}],",
        "ports: [{containerPort: 8080}],",
    ] {
        let yaml = bad("DC301").replace(container, &format!("{container} {ports}"));
        assert_eq!(patch(&yaml).is_some(), !ports.contains("hostPort"));
        let host = yaml.replace(
            "      containers:",
            "      hostNetwork: true\n      containers:",
        );
        assert_eq!(patch(&host), None);
    }
    let volumes =
        "      volumes: [{name: a, persistentVolumeClaim: {claimName: a}}]\n      containers:";
    let held = bad("DC301").replace("      containers:", volumes);
    assert_eq!(patch(&held), None);
    let recreate = of("DC301", "bad-recreate");
    assert_eq!(recreate.patch, None);
}

#[test]
fn a_budget_of_one_pod_or_of_none_at_all_is_left_to_its_owner() {
    let several = of("DC303", "bad-percent-rounds-up-to-all").patch;
    let expected = json!({"spec": {"minAvailable": null, "maxUnavailable": 1}});
    let several = several.expect("a patch");
    assert_eq!(several.change.value(), expected);
    assert_eq!(several.doubt, Some(Doubt::Availability));
    for fixture in [
        "bad-one-replica",
        "bad-max-unavailable-zero-percent",
        "bad-bare-pod-has-no-scale",
        "bad-daemon-set-beside-a-deployment",
    ] {
        assert_eq!(of("DC303", fixture).patch, None, "{fixture}");
    }
}

#[test]
fn pods_of_two_revisions_have_one_manifest() {
    let pod = |name: &str, image: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop, labels: {{app: web, pod-template-hash: {image}}}, \
             ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: web-{image}, uid: u, controller: true}}]}}\n\
             spec: {{containers: [{{name: app, image: {image}}}]}}\nstatus: {{phase: Running}}\n"
        )
    };
    let yaml = bad("DC302") + &pod("web-1", "a") + &pod("web-2", "b");
    let found = findings(&yaml);
    let single = found.iter().filter(|each| each.rule.id == "DC302");
    assert_eq!(single.count(), 1, "{found:#?}");
}
