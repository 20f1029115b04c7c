//! Moments that are ranges, and lengths of time.

pub use crate::facts::moments::{Moments, later};

/// How many milliseconds lie in some of these spans: times that several have count once.
#[must_use]
pub fn covered(spans: impl Iterator<Item = Moments>) -> i64 {
    let mut spans: Vec<_> = spans.filter(|(from, to)| from < to).collect();
    spans.sort_unstable();
    let mut covered = 0;
    let mut until = None;
    for (from, to) in spans {
        let from = until.map_or(from, |until| from.max(until));
        covered += (to - from).num_milliseconds().max(0);
        until = until.max(Some(to));
    }
    covered
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;

    fn at(millis: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(millis).expect("a moment")
    }

    #[test]
    fn what_several_have_counts_once() {
        let spans = [(0, 1000), (500, 1500), (3000, 3100), (3050, 3060), (9, 9)];
        let spans = spans.map(|(from, to)| (at(from), at(to)));
        assert_eq!(covered(spans.into_iter()), 1600);
        assert_eq!(covered([].into_iter()), 0);
    }
}
