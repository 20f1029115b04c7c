//! One pod's life as a bar: when it was deleted, got SIGTERM, ended and was gone, and when it was at risk.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::axis::Span;
use super::ends::{ended, killed};
use super::moments::{between, seconds, union};
use super::spells::{by_pod, times};
use super::verdict::Story;
use crate::render::verdict::Sign;
use crate::report::v1::{PodLife, Window, WindowKind};

/// A pod with what is to be seen of it.
pub(in crate::render) struct Bar<'t> {
    pub(in crate::render) pod: &'t PodLife,
    /// Its windows at risk.
    pub(in crate::render) windows: Vec<&'t Window>,
    /// How long it was at risk at most, in milliseconds.
    pub(in crate::render) risk: i64,
    /// New connections to it surely failed at some time.
    pub(in crate::render) certain: bool,
    /// It became Ready while somebody looked.
    pub(in crate::render) new: bool,
    /// The last moment that something is known of.
    pub(in crate::render) to: DateTime<Utc>,
}

/// Is this window about this pod, and not about another one of the same name before or after it?
fn about(pod: &PodLife, window: &Window) -> bool {
    let begun = pod.created_at.is_none_or(|at| window.to >= at);
    begun && pod.gone_at.is_none_or(|at| window.from <= at)
}

/// The pods of which something is to be seen in this time, the worst first; where it is `live`, those that go now before all others, and
/// the last one that went before those that went earlier.
pub(in crate::render) fn ranked<'t>(story: &Story<'t>, span: Span, live: bool) -> Vec<Bar<'t>> {
    let at_risk = story
        .service
        .windows
        .iter()
        .filter(|window| window.kind == WindowKind::AtRisk);
    let windows: BTreeMap<_, Vec<_>> = by_pod(at_risk);
    let bar = |pod: &'t PodLife| {
        let own = windows
            .get(pod.name.as_str())
            .map(Vec::as_slice)
            .unwrap_or_default();
        let own: Vec<_> = own
            .iter()
            .copied()
            .filter(|window| about(pod, window))
            .collect();
        Bar {
            pod,
            risk: union(times(&own)),
            certain: own.iter().any(|window| window.certain),
            windows: own,
            new: pod.ready_at.is_some_and(|at| at > story.timeline.from),
            to: story.timeline.to,
        }
    };
    let there = |pod: &&PodLife| pod.gone_at.is_none_or(|at| at >= span.from);
    let mut bars: Vec<_> = story.service.pods.iter().filter(there).map(bar).collect();
    bars.sort_by_key(|bar| {
        let pod = bar.pod;
        let goes = pod.deleted_at.is_some() && pod.gone_at.is_none();
        (
            (live && !goes, Reverse(bar.certain), Reverse(bar.risk)),
            Reverse(killed(pod)),
            pod.deleted_at.is_none(),
            Reverse(pod.deleted_at.filter(|_| live)),
            // Of those that were not deleted, new ones say more.
            (pod.deleted_at, !bar.new),
            pod.name.as_str(),
        )
    });
    bars
}

impl Bar<'_> {
    /// A few words behind it.
    pub(in crate::render) fn words(&self) -> String {
        let pod = self.pod;
        if self.risk > 0 {
            return format!("at risk up to {}", seconds(self.risk));
        }
        if killed(pod) {
            return "SIGKILL".to_owned();
        }
        let took = pod.created_at.zip(pod.ready_at);
        match took.filter(|_| self.new && pod.deleted_at.is_none()) {
            Some((created, ready)) => format!("Ready in {}", seconds(between(created, ready))),
            None => String::new(),
        }
    }
}

/// What a stretch of a bar is drawn with.
struct Ink {
    starting: char,
    ready: char,
    pre_stop: char,
    maybe: char,
    ending: char,
    ended: char,
}

const UNICODE: Ink = Ink {
    starting: '·',
    ready: '━',
    pre_stop: '░',
    maybe: '▒',
    ending: '─',
    ended: '·',
};

const ASCII: Ink = Ink {
    starting: '.',
    ready: '=',
    pre_stop: '#',
    maybe: '~',
    ending: '-',
    ended: '.',
};

/// The letters of a bar in their order, each with its moment.
fn letters(bar: &Bar<'_>, ascii: bool) -> Vec<(DateTime<Utc>, usize, char)> {
    let pod = bar.pod;
    let end = if killed(pod) { 'K' } else { 'E' };
    let sign = |certain| {
        let sign = if certain { Sign::Bad } else { Sign::Warn };
        sign.mark(ascii).chars().next().unwrap_or(' ')
    };
    let risk = |certain: bool| {
        let own = bar
            .windows
            .iter()
            .filter(|window| window.certain == certain);
        own.map(|window| window.from).min()
    };
    let known = [
        (pod.deleted_at, 'D'),
        (pod.sigterm_at.map(|signal| signal.max), 'T'),
        (ended(pod), end),
        (risk(true), sign(true)),
        (risk(false), sign(false)),
        (pod.gone_at, 'G'),
    ];
    let known = known.into_iter().enumerate();
    let mut letters: Vec<_> = known
        .filter_map(|(order, (at, letter))| Some((at?, order, letter)))
        .collect();
    letters.sort_unstable();
    letters
}

/// A column for each of some moments in order, none twice, as near to their places as that lets them be.
fn columns_of(places: &[usize], columns: usize) -> Vec<usize> {
    let mut free = 0;
    let mut own: Vec<usize> = places
        .iter()
        .map(|place| {
            let column = (*place).max(free);
            free = column + 1;
            column
        })
        .collect();
    let mut most = columns;
    for column in own.iter_mut().rev() {
        most = most.saturating_sub(1);
        *column = (*column).min(most);
        most = *column;
    }
    own
}

/// The cells of a bar.
pub(in crate::render) fn cells(
    bar: &Bar<'_>,
    span: Span,
    columns: usize,
    ascii: bool,
) -> Vec<char> {
    let ink = if ascii { &ASCII } else { &UNICODE };
    let pod = bar.pod;
    let mut cells = vec![' '; columns];
    let mut fill = |from: Option<DateTime<Utc>>, to: Option<DateTime<Utc>>, sign: char| {
        let (Some(from), to) = (from, to.unwrap_or(bar.to)) else {
            return;
        };
        if from < to && to >= span.from && from <= span.to {
            let (first, last) = (span.place(from, columns), span.place(to, columns));
            cells
                .iter_mut()
                .take(last)
                .skip(first)
                .for_each(|cell| *cell = sign);
        }
    };
    let (early, late) = (
        pod.sigterm_at.map(|signal| signal.min),
        pod.sigterm_at.map(|signal| signal.max),
    );
    let (ended, gone) = (ended(pod), pod.gone_at);
    fill(
        pod.created_at,
        pod.ready_at.or(pod.deleted_at).or(gone),
        ink.starting,
    );
    // A pod of which no start is known was there before.
    let ready = pod
        .ready_at
        .or_else(|| pod.created_at.is_none().then_some(span.from));
    fill(ready, pod.deleted_at.or(ended).or(gone), ink.ready);
    fill(pod.deleted_at, early.or(ended).or(gone), ink.pre_stop);
    fill(early, late, ink.maybe);
    fill(late, ended.or(gone), ink.ending);
    fill(ended, gone, ink.ended);
    for window in &bar.windows {
        let sign = if window.certain {
            Sign::Bad
        } else {
            Sign::Warn
        };
        fill(
            Some(window.from),
            Some(window.to),
            sign.mark(ascii).chars().next().unwrap_or(' '),
        );
    }
    let seen = letters(bar, ascii)
        .into_iter()
        .filter(|(at, ..)| (span.from..=span.to).contains(at));
    let (places, letters): (Vec<_>, Vec<_>) = seen
        .map(|(at, _, letter)| (span.place(at, columns), letter))
        .unzip();
    for (column, letter) in columns_of(&places, columns).into_iter().zip(letters) {
        if let Some(cell) = cells.get_mut(column) {
            *cell = letter;
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::columns_of;

    #[test]
    fn letters_keep_their_order_and_none_covers_another() {
        assert_eq!(columns_of(&[2, 2, 2, 7], 10), [2, 3, 4, 7]);
        assert_eq!(columns_of(&[8, 9, 9, 10], 10), [6, 7, 8, 9]);
        assert_eq!(columns_of(&[], 10), [0; 0]);
    }
}
