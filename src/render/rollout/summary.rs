//! What a rollout did, on one screen: the verdict, what it means, the windows, the picture, and what to change.
//!
//! A terminal of 24 lines shows the whole of it: pods that nothing happened to are folded first. The verdict, the windows' figures and the
//! first thing to change always stand.

use super::axis::Span;
use super::chart::{self, Shown};
use super::spells::table;
use super::verdict::Story;
use chrono::DateTime;

use crate::render::answer::{actions, missing};
use crate::render::grid::Cells;
use crate::render::page::wrap;
use crate::render::paint;
use crate::render::signed::signed;
use crate::render::style::{Style, fitting};
use crate::render::verdict::{Sign, Verdict};
use crate::words::list;
use unicode_width::UnicodeWidthStr;

/// Where nothing failed, so many pods show how it went.
const FINE: usize = 3;

/// What is shown of each part.
#[derive(Clone, Copy)]
struct Detail {
    rows: usize,
    pods: usize,
    legend: bool,
    picture: bool,
    actions: usize,
    blanks: bool,
}

const ALL: Detail = Detail {
    rows: usize::MAX,
    pods: 12,
    legend: true,
    picture: true,
    actions: usize::MAX,
    blanks: true,
};

const fn with(pods: usize, rows: usize, actions: usize) -> Detail {
    Detail {
        rows,
        pods,
        actions,
        ..ALL
    }
}

const fn dense(pods: usize, rows: usize, actions: usize) -> Detail {
    Detail {
        blanks: false,
        ..with(pods, rows, actions)
    }
}

const fn least(rows: usize, actions: usize) -> Detail {
    Detail {
        picture: false,
        legend: false,
        ..dense(0, rows, actions)
    }
}

/// From everything to the least, each with less than the one before.
const DETAILS: [Detail; 11] = [
    ALL,
    with(8, 8, 6),
    with(6, 6, 5),
    with(4, 5, 4),
    with(3, 4, 3),
    dense(4, 4, 3),
    dense(3, 4, 3),
    dense(2, 3, 2),
    dense(1, 3, 2),
    least(3, 2),
    least(1, 1),
];

impl Story<'_> {
    /// `✗ REFUSED ALL 8.0 s  svc/web -n shop`.
    pub(in crate::render) fn title(&self, ascii: bool) -> String {
        let Verdict { sign, words } = self.verdict();
        format!("{} {words}  {}", sign.mark(ascii), self.name())
    }

    /// `12.4 s from 2026-11-21 00:38:11Z`.
    pub(in crate::render) fn moment(&self) -> String {
        let long = super::moments::between(self.timeline.from, self.timeline.to);
        let long = super::moments::seconds(long);
        let from = self.timeline.from;
        // Manifests know no moment.
        if from == DateTime::UNIX_EPOCH {
            return long;
        }
        format!("{long} from {}", from.format("%Y-%m-%d %H:%M:%SZ"))
    }

    /// What its windows come to.
    pub(in crate::render) fn table(&self) -> (Vec<Sign>, Cells) {
        table(self.timeline, &self.spells, self.zero, true)
    }

    /// Its picture, without colours; empty where nothing is known.
    pub(in crate::render) fn picture(&self, style: Style) -> Vec<String> {
        if self.service.states.is_empty() {
            return Vec::new();
        }
        let span = Span::of(self.timeline, self.service, self.zero);
        let shown = Shown {
            pods: ALL.pods,
            legend: true,
            live: false,
        };
        chart::lines(self, span, shown, style)
    }

    fn header(&self, style: Style) -> Vec<String> {
        let Verdict { sign, words } = self.verdict();
        let verdict = format!("{} {words}", sign.mark(style.ascii));
        let title = self.title(style.ascii);
        let moment = self.moment();
        let painted = title.replacen(&verdict, &paint::sign(&verdict, sign), 1);
        let space = usize::from(style.width.min(100)).saturating_sub(title.width() + moment.len());
        if space < 2 {
            return vec![painted, format!("  {moment}")];
        }
        vec![format!("{painted}{:space$}{moment}", "")]
    }

    /// What was taken for granted, a sentence each.
    pub(in crate::render) fn assumptions(&self) -> Vec<String> {
        let all = self.timeline.assumptions.iter();
        all.map(|one| one.text.clone()).collect()
    }

    /// What was not heard, and what could not be read.
    pub(in crate::render) fn missing(&self) -> Vec<String> {
        let unheard = self.timeline.unheard.iter().map(|one| {
            let to = one
                .to
                .map_or_else(|| "the end".to_owned(), |to| self.zero.offset(to));
            format!(
                "nothing heard of {} from {} to {to}: {}",
                one.resource,
                self.zero.offset(one.from),
                one.text
            )
        });
        unheard.chain(missing(&self.timeline.gaps)).collect()
    }

    /// What was assumed, and how to see more.
    fn last(&self, wide: bool) -> Vec<String> {
        let ids = self.timeline.assumptions.iter().map(|one| one.id);
        let ids: Vec<_> = ids.collect();
        let mut said = self.missing();
        if wide {
            said.extend(self.assumptions());
        }
        said.push(match ids.as_slice() {
            [] => "more: -o wide, explain at-risk".to_owned(),
            ids => format!("assumed: {}; more: -o wide, explain at-risk", list(ids)),
        });
        said
    }

    fn with(&self, detail: Detail, style: Style) -> Vec<String> {
        let mut parts = vec![wrap(&self.sentences(), "  ", "  ", style.width)];
        let shown = self.spells.get(..detail.rows).unwrap_or(&self.spells);
        let (signs, cells) = table(self.timeline, shown, self.zero, style.wide);
        if !cells.rows.is_empty() {
            let mut rows = signed(&signs, cells, style);
            let hidden = self.spells.len() - shown.len();
            rows.extend((hidden > 0).then(|| format!("  ... and {hidden} more: -o wide")));
            parts.push(rows);
        }
        if detail.picture && !self.service.states.is_empty() {
            let span = Span::of(self.timeline, self.service, self.zero);
            let fine = if self.spells.is_empty() {
                FINE
            } else {
                usize::MAX
            };
            let shown = Shown {
                pods: if style.wide {
                    detail.pods
                } else {
                    detail.pods.min(fine)
                },
                legend: detail.legend,
                live: false,
            };
            let lines = chart::lines(self, span, shown, style);
            parts.push(
                lines
                    .iter()
                    .map(|line| paint::signs(line, style.ascii))
                    .collect(),
            );
        }
        let mut advice: Vec<_> = self
            .figures()
            .iter()
            .flat_map(|figure| wrap(figure, "  ", "  ", style.width))
            .collect();
        advice.extend(actions(&self.findings(), detail.actions, style));
        parts.push(advice);
        let mut lines = self.header(style);
        for (index, part) in parts.into_iter().enumerate() {
            if detail.blanks && index > 0 && !part.is_empty() {
                lines.push(String::new());
            }
            lines.extend(part);
        }
        for sentence in self.last(style.wide) {
            lines.extend(wrap(&sentence, "", "  ", style.width));
        }
        lines
    }

    /// Its lines; as many as a terminal of 24 shows, unless everything is wanted.
    pub(in crate::render) fn lines(&self, style: Style) -> Vec<String> {
        if style.wide {
            return self.with(
                Detail {
                    pods: usize::MAX,
                    ..ALL
                },
                style,
            );
        }
        fitting(DETAILS, |detail| self.with(detail, style))
    }
}
