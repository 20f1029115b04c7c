//! Moments that are ranges.

use chrono::{DateTime, TimeDelta, Utc};

/// The earliest and the latest moment.
pub type Moments = (DateTime<Utc>, DateTime<Utc>);

/// So many milliseconds later; the last moment that there is at most.
#[must_use]
pub fn later(moment: DateTime<Utc>, millis: i64) -> DateTime<Utc> {
    let delta = TimeDelta::try_milliseconds(millis).unwrap_or(TimeDelta::MAX);
    moment
        .checked_add_signed(delta)
        .unwrap_or(DateTime::<Utc>::MAX_UTC)
}
