//! What did a probe's own connections meet, and which window explains each that failed?

use chrono::{DateTime, Utc};

use super::change::{Outcome, Probed};
use super::moments::{Moments, later};

/// So many failures are kept one by one; the others are only counted.
const MOST_FAILURES: usize = 10_000;

/// The latencies of so many connections are kept: a quarter of an hour at a hundred a second.
const MOST_LATENCIES: usize = 90_000;

/// How far a failure may lie outside of a window that explains it, in milliseconds: what is heard of the API server may lie behind what
/// happened by a few hundredths, and a connection was on its way when it was opened.
const SLACK: i64 = 300;

/// A connection that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// When it was opened.
    pub at: DateTime<Utc>,
    /// How it ended.
    pub outcome: Outcome,
}

/// What was measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Probes {
    /// Where the connections went; the first that was seen.
    pub url: String,
    /// How many were opened.
    pub sent: usize,
    /// How many failed.
    pub failed: usize,
    /// The first of those, in order.
    pub failures: Vec<Failure>,
    /// How long the others took, in milliseconds.
    latencies: Vec<f64>,
}

impl Probes {
    /// Takes a result in.
    pub fn take(&mut self, probed: Probed) {
        if self.sent == 0 {
            self.url = probed.url;
        }
        self.sent += 1;
        if probed.outcome.failed() {
            self.failed += 1;
            if self.failures.len() < MOST_FAILURES {
                self.failures.push(Failure {
                    at: probed.opened,
                    outcome: probed.outcome,
                });
            }
        } else if self.latencies.len() < MOST_LATENCIES {
            self.latencies.push(probed.seconds * 1000.0);
        }
    }

    /// Half, and 99 of 100, of the connections that were answered took at most so many milliseconds; `None` without any.
    #[must_use]
    pub fn latencies(&self) -> Option<(f64, f64)> {
        let mut all = self.latencies.clone();
        all.sort_by(f64::total_cmp);
        let last = all.len().checked_sub(1)?;
        // The smallest value that so many of a hundred do not exceed.
        let of = |percent: usize| {
            all[((all.len() * percent).div_ceil(100))
                .saturating_sub(1)
                .min(last)]
        };
        Some((of(50), of(99)))
    }
}

/// The place of the window that explains a failure: the one that holds its moment, else one beside it.
#[must_use]
pub fn explained(failure: &Failure, windows: &[Moments]) -> Option<usize> {
    let within = |slack: i64| {
        windows.iter().position(|(from, to)| {
            later(*from, -slack) <= failure.at && failure.at <= later(*to, slack)
        })
    };
    within(0).or_else(|| within(SLACK))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(millis).expect("a moment")
    }

    fn probed(outcome: Outcome, seconds: f64) -> Probed {
        Probed {
            url: "http://shop.example/".to_owned(),
            opened: at(0),
            seconds,
            outcome,
        }
    }

    #[test]
    fn percentiles_are_of_those_that_were_answered() {
        let mut probes = Probes::default();
        assert_eq!(probes.latencies(), None);
        for hundredth in 1..=100_u32 {
            probes.take(probed(
                Outcome::Answered(200),
                f64::from(hundredth) / 1000.0,
            ));
        }
        probes.take(probed(Outcome::Timeout, 2.0));
        assert_eq!(probes.latencies(), Some((50.0, 99.0)));
        assert_eq!((probes.sent, probes.failed), (101, 1));
    }

    #[test]
    fn a_failure_is_explained_by_the_window_that_holds_it() {
        let failure = |millis| Failure {
            at: at(millis),
            outcome: Outcome::Refused,
        };
        let windows = [(at(1000), at(2000)), (at(2100), at(3000))];
        for (millis, window) in [
            (1500, Some(0)),
            (2100, Some(1)),
            (3200, Some(1)),
            (3301, None),
            (699, None),
        ] {
            assert_eq!(explained(&failure(millis), &windows), window, "{millis}");
        }
    }
}
