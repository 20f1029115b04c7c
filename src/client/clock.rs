//! By how much does the server's clock differ from this machine's? The `Date` of each answer says it to the second, and many of them say
//! it better.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use chrono::{DateTime, Utc};

/// How far the server's clock is ahead of this machine's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockDifference {
    /// Seconds; negative where it is behind.
    pub ahead: f64,
    /// It is known to within so many seconds, either way.
    pub within: f64,
}

/// The least and the most that it can be ahead, in seconds.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    min: f64,
    max: f64,
}

/// What the answers so far say of it; every clone is the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clock(Arc<Mutex<Option<Bounds>>>);

/// This machine's clock, to the millisecond: so it is written down, and what is read again is the same.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "somebody has to look at it")]
pub fn now() -> DateTime<Utc> {
    let now: DateTime<Utc> = SystemTime::now().into();
    DateTime::from_timestamp_millis(now.timestamp_millis()).unwrap_or(now)
}

/// Seconds since the epoch.
#[allow(clippy::cast_precision_loss)]
fn seconds(moment: DateTime<Utc>) -> f64 {
    moment.timestamp_micros() as f64 / 1e6
}

impl Clock {
    /// The server wrote this date, in whole seconds, between these two moments.
    pub(crate) fn note(&self, sent: DateTime<Utc>, came: DateTime<Utc>, date: DateTime<Utc>) {
        let date = seconds(date);
        let new = Bounds {
            min: date - seconds(came),
            max: date + 1.0 - seconds(sent),
        };
        // Nothing panics while it holds the lock.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let both = known.map_or(new, |known| Bounds {
            min: known.min.max(new.min),
            max: known.max.min(new.max),
        });
        // Somebody set a clock, or there are several servers: what was said last counts.
        *known = Some(if both.min < both.max { both } else { new });
    }

    /// What is known of it; `None` before the first date.
    pub(crate) fn difference(&self) -> Option<ClockDifference> {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.map(|Bounds { min, max }| ClockDifference {
            ahead: f64::midpoint(min, max),
            within: (max - min) / 2.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(1_795_333_000_000 + millis).expect("a moment")
    }

    fn difference(clock: &Clock) -> (f64, f64) {
        let known = clock.difference().expect("a difference");
        (known.ahead, known.within)
    }

    fn near(one: (f64, f64), other: (f64, f64)) -> bool {
        (one.0 - other.0).abs() < 1e-3 && (one.1 - other.1).abs() < 1e-3
    }

    #[test]
    fn one_answer_tells_it_to_half_a_second_and_the_time_that_it_took() {
        let clock = Clock::default();
        assert_eq!(clock.difference(), None);
        // The server wrote 7.0, so its clock stood between 7.0 and 8.0 when this one stood between 2.1 and 2.3.
        clock.note(at(2100), at(2300), at(7000));
        assert!(near(difference(&clock), (5.3, 0.6)));
    }

    #[test]
    fn more_answers_tell_it_better_and_a_clock_that_was_set_is_believed() {
        let clock = Clock::default();
        // It is 4.75 s behind: asked when this clock shows 10.0 to 10.9, it writes 5 or 6.
        for tenth in 0..10 {
            let local = 10_000 + tenth * 100;
            let server = local - 4750;
            clock.note(at(local), at(local + 10), at(server / 1000 * 1000));
        }
        let (ahead, within) = difference(&clock);
        assert!((ahead + 4.75).abs() <= within, "{ahead} {within}");
        assert!(within < 0.1, "{within}");
        clock.note(at(20_000), at(20_010), at(20_000));
        let (ahead, within) = difference(&clock);
        assert!(ahead.abs() <= within && within < 0.6, "{ahead} {within}");
    }
}
