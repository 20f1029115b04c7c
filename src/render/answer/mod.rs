//! The answer on one screen: the verdict, why, paths, pods, one timeline, what to do, and what was assumed.
//!
//! A terminal of 24 lines shows the whole of it: what nothing is wrong with is folded first, then what repeats itself, and last what
//! `-o wide` has anyway. The verdict, the cause and the first action always stand.

mod actions;
mod assumed;
mod paths;
mod pods;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use unicode_width::UnicodeWidthStr;

pub(super) use actions::{actions, first_sentence};
pub(super) use assumed::missing;

use super::grid::Cells;
use super::own_rules::Differing;
use super::page::wrap;
use super::paint;
use super::signed::signed;
use super::style::{Style, fitting};
use super::text::safe;
use super::timeline;
use super::verdict::{Sign, Traffic, Verdict};
use crate::report::v1::{
    ContainerStop, Dns, Finding, Gap, Moments, NodeRules, Service, Severity, State,
};
use crate::words::count;

/// What is shown of each part.
#[derive(Clone, Copy)]
struct Detail {
    fold_paths: bool,
    paths: usize,
    by_node: bool,
    /// Every pod's whole name.
    names: bool,
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
    names: false,
    pods: usize::MAX,
    legend: true,
    timeline: true,
    actions: usize::MAX,
    blanks: true,
};

const NO_LEGEND: Detail = Detail {
    legend: false,
    ..ALL
};

const FOLDED_PATHS: Detail = Detail {
    fold_paths: true,
    ..NO_LEGEND
};

const FOLDED_PODS: Detail = Detail {
    by_node: false,
    ..FOLDED_PATHS
};

/// At most so many rows of paths and of pods.
const fn rows(paths: usize, pods: usize) -> Detail {
    Detail {
        paths,
        pods,
        ..FOLDED_PODS
    }
}

/// The same without blank lines, and with so many actions.
const fn dense(paths: usize, pods: usize, actions: usize) -> Detail {
    Detail {
        actions,
        blanks: false,
        ..rows(paths, pods)
    }
}

/// The same without the timeline.
const fn least(paths: usize, pods: usize, actions: usize) -> Detail {
    Detail {
        timeline: false,
        ..dense(paths, pods, actions)
    }
}

/// From everything to the least, each with less than the one before.
const DETAILS: [Detail; 10] = [
    ALL,
    NO_LEGEND,
    FOLDED_PATHS,
    FOLDED_PODS,
    rows(6, 5),
    dense(6, 5, usize::MAX),
    dense(4, 4, 4),
    least(3, 3, 3),
    least(2, 2, 2),
    least(1, 0, 1),
];

/// A part of an answer.
pub(super) enum Part {
    /// Sentences.
    Words(String),
    /// Rows with their signs.
    Table(Vec<Sign>, Cells),
    /// Lines whose columns belong together.
    Picture(Vec<String>),
}

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
    /// What nodes' own rules do; empty where none were given.
    pub(super) node_rules: &'r [NodeRules],
}

/// What DNS answers in place of a cluster IP.
pub(super) fn answers(dns: &Dns, endpoints: usize) -> String {
    match &dns.alias {
        Some(alias) => format!("DNS answers with {}.", safe(alias)),
        None if dns.addresses.is_empty() => "DNS answers with no address.".to_owned(),
        None => format!(
            "DNS answers with {} of its {}: those that its slices call ready.",
            dns.addresses.len(),
            count(endpoints, "endpoint")
        ),
    }
}

/// Why the moments of some pods are ranges: `Moments of 1 pod are ranges: explain first-delete-not-seen says why.`
fn ranges(service: &Service) -> Vec<String> {
    let mut pods: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for endpoint in &service.endpoints {
        let stops = endpoint.termination.iter().flat_map(|end| &end.containers);
        let range = |stop: &&ContainerStop| {
            let wide = |at: Option<Moments>| at.is_some_and(|at| at.min != at.max);
            wide(stop.sigterm_at) || wide(stop.sigkill_at)
        };
        let reasons = stops.filter(range).filter_map(|stop| stop.reasons.first());
        for reason in reasons {
            pods.entry(reason.id).or_default().insert(&endpoint.address);
        }
    }
    let said = |(id, pods): (&str, BTreeSet<&str>)| {
        let pods = count(pods.len(), "pod");
        format!("Moments of {pods} are ranges: explain {id} says why.")
    };
    pods.into_iter().map(said).collect()
}

/// `svc/web -n shop (LoadBalancer)`.
pub(super) fn name(service: &Service) -> String {
    let kind = if service.headless {
        "headless"
    } else {
        service.kind.id()
    };
    let namespace = match service.namespace.as_str() {
        "" => String::new(),
        namespace => format!(" -n {}", safe(namespace)),
    };
    format!("svc/{}{namespace} ({kind})", safe(&service.name))
}

impl Answer<'_> {
    /// `▲ WARNING  svc/web -n shop (ClusterIP)`.
    pub(super) fn title(&self, ascii: bool) -> String {
        let Verdict { sign, words } = self.verdict();
        format!("{} {words}  {}", sign.mark(ascii), name(self.service))
    }

    /// `as of 2026-11-21 00:38:11Z`.
    pub(super) fn moment(&self) -> String {
        self.as_of.map_or_else(
            || "no moment known".to_owned(),
            |moment| format!("as of {}", moment.format("%Y-%m-%d %H:%M:%SZ")),
        )
    }

    pub(super) fn verdict(&self) -> Verdict {
        Verdict::of(&Traffic::from(self.service), self.findings)
    }

    fn header(&self, style: Style) -> Vec<String> {
        let Verdict { sign, words } = self.verdict();
        let title = self.title(style.ascii);
        let moment = self.moment();
        let verdict = format!("{} {words}", sign.mark(style.ascii));
        let used = title.width() + moment.len();
        let painted = title.replacen(&verdict, &paint::sign(&verdict, sign), 1);
        let space = usize::from(style.width.min(100)).saturating_sub(used);
        if space < 2 {
            return vec![painted, format!("  {moment}")];
        }
        vec![format!("{painted}{:space$}{moment}", "")]
    }

    /// What is true and why, and what happens next if nothing changes.
    fn sentences(&self) -> String {
        let service = self.service;
        // That terminating pods are fallen back to is in the summary.
        let said = [
            "fallback-to-terminating",
            "windows-fallback",
            "other-data-plane",
            // Worth knowing, and nobody's question: -o wide has it.
            "endpoints-show-fewer",
        ];
        let notes = service.notes.iter().filter(|note| !said.contains(&note.id));
        let dns = service
            .dns
            .as_ref()
            .map(|dns| answers(dns, service.endpoints.len()));
        let next = service.forecast.last().map(|change| change.text.clone());
        let sentences = [service.summary.clone()].into_iter().chain(dns);
        let sentences = sentences
            .chain(notes.map(|note| note.text.clone()))
            .chain(next);
        sentences
            .chain(ranges(service))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn paths(&self, detail: Detail) -> Option<Part> {
        let any = self.service.ports.iter().any(|port| !port.paths.is_empty());
        any.then(|| {
            let (signs, cells) = paths::paths(
                self.service,
                &Differing::of(self.service, self.node_rules),
                detail.fold_paths,
                detail.paths,
            );
            Part::Table(signs, cells)
        })
    }

    fn pods(&self, detail: Detail) -> Option<Part> {
        let (signs, cells) = pods::pods(
            self.service,
            &Differing::of(self.service, self.node_rules),
            self.as_of,
            (detail.by_node, detail.names),
            detail.pods,
        );
        // Where every pod gets connections and none terminates, the paths have said it.
        let quiet =
            self.service.state == State::Healthy && signs.iter().all(|sign| *sign == Sign::Good);
        (!cells.rows.is_empty() && !quiet).then_some(Part::Table(signs, cells))
    }

    fn timeline(&self, detail: Detail, style: Style) -> Option<Part> {
        let mut endpoints = self.service.endpoints.iter();
        let terminating = endpoints.any(|each| each.termination.is_some());
        let about_shutdown = |finding: &&Finding| {
            finding.rule.starts_with("DC2") && finding.severity > Severity::Info
        };
        if !detail.timeline || !(terminating || self.findings.iter().any(about_shutdown)) {
            return None;
        }
        let mut lines = timeline::lines(self.service, self.as_of, style, false);
        if !detail.legend {
            lines.pop();
        }
        (!lines.is_empty()).then_some(Part::Picture(lines))
    }

    fn in_detail(&self, detail: Detail, style: Style) -> Vec<Part> {
        let parts = [
            Some(Part::Words(self.sentences())),
            self.paths(detail),
            self.pods(detail),
            self.timeline(detail, style),
        ];
        parts.into_iter().flatten().collect()
    }

    /// What is so, and why: all of it.
    pub(super) fn parts(&self, style: Style) -> Vec<Part> {
        let names = true;
        self.in_detail(Detail { names, ..ALL }, style)
    }

    /// What was assumed, and how to see more.
    pub(super) fn assumed(&self) -> Vec<String> {
        assumed::sentences(self.service, self.findings, self.gaps)
    }

    fn with(&self, detail: Detail, style: Style) -> Vec<String> {
        let mut lines = self.header(style);
        let parts = self
            .in_detail(detail, style)
            .into_iter()
            .map(|part| match part {
                Part::Words(words) => wrap(&words, "  ", "  ", style.width),
                Part::Table(signs, cells) => signed(&signs, cells, style),
                Part::Picture(lines) => lines,
            });
        let actions = actions(self.findings, detail.actions, style);
        let quiet = actions.is_empty();
        for (index, part) in parts.chain([actions]).enumerate() {
            if detail.blanks && index > 0 && !part.is_empty() {
                lines.push(String::new());
            }
            lines.extend(part);
        }
        if detail.blanks && quiet {
            lines.push(String::new());
        }
        for sentence in self.assumed() {
            lines.extend(wrap(&sentence, "", "  ", style.width));
        }
        lines
    }

    /// Its lines; as many as a terminal of 24 shows, unless everything is wanted.
    pub(super) fn lines(&self, style: Style) -> Vec<String> {
        if style.wide {
            return self.with(ALL, style);
        }
        fitting(DETAILS, |detail| self.with(detail, style))
    }
}
