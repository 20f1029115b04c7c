//! Records raw objects for `snapshot` and `watch`: which objects did the answer come from?

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::events::Head;
use crate::client::record::{RawObject, Record};
use crate::decode::read::Kind;
use crate::facts::purpose::Purpose;
use crate::manifest::Identity;

/// What is left of an object that is recorded, by its text, `apiVersion` and `kind`; `None` for nothing.
pub type Strip = fn(&str, &str, &str) -> Option<Box<RawValue>>;

/// An object that the answer comes from, and what it was read for. What is left of it is kept as text: a value takes ten times the room.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// What it was read for.
    pub purpose: Purpose,
    /// `apiVersion`.
    pub version: String,
    /// What it is; `None` for one without a name.
    pub identity: Option<Identity>,
    /// What is left of it.
    pub text: Box<RawValue>,
}

impl Recorded {
    /// Of what is left.
    #[must_use]
    pub fn new(purpose: Purpose, left: Box<RawValue>) -> Self {
        let head = Head::of(left.get());
        let (version, kind) = head.kind();
        let (version, kind) = (version.unwrap_or_default(), kind.unwrap_or_default());
        let (namespace, name) = head.name();
        Self {
            purpose,
            version: version.to_owned(),
            identity: (!name.is_empty()).then(|| Identity {
                group: Identity::group(version).to_owned(),
                kind: kind.to_owned(),
                namespace,
                name,
            }),
            text: left,
        }
    }

    /// What is left of it.
    #[must_use]
    pub fn value(&self) -> Value {
        // Nothing is nested deep in what is read.
        serde_json::from_str(self.text.get()).unwrap_or_default()
    }
}

impl Serialize for Recorded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

/// Records what is left of objects as they arrive.
pub(crate) struct Recorder {
    strip: Strip,
    all: Mutex<Vec<Recorded>>,
    marks: Mutex<BTreeMap<String, String>>,
}

impl Record for Recorder {
    fn record(&self, purpose: Purpose, objects: Vec<RawObject>) {
        let left = objects.into_iter().filter_map(|object| {
            let kind = Kind::of(&object.text);
            let (of_version, of_kind) = object.of_list.unwrap_or_default();
            let version = kind.api_version.unwrap_or(of_version);
            let kind = kind.kind.unwrap_or(of_kind);
            let left = (self.strip)(&object.text, &version, &kind)?;
            Some(Recorded::new(purpose, left))
        });
        let left: Vec<_> = left.collect();
        // Nothing panics while it holds the lock.
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(left);
    }

    fn mark(&self, path: &str, version: &str) {
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        marks.insert(path.to_owned(), version.to_owned());
    }
}

impl Recorder {
    /// Records what this leaves of objects.
    pub(crate) fn new(strip: Strip) -> Self {
        Self {
            strip,
            all: Mutex::default(),
            marks: Mutex::default(),
        }
    }

    /// The versions of lists by their paths with their queries.
    pub(crate) fn marks(&self) -> BTreeMap<String, String> {
        std::mem::take(&mut *self.marks.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Each object once, with the widest purpose that it was read for, by kind and name.
    pub(crate) fn objects(&self) -> Vec<Recorded> {
        let all = std::mem::take(&mut *self.all.lock().unwrap_or_else(PoisonError::into_inner));
        let mut once: BTreeMap<(String, Identity), Recorded> = BTreeMap::new();
        for one in all {
            let Some(identity) = one.identity.clone() else {
                continue;
            };
            let key = (identity.kind.clone(), identity);
            let known = once.get(&key);
            if known.is_none_or(|known| one.purpose < known.purpose) {
                once.insert(key, one);
            }
        }
        once.into_values().collect()
    }
}
