//! For each traffic source: is it found where it is in use, not where it only exists, and are its figures right?
//!
//! `tests/fixtures/sources/ID.yaml` holds `in_use` (objects that put it in use for the Service `shop/web`), `expect` (the
//! figures then), `tuned` (objects that replace or join those of `in_use`, with figures under `expect.tuned`), `elsewhere`
//! (objects of a cluster that has it, but not for that Service), `evidence` (a part of what shows it), `also` (other
//! traffic sources that the objects of `in_use` show) and `declared` (a `--source`, for what no object shows).

use std::collections::BTreeSet;
use std::path::Path;

use drain_check::sources::figures::TuningPlace;
use drain_check::sources::timing::SourceTiming;
use drain_check::sources::{Budget, DeclaredSource, DetectedSources, PodTiming, catalogue};
use serde::Deserialize;
use serde_json::Value;

use super::{ask, snapshot, written};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fixture {
    #[serde(default)]
    in_use: Vec<Value>,
    expect: Expect,
    #[serde(default)]
    tuned: Vec<Value>,
    #[serde(default)]
    elsewhere: Vec<Value>,
    evidence: Option<String>,
    #[serde(default)]
    also: BTreeSet<String>,
    declared: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    new: Value,
    old: Value,
    tuned: Option<Figures>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Figures {
    new: Value,
    old: Value,
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The objects that put a traffic source in use, with its settings, and whether only `--source` puts it in use.
pub(crate) fn in_use(id: &str) -> (Vec<Value>, bool) {
    let fixture = load(id);
    let objects = with(&fixture.in_use, &fixture.tuned);
    (objects, fixture.declared.is_some())
}

fn load(id: &str) -> Fixture {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/sources")
        .join(format!("{id}.yaml"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{id}: {error}"));
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{id}: {error}"))
}

fn identity(value: &Value) -> (String, String, String) {
    (
        text(&value["kind"]),
        text(&value["metadata"]["namespace"]),
        text(&value["metadata"]["name"]),
    )
}

/// Objects that replace those of the same kind and name, or join them.
fn with(objects: &[Value], others: &[Value]) -> Vec<Value> {
    let kept = objects
        .iter()
        .filter(|one| !others.iter().any(|other| identity(one) == identity(other)));
    kept.chain(others).cloned().collect()
}

fn timing<'b>(budget: &'b Budget, id: &str) -> &'b SourceTiming {
    let mut all = budget.timings.iter().chain(&budget.others);
    all.find(|source| source.source.id == id)
        .unwrap_or_else(|| panic!("{id} is not in the budget"))
}

fn figures(budget: &Budget, id: &str) -> (String, String) {
    let source = timing(budget, id);
    (
        written(source.last_new_connection.amount),
        written(source.in_flight_done.amount),
    )
}

/// A grace period longer than any default, so that the figures themselves are seen.
const LONG: PodTiming = PodTiming {
    grace_period: Some(1000.0),
    longest_request: None,
};

fn declared(fixture: &Fixture) -> Vec<DeclaredSource> {
    let all = fixture.declared.iter();
    all.map(|text| text.parse().expect("a traffic source"))
        .collect()
}

fn found(detected: &DetectedSources<'_>, id: &str) -> bool {
    detected.in_use.iter().any(|used| used.source.id == id)
}

#[test]
fn a_source_in_use_is_found_with_evidence_and_default_figures() {
    for source in &catalogue().sources {
        let (id, fixture) = (source.id.as_str(), load(&source.id));
        let snapshot = snapshot(fixture.in_use.clone());
        ask(&snapshot, &declared(&fixture), LONG, |detected, budget| {
            assert!(found(detected, id), "{id} is not found");
            assert!(budget.problems.is_empty(), "{id}: {:?}", budget.problems);
            let wanted = (text(&fixture.expect.new), text(&fixture.expect.old));
            assert_eq!(figures(budget, id), wanted, "{id}");
            let evidence = format!("{:?}", timing(budget, id).evidence);
            assert_eq!(
                evidence == "[]",
                fixture.declared.is_some(),
                "{id}: {evidence}"
            );
            if let Some(part) = &fixture.evidence {
                assert!(evidence.contains(part), "{id}: {evidence}");
            }
        });
    }
}

#[test]
fn a_source_that_only_exists_is_not_listed() {
    for source in &catalogue().sources {
        let (id, fixture) = (source.id.as_str(), load(&source.id));
        let snapshot = snapshot(fixture.elsewhere.clone());
        ask(&snapshot, &[], LONG, |detected, _| {
            let used = detected.in_use.iter().find(|used| used.source.id == id);
            let evidence = used.map(|used| &used.evidence);
            assert!(evidence.is_none(), "{id} is found: {evidence:?}");
        });
    }
}

#[test]
fn no_source_is_found_that_the_objects_do_not_show() {
    let mut wrong = Vec::new();
    for source in &catalogue().sources {
        let (id, fixture) = (source.id.as_str(), load(&source.id));
        let snapshot = snapshot(fixture.in_use.clone());
        let mut wanted = fixture.also.clone();
        wanted.insert(id.to_owned());
        ask(&snapshot, &declared(&fixture), LONG, |detected, _| {
            let in_use = detected.in_use.iter();
            let found: BTreeSet<_> = in_use.map(|used| used.source.id.clone()).collect();
            if found != wanted {
                wrong.push((id, found));
            }
        });
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_service_alone_has_no_source_but_kube_proxy() {
    let snapshot = snapshot(Vec::new());
    ask(&snapshot, &[], LONG, |detected, budget| {
        assert!(detected.in_use.is_empty(), "{:?}", detected.in_use);
        let timings = budget.timings.iter().chain(&budget.others);
        let ids: Vec<_> = timings.map(|timing| timing.source.id.as_str()).collect();
        assert_eq!(ids, ["kube-proxy"]);
    });
}

#[test]
fn what_owners_set_moves_the_figures() {
    let mut tuned = 0;
    for source in &catalogue().sources {
        let (id, fixture) = (source.id.as_str(), load(&source.id));
        let settable = source
            .tuning
            .iter()
            .any(|tuning| tuning.sets.is_some() && tuning.at != TuningPlace::Outside)
            // Its settings are for nodes that go away.
            && id != "azure-slb-cluster";
        let Some(expected) = &fixture.expect.tuned else {
            assert!(!settable, "{id} has settings, and its fixture tunes none");
            continue;
        };
        let snapshot = snapshot(with(&fixture.in_use, &fixture.tuned));
        ask(&snapshot, &declared(&fixture), LONG, |detected, budget| {
            assert!(budget.problems.is_empty(), "{id}: {:?}", budget.problems);
            let wanted = (text(&expected.new), text(&expected.old));
            assert_eq!(figures(budget, id), wanted, "{id}");
            let mut in_use = detected.in_use.iter();
            let used = in_use.find(|used| used.source.id == id).expect(id);
            assert!(!used.tuning.values.is_empty(), "{id}: nothing was read");
        });
        tuned += 1;
    }
    assert!(tuned > 30, "{tuned}");
}

#[test]
fn every_fixture_belongs_to_a_source() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sources");
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let id = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .expect("a name");
        assert!(catalogue().find(id).is_some(), "{id}");
    }
}
