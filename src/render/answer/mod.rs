//! The answer on one screen: the verdict, why, paths, pods, one timeline, what to do, and what was assumed.
//!
//! A terminal of 24 lines shows the whole of it: what nothing is wrong with is folded first, then what repeats itself, and last what
//! `-o wide` has anyway. The verdict, the cause and the first action always stand.

mod actions;
mod assumed;
mod paths;
mod pods;

use chrono::{DateTime, Utc};
use unicode_width::UnicodeWidthStr;

pub(super) use assumed::missing;

use super::page::wrap;
use super::paint;
use super::signed::signed;
use super::style::Style;
use super::text::safe;
use super::timeline;
use super::verdict::{Sign, Traffic, Verdict};
use crate::report::v1::{Finding, Gap, Service, Severity, State};

/// The lines of a terminal of 24, less the one on which the prompt stands afterwards.
const LINES: usize = 23;

/// What is shown of each part.
#[derive(Clone, Copy)]
struct Detail {
    fold_paths: bool,
    paths: usize,
    by_node: bool,
    pods: usize,
    legend: bool,
    timeline: bool,
    actions: usize,
    blanks: bool,
}

const ALL: Detail = Detail {
    fold_paths: false,
    paths: usize::MAX,
    by_node: true,
    pods: usize::MAX,
    legend: true,
    timeline: true,
    actions: usize::MAX,
    blanks: true,
};

/// From everything to the least, each with less than the one before.
const DETAILS: [Detail; 10] = [
    ALL,
    Detail {
        legend: false,
        ..ALL
    },
    Detail {
        legend: false,
        fold_paths: true,
        ..ALL
    },
    Detail {
        legend: false,
        fold_paths: true,
        by_node: false,
        ..ALL
    },
    Detail {
        legend: false,
        fold_paths: true,
        by_node: false,
        pods: 5,
        paths: 6,
        ..ALL
    },
    Detail {
        legend: false,
        fold_paths: true,
        by_node: false,
        pods: 5,
        paths: 6,
        blanks: false,
        ..ALL
    },
    Detail {
        legend: false,
        fold_paths: true,
        by_node: false,
        pods: 4,
        paths: 4,
        blanks: false,
        actions: 4,
        ..ALL
    },
    Detail {
        legend: false,
        fold_paths: true,
        by_node: false,
        pods: 3,
        paths: 3,
        blanks: false,
        actions: 3,
        timeline: false,
    },
    Detail {
        legend: false,
        fold_paths: true,
        by_node: false,
        pods: 2,
        paths: 2,
        blanks: false,
        actions: 2,
        timeline: false,
    },
    Detail {
        legend: false,
        fold_paths: true,
        by_node: false,
        pods: 0,
        paths: 1,
        blanks: false,
        actions: 1,
        timeline: false,
    },
];

/// An answer about one Service, with what it is drawn from.
#[derive(Clone, Copy)]
pub(super) struct Answer<'r> {
    /// The Service.
    pub(super) service: &'r Service,
    /// The findings about it.
    pub(super) findings: &'r [&'r Finding],
    /// What could not be read.
    pub(super) gaps: &'r [Gap],
    /// The moment to judge by.
    pub(super) as_of: Option<DateTime<Utc>>,
}

/// `svc/web -n shop (LoadBalancer)`.
pub(super) fn name(service: &Service) -> String {
    let kind = if service.headless {
        "headless"
    } else {
        service.kind.id()
    };
    format!(
        "svc/{} -n {} ({kind})",
        safe(&service.name),
        safe(&service.namespace)
    )
}

/// `as of 2026-11-21 00:38:11Z`.
pub(super) fn moment(as_of: Option<DateTime<Utc>>) -> String {
    as_of.map_or_else(
        || "no moment known".to_owned(),
        |moment| format!("as of {}", moment.format("%Y-%m-%d %H:%M:%SZ")),
    )
}

impl Answer<'_> {
    fn header(&self, style: Style) -> Vec<String> {
        let Verdict { sign, words } = Verdict::of(&Traffic::from(self.service), self.findings);
        let mark = sign.mark(style.ascii);
        let verdict = format!("{mark} {words}");
        let name = name(self.service);
        let moment = moment(self.as_of);
        let used = verdict.width() + 2 + name.width();
        let painted = paint::sign(&verdict, sign);
        let space = usize::from(style.width.min(100)).saturating_sub(used + moment.len());
        if space < 2 {
            return vec![format!("{painted}  {name}"), format!("  {moment}")];
        }
        vec![format!("{painted}  {name}{:space$}{moment}", "")]
    }

    /// What is true and why, and what happens next if nothing changes.
    pub(super) fn sentences(&self) -> String {
        let service = self.service;
        let mut text = service.summary.clone();
        let shown = |id: &str| {
            id != "fallback-to-terminating" && id != "windows-fallback" && id != "other-data-plane"
        };
        let notes = service.notes.iter().filter(|note| shown(note.id));
        for sentence in notes
            .map(|note| note.text.as_str())
            .chain(service.forecast.last().map(|change| change.text.as_str()))
        {
            text.push(' ');
            text.push_str(sentence);
        }
        text
    }

    fn paths(&self, detail: Detail, style: Style) -> Vec<String> {
        if self.service.ports.iter().all(|port| port.paths.is_empty()) {
            return Vec::new();
        }
        let (signs, cells) = paths::paths(self.service, detail.fold_paths, detail.paths);
        signed(&signs, cells, style)
    }

    fn pods(&self, detail: Detail, style: Style) -> Vec<String> {
        let (signs, cells) = pods::pods(self.service, self.as_of, detail.by_node, detail.pods);
        // Where every pod gets connections and none terminates, the paths have said it.
        let quiet =
            self.service.state == State::Healthy && signs.iter().all(|sign| *sign == Sign::Good);
        if cells.rows.is_empty() || quiet {
            return Vec::new();
        }
        signed(&signs, cells, style)
    }

    fn timeline(&self, detail: Detail, style: Style) -> Vec<String> {
        let terminating = self
            .service
            .endpoints
            .iter()
            .any(|each| each.termination.is_some());
        let about_shutdown = |finding: &&Finding| {
            finding.rule.starts_with("DC2") && finding.severity > Severity::Info
        };
        if !detail.timeline || !(terminating || self.findings.iter().any(about_shutdown)) {
            return Vec::new();
        }
        let mut lines = timeline::lines(self.service, self.as_of, style, false);
        if !detail.legend {
            lines.pop();
        }
        lines
    }

    fn with(&self, detail: Detail, style: Style) -> Vec<String> {
        let mut lines = self.header(style);
        lines.extend(wrap(&self.sentences(), "  ", "  ", style.width));
        let parts = [
            self.paths(detail, style),
            self.pods(detail, style),
            self.timeline(detail, style),
            actions::actions(self.findings, detail.actions, style),
        ];
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            if detail.blanks {
                lines.push(String::new());
            }
            lines.extend(part);
        }
        let quiet = actions::urgent(self.findings).is_empty();
        if detail.blanks && quiet {
            lines.push(String::new());
        }
        lines.extend(assumed::lines(
            self.service,
            self.findings,
            self.gaps,
            style,
        ));
        lines
    }

    /// Its lines; as many as a terminal of 24 shows, unless everything is wanted.
    pub(super) fn lines(&self, style: Style) -> Vec<String> {
        if style.wide {
            return self.with(ALL, style);
        }
        let mut lines = Vec::new();
        for detail in DETAILS {
            lines = self.with(detail, style);
            if lines.len() <= LINES {
                break;
            }
        }
        lines
    }
}
