//! Which objects did the answer come from? Puts them aside for whoever wants the objects and not the facts only.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::purpose::Purpose;
use crate::decode::answer::named;
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

/// Puts objects aside.
#[derive(Clone)]
pub(crate) struct Recorder {
    pub(crate) purpose: Purpose,
    strip: Strip,
    all: Arc<Mutex<Vec<Recorded>>>,
}

impl Recorder {
    /// Puts aside what this leaves of objects.
    pub(crate) fn new(strip: Strip) -> Self {
        Self {
            purpose: Purpose::All,
            strip,
            all: Arc::default(),
        }
    }

    /// An object with its version and kind, which items of a list leave out.
    pub(crate) fn one(text: &str, list: Option<(&str, &str)>) -> Value {
        let mut value: Value = serde_json::from_str(text).unwrap_or_default();
        if let Some((version, kind)) = list {
            named(&mut value, version, kind);
        }
        value
    }

    /// Takes objects in.
    pub(crate) fn take(&self, values: Vec<Value>) {
        let left = values.into_iter().filter_map(self.strip);
        let purpose = self.purpose;
        let left = left.map(|value| Recorded { purpose, value });
        // Nothing panics while it holds the lock.
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(left);
    }

    /// Each object once, with the widest purpose that it was read for, by kind and name.
    pub(crate) fn into_objects(self) -> Vec<Recorded> {
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
