//! Is a scan of a whole cluster the same as its Services checked one by one, and the same however the cluster is read?

use std::collections::BTreeSet;
use std::sync::LazyLock;

use drain_check::analysis::Assumptions;
use drain_check::analysis::Cluster;
use drain_check::analysis::cluster;
use drain_check::engine;
use drain_check::facts::service::Service;
use drain_check::report::{self, v1};
use drain_check::suppress::Filter;
use serde_json::{Value, json};

use super::harness::{Setup, from_file};
use super::reports::to_nothing;
use crate::cluster_of_any_size::{NOW, Size, objects};
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

fn reported(arguments: &[&str], text: &str) -> Value {
    let ran = run(&[arguments, &["-f", "-", "-o", "json"]].concat(), text, 80);
    assert!(ran.end.is_ok(), "{:?} {}", ran.end, ran.err);
    let report = serde_json::from_str(&ran.out).expect("one JSON document");
    recording::validate(&report);
    report
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
    let snapshot = from_file(&OBJECTS);
    let assumptions = Assumptions::default();
    let nodes = cluster::nodes(&snapshot, &assumptions);
    let prepared = || Cluster::new(&snapshot, &nodes, &assumptions);
    let checked = |services: &[&Service]| {
        let (prepared, mut shown) = (prepared(), Vec::new());
        let decided = engine::check(&prepared, services, Filter::default(), &mut |service| {
            shown.push(report::service(service));
        });
        let mut head = report::head(&prepared);
        head.services = shown;
        report::complete(head, decided)
    };
    let of = |report: &v1::Report, service: &v1::Service| -> Vec<v1::Finding> {
        let findings = report.findings.iter();
        findings
            .filter(|finding| finding.concerns(service))
            .cloned()
            .collect()
    };
    let scan = checked(&snapshot.services.iter().collect::<Vec<_>>());
    assert_eq!(scan.services.len(), SIZE.services);
    let states: BTreeSet<_> = scan.services.iter().map(|service| service.state).collect();
    assert!(states.len() >= 3, "{states:?}");
    for service in &snapshot.services {
        // A cluster of its own for each, so that nothing is left of the others.
        let alone = checked(&[service]);
        let [own] = &alone.services[..] else {
            panic!("{} Services", alone.services.len());
        };
        let found = scan
            .services
            .iter()
            .find(|other| (&other.namespace, &other.name) == (&own.namespace, &own.name));
        assert_eq!(found, Some(own));
        // What is said of a workload names every Service that leads to it.
        let (alone, scan) = (of(&alone, own), of(&scan, own));
        assert_eq!(alone.len(), scan.len(), "{}", own.name);
        for finding in &alone {
            // The same about several Services is one finding.
            let same = |other: &&v1::Finding| {
                let objects = finding.objects.iter();
                let about = objects.chain(&*finding.related);
                (other.rule, &other.path, &other.message)
                    == (finding.rule, &finding.path, &finding.message)
                    && (other.when, other.severity, &other.help)
                        == (finding.when, finding.severity, &finding.help)
                    && about.into_iter().all(|object| {
                        other.objects.contains(object) || other.related.contains(object)
                    })
            };
            assert!(scan.iter().any(|other| same(&other)), "{finding:?}");
        }
    }
}

#[test]
fn the_api_and_a_file_of_the_same_cluster_get_the_same_answer() {
    let api = FakeApi::serving(OBJECTS.clone());
    api.pages_of(100);
    let live = Setup::new(&api, "default")
        .run(&["-A", "-o", "json", "--as-of", NOW])
        .report();
    let with_ingress: Vec<_> = OBJECTS.iter().cloned().chain([to_nothing()]).collect();
    let file = reported(&["--as-of", NOW], &text(&with_ingress));
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
    let values = reported(&[], &documents.join("\n"));
    assert_eq!(reported(&[], &TEXT), values);
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
