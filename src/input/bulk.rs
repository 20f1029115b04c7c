//! Which facts does a large JSON list hold? What `kubectl get … -o json` prints of a whole cluster is read object by object from its
//! text: as values it would take ten times the room.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use serde_json::value::RawValue;

use super::cluster::{Page, facts as read};
use super::manifest::template;
use super::objects::{moment, newest_moment};
use crate::facts::Snapshot;

/// The facts of lists, beside the objects that are read as values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// What was read.
    pub snapshot: Snapshot,
    /// No moment up to this one, as it would be written, can be the newest.
    old: String,
}

/// What actions and variables of templates begin with.
const TEMPLATES: [&str; 4] = ["{{", "{%", "<%", "${"];

/// Takes in what a list holds, and returns the items that must be read as values: those of other kinds, and those with flaws that
/// somebody must be told of. `None` where the text is no such list, or a snapshot, whose head says how to read it.
pub(super) fn read(text: &str, facts: &mut Facts) -> Option<Vec<Value>> {
    let page: Page<'_> = serde_json::from_slice(text.as_bytes()).ok()?;
    if page.kind != "List" || text.contains("\"drain-check/v1\"") {
        return None;
    }
    let items = page.items.unwrap_or_default();
    let left = items.into_iter().filter(|raw| !facts.take(raw));
    // What cannot be read as a value either was no JSON, and the list would not have been.
    Some(
        left.filter_map(|raw| serde_json::from_str(raw.get()).ok())
            .collect(),
    )
}

impl Facts {
    /// Takes an object in; not if it must be read as a value.
    fn take(&mut self, raw: &RawValue) -> bool {
        let text = raw.get();
        let flawed = || {
            let value: Value = serde_json::from_str(text).unwrap_or_default();
            template::is_one(&value)
        };
        if TEMPLATES.iter().any(|begins| text.contains(begins)) && flawed() {
            return false;
        }
        let taken = read::add(raw, &mut self.snapshot);
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
    use serde_json::json;

    use super::*;

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
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta}),
        ];
        let mut facts = Facts::default();
        assert_eq!(
            read(&list(&items), &mut facts).as_deref(),
            Some(&items[1..])
        );
        assert_eq!(facts.snapshot.services.len(), 1);
        for text in [
            "{}",
            "{\"kind\": \"Service\"}",
            "{\"kind\": \"List\", \"items\": [1",
            &list(&[json!({"apiVersion": "drain-check/v1", "kind": "Snapshot"})]),
        ] {
            assert_eq!(read(text, &mut facts), None, "{text}");
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
        assert_eq!(read(&list(&items), &mut facts), Some(Vec::new()));
        assert_eq!(facts.snapshot.taken_at, want);
        assert_eq!(want, moment("2026-11-21T00:38:20Z"));
    }
}
