//! Event → facts.

use super::common::{name, time};
use super::parts;
use crate::facts::ObjectName;
use crate::facts::event::Event;

/// An Event of core/v1 or events.k8s.io/v1.
#[must_use]
pub fn event(object: parts::Event) -> Event {
    let about = object.involved_object.or(object.regarding);
    let about = about.unwrap_or_default();
    let series = object.series.unwrap_or_default();
    let count = object.count.or(object.deprecated_count);
    let first = [
        object.first_timestamp,
        object.deprecated_first_timestamp,
        object.event_time.clone(),
    ];
    let last = [
        series.last_observed_time,
        object.last_timestamp,
        object.deprecated_last_timestamp,
        object.event_time,
        object.metadata.creation_timestamp.clone(),
    ];
    Event {
        name: name(&object.metadata),
        kind: about.kind.unwrap_or_default(),
        about: ObjectName::new(
            about.namespace.unwrap_or_default(),
            about.name.unwrap_or_default(),
        ),
        uid: about.uid.unwrap_or_default(),
        field: about.field_path.unwrap_or_default(),
        reason: object.reason.unwrap_or_default(),
        warning: object.type_.as_deref() == Some("Warning"),
        message: object.message.or(object.note).unwrap_or_default(),
        count: series.count.or(count).unwrap_or(1).max(1),
        first: first.iter().flatten().find_map(time),
        last: last.iter().flatten().find_map(time),
    }
}
