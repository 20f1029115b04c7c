//! Which column of a picture is which moment?

use chrono::{DateTime, Duration, Utc};

use super::moments::{Zero, between};
use crate::report::v1::{ServiceTimeline, Timeline};

/// No picture shows less.
const SHORTEST: i64 = 2_000;

/// Steps between the labels of an axis, in milliseconds.
const STEPS: [i64; 17] = [
    100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
    1_800_000, 3_600_000, 21_600_000, 86_400_000,
];

/// The time that a picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::render) struct Span {
    pub(in crate::render) from: DateTime<Utc>,
    pub(in crate::render) to: DateTime<Utc>,
    pub(in crate::render) zero: Zero,
}

impl Span {
    /// The time in which something happened to a Service, with a little before and after it.
    pub(in crate::render) fn of(
        timeline: &Timeline,
        service: &ServiceTimeline,
        zero: Zero,
    ) -> Self {
        let mut moments: Vec<DateTime<Utc>> = Vec::new();
        for span in service.states.iter().skip(1) {
            moments.push(span.from);
        }
        for window in &service.windows {
            moments.extend([window.from, window.to]);
        }
        for pod in &service.pods {
            let of = [
                pod.ready_at,
                pod.deleted_at,
                pod.ended_at,
                pod.gone_at,
                pod.left_slices_at,
            ];
            moments.extend(of.into_iter().flatten());
            moments.extend(pod.sigterm_at.map(|signal| signal.min));
        }
        if let Some(probe) = &timeline.probe {
            moments.extend(probe.failures.iter().map(|failure| failure.at));
        }
        // What kube-proxy has not programmed yet at the last moment ends after it.
        let ends = service.windows.iter().map(|window| window.to);
        let end = ends.fold(timeline.to, DateTime::max);
        moments.retain(|at| (timeline.from..=end).contains(at));
        let all = (timeline.from, end);
        let (from, to) = moments
            .iter()
            .min()
            .zip(moments.iter().max())
            .map_or(all, |(from, to)| (*from, *to));
        let room = Duration::milliseconds((between(from, to) / 20).max(SHORTEST / 4));
        let from = (from - room).max(timeline.from);
        let to = (to + room).min(end);
        Self {
            from,
            to: to.max(from + Duration::milliseconds(SHORTEST)),
            zero,
        }
    }

    /// All of a time that goes on: from what happened first to now.
    pub(in crate::render) fn until(self, now: DateTime<Utc>) -> Self {
        Self {
            to: now.max(self.from + Duration::milliseconds(SHORTEST)),
            ..self
        }
    }

    /// How long it is, in milliseconds.
    pub(in crate::render) fn millis(self) -> i64 {
        between(self.from, self.to).max(1)
    }

    /// How far a moment is from its beginning, in parts of `whole`.
    pub(in crate::render) fn place(self, at: DateTime<Utc>, whole: usize) -> usize {
        let whole = i64::try_from(whole).unwrap_or(i64::MAX);
        let at = between(self.from, at).clamp(0, self.millis());
        usize::try_from(at.saturating_mul(whole) / self.millis()).unwrap_or(0)
    }

    /// Its labels, at most so many: offsets in milliseconds, and their moments.
    pub(in crate::render) fn ticks(self, most: usize) -> Vec<(i64, DateTime<Utc>)> {
        let most = i64::try_from(most.max(1)).unwrap_or(i64::MAX);
        let fits = |step: &&i64| self.millis() / **step < most;
        let step = STEPS
            .iter()
            .find(fits)
            .or(STEPS.last())
            .copied()
            .unwrap_or(SHORTEST);
        let (first, last) = (self.zero.millis(self.from), self.zero.millis(self.to));
        let mut offset = first.div_euclid(step) * step;
        let mut ticks = Vec::new();
        while offset <= last && ticks.len() <= 200 {
            if offset >= first {
                ticks.push((offset, self.zero.at + Duration::milliseconds(offset)));
            }
            offset += step;
        }
        ticks
    }
}
