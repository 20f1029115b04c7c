//! Of which moment does an object tell?

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

/// The newest moment that an object tells of: any timestamp of its metadata or status but `deletionTimestamp`, which lies
/// ahead by the grace period; the moment of the request counts in its place.
pub(super) fn newest_moment(object: &Value) -> Option<DateTime<Utc>> {
    let meta = &object["metadata"];
    let requested = time(&meta["deletionTimestamp"]).and_then(|deadline| {
        let grace_period = meta["deletionGracePeriodSeconds"].as_i64()?;
        deadline.checked_sub_signed(TimeDelta::try_seconds(grace_period)?)
    });
    let written = meta["managedFields"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|entry| time(&entry["time"]));
    let mut newest = requested
        .into_iter()
        .chain(time(&meta["creationTimestamp"]))
        .chain(written)
        .max();
    newest_in(&object["status"], &mut newest);
    newest
}

fn newest_in(value: &Value, newest: &mut Option<DateTime<Utc>>) {
    match value {
        Value::Object(fields) => fields.values().for_each(|field| newest_in(field, newest)),
        Value::Array(items) => items.iter().for_each(|item| newest_in(item, newest)),
        Value::String(_) => *newest = (*newest).max(time(value)),
        _ => {}
    }
}

fn time(value: &Value) -> Option<DateTime<Utc>> {
    moment(value.as_str()?)
}

/// A moment as the API writes it.
pub(super) fn moment(text: &str) -> Option<DateTime<Utc>> {
    // Most strings are no timestamps; parsing fails slowly.
    (text.len() >= 20
        && text.as_bytes().get(4) == Some(&b'-')
        && text.as_bytes().get(10) == Some(&b'T'))
    .then(|| DateTime::parse_from_rfc3339(text).ok())
    .flatten()
    .map(|moment| moment.with_timezone(&Utc))
}
