//! What was read at first, as lists: one for each resource, and others for what was read for one thing only.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::wanted::Wanted;
use crate::collect::Recorded;
use crate::collect::kinds::plural;
use crate::collect::snapshot::{id, matters};
use crate::facts::Gap;
use crate::recording::line::{Items, Text};

/// A list.
pub(super) struct First {
    /// In the plural. Of what was read for one thing only, that thing stands before it: `kubeProxy/pods`.
    pub(super) resource: String,
    api_version: String,
    kind: String,
    pub(super) items: Vec<Text>,
}

impl First {
    /// As an API server writes it.
    pub(super) fn list(self) -> Items {
        Items {
            api_version: self.api_version,
            kind: self.kind,
            items: self.items,
        }
    }
}

/// All of it, what is watched first. What is watched and could be read is there, if only as an empty list.
pub(super) fn first(objects: Vec<Recorded>, wanted: &[Rc<Wanted>], gaps: &[Gap]) -> Vec<First> {
    let mut all: Vec<First> = Vec::new();
    let mut places: BTreeMap<(String, String, String), usize> = BTreeMap::new();
    let mut add = |resource: String, api_version: &str, kind: &str, item: Option<Text>| {
        let key = (resource.clone(), api_version.to_owned(), kind.to_owned());
        let place = *places.entry(key).or_insert_with(|| {
            all.push(First {
                resource,
                api_version: api_version.to_owned(),
                kind: kind.to_owned(),
                items: Vec::new(),
            });
            all.len() - 1
        });
        all[place].items.extend(item);
    };
    for one in wanted {
        let unread = |gap: &Gap| gap.resource == one.gap && gap.is_failure();
        if !gaps.iter().any(unread) {
            add(one.resource.to_owned(), one.api_version, one.kind, None);
        }
    }
    for one in objects {
        let kind = one.identity.as_ref().map(|identity| identity.kind.clone());
        let (api_version, kind) = (one.version.clone(), kind.unwrap_or_default());
        let plural = plural(&api_version, &kind);
        let resource = if matters(&one) {
            format!("{}/{plural}", id(one.purpose))
        } else {
            plural
        };
        add(resource, &api_version, &kind, Some(one.text.into()));
    }
    all
}
