//! Is a scan of a whole cluster the same as its Services checked one by one, and the same however the cluster is read?

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::harness::Setup;
use crate::cluster_of_any_size::{Size, objects};
use crate::fake_api::FakeApi;
use crate::recording::{self, run};

const SIZE: Size = Size {
    services: 60,
    pods: 700,
    nodes: 30,
};

static OBJECTS: LazyLock<Vec<Value>> = LazyLock::new(|| objects(7, SIZE));

/// As `kubectl get … -o json` prints it.
static TEXT: LazyLock<String> = LazyLock::new(|| text(&OBJECTS));

fn text(objects: &[Value]) -> String {
    json!({"apiVersion": "v1", "kind": "List", "metadata": {}, "items": objects}).to_string()
}

fn report(arguments: &[&str], text: &str) -> Value {
    let ran = run(&[arguments, &["-f", "-", "-o", "json"]].concat(), text, 80);
    assert!(ran.end.is_ok(), "{:?} {}", ran.end, ran.err);
    let report = serde_json::from_str(&ran.out).expect("one JSON document");
    recording::validate(&report);
    report
}

fn named<'r>(report: &'r Value, service: &Value) -> Vec<&'r Value> {
    let findings = report["findings"].as_array().expect("findings");
    let is = |object: &Value| {
        object["kind"] == "Service"
            && object["namespace"] == service["namespace"]
            && object["name"] == service["name"]
    };
    let concerns = |finding: &&Value| {
        let related = finding["related"].as_array().into_iter().flatten();
        std::iter::once(&finding["object"]).chain(related).any(is)
    };
    findings.iter().filter(concerns).collect()
}

#[test]
fn the_generated_cluster_has_what_real_ones_have() {
    let count =
        |wanted: &dyn Fn(&Value) -> bool| OBJECTS.iter().filter(|each| wanted(each)).count();
    let of = |kind: &'static str| move |each: &Value| each["kind"] == kind;
    assert_eq!(count(&of("Service")), SIZE.services);
    assert_eq!(count(&of("Pod")), SIZE.pods);
    assert_eq!(count(&of("Node")), SIZE.nodes);
    assert_eq!(count(&of("Endpoints")), SIZE.services);
    assert!(count(&of("EndpointSlice")) >= SIZE.services);
    for (what, has) in [
        (
            "terminating",
            count(&|each| !each["metadata"]["deletionTimestamp"].is_null()),
        ),
        (
            "headless",
            count(&|each| each["spec"]["clusterIP"] == "None"),
        ),
        (
            "local",
            count(&|each| each["spec"]["externalTrafficPolicy"] == "Local"),
        ),
        (
            "hinted",
            count(&|each| !each["endpoints"][0]["hints"].is_null()),
        ),
        (
            "ended",
            count(&|each| each["status"]["phase"] == "Succeeded"),
        ),
    ] {
        assert!(has > 0, "nothing is {what}");
    }
    assert_eq!(*OBJECTS, objects(7, SIZE));
    assert_ne!(*OBJECTS, objects(8, SIZE));
}

#[test]
fn a_scan_says_of_each_service_what_its_own_check_says() {
    let scan = report(&[], &TEXT);
    let services = scan["services"].as_array().expect("services");
    assert_eq!(services.len(), SIZE.services);
    let states: std::collections::BTreeSet<_> = services
        .iter()
        .map(|service| service["state"].to_string())
        .collect();
    assert!(states.len() >= 3, "{states:?}");
    for service in services {
        let name = format!("svc/{}", service["name"].as_str().expect("a name"));
        let namespace = service["namespace"].as_str().expect("a namespace");
        let alone = report(&[&name, "-n", namespace], &TEXT);
        assert_eq!(alone["services"][0], *service, "{name}");
        assert_eq!(named(&alone, service), named(&scan, service), "{name}");
    }
}

#[test]
fn the_api_and_a_file_of_the_same_cluster_get_the_same_answer() {
    let api = FakeApi::serving(OBJECTS.clone());
    api.pages_of(100);
    let live = Setup::new(&api, "default")
        .run(&["-A", "-o", "json"])
        .report();
    let file = report(&[], &TEXT);
    for part in ["services", "findings", "suppressed", "summary"] {
        assert_eq!(live[part], file[part], "{part}");
    }
    assert!(
        file["summary"]["warning"].as_u64() > Some(0),
        "{}",
        file["summary"]
    );
}

#[test]
fn a_list_read_without_its_objects_gets_the_answer_of_its_objects() {
    // Several documents are no list, and therefore read as values.
    let documents: Vec<String> = OBJECTS.iter().map(Value::to_string).collect();
    let values = report(&[], &documents.join("\n"));
    assert_eq!(report(&[], &TEXT), values);
}

#[test]
fn a_streamed_report_is_written_as_a_whole_one_is() {
    for text in [
        &*TEXT,
        &recording::text("random-pods"),
        &recording::text("rollout-midway"),
    ] {
        let ran = run(&["-f", "-", "-o", "json"], text, 80);
        let mut depth = 0;
        for line in ran.out.lines() {
            let plain = line.trim_start();
            depth -= usize::from(plain.starts_with(['}', ']']));
            assert_eq!(line.len() - plain.len(), depth * 2, "{line}");
            depth += usize::from(plain.ends_with(['{', '[']));
        }
        assert_eq!(depth, 0);
        // But for the order of its fields it is what serde_json makes of it.
        let whole: Value = serde_json::from_str(&ran.out).expect("one JSON document");
        let pretty = serde_json::to_string_pretty(&whole).expect("JSON");
        assert_eq!(ran.out.len(), pretty.len() + 1);
        assert_eq!(ran.out.lines().count(), pretty.lines().count());
    }
}
