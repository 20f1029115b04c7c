//! A finding as the report tells it.

use std::sync::Arc;

use super::ids::{Severity, Suppressor, When};
use super::{Object, Service};
use crate::rules::Change;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// How many related objects a finding lists: of a thousand findings each may have to do with the same thousand Services.
const RELATED_LISTED: usize = 20;

/// Writes the first of them, and how many there are.
fn related<S: Serializer>(all: &Arc<[Object]>, serializer: S) -> Result<S::Ok, S::Error> {
    let listed = all.get(..RELATED_LISTED).unwrap_or(all);
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("related", listed)?;
    map.serialize_entry("relatedCount", &all.len())?;
    map.end()
}

/// Something that a rule has to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// The rule's name.
    pub slug: &'static str,
    /// What the rule means, in one sentence; for tables.
    #[serde(skip)]
    pub meaning: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// When requests suffer from it: now, or at the next rollout, drain or delete.
    pub when: When,
    /// What it is about; the first of `objects`.
    pub object: Object,
    /// Everything that it is about: of several objects of which the same is true, each.
    pub objects: Vec<Object>,
    /// The field that it is about; null for the object as a whole.
    pub path: Option<String>,
    /// What is the case, with the evidence.
    pub message: String,
    /// Why it is so.
    pub why: String,
    /// What to do.
    pub help: String,
    /// Where it is written; null for live objects.
    pub location: Option<Location>,
    /// The template of a Helm chart that this was rendered from; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<Template>,
    /// Other objects that have to do with it: of very many the first that are listed, and their number.
    #[serde(flatten, serialize_with = "related")]
    pub related: Arc<[Object]>,
    /// A strategic merge patch that fixes it, where one is safe.
    pub patch: Option<Change>,
    /// What it is known by in another run (`rules::fingerprint`), for formats that want such a thing.
    #[serde(skip)]
    pub fingerprint: String,
}

impl Finding {
    /// Is it about this Service, or about something behind it?
    #[must_use]
    pub fn concerns(&self, service: &Service) -> bool {
        (self.objects.iter()).chain(&*self.related).any(|object| {
            object.kind == "Service"
                && object.namespace == service.namespace
                && object.name == service.name
        })
    }
}

/// A finding that somebody decided to live with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Suppressed {
    /// What is suppressed.
    pub finding: Finding,
    /// What suppresses it.
    pub by: Suppressor,
    /// Why, in the words of whoever suppressed it; null where a baseline did.
    pub reason: Option<String>,
}

/// A range of a file; lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// The file as it was named.
    pub file: String,
    /// The first line.
    pub line: usize,
    /// The first column.
    pub column: usize,
    /// The last line.
    pub end_line: usize,
    /// The column after the last one.
    pub end_column: usize,
}

/// A template of a Helm chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Template {
    /// Its name as Helm gives it: the chart's name, and the path in it.
    pub name: String,
    /// Where it lies; null where it was not found.
    pub file: Option<String>,
}
