//! Which facts do loaded objects hold? Kinds that nobody asks about are passed over.

use serde::de::DeserializeOwned;

use super::convert;
use super::manifest::{Object, Problem};
use crate::facts::Snapshot;

fn typed<T: DeserializeOwned>(object: Object, problems: &mut Vec<Problem>) -> Option<T> {
    let Object { file, line, value } = object;
    match serde_path_to_error::deserialize(value) {
        Ok(read) => Some(read),
        Err(error) => {
            problems.push(Problem {
                message: format!(
                    "the object that begins here: {}: {}",
                    error.path(),
                    error.inner()
                ),
                file,
                line: Some(line),
                column: None,
                help: "correct the field, or leave the object out; the others were read".to_owned(),
            });
            None
        }
    }
}

/// Turns objects into facts; an object that does not fit its kind becomes a problem, and the rest goes on.
#[must_use]
pub fn snapshot(objects: Vec<Object>) -> (Snapshot, Vec<Problem>) {
    let mut snapshot = Snapshot::default();
    let mut problems = Vec::new();
    for object in objects {
        let text = |key: &str| object.value[key].as_str().unwrap_or_default().to_owned();
        match (text("apiVersion").as_str(), text("kind").as_str()) {
            ("v1", "Service") => snapshot
                .services
                .extend(typed(object, &mut problems).map(convert::service)),
            ("v1", "Pod") => snapshot
                .pods
                .extend(typed(object, &mut problems).map(convert::pod)),
            ("v1", "Node") => snapshot
                .nodes
                .extend(typed(object, &mut problems).map(convert::node)),
            ("discovery.k8s.io/v1", "EndpointSlice") => snapshot
                .slices
                .extend(typed(object, &mut problems).map(convert::slice)),
            _ => {}
        }
    }
    (snapshot, problems)
}
