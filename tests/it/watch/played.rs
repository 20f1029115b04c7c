//! Does watching hear what a real API server said? Recordings of real rollouts, played by a fake one.

use std::collections::BTreeMap;

use drain_check::recording::line::{Line, Said};
use drain_check::redact;
use serde_json::Value;

use super::harness::{Watching, play, recording, server, word};
use crate::cluster::harness::{Setup, named};

type World = BTreeMap<(String, String), Value>;

fn name(object: &Value) -> String {
    object["metadata"]["name"]
        .as_str()
        .expect("a name")
        .to_owned()
}

/// Is it said of a pod or of what makes pods? A check reads warnings, and that containers are stopped.
fn is_read(line: &Line, object: &Value) -> bool {
    line.resource != "events" || object["type"] == "Warning" || object["reason"] == "Killing"
}

/// What others may see of an object.
fn shown(object: Value) -> Value {
    let shown = redact::object(object).expect("an object");
    serde_json::from_str(shown.get()).expect("JSON")
}

/// What must be told of each resource, in order: what changes something that others may see.
fn expected(lines: &[Line]) -> BTreeMap<String, Vec<(String, Value)>> {
    let mut world = World::new();
    let mut told: BTreeMap<String, Vec<(String, Value)>> = BTreeMap::new();
    for line in lines {
        match &line.said {
            Said::Listed(list) => {
                let kind = list["kind"].as_str().expect("a kind").replace("List", "");
                for item in list["items"].as_array().expect("items") {
                    let mut item = item.clone();
                    item["kind"] = kind.clone().into();
                    item["apiVersion"] = list["apiVersion"].clone();
                    let key = (line.resource.clone(), name(&item));
                    world.insert(key, shown(item));
                }
            }
            Said::Applied(object) if is_read(line, &object.value()) => {
                let object = object.value();
                let key = (line.resource.clone(), name(&object));
                let object = shown(object);
                if world.insert(key, object.clone()).as_ref() != Some(&object) {
                    told.entry(line.resource.clone())
                        .or_default()
                        .push((word(line), object));
                }
            }
            Said::Deleted(object) if is_read(line, &object.value()) => {
                let object = object.value();
                world.remove(&(line.resource.clone(), name(&object)));
                let object = shown(object);
                told.entry(line.resource.clone())
                    .or_default()
                    .push((word(line), object));
            }
            _ => {}
        }
    }
    told
}

fn is_heard(case: &str) {
    let lines = recording(case);
    let (api, namespace) = server(&lines);
    let setup = Setup::new(&api, &namespace);
    let watching = Watching::start(setup.connection(), named(&["svc/web"]));
    assert_eq!(watching.begun.services, 1);
    assert_eq!(watching.begun.namespace.as_deref(), Some(&*namespace));
    for line in &lines {
        play(&api, line);
    }
    let wanted = expected(&lines);
    assert!(wanted["pods"].len() > 10, "{case}");
    let mut left: usize = wanted.values().map(Vec::len).sum();
    let mut heard: BTreeMap<String, Vec<(String, Value)>> = BTreeMap::new();
    let all = watching.until(|_| {
        left -= 1;
        left == 0
    });
    for line in all {
        let (Said::Applied(object) | Said::Deleted(object)) = &line.said else {
            panic!("{case}: {}", word(&line));
        };
        heard
            .entry(line.resource.clone())
            .or_default()
            .push((word(&line), object.value()));
    }
    for (resource, wanted) in &wanted {
        let words =
            |all: &[(String, Value)]| all.iter().map(|(word, _)| word.clone()).collect::<Vec<_>>();
        // Events are watched in two parts, of which each is in order.
        if resource == "events" {
            let sorted = |mut all: Vec<String>| {
                all.sort();
                all
            };
            assert_eq!(
                sorted(words(&heard[resource])),
                sorted(words(wanted)),
                "{case}"
            );
            continue;
        }
        assert_eq!(words(&heard[resource]), words(wanted), "{case}: {resource}");
        assert_eq!(&heard[resource], wanted, "{case}: {resource}");
    }
    watching.quiet();
}

#[test]
fn a_recreate_is_heard_as_it_was() {
    is_heard("recreate");
}

#[test]
fn a_scaling_to_zero_is_heard_as_it_was() {
    is_heard("scale-to-zero");
}

#[test]
fn an_eviction_is_heard_as_it_was() {
    is_heard("evict-single");
}
