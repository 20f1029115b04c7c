//! Which facts does a large JSON list hold? What `kubectl get … -o json` prints of a whole cluster is read object by object from its
//! text: as values it would take ten times the room.

use std::io::Read;
use std::ops::Range;
use std::path::PathBuf;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::moment::{moment, newest_moment};
use super::read::{Raw, add};
use crate::facts::Snapshot;
use crate::manifest::budget::{self, Budget, FACTS};
use crate::manifest::{Loaded, TakenList, load_lists, template};

/// The facts of lists, beside the objects that are read as values.
#[derive(Default)]
struct Facts {
    snapshot: Snapshot,
    /// No moment up to this one, as it would be written, can be the newest.
    old: String,
}

/// What actions and variables of templates begin with.
const TEMPLATES: [&str; 5] = ["{{", "{%", "<%", "%{", "${"];

/// How much of a list is read before its text is dropped, in bytes.
const PART: usize = 16 << 20;

/// The head of an object, and the items of a list.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListText<'a> {
    #[serde(default)]
    api_version: String,
    kind: String,
    /// Go writes an empty list as null.
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
}

/// A piece of a list's text, and where each item stands in it.
struct Part {
    text: String,
    items: Vec<Range<usize>>,
}

/// Reads every `-f` argument as [`crate::manifest::load`] does, for whoever wants facts only: those of lists in JSON are read without
/// their objects.
pub fn load_facts(paths: &[PathBuf], recursive: bool, stdin: &mut dyn Read) -> (Loaded, Snapshot) {
    let mut facts = Facts::default();
    let loaded = load_lists(paths, recursive, stdin, &mut |text| read(text, &mut facts));
    (loaded, facts.snapshot)
}

/// Takes in what a list holds, and returns the items that must be read as values: those of other kinds, and those with flaws that
/// somebody must be told of. Gives the text back where it is no such list, or a snapshot, whose head says how to read it.
fn read(text: String, facts: &mut Facts) -> TakenList {
    let Some(items) = items(&text) else {
        return TakenList::None(text);
    };
    let budget = Budget::of(&text);
    let mut left = Vec::new();
    let mut parts = parts(text, items, PART);
    // Each is dropped once it is read: at no time does memory hold the whole text and all its facts.
    while let Some(Part { text, items }) = parts.pop() {
        for item in items {
            let item = &text[item];
            if !budget.take(FACTS) {
                return TakenList::TooMuch;
            }
            if !facts.take(item) {
                if !budget.take(budget::of_json(item)) {
                    return TakenList::TooMuch;
                }
                // What cannot be read as a value either was no JSON, and the list would not have been.
                left.extend(serde_json::from_str::<Value>(item));
            }
        }
    }
    TakenList::Items(left)
}

/// Where each item of a list is written.
fn items(text: &str) -> Option<Vec<Range<usize>>> {
    let list: ListText<'_> = serde_json::from_str(text).ok()?;
    if list.kind != "List" || text.contains("\"drain-check/v1\"") {
        return None;
    }
    let begin = text.as_ptr().addr();
    let items = list.items.unwrap_or_default().into_iter();
    let place = |raw: &RawValue| {
        let at = raw.get().as_ptr().addr() - begin;
        at..at + raw.get().len()
    };
    Some(items.map(place).collect())
}

/// Cuts a text between items, the last part first; none is longer than `size` that holds more than one item. What is cut off is given
/// back to the system at once.
fn parts(mut text: String, mut items: Vec<Range<usize>>, size: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    while let Some(last) = items.last() {
        let cut = last.end.saturating_sub(size);
        let from = items.partition_point(|item| item.start < cut);
        // An item of more than a part is one of its own.
        let from = from.min(items.len() - 1);
        let begin = items[from].start;
        let there = items.split_off(from).into_iter();
        let there = there.map(|item| item.start - begin..item.end - begin);
        let items = there.collect();
        let rest = text.split_off(begin);
        text.shrink_to_fit();
        parts.push(Part { text: rest, items });
    }
    parts
}

/// `apiVersion` and `kind`, which nearly always come first.
fn identity(text: &str) -> Option<(String, String)> {
    fn field<'t>(text: &'t str, name: &str) -> Option<(&'t str, &'t str)> {
        let rest = text.trim_start().strip_prefix(name)?.trim_start();
        let rest = rest.strip_prefix(':')?.trim_start().strip_prefix('"')?;
        let (value, rest) = rest.split_once('"')?;
        let rest = rest.trim_start().strip_prefix(',')?;
        (!value.contains('\\')).then_some((value, rest))
    }
    let first = || {
        let text = text.trim_start().strip_prefix('{')?;
        let (version, rest) = field(text, "\"apiVersion\"")?;
        let (kind, _) = field(rest, "\"kind\"")?;
        Some((version.to_owned(), kind.to_owned()))
    };
    first().or_else(|| {
        let head: ListText<'_> = serde_json::from_str(text).ok()?;
        Some((head.api_version, head.kind))
    })
}

/// Is an object of one of the kinds that a large cluster has most of? The others are read as values: they are few, and files may repeat them.
fn is_of_many(version: &str, kind: &str) -> bool {
    matches!(
        (version, kind),
        ("v1", "Pod" | "Service" | "Node" | "Endpoints" | "Event")
            | ("discovery.k8s.io/v1", "EndpointSlice")
            | (
                "apps/v1",
                "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet"
            )
    )
}

impl Facts {
    /// Takes an object in; not if it must be read as a value.
    fn take(&mut self, text: &str) -> bool {
        let flawed = || {
            let value: Value = serde_json::from_str(text).unwrap_or_default();
            template::is_one(&value).is_some()
        };
        if TEMPLATES.iter().any(|begins| text.contains(begins)) && flawed() {
            return false;
        }
        let taken = identity(text).is_some_and(|(version, kind)| {
            is_of_many(&version, &kind)
                && add(Raw::Text(text), &version, &kind, &mut self.snapshot).is_ok()
        });
        if taken {
            self.note_moment(text);
        }
        taken
    }

    /// Most texts hold no moment that could be the newest; the others are looked at closely.
    fn note_moment(&mut self, text: &str) {
        let newer = text.match_indices("\"20").any(|(at, _)| {
            let rest = &text[at + 1..];
            let bytes = rest.as_bytes();
            bytes.get(4) == Some(&b'-')
                && bytes.get(10) == Some(&b'T')
                && rest.get(..19).is_some_and(|written| *written > *self.old)
                && rest
                    .split_once('"')
                    .and_then(|(written, _)| moment(written))
                    .is_some_and(|moment| Some(moment) > self.snapshot.taken_at)
        });
        if !newer {
            return;
        }
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        self.snapshot.taken_at = self.snapshot.taken_at.max(newest_moment(&value));
        self.old = self.snapshot.taken_at.map_or_else(String::new, written);
    }
}

/// A day before a moment, for a moment may be written in the time of any zone.
fn written(moment: DateTime<Utc>) -> String {
    let day = moment.checked_sub_signed(TimeDelta::days(1));
    day.map_or_else(String::new, |day| {
        day.format("%Y-%m-%dT%H:%M:%S").to_string()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        #[test]
        fn parts_hold_every_item_in_its_order(names in prop::collection::vec("[a-zé ]{0,9}", 0..20), size in 0_usize..60) {
            let texts: Vec<String> = names.iter().map(|name| json!({"name": name}).to_string()).collect();
            let text = format!(r#"{{"kind": "List", "items": [{}], "metadata": {{}}}}"#, texts.join(" ,\n"));
            let items = items(&text).unwrap_or_default();
            let parts = parts(text, items, size);
            for part in &parts {
                let used = part.items.last().map_or(0, |item| item.end);
                prop_assert!(part.items.len() == 1 || used <= size, "{} items in {used} bytes", part.items.len());
            }
            let found = parts.iter().rev().flat_map(|part| part.items.iter().map(|item| &part.text[item.clone()]));
            prop_assert!(found.eq(texts.iter()));
        }
    }

    fn list(items: &[Value]) -> String {
        json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
    }

    #[test]
    fn what_must_be_read_as_a_value_is_left() {
        let meta = json!({"name": "web", "namespace": "shop"});
        let items = [
            json!({"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {"ports": [{"port": 80}]}}),
            json!({"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {"ports": [{"port": "eighty"}]}}),
            json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "{{ name }}"}}),
            json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": meta}),
        ];
        let mut facts = Facts::default();
        let left = TakenList::Items(items[1..].to_vec());
        assert_eq!(read(list(&items), &mut facts), left);
        assert_eq!(facts.snapshot.services.len(), 1);
        for text in [
            "{}",
            "{\"kind\": \"Service\"}",
            "{\"kind\": \"List\", \"items\": [1",
            &list(&[json!({"apiVersion": "drain-check/v1", "kind": "Snapshot"})]),
        ] {
            let read = read(text.to_owned(), &mut facts);
            assert_eq!(read, TakenList::None(text.to_owned()));
        }
    }

    #[test]
    fn the_newest_moment_is_that_of_values() {
        let pod = |meta: Value, time: &str| json!({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "status": {"startTime": time}});
        let items = [
            pod(json!({"name": "a"}), "2026-11-21T00:38:15Z"),
            // Earlier, although it reads later.
            pod(json!({"name": "b"}), "2026-11-21T08:38:14+08:00"),
            // Not the pod's own moments.
            pod(
                json!({"name": "c", "annotations": {"until": "2030-01-01T00:00:00Z"}}),
                "2026-11-20T00:00:00Z",
            ),
            // It was deleted 30 seconds before its deadline.
            pod(
                json!({"name": "d", "deletionTimestamp": "2026-11-21T00:38:50Z", "deletionGracePeriodSeconds": 30}),
                "",
            ),
            pod(json!({"name": "e"}), "2026-11-21T00:38:19.5Z"),
        ];
        let want = items.iter().filter_map(newest_moment).max();
        let mut facts = Facts::default();
        assert_eq!(read(list(&items), &mut facts), TakenList::Items(Vec::new()));
        assert_eq!(facts.snapshot.taken_at, want);
        assert_eq!(want, moment("2026-11-21T00:38:20Z"));
    }
}
