//! core/v1 and events.k8s.io/v1 Event.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

use super::object::{Meta, ObjectReference};
use super::presence::or_default;

/// An Event of either API: the newer one calls some fields by other names.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    /// `metadata`.
    #[serde(deserialize_with = "or_default")]
    pub metadata: Meta,
    /// `involvedObject` of core/v1.
    pub involved_object: Option<ObjectReference>,
    /// `regarding` of events.k8s.io/v1.
    pub regarding: Option<ObjectReference>,
    /// `reason`.
    pub reason: Option<String>,
    /// `type`: `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub type_: Option<String>,
    /// `message` of core/v1.
    pub message: Option<String>,
    /// `note` of events.k8s.io/v1.
    pub note: Option<String>,
    /// `count` of core/v1.
    pub count: Option<i64>,
    /// `deprecatedCount` of events.k8s.io/v1.
    pub deprecated_count: Option<i64>,
    /// `series`.
    pub series: Option<EventSeries>,
    /// `firstTimestamp` of core/v1.
    pub first_timestamp: Option<Time>,
    /// `lastTimestamp` of core/v1.
    pub last_timestamp: Option<Time>,
    /// `deprecatedFirstTimestamp` of events.k8s.io/v1.
    pub deprecated_first_timestamp: Option<Time>,
    /// `deprecatedLastTimestamp` of events.k8s.io/v1.
    pub deprecated_last_timestamp: Option<Time>,
    /// `eventTime`.
    pub event_time: Option<Time>,
}

/// `series`: it happened more than once.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventSeries {
    /// `count`.
    pub count: Option<i64>,
    /// `lastObservedTime`.
    pub last_observed_time: Option<Time>,
}
