//! Records raw objects for `snapshot`: which objects did the answer come from?

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::client::record::{RawObject, Record};
use crate::decode::read::named;
use crate::facts::purpose::Purpose;
use crate::manifest::Identity;

/// What is left of an object that is recorded; `None` for nothing.
pub type Strip = fn(Value) -> Option<Value>;

/// An object that the answer comes from, and what it was read for.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// What it was read for.
    pub purpose: Purpose,
    /// What is left of it.
    pub value: Value,
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
            let mut value: Value = serde_json::from_str(&object.text).unwrap_or_default();
            if let Some((version, kind)) = &object.of_list {
                named(&mut value, version, kind);
            }
            let value = (self.strip)(value)?;
            Some(Recorded { purpose, value })
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
            let Some(identity) = Identity::of(&one.value) else {
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
