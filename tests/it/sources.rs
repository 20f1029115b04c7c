//! Is every traffic source of the catalogue detected, counted, tuned and documented as it says?

mod documented;
pub(crate) mod fixtures;
mod mixed;
mod robust;
mod told;

use drain_check::decode::objects;
use drain_check::facts::Snapshot;
use drain_check::facts::service::Service;
use drain_check::manifest::Object;
use drain_check::sources::{
    Amount, Budget, Detected, Given, ObjectIndex, Situation, budget, detect,
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
    let objects = values.into_iter().map(|value| Object {
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
    given: &[Given],
    situation: Situation,
    look: impl FnOnce(&Detected<'_>, &Budget) -> T,
) -> T {
    let index = ObjectIndex::new(snapshot);
    let service = web(snapshot);
    let detected = detect(&index, service, given);
    let budget = budget(&index, &detected, situation);
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
