//! Does `docs/reasons.md` explain each fixed word that a report can contain, and nothing else?

use std::collections::BTreeSet;

use drain_check::analysis::State;
use drain_check::analysis::affinity::{Affinity, StickyClients};
use drain_check::analysis::causes::CauseKind;
use drain_check::analysis::misfits::Misfit;
use drain_check::analysis::not_proxied::WhyNotProxied;
use drain_check::analysis::notes::Note;
use drain_check::facts::version::KubeVersion;
use drain_check::facts::{GapReason, ObjectName};
use drain_check::proxy::reason::Reason;
use drain_check::proxy::topology::HintsRefused;
use drain_check::shutdown;
use drain_check::shutdown::readiness::ReadinessReason;

const PAGE: &str = include_str!("../../docs/reasons.md");

/// The word for a state; a new state must get one, or this does not compile.
const fn state(state: State) -> &'static str {
    match state {
        State::Healthy => "healthy",
        State::Degraded => "degraded",
        State::TerminatingOnly => "terminating-only",
        State::NoBackends => "no-backends",
        State::NotProxied(_) => "not-proxied",
        State::Unknown => "unknown",
    }
}

/// Every way in which something can be unread; a new one must be added, or this does not compile.
fn gaps() -> Vec<GapReason> {
    let all = vec![
        GapReason::NotInInput,
        GapReason::Forbidden,
        GapReason::NotFound,
        GapReason::TimedOut,
        GapReason::Failed(String::new()),
    ];
    for each in &all {
        match each {
            GapReason::NotInInput
            | GapReason::Forbidden
            | GapReason::NotFound
            | GapReason::TimedOut
            | GapReason::Failed(_) => {}
        }
    }
    all
}

/// Every note; a new one must be added, or this does not compile.
fn notes() -> Vec<Note> {
    let version: KubeVersion = "1.36".parse().expect("a version");
    let all = vec![
        Note::FallbackToTerminating,
        Note::WindowsFallback,
        Note::OtherDataPlane("Cilium", "documented"),
        Note::EndpointsShowNone,
        Note::EndpointsShowFewer { shown: 1, used: 2 },
        Note::VersionNotKnown,
        Note::ReleaseNotesOnly(version),
        Note::NewerThanKnown(version),
        Note::OlderThanKnown(version),
        Note::PodSourcesNotKnown,
        Note::SlicesContradict(BTreeSet::from(["10.0.0.1:80".to_owned()])),
        Note::StickyClients(Affinity {
            seconds: 10_800,
            at_terminating: BTreeSet::from([StickyClients::RuleGone]),
        }),
        Note::TerminatingLeftOut,
        Note::HealthCheckOneFamily,
        Note::IpvsWeightZero,
        Note::SyncFails(Misfit {
            slice: ObjectName::new("shop", "web-1"),
            address: "fd00::5".to_owned(),
        }),
    ];
    for each in &all {
        match each {
            Note::FallbackToTerminating
            | Note::WindowsFallback
            | Note::OtherDataPlane(..)
            | Note::EndpointsShowNone
            | Note::EndpointsShowFewer { .. }
            | Note::VersionNotKnown
            | Note::ReleaseNotesOnly(_)
            | Note::NewerThanKnown(_)
            | Note::OlderThanKnown(_)
            | Note::PodSourcesNotKnown
            | Note::SlicesContradict(_)
            | Note::StickyClients(_)
            | Note::TerminatingLeftOut
            | Note::HealthCheckOneFamily
            | Note::IpvsWeightZero
            | Note::SyncFails(_) => {}
        }
    }
    all
}

#[test]
fn every_word_of_a_report_has_a_section() {
    let states = [
        State::Healthy,
        State::Degraded,
        State::TerminatingOnly,
        State::NoBackends,
        State::NotProxied(WhyNotProxied::Headless),
        State::Unknown,
    ];
    let (gaps, notes) = (gaps(), notes());
    let words: BTreeSet<_> = states
        .map(state)
        .into_iter()
        .chain(Reason::ALL.map(Reason::id))
        .chain(HintsRefused::ALL.map(HintsRefused::id))
        .chain(WhyNotProxied::ALL.map(WhyNotProxied::id))
        .chain(notes.iter().map(Note::id))
        .chain(gaps.iter().map(GapReason::id))
        .chain(shutdown::Reason::ALL.iter().map(|reason| reason.id()))
        .chain(ReadinessReason::ALL.map(ReadinessReason::id))
        .chain(CauseKind::IDS)
        .collect();
    let sections: Vec<_> = PAGE
        .split("\n## ")
        .skip(1)
        .map(|section| section.split_once('\n').expect("a heading"))
        .collect();
    let explained: BTreeSet<_> = sections.iter().map(|(id, _)| *id).collect();
    assert_eq!(explained.len(), sections.len(), "one section each");
    assert_eq!(words, explained);
    for (id, text) in sections {
        assert!(text.contains("\nWhat to do: "), "{id}");
        assert!(text.contains("\nSource: "), "{id}");
    }
}

#[test]
fn a_reason_says_first_whether_the_endpoint_is_used() {
    for reason in Reason::ALL {
        let (_, text) = PAGE
            .split_once(&format!("\n## {}\n\n", reason.id()))
            .expect("the section");
        let used = text.starts_with("The endpoint is used");
        assert_eq!(used, reason.selected(), "{}", reason.id());
        assert!(used || text.starts_with("The endpoint is not used"));
    }
}
