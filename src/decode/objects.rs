//! Which facts do the objects of files hold, and which of them do not fit their kind?

use std::borrow::Borrow;

use super::moment::newest_moment;
use super::read::{self, Raw};
use super::typed::DecodeError;
use crate::facts::Snapshot;
use crate::facts::object::ApiObject;
use crate::manifest::{Field, Identity, ManifestObject, OF_OBJECT, Problem};

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
        add(Placed::from(object), &mut snapshot, &mut problems);
    }
    (snapshot, problems)
}

/// An object as it came, what it is, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) raw: Raw<'a>,
    /// `apiVersion` and `kind`, which a text may leave out.
    pub(crate) is: (&'a str, &'a str),
    /// The file, and the line on which it starts.
    pub(crate) place: (&'a str, u32),
}

impl<'a> From<&'a ManifestObject> for Placed<'a> {
    fn from(object: &'a ManifestObject) -> Self {
        let text = |key: &str| object.value[key].as_str().unwrap_or_default();
        Self {
            raw: Raw::Value(&object.value),
            is: (text("apiVersion"), text("kind")),
            place: (&object.file, object.line),
        }
    }
}

impl Placed<'_> {
    /// What it tells of traffic sources.
    pub(crate) fn traffic(self) -> Option<ApiObject> {
        self.raw.traffic(self.is.0, self.is.1)
    }

    fn problem(self, error: DecodeError) -> Problem {
        let message = format!("{OF_OBJECT}{error}");
        let help = "correct the field, or leave the object out; the others were read";
        let path = error.path;
        let value = self.raw.value(self.is.0, self.is.1).ok();
        let object = value.and_then(|value| Identity::of(&value));
        let (file, line) = self.place;
        Problem {
            line: Some(line),
            field: object.map(|object| Box::new(Field { object, path })),
            ..Problem::of_file(file, message, help)
        }
    }
}

/// Adds what one object says.
pub(crate) fn add(object: Placed<'_>, snapshot: &mut Snapshot, problems: &mut Vec<Problem>) {
    if let Err(error) = read::add(object.raw, object.is.0, object.is.1, snapshot) {
        // What it tells of traffic sources may stand in other fields.
        snapshot.others.extend(object.traffic());
        problems.push(object.problem(error));
    }
}
