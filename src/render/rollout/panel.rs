//! What does somebody see who watches a rollout? A frame of text that fits the terminal, to be drawn again at each change.

use chrono::{DateTime, Utc};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::axis::Span;
use super::chart::{self, Shown};
use super::moments::seconds;
use super::spells::table;
use super::verdict::{Story, stories};
use crate::render::page::wrap;
use crate::render::paint;
use crate::render::signed::mark;
use crate::render::style::Style;
use crate::render::text::safe;
use crate::render::verdict::{Sign, Verdict};
use crate::report::v1::Timeline;
use crate::words::{clock, sentence};

/// No frame is lower: less shows nothing.
const LOWEST: usize = 8;

/// Events that there is always room for, on a terminal of so many lines; of a higher one, each fourth line more is another's.
const EVENTS: usize = 3;
const USUAL: usize = 24;

/// Lines of the picture besides pods: the axis, two of endpoints, the probe, what is folded, the legend.
const PICTURE: usize = 6;

/// What a frame is made of.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'t> {
    /// What is known so far.
    pub timeline: &'t Timeline,
    /// The moment, by the clock of the Timeline.
    pub now: DateTime<Utc>,
    /// How the watch goes: `watching 3 pods; Ctrl-C ends it`.
    pub status: &'t str,
    /// The terminal's lines.
    pub height: u16,
}

/// The Timeline as of now: what has not ended goes on.
fn until(timeline: &Timeline, now: DateTime<Utc>) -> Timeline {
    let mut timeline = timeline.clone();
    let now = now.max(timeline.to);
    timeline.to = now;
    for service in &mut timeline.services {
        if let Some(last) = service.states.last_mut() {
            last.to = now;
        }
        for window in service.windows.iter_mut().filter(|window| window.open) {
            window.to = now;
        }
    }
    timeline
}

/// Cuts a line at the terminal's edge.
fn clip(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let mut wide = 0;
    line.chars()
        .take_while(|letter| {
            wide += letter.width().unwrap_or(0);
            wide <= width
        })
        .collect()
}

/// A line whose signs are to be coloured, and how much of its beginning is a verdict.
struct Line {
    text: String,
    verdict: Option<(String, Sign)>,
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self {
            text,
            verdict: None,
        }
    }
}

impl Line {
    fn painted(self, style: Style) -> String {
        let text = clip(&self.text, style.width.into());
        match self.verdict {
            Some((verdict, sign)) if text.starts_with(&verdict) => {
                text.replacen(&verdict, &paint::sign(&verdict, sign), 1)
            }
            _ => paint::signs(&text, style.ascii),
        }
    }
}

/// `✗ REFUSES ALL since 8.2 s  svc/web -n shop      +12.3 s  00:38:23Z`.
fn title(story: &Story<'_>, now: DateTime<Utc>, style: Style) -> Line {
    let Verdict { sign, words } = story.verdict();
    let so_far = if sign == Sign::Good { " SO FAR" } else { "" };
    let verdict = format!("{} {words}{so_far}", sign.mark(style.ascii));
    let title = format!("{verdict}  {}", story.name());
    let clock = clock(now);
    let since = story
        .zero
        .delete
        .then(|| format!("+{}", seconds(story.zero.millis(now))));
    let both = since.as_ref().map(|since| format!("{since}  {clock}"));
    // A part of a moment is another moment.
    let left = usize::from(style.width).saturating_sub(title.width() + 1);
    let moments = both.into_iter().chain(since).chain([clock]);
    let moment = moments.into_iter().find(|moment| moment.len() <= left);
    let moment = moment.unwrap_or_default();
    let space = usize::from(style.width).saturating_sub(title.width() + moment.len());
    Line {
        text: format!("{title}{:space$}{moment}", "", space = space.max(1)),
        verdict: Some((verdict, sign)),
    }
}

/// The windows so far, without colours.
fn windows(story: &Story<'_>, most: usize, style: Style) -> Vec<String> {
    let shown = story.spells.get(..most).unwrap_or(&story.spells);
    let (signs, mut cells) = table(story.timeline, shown, story.zero, false);
    mark(&signs, &mut cells, style.ascii);
    if let Some(first) = cells.header.first_mut() {
        first.insert_str(0, "  ");
    }
    if cells.rows.is_empty() {
        return Vec::new();
    }
    let mut grid = crate::render::grid::Grid::of(cells, style.width);
    grid.keep(0);
    grid.lines()
}

/// The picture of one Service in so many lines.
fn picture(story: &Story<'_>, now: DateTime<Utc>, room: usize, style: Style) -> Vec<String> {
    let span = Span::of(story.timeline, story.service, story.zero).until(now);
    let pods = room.saturating_sub(PICTURE);
    let shown = Shown {
        pods,
        legend: true,
        live: true,
    };
    let mut lines = chart::lines(story, span, shown, style);
    // What is not drawn leaves room for more pods.
    let more = room.saturating_sub(lines.len());
    if more > 0 && story.service.pods.len() > pods {
        let shown = Shown {
            pods: pods + more,
            legend: true,
            live: true,
        };
        lines = chart::lines(story, span, shown, style);
    }
    lines.truncate(room);
    lines
}

/// So many events are kept: no terminal shows more.
const KEPT: usize = 100;

/// The newest events, each painted once for a width.
#[derive(Debug, Default)]
pub struct Events {
    told: Vec<String>,
    /// The first of them, as they stand on a terminal of this width.
    painted: Vec<String>,
    width: u16,
}

impl Events {
    /// Takes in what was told since.
    pub fn extend(&mut self, new: impl IntoIterator<Item = String>) {
        self.told.extend(new);
        let old = self.told.len().saturating_sub(KEPT);
        self.told.drain(..old);
        self.painted.drain(..old.min(self.painted.len()));
    }

    fn painted(&mut self, style: Style) -> &[String] {
        if self.width != style.width {
            self.painted.clear();
            self.width = style.width;
        }
        let new = self.told[self.painted.len()..].iter();
        let new = new.map(|event| Line::from(safe(event)).painted(style));
        self.painted.extend(new);
        &self.painted
    }
}

/// A frame without its events.
#[derive(Debug)]
pub struct Drawn {
    top: Vec<String>,
    end: Vec<String>,
    height: usize,
    style: Style,
}

impl Drawn {
    /// With the newest events between top and end, as many as there is room for.
    #[must_use]
    pub fn with(&self, events: &mut Events) -> Vec<String> {
        let room = self.height.saturating_sub(self.top.len() + self.end.len());
        let events = events.painted(self.style);
        let newest = events.len().saturating_sub(room);
        let mut lines = self.top.clone();
        lines.extend_from_slice(&events[newest..]);
        lines.extend_from_slice(&self.end);
        lines.truncate(self.height);
        lines
    }
}

/// A frame's lines but for its events, with room for some: none wider than the terminal.
#[must_use]
pub fn draw(frame: &Frame<'_>, style: Style) -> Drawn {
    let timeline = until(frame.timeline, frame.now);
    let height = usize::from(frame.height).max(LOWEST);
    let mut told: Vec<_> = stories(&timeline).collect();
    told.sort_by_key(|story| story.verdict().sign);
    let mut top: Vec<Line> = Vec::new();
    let mut end: Vec<Line> = Vec::new();
    // The others have a line each, as many as there is room for.
    let (first, others) = match told.split_first() {
        Some((first, others)) => (Some(first), others),
        None => (None, &[][..]),
    };
    let room_for_others = others.len().min(height / 4);
    for story in others.iter().take(room_for_others) {
        end.push(title(story, frame.now, style));
    }
    if others.len() > room_for_others {
        end.push(format!("  and {} more Services", others.len() - room_for_others).into());
    }
    end.push(clip(&safe(frame.status), style.width.into()).into());
    if let Some(story) = first {
        top.push(title(story, timeline.to, style));
        let state = story.service.states.last();
        let state = state.map_or_else(
            || "Nothing is known yet.".to_owned(),
            |span| format!("{}.", sentence(&span.summary)),
        );
        let mut said = wrap(&state, "  ", "  ", style.width);
        said.truncate(2);
        top.extend(said.into_iter().map(Line::from));
        let mut rows = windows(story, 3, style);
        rows.truncate(height / 4);
        top.extend(rows.into_iter().map(Line::from));
        // Also while there are none: what happens next is shown at once, and not once all is drawn anew.
        let events = EVENTS + height.saturating_sub(USUAL) / 4;
        let room = height.saturating_sub(top.len() + end.len() + events);
        top.extend(
            picture(story, timeline.to, room, style)
                .into_iter()
                .map(Line::from),
        );
    }
    let painted = |lines: Vec<Line>| lines.into_iter().map(|line| line.painted(style)).collect();
    Drawn {
        top: painted(top),
        end: painted(end),
        height,
        style,
    }
}
