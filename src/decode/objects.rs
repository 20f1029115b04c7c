//! Which facts do the objects of files hold, and which of them do not fit their kind?

use std::borrow::Borrow;

use super::moment::newest_moment;
use super::read::{self, Raw};
use super::typed::DecodeError;
use crate::facts::Snapshot;
use crate::manifest::{Field, Identity, ManifestObject, OF_OBJECT, Problem};
use crate::sources;

/// Turns objects into facts; an object that does not fit its kind becomes a problem, and the rest goes on.
#[must_use]
pub fn snapshot(objects: Vec<ManifestObject>) -> (Snapshot, Vec<Problem>) {
    beside(Snapshot::default(), objects)
}

/// The same, beside the facts that are known already.
pub(crate) fn beside(
    known: Snapshot,
    objects: impl IntoIterator<Item = impl Borrow<ManifestObject>>,
) -> (Snapshot, Vec<Problem>) {
    let mut snapshot = known;
    let mut problems = Vec::new();
    for object in objects {
        let object = object.borrow();
        snapshot.taken_at = snapshot.taken_at.max(newest_moment(&object.value));
        add(object, &mut snapshot, &mut problems);
    }
    (snapshot, problems)
}

/// Adds what one object says.
pub fn add(object: &ManifestObject, snapshot: &mut Snapshot, problems: &mut Vec<Problem>) {
    let value = &object.value;
    let text = |key: &str| value[key].as_str().unwrap_or_default();
    let raw = Raw::Value(value);
    if let Err(error) = read::add(raw, text("apiVersion"), text("kind"), snapshot) {
        // What it tells of traffic sources may stand in other fields.
        snapshot.others.extend(sources::keep(value));
        problems.push(problem(object, error));
    }
}

fn problem(object: &ManifestObject, error: DecodeError) -> Problem {
    let message = format!("{OF_OBJECT}{error}");
    let help = "correct the field, or leave the object out; the others were read";
    let path = error.path;
    Problem {
        line: Some(object.line),
        field: Identity::of(&object.value).map(|object| Box::new(Field { object, path })),
        ..Problem::of_file(&object.file, message, help)
    }
}
