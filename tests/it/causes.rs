//! Why pods are missing: every cause from objects as a real API server writes them, and none where nothing is missing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use drain_check::analysis::causes::CauseKind;
use serde_json::{Value, json};

use crate::recording::{self, run};

fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/causes");
    folder.join(format!("{name}.yaml"))
}

/// The causes that a check of these objects tells of a Service.
fn of_text(text: &str, service: &str) -> Vec<Value> {
    let ran = run(&["-f", "-", "-A", "-o", "json"], text, 80);
    let report: Value = serde_json::from_str(&ran.out)
        .unwrap_or_else(|error| panic!("{error}: {:?} {}", ran.end, ran.err));
    recording::validate(&report);
    let services = report["services"].as_array().expect("Services").iter();
    let found = services.into_iter().find(|one| one["name"] == service);
    let causes = found.expect("the Service")["causes"].as_array();
    causes.expect("causes").clone()
}

fn of_fixture(name: &str, service: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixture(name)).expect("the fixture");
    of_text(&text, service)
}

/// Id, object, path, pods and message.
fn short(cause: &Value) -> (&str, String, &str, usize, &str) {
    let object = &cause["object"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (
        cause["id"].as_str().expect("an id"),
        format!("{}/{}", text(&object["kind"]), text(&object["name"])),
        cause["path"].as_str().unwrap_or_default(),
        cause["pods"].as_array().expect("pods").len(),
        cause["message"].as_str().expect("a message"),
    )
}

const POD: &str = "Pod/web-6b8546897-7jr6l";
const DEPLOYMENT: &str = "Deployment/web";

/// The first cause of each fixture: what holds back most, or is to be mended first.
const EXPECTED: [(&str, &str, &str, usize, &str); 27] = [
    (
        "replicas-zero",
        DEPLOYMENT,
        "spec.replicas",
        0,
        "Deployment/web wants 0 replicas, which ScaledObject/web may set",
    ),
    (
        "pods-refused",
        DEPLOYMENT,
        "status.conditions[ReplicaFailure].message",
        0,
        "new pods of Deployment/web are refused: pods \"web-6b8546897-zzzzz\" is forbidden: exceeded quota: few, requested: pods=1, used: pods=3, limited: pods=3",
    ),
    (
        "pods-missing",
        DEPLOYMENT,
        "spec.replicas",
        0,
        "Deployment/web wants 2 pods, and there is none yet: its controller has not seen the newest spec yet",
    ),
    (
        "all-terminating",
        POD,
        "metadata.deletionTimestamp",
        2,
        "all 2 pods of Deployment/web are terminating, replacements come when the old ones are gone",
    ),
    (
        "rollout-stuck",
        DEPLOYMENT,
        "status.conditions[Progressing].reason",
        0,
        "the rollout of Deployment/web is stuck (ProgressDeadlineExceeded): ReplicaSet \"web-6b8546897\" has timed out progressing",
    ),
    (
        "rollout-paused",
        DEPLOYMENT,
        "spec.paused",
        0,
        "the rollout of Deployment/web is paused",
    ),
    (
        "unschedulable",
        POD,
        "status.conditions[PodScheduled].message",
        2,
        "2 pods Pending, no node yet: 0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod",
    ),
    (
        "scheduling-gated",
        POD,
        "status.conditions[PodScheduled].message",
        2,
        "2 pods Pending, held by scheduling gates",
    ),
    (
        "scheduler-error",
        POD,
        "status.conditions[PodScheduled].message",
        1,
        "1 pod Pending, the scheduler failed: running PreBind plugin \"VolumeBinding\": binding volumes: context deadline exceeded",
    ),
    (
        "no-node-yet",
        POD,
        "spec.nodeName",
        2,
        "2 pods Pending, no node yet",
    ),
    (
        "unready-node",
        "Node/node-b",
        "status.conditions[Ready].status",
        2,
        "2 pods are on node-b, which is not ready (NodeStatusUnknown)",
    ),
    (
        "image-not-pulled",
        POD,
        "status.containerStatuses[app].state.waiting.reason",
        2,
        "container app of 2 pods has no image (ImagePullBackOff): Back-off pulling image \"registry.example/web:2\": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image \"registry.example/web:2\": not found",
    ),
    (
        "container-not-created",
        POD,
        "status.containerStatuses[app].state.waiting.reason",
        2,
        "container app of 2 pods cannot be started (CreateContainerConfigError): secret \"db\" not found",
    ),
    (
        "container-crashing",
        POD,
        "status.containerStatuses[app].lastState.terminated",
        2,
        "container app of 2 pods ends again and again (last: OOMKilled, exit code 137)",
    ),
    (
        "container-waiting",
        POD,
        "status.containerStatuses[app].state.waiting.reason",
        1,
        "container app of 1 pod waits (RestartingAllContainers)",
    ),
    (
        "init-container-runs",
        POD,
        "status.initContainerStatuses[migrate].state.running",
        2,
        "init container migrate of 2 pods has not ended yet",
    ),
    (
        "startup-probe-not-passed",
        POD,
        "status.containerStatuses[app].started",
        2,
        "container app of 2 pods has not passed its startup probe: HTTP probe failed with statuscode: 503",
    ),
    (
        "readiness-probe-not-passed",
        POD,
        "status.containerStatuses[app].ready",
        2,
        "container app of 2 pods has not passed its readiness probe: Get \"http://10.244.1.7:8080/healthz\": dial tcp 10.244.1.7:8080: connect: connection refused",
    ),
    (
        "volume-not-mounted",
        POD,
        "",
        1,
        "1 pod waits for a volume: Multi-Attach error for volume \"pvc-1\" Volume is already used by pod(s) web-0",
    ),
    (
        "sandbox-not-created",
        POD,
        "",
        1,
        "1 pod does not get a sandbox or network: Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox \"1\": plugin type=\"calico\" failed (add): no more addresses",
    ),
    (
        "pod-starting",
        POD,
        "status.containerStatuses[app].state.waiting.reason",
        2,
        "2 pods are starting",
    ),
    (
        "pod-not-ready",
        POD,
        "status.conditions[Ready].status",
        2,
        "2 pods are not ready, and do not say why",
    ),
    (
        "readiness-gate-unmet",
        POD,
        "status.conditions[target-health.elbv2.k8s.aws/k8s-rollout-web-0123456789].status",
        2,
        "2 pods wait for the readiness gate target-health.elbv2.k8s.aws/k8s-rollout-web-0123456789",
    ),
    (
        "marked-not-ready",
        POD,
        "status.conditions[Ready].status",
        2,
        "2 pods are marked not ready, although all containers are ready",
    ),
    (
        "pod-rejected",
        POD,
        "status.reason",
        1,
        "1 pod was rejected by the node (OutOfcpu): Pod was rejected: Node didn't have enough resource: cpu, requested: 4000, used: 900, capacity: 4000",
    ),
    (
        "pod-evicted",
        POD,
        "status.reason",
        1,
        "1 pod was evicted by the kubelet: The node was low on resource: memory. Threshold quantity: 100Mi, available: 30Mi",
    ),
    (
        "pod-ended",
        POD,
        "status.phase",
        1,
        "1 pod ended, and nobody starts another",
    ),
];

#[test]
fn every_cause_is_told_by_what_a_server_writes() {
    let ids: BTreeSet<_> = EXPECTED.iter().map(|expected| expected.0).collect();
    assert_eq!(ids, BTreeSet::from(CauseKind::IDS));
    for (id, object, path, pods, message) in EXPECTED {
        let causes = of_fixture(id, "web");
        let told: Vec<_> = causes.iter().map(short).collect();
        let expected = (id, object.to_owned(), path, pods, message);
        // These come with what keeps the pods from being ready.
        let found = match id {
            "rollout-stuck" | "rollout-paused" => told.last(),
            _ => told.first(),
        };
        assert_eq!(found, Some(&expected), "{id}: {told:#?}");
        for cause in &causes {
            let help = cause["help"].as_str().expect("help");
            assert!(
                help.starts_with(|first: char| first.is_uppercase() || first == 'k'),
                "{help}"
            );
            let texts = [help, cause["message"].as_str().expect("a message")];
            assert!(texts.iter().all(|text| !text.ends_with('.')), "{texts:?}");
        }
        let page = run(&["explain", id], "", 80);
        assert!(
            page.end.is_ok() && page.out.contains("What to do"),
            "{id}: {:?}",
            page.end
        );
    }
}

#[test]
fn a_stateful_set_has_events_in_place_of_a_condition() {
    let causes = of_fixture("more/refused-by-events", "db-read");
    let told: Vec<_> = causes.iter().map(short).collect();
    assert_eq!(
        told,
        [(
            "pods-refused",
            "StatefulSet/db".to_owned(),
            "",
            0,
            "new pods of StatefulSet/db are refused: create Pod db-0 in StatefulSet db failed error: pods \"db-0\" is forbidden: violates PodSecurity \"restricted:latest\": runAsNonRoot != true"
        )]
    );
}

#[test]
fn an_init_container_that_crashes_is_named() {
    let causes = of_fixture("more/init-container-crashes", "web");
    assert_eq!(causes.len(), 1, "{causes:#?}");
    assert_eq!(
        short(&causes[0]),
        (
            "container-crashing",
            POD.to_owned(),
            "status.initContainerStatuses[migrate].lastState.terminated",
            2,
            "init container migrate of 2 pods ends again and again (last: Error, exit code 2)"
        )
    );
}

#[test]
fn where_all_pods_are_ready_and_as_many_as_wanted_nothing_is_told() {
    assert_eq!(
        of_fixture("more/ready-and-enough", "web"),
        Vec::<Value>::new()
    );
}

#[test]
fn recordings_tell_why_pods_are_missing() {
    let none: &[(&str, &str, usize, &str)] = &[];
    for (name, service, expected) in [
        (
            "all-terminating-serving",
            "the-app",
            &[(
                "replicas-zero",
                "Deployment/the-app",
                0,
                "Deployment/the-app wants 0 replicas",
            )][..],
        ),
        (
            "all-terminating-unready",
            "the-app",
            &[(
                "replicas-zero",
                "Deployment/the-app",
                0,
                "Deployment/the-app wants 0 replicas",
            )],
        ),
        (
            "policies-node-a-terminating",
            "api-node",
            &[(
                "no-node-yet",
                "Pod/api-5c559f78bb-bzfgf",
                2,
                "2 pods Pending, no node yet",
            )],
        ),
        // An ExternalName has no pods.
        ("policies-node-a-terminating", "api-external", none),
        (
            "rollout-starts",
            "web",
            &[(
                "no-node-yet",
                "Pod/web-6b8546897-7jr6l",
                2,
                "2 pods Pending, no node yet",
            )],
        ),
        (
            "rollout-midway",
            "web",
            &[(
                "readiness-probe-not-passed",
                "Pod/web-6b8546897-m958b",
                2,
                "container app of 2 pods has not passed its readiness probe",
            )],
        ),
        (
            "publish-not-ready",
            "db",
            &[
                (
                    "readiness-probe-not-passed",
                    "Pod/db-1",
                    1,
                    "container app of 1 pod has not passed its readiness probe",
                ),
                // Pods of a StatefulSet keep their names: pkg/controller/statefulset/stateful_set_control.go, processReplica.
                (
                    "pods-missing",
                    "StatefulSet/db",
                    0,
                    "StatefulSet/db wants 3 pods, and has 2: the next comes when an old one is gone",
                ),
            ],
        ),
        (
            "stuck-past-grace",
            "old",
            &[(
                "all-terminating",
                "Pod/old-0",
                3,
                "all 3 pods are terminating, nobody makes others",
            )],
        ),
        ("prestop-and-sidecars", "hn", none),
        ("prestop-and-sidecars", "mesh", none),
        ("selectorless-mirrored", "external-db", none),
    ] {
        let causes = of_text(&recording::text(name), service);
        let told: Vec<_> = causes.iter().map(short).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(id, object, pods, message)| (*id, (*object).to_owned(), *pods, *message))
            .collect();
        let told: Vec<_> = told
            .into_iter()
            .map(|(id, object, _, pods, message)| (id, object, pods, message))
            .collect();
        assert_eq!(told, expected, "{name} {service}");
    }
}

/// What may stand where a text or a number is expected.
fn hostile() -> Vec<Value> {
    let long = "é".repeat(5000);
    vec![
        json!(null),
        json!(""),
        json!("\u{1b}[2J\n\u{202e}"),
        json!(long),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(-1),
        json!(true),
        json!([]),
        json!({}),
        json!([null]),
    ]
}

/// Every place in a value.
fn places(value: &Value, path: &str, all: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                let key = key.replace('~', "~0").replace('/', "~1");
                places(field, &format!("{path}/{key}"), all);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{path}/{index}"), all);
            }
        }
        _ => {}
    }
    all.push(path.to_owned());
}

#[test]
fn nothing_in_an_object_makes_it_panic_or_a_message_long() {
    for id in [
        "unschedulable",
        "container-crashing",
        "volume-not-mounted",
        "pods-refused",
        "replicas-zero",
    ] {
        let text = std::fs::read_to_string(fixture(id)).expect("the fixture");
        let list: Value = serde_yaml::from_str(&text).expect("YAML");
        let mut all = Vec::new();
        for (index, item) in list["items"]
            .as_array()
            .expect("items")
            .iter()
            .enumerate()
            .skip(1)
        {
            for field in [
                "status",
                "spec/replicas",
                "involvedObject",
                "message",
                "reason",
                "count",
            ] {
                let path = format!("/items/{index}/{field}");
                if let Some(value) = item.pointer(&format!("/{field}")) {
                    places(value, &path, &mut all);
                }
            }
        }
        assert!(all.len() > 5, "{id}");
        // One bad value a place, and not every place: all of them everywhere would take minutes.
        let step = all.len().div_ceil(25);
        for (turn, place) in all.iter().step_by(step).enumerate() {
            let bad = hostile().swap_remove(turn % hostile().len());
            let mut broken = list.clone();
            *broken.pointer_mut(place).expect("a place") = bad;
            let ran = run(&["-f", "-", "-A", "-o", "json"], &broken.to_string(), 80);
            let Ok(report) = serde_json::from_str::<Value>(&ran.out) else {
                continue;
            };
            for cause in report["services"][0]["causes"]
                .as_array()
                .into_iter()
                .flatten()
            {
                let message = cause["message"].as_str().expect("a message");
                assert!(message.chars().count() <= 401, "{place}");
                assert!(!message.contains('\n'), "{place}: {message}");
            }
        }
    }
}

#[test]
fn a_snapshot_keeps_the_words_of_the_scheduler_and_not_those_of_a_probe() {
    for (id, words, stays) in [
        ("unschedulable", "Insufficient cpu", true),
        ("pods-refused", "exceeded quota", true),
        ("volume-not-mounted", "Multi-Attach", true),
        ("readiness-probe-not-passed", "connection refused", false),
        ("image-not-pulled", "failed to pull and unpack", false),
        ("container-not-created", "secret \\\"db\\\"", false),
    ] {
        let text = std::fs::read_to_string(fixture(id)).expect("the fixture");
        let ran = run(&["snapshot", "-f", "-", "-o", "json"], &text, 80);
        assert_eq!(ran.out.contains(words), stays, "{id}");
        let first = |causes: &[Value]| causes.first().map(|one| one["id"].clone());
        assert_eq!(first(&of_text(&ran.out, "web")), Some(json!(id)), "{id}");
    }
}
