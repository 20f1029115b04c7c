//! Is every traffic source of the catalogue detected, counted, tuned and documented as it says?

mod documented;
pub(crate) mod fixtures;
mod laws;
mod mixed;
mod named;
mod robust;
mod table;
mod told;
mod unidentified;

use drain_check::decode::objects;
use drain_check::facts::Snapshot;
use drain_check::facts::service::Service;
use drain_check::manifest::ManifestObject;
use drain_check::sources::{
    Amount, Budget, DeclaredSource, DetectedSources, Detector, ObjectIndex, PodTiming, budget,
};
use serde_json::Value;

/// The Service that every fixture is about, where it does not bring its own.
pub(crate) const WEB: &str = "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, \
    spec: {selector: {app: web}, clusterIP: 10.0.0.1, ports: [{name: http, port: 80}]}}";

/// Reads objects as the program does.
fn snapshot(values: Vec<Value>) -> Snapshot {
    let mut values = values;
    let is_web = |value: &Value| {
        value["kind"] == "Service"
            && value["apiVersion"] == "v1"
            && value["metadata"]["name"] == "web"
    };
    if !values.iter().any(is_web) {
        values.push(serde_yaml::from_str(WEB).expect("a Service"));
    }
    let objects = values.into_iter().map(|value| ManifestObject {
        file: "fixture".to_owned(),
        line: 1,
        value,
    });
    let (snapshot, problems) = objects::snapshot(objects.collect());
    assert!(problems.is_empty(), "{problems:?}");
    snapshot
}

fn web(snapshot: &Snapshot) -> &Service {
    let mut all = snapshot.services.iter();
    all.find(|service| service.name.name == "web").expect("web")
}

/// Detects and adds up for the Service `web`.
fn ask<T>(
    snapshot: &Snapshot,
    declared: &[DeclaredSource],
    pods: PodTiming,
    look: impl FnOnce(&DetectedSources<'_>, &Budget) -> T,
) -> T {
    let detector = Detector::new(ObjectIndex::new(snapshot));
    let detected = detector.detect(web(snapshot), declared);
    let budget = budget(&detected, pods);
    look(&detected, &budget)
}

/// A moment as fixtures write it: `27`, `tGPS`, `unlimited`, `unknown`.
fn written(amount: Amount) -> String {
    match amount {
        Amount::Seconds(_) => amount.whole_seconds().unwrap_or_default().to_string(),
        Amount::UntilPodIsGone => "tGPS".to_owned(),
        Amount::Unlimited => "unlimited".to_owned(),
        Amount::Unknown => "unknown".to_owned(),
    }
}
