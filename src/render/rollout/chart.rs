//! A rollout as a picture of letters: usable endpoints over time, a bar for each pod, the probe's failures, on one axis.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use unicode_width::UnicodeWidthStr;

use super::axis::Span;
use super::bars::{self, Bar, ranked};
use super::spells::is_total;
use super::verdict::Story;
use crate::render::names::prefix;
use crate::render::style::Style;
use crate::render::text::safe;
use crate::render::verdict::Sign;
use crate::report::v1::{State, WindowKind};
use crate::words::count;

/// Names take no more.
const LABEL: usize = 18;

/// Words behind a lane take no more.
const WORDS: usize = 20;

/// No lane is longer, however wide the terminal is.
const LONGEST: usize = 120;

/// A line of the picture.
struct Lane {
    label: String,
    cells: Vec<char>,
    words: String,
}

/// What a picture shows.
#[derive(Debug, Clone, Copy)]
pub(in crate::render) struct Shown {
    /// So many pods with bars of their own.
    pub(in crate::render) pods: usize,
    /// What the letters mean.
    pub(in crate::render) legend: bool,
    /// Pods that go now stand before those that are gone.
    pub(in crate::render) live: bool,
}

/// Cuts text to columns, so that a lane keeps its place.
fn cut(text: &str, most: usize) -> String {
    let text = safe(text);
    if text.width() <= most {
        return text;
    }
    // The end of a pod's name tells it from its siblings.
    let mut tail: Vec<char> = Vec::new();
    let mut wide = 2;
    for letter in text.chars().rev() {
        let own = unicode_width::UnicodeWidthChar::width(letter).unwrap_or(0);
        if wide + own > most {
            break;
        }
        wide += own;
        tail.push(letter);
    }
    let tail: String = tail.into_iter().rev().collect();
    format!("..{tail}")
}

/// How high a column of the sparkline is.
fn height(value: usize, most: usize, ascii: bool) -> char {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    if value == 0 {
        return ' ';
    }
    if ascii {
        let digit = if most <= 9 {
            value
        } else {
            (value * 9).div_ceil(most)
        };
        return u32::try_from(digit)
            .ok()
            .and_then(|digit| char::from_digit(digit.min(9), 10))
            .unwrap_or('9');
    }
    BLOCKS[(value * BLOCKS.len())
        .div_ceil(most.max(1))
        .clamp(1, BLOCKS.len())
        - 1]
}

fn mark(sign: Sign, ascii: bool) -> char {
    sign.mark(ascii).chars().next().unwrap_or(' ')
}

/// The times in which nothing was usable at all, or nothing is known.
fn blots(story: &Story<'_>, ascii: bool) -> Vec<(DateTime<Utc>, DateTime<Utc>, char)> {
    let unknown = story
        .service
        .states
        .iter()
        .filter(|span| span.state == State::Unknown);
    let unknown = unknown.map(|span| (span.from, span.to, '?'));
    let end = story.timeline.to;
    let unheard = story
        .timeline
        .unheard
        .iter()
        .filter(|one| one.resource == "endpointslices");
    let unheard = unheard.map(|one| (one.from, one.to.unwrap_or(end), '?'));
    let total = |window: &&crate::report::v1::Window| is_total(story.service, window);
    let down = story.service.windows.iter().filter(total);
    let down = down.map(|window| (window.from, window.to, mark(Sign::Bad, ascii)));
    unknown.chain(unheard).chain(down).collect()
}

/// Endpoints over time: the least of each column.
fn sparkline(
    story: &Story<'_>,
    span: Span,
    columns: usize,
    label: &str,
    style: Style,
    of: impl Fn(usize, usize) -> usize,
) -> Lane {
    let states = &story.service.states;
    let value = |index: usize| {
        states
            .get(index)
            .map_or(0, |state| of(state.ready, state.terminating))
    };
    let most = (0..states.len()).map(&value).max().unwrap_or(0);
    let least = (0..states.len()).map(&value).min().unwrap_or(0);
    let mut cells: Vec<Option<usize>> = vec![None; columns];
    for (index, state) in states.iter().enumerate() {
        if state.to < span.from || state.from > span.to {
            continue;
        }
        let (begin, end) = (
            span.place(state.from, columns),
            span.place(state.to, columns),
        );
        for cell in cells.iter_mut().take(end.max(begin + 1)).skip(begin) {
            *cell = Some(cell.map_or(value(index), |known| known.min(value(index))));
        }
    }
    let drawn = cells
        .into_iter()
        .map(|cell| cell.map_or(' ', |value| height(value, most, style.ascii)));
    let words = if least == most {
        most.to_string()
    } else {
        format!("{least} to {most}")
    };
    Lane {
        label: label.to_owned(),
        cells: drawn.collect(),
        words,
    }
}

/// Puts signs over a lane.
fn blot(lane: &mut Lane, span: Span, blots: &[(DateTime<Utc>, DateTime<Utc>, char)]) {
    let columns = lane.cells.len();
    for (from, to, sign) in blots
        .iter()
        .filter(|(from, to, _)| *to >= span.from && *from <= span.to)
    {
        let (first, last) = (span.place(*from, columns), span.place(*to, columns));
        for cell in lane.cells.iter_mut().take(last.max(first + 1)).skip(first) {
            *cell = *sign;
        }
    }
}

/// The probe's failures.
fn probe(story: &Story<'_>, span: Span, columns: usize, style: Style) -> Option<Lane> {
    let failures = story.failures();
    story.timeline.probe.as_ref()?;
    let mut cells = vec![' '; columns];
    for failure in &failures {
        let at = span
            .place(failure.at, columns)
            .min(columns.saturating_sub(1));
        if let Some(cell) = cells.get_mut(at) {
            *cell = if style.ascii { '*' } else { '●' };
        }
    }
    let words = format!("{} failed", failures.len());
    Some(Lane {
        label: "probe".to_owned(),
        cells,
        words,
    })
}

/// Offsets in seconds; the moment that they count from is 0.
fn ruler(span: Span, columns: usize) -> Lane {
    let mut cells = vec![' '; columns];
    for (offset, at) in span.ticks(columns / 8) {
        let label = if offset % 1000 == 0 {
            (offset / 1000).to_string()
        } else {
            super::moments::tenths(offset)
        };
        let from = span.place(at, columns);
        let to = from + label.len();
        let free = to <= columns
            && cells[from.saturating_sub(1)..(to + 1).min(columns)]
                .iter()
                .all(|cell| *cell == ' ');
        if free {
            for (cell, letter) in cells[from..to].iter_mut().zip(label.chars()) {
                *cell = letter;
            }
        }
    }
    Lane {
        label: "SECONDS".to_owned(),
        cells,
        words: String::new(),
    }
}

/// How many pods have no bar, and what became of them.
fn folded(hidden: &[Bar<'_>]) -> Option<String> {
    let windows = hidden.iter().filter(|bar| bar.risk > 0).count();
    let fine = hidden.len() - windows;
    let new = hidden
        .iter()
        .filter(|bar| bar.pod.deleted_at.is_none())
        .count();
    let parts: BTreeSet<_> = [
        (windows > 0).then(|| format!("{windows} more at risk")),
        (fine > 0).then(|| format!("{} without a window", count(fine, "pod"))),
    ]
    .into_iter()
    .flatten()
    .collect();
    let of = if new > 0 && new < hidden.len() {
        format!(" ({new} not deleted)")
    } else {
        String::new()
    };
    let parts: Vec<_> = parts.into_iter().collect();
    (!parts.is_empty()).then(|| format!("  and {}{of}", parts.join(", ")))
}

/// What the letters mean, of those that are there.
fn legend(lanes: &[Lane], ascii: bool) -> String {
    let used: BTreeSet<char> = lanes.iter().flat_map(|lane| &lane.cells).copied().collect();
    let meanings = [
        ('D', "delete"),
        ('T', "SIGTERM"),
        ('E', "ended"),
        ('K', "SIGKILL"),
        ('G', "gone"),
        (mark(Sign::Warn, ascii), "may be at risk"),
        (mark(Sign::Bad, ascii), "fails"),
        ('?', "not known"),
    ];
    let known = meanings
        .into_iter()
        .filter(|(letter, _)| used.contains(letter));
    let words: Vec<_> = known
        .map(|(letter, means)| format!("{letter} {means}"))
        .collect();
    words.join("  ")
}

/// The picture's lines, of at most so many columns, without colours.
pub(in crate::render) fn lines(
    story: &Story<'_>,
    span: Span,
    shown: Shown,
    style: Style,
) -> Vec<String> {
    let bars = ranked(story, span, shown.live);
    let (drawn, hidden) = bars.split_at(bars.len().min(shown.pods));
    let names: Vec<_> = bars.iter().map(|bar| bar.pod.name.as_str()).collect();
    let prefix = prefix(&names);
    let labels: Vec<String> = drawn
        .iter()
        .map(|bar| {
            cut(
                bar.pod.name.strip_prefix(prefix).unwrap_or(&bar.pod.name),
                LABEL,
            )
        })
        .collect();
    let label = labels
        .iter()
        .map(|label| label.width())
        .chain(["terminating".len()])
        .max()
        .unwrap_or(0);
    let width = usize::from(style.width);
    let columns = width
        .saturating_sub(2 + label + 1 + 1 + WORDS)
        .clamp(10, LONGEST);
    let mut lanes = vec![ruler(span, columns)];
    let mut usable = sparkline(
        story,
        span,
        columns,
        "usable",
        style,
        |ready, terminating| ready + terminating,
    );
    blot(&mut usable, span, &blots(story, style.ascii));
    lanes.push(usable);
    let falls_back = |kind| kind == WindowKind::TerminatingOnly;
    if story
        .service
        .windows
        .iter()
        .any(|window| falls_back(window.kind))
    {
        lanes.push(sparkline(
            story,
            span,
            columns,
            "terminating",
            style,
            |_, terminating| terminating,
        ));
    }
    for (bar, label) in drawn.iter().zip(labels) {
        let cells = bars::cells(bar, span, columns, style.ascii);
        lanes.push(Lane {
            label,
            cells,
            words: bar.words(),
        });
    }
    lanes.extend(probe(story, span, columns, style));
    let line = |lane: &Lane| {
        let cells: String = lane.cells.iter().collect();
        let pad = " ".repeat(label.saturating_sub(lane.label.width()));
        format!("  {}{pad} {cells} {}", lane.label, lane.words)
            .trim_end()
            .to_owned()
    };
    let mut picture: Vec<_> = lanes.iter().map(line).collect();
    picture.extend(folded(hidden));
    let legend = legend(&lanes[1..], style.ascii);
    if shown.legend && !legend.is_empty() {
        picture.push(format!("  {legend}"));
    }
    picture
}
