//! From which moment do offsets count, and how is a duration told?

use chrono::{DateTime, Utc};

use crate::report::v1::{ServiceTimeline, Source, Timeline, Window};

/// From here on tenths of seconds say nothing.
const TENTHS: i64 = 100_000;

/// From here on seconds say nothing.
const SECONDS: i64 = 7_200_000;

/// Deletes are told in whole seconds: one in the second before the first moment was heard of at that moment.
const SECOND: i64 = 1000;

/// The moment from which offsets count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::render) struct Zero {
    /// The moment.
    pub(in crate::render) at: DateTime<Utc>,
    /// A pod was deleted then; else it is the first moment of all.
    pub(in crate::render) delete: bool,
}

/// The deletes that count.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Deletes {
    first: Option<DateTime<Utc>>,
    before: Option<DateTime<Utc>>,
}

impl Deletes {
    /// Takes in when pods were deleted.
    pub(super) fn see(&mut self, services: &[ServiceTimeline], from: DateTime<Utc>) {
        let pods = services.iter().flat_map(|service| &service.pods);
        for at in pods.filter_map(|pod| pod.deleted_at) {
            if between(from, at) > -SECOND {
                self.first = Some(self.first.map_or(at, |first| first.min(at)));
            } else {
                self.before = self.before.max(Some(at));
            }
        }
    }

    /// The first delete since the first moment; else the last one before; else the first moment.
    pub(super) fn zero(self, from: DateTime<Utc>) -> Zero {
        match self.first.or(self.before) {
            Some(at) => Zero { at, delete: true },
            None => Zero {
                at: from,
                delete: false,
            },
        }
    }
}

/// Milliseconds from one moment to another.
pub(in crate::render) fn between(from: DateTime<Utc>, to: DateTime<Utc>) -> i64 {
    (to - from).num_milliseconds()
}

/// `2.5`, `-0.3`.
pub(in crate::render) fn tenths(millis: i64) -> String {
    let tenths = (millis + 50).div_euclid(100);
    let sign = if tenths < 0 { "-" } else { "" };
    let tenths = tenths.unsigned_abs();
    format!("{sign}{}.{}", tenths / 10, tenths % 10)
}

/// `2.5`, `134`: seconds with as many digits as say something.
fn number(millis: i64) -> String {
    if millis.abs() < TENTHS {
        tenths(millis)
    } else {
        (millis + 500).div_euclid(1000).to_string()
    }
}

/// `2.5 s`, `134 s`, `3 h`.
pub(in crate::render) fn seconds(millis: i64) -> String {
    match millis.abs() {
        short if short < SECONDS => format!("{} s", number(millis)),
        long if long < 48 * 3_600_000 => format!("{} h", millis / 3_600_000),
        _ => format!("{} days", millis / 86_400_000),
    }
}

/// `2.5 s`, `1.0 to 2.5 s`, `up to 2.5 s`.
pub(in crate::render) fn lasting(least: i64, most: i64) -> String {
    if tenths(least) == tenths(most) {
        seconds(most)
    } else if tenths(least.max(0)) == "0.0" {
        format!("up to {}", seconds(most))
    } else {
        format!("{} to {}", number(least), seconds(most))
    }
}

impl Zero {
    /// That of a whole Timeline.
    pub(in crate::render) fn of(timeline: &Timeline) -> Self {
        // What is foreseen begins when somebody does it.
        if let Source::Scenario { .. } = timeline.source {
            return Deletes::default().zero(timeline.from);
        }
        let mut deletes = Deletes::default();
        deletes.see(&timeline.services, timeline.from);
        deletes.zero(timeline.from)
    }

    /// Milliseconds after it.
    pub(in crate::render) fn millis(self, at: DateTime<Utc>) -> i64 {
        between(self.at, at)
    }

    /// `2.5 s`.
    pub(in crate::render) fn offset(self, at: DateTime<Utc>) -> String {
        seconds(self.millis(at))
    }

    /// `2.5`: for columns that say seconds.
    pub(in crate::render) fn cell(self, at: Option<DateTime<Utc>>) -> String {
        at.map_or_else(|| "-".to_owned(), |at| number(self.millis(at)))
    }

    /// `2.5 to 10.5`.
    pub(in crate::render) fn range(self, from: DateTime<Utc>, to: DateTime<Utc>) -> String {
        format!(
            "{} to {}",
            number(self.millis(from)),
            number(self.millis(to))
        )
    }

    /// What the moment is: `the first delete`.
    pub(in crate::render) const fn what(self) -> &'static str {
        if self.delete {
            "the first delete"
        } else {
            "the first moment"
        }
    }
}

/// The time that a window surely covers, empty where that is none.
pub(super) fn inner(window: &Window) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    let from = window.from_range.map_or(window.from, |range| range.max);
    let to = window.to_range.map_or(window.to, |range| range.min);
    (window.certain && from < to).then_some((from, to))
}

/// How long some times are together, in milliseconds; what they share counts once.
pub(in crate::render) fn union(mut times: Vec<(DateTime<Utc>, DateTime<Utc>)>) -> i64 {
    times.sort_unstable();
    let mut total = 0;
    let mut until: Option<DateTime<Utc>> = None;
    for (from, to) in times {
        let from = until.map_or(from, |until| from.max(until));
        if from < to {
            total += between(from, to);
            until = Some(to);
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::{lasting, seconds, tenths, union};
    use chrono::{DateTime, Utc};

    #[test]
    fn tenths_are_rounded_and_long_times_have_none() {
        for (millis, said) in [
            (0, "0.0"),
            (49, "0.0"),
            (50, "0.1"),
            (-49, "0.0"),
            (-340, "-0.3"),
        ] {
            assert_eq!(tenths(millis), said, "{millis}");
        }
        assert_eq!(seconds(8_013), "8.0 s");
        assert_eq!(seconds(133_500), "134 s");
        assert_eq!(seconds(7_200_000), "2 h");
    }

    #[test]
    fn a_range_is_told_as_one_and_what_is_one_figure_as_that() {
        assert_eq!(lasting(7_000, 8_000), "7.0 to 8.0 s");
        assert_eq!(lasting(8_010, 8_040), "8.0 s");
        assert_eq!(lasting(0, 1_300), "up to 1.3 s");
    }

    #[test]
    fn times_that_overlap_count_once() {
        let at = |seconds| DateTime::<Utc>::from_timestamp(seconds, 0).expect("a moment");
        let times = vec![
            (at(4), at(6)),
            (at(0), at(3)),
            (at(2), at(5)),
            (at(2), at(3)),
        ];
        assert_eq!(union(times), 6_000);
        assert_eq!(union(Vec::new()), 0);
    }
}
