//! Traffic sources and what they ask for → the report's shape.

use super::v1;
use crate::analysis::forecast::Fallback;
use crate::sources::sum::Sum;
use crate::sources::timing::SourceTiming;
use crate::sources::tuning::TuningProblem;
use crate::sources::{Amount, Budget, Evidence};

/// Seconds as the report has them.
fn seconds(seconds: f64) -> v1::Seconds {
    // Figures of traffic sources are far below where a number of milliseconds would not fit.
    #[allow(clippy::cast_possible_truncation)]
    let millis = (seconds * 1000.0).round() as i64;
    v1::Seconds { millis }
}

pub(super) fn moment(amount: Amount) -> v1::Moment {
    let (number, until) = match amount {
        Amount::Seconds(number) => (Some(seconds(number)), "seconds"),
        Amount::UntilPodIsGone => (None, "pod-is-gone"),
        Amount::Unlimited => (None, "unlimited"),
        Amount::Unknown => (None, "unknown"),
    };
    v1::Moment {
        seconds: number,
        until,
    }
}

pub(super) fn evidence(evidence: &Evidence) -> v1::Evidence {
    v1::Evidence {
        object: evidence.object.clone(),
        field: evidence.field.clone(),
        value: evidence.value.clone(),
        note: evidence.note.clone(),
    }
}

/// What a source does now, where no other pod is ready.
fn goes_on(timing: &SourceTiming, fallback: Fallback) -> Option<v1::GoesOn> {
    let does = &timing.source.terminating;
    if !timing.source.class.sends() || !does.follows_fallback(fallback.everywhere) {
        return None;
    }
    // Pods may be ready elsewhere, where a policy is Local.
    let until = if fallback.everywhere {
        "goes on to terminating pods until another pod is Ready"
    } else {
        "goes on to terminating pods where no ready one may be used, until there is one"
    };
    let end = match fallback.by {
        Some(by) => format!("the last of them is gone (by {})", by.format("%H:%M:%S")),
        None => "the last of them is gone (nobody knows when)".to_owned(),
    };
    Some(v1::GoesOn {
        until: "pod-ready-or-last-gone",
        by: fallback.by,
        everywhere: fallback.everywhere,
        text: format!("{until} or {end}"),
    })
}

fn source(timing: &SourceTiming, fallback: Option<Fallback>) -> v1::TrafficSource {
    v1::TrafficSource {
        id: &timing.source.id,
        name: &timing.source.name,
        last_new_connection: moment(timing.last_new_connection.amount),
        now: fallback.and_then(|fallback| goes_on(timing, fallback)),
        in_flight_done: moment(timing.in_flight_done.amount),
        evidence: timing.evidence.iter().map(evidence).collect(),
        may_be: timing
            .may_be
            .iter()
            .map(|one| v1::MayBe {
                id: &one.source.id,
                name: &one.source.name,
                last_new_connection: moment(one.last_new_connection),
            })
            .collect(),
        confidence: timing.source.confidence.words(),
        advice: timing.source.advice.as_deref(),
    }
}

/// The traffic sources, by their last new connection after a delete while another pod is ready.
pub(super) fn sources(budget: &Budget, fallback: Option<Fallback>) -> Vec<v1::TrafficSource> {
    let timings = budget.timings.iter();
    timings.map(|timing| source(timing, fallback)).collect()
}

fn sum(sum: &Sum) -> v1::Sum {
    v1::Sum {
        seconds: sum.seconds,
        at_least: !sum.complete(),
        because: sum
            .at_least
            .iter()
            .map(|reason| v1::Because {
                reason: reason.id(),
                traffic_source: reason.source(),
                text: reason.to_string(),
            })
            .collect(),
        slowest: sum.slowest,
        terms: sum
            .terms
            .iter()
            .map(|term| v1::Term {
                seconds: seconds(term.seconds),
                text: term.to_string(),
            })
            .collect(),
        text: sum.to_string(),
    }
}

/// What they ask of a workload.
pub(super) fn budget(budget: &Budget) -> v1::Budget {
    v1::Budget {
        pre_stop: sum(&budget.pre_stop),
        grace_period: sum(&budget.grace_period),
        until_pod_is_gone: budget
            .undrainable
            .iter()
            .map(|undrainable| v1::Advice {
                traffic_source: undrainable.id,
                advice: undrainable.advice,
            })
            .collect(),
        unknown: budget.unknown.clone(),
        problems: budget
            .problems
            .iter()
            .map(|problem| {
                let TuningProblem {
                    object,
                    field,
                    text,
                    expected,
                    source,
                } = problem;
                let instead = if problem.is_declaration() {
                    "it counts for nothing".to_owned()
                } else {
                    format!("{source} is taken to have its default")
                };
                format!("{object} {field}: {text:?} cannot be read, {expected} expected; {instead}")
            })
            .collect(),
    }
}
