//! What did a controller, the scheduler or a kubelet say of an object (core/v1 and events.k8s.io/v1 `Event`)?

use chrono::{DateTime, Utc};

use super::ObjectName;

/// An Event. The API server keeps it for an hour where nobody set `--event-ttl`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// Its own namespace and name.
    pub name: ObjectName,
    /// `involvedObject.kind` (`regarding.kind`).
    pub kind: String,
    /// `involvedObject.namespace` and `involvedObject.name`.
    pub about: ObjectName,
    /// `involvedObject.uid`; empty where it is not said.
    pub uid: String,
    /// `involvedObject.fieldPath`, such as `spec.containers{app}`; empty for the object as a whole.
    pub field: String,
    /// `reason`: `FailedScheduling`, `Killing`, ...
    pub reason: String,
    /// `type` is `Warning`.
    pub warning: bool,
    /// `message` (`note`); empty in a snapshot unless a controller or the scheduler wrote it.
    pub message: String,
    /// How often it happened: `series.count`, else `count`, else once.
    pub count: i64,
    /// When it happened for the first time: `firstTimestamp`, else `eventTime`.
    pub first: Option<DateTime<Utc>>,
    /// When it happened last: `series.lastObservedTime`, else `lastTimestamp`, else `eventTime`, else its creation.
    pub last: Option<DateTime<Utc>>,
}

impl Event {
    /// The container that it is about, of whatever kind.
    #[must_use]
    pub fn container(&self) -> Option<&str> {
        let (_, rest) = self.field.split_once('{')?;
        rest.strip_suffix('}')
    }
}
