//! How long must preStop and the grace be at least, for everyone who sends to a Service's pods?
//!
//! ```text
//! preStop = max(last new connection of each) + margin          less what is given before the delete
//! grace   = preStop + min(longest request, shortest drain of a load balancer) + margin
//! ```
//!
//! Both are sums of typed terms. Whoever sends until the pod is gone cannot be outwaited: it is listed with what helps.

use super::amount::Amount;
use super::catalogue::{Class, Level, WhenNoReady, catalogue};
use super::detect::{Detected, InUse};
use super::figures::{CreditKind, DrainFrom, Limit};
use super::object_index::ObjectIndex;
use super::sum::{Sum, SumTerm, TermOf, sum, total};
use super::target::Target;
use super::timing::{Around, Reason, SourceTiming, timing};
use super::tuning::{TuningProblem, Tunings, tunings};

/// What is known of the pods whose budget is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Situation {
    /// `terminationGracePeriodSeconds`, of a live pod rather than its template: policies change it.
    pub grace: Option<f64>,
    /// The longest request that shall be finished, seconds.
    pub longest_request: Option<f64>,
}

/// Who sends until when, and what that asks for.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Everyone who sends, by the last new connection; what nobody knows comes last.
    pub timings: Vec<SourceTiming>,
    /// What sends nothing but changes when pods or proxies end.
    pub others: Vec<SourceTiming>,
    /// The minimum preStop delay.
    pub pre_stop: Sum,
    /// The smallest safe `terminationGracePeriodSeconds`.
    pub grace: Sum,
    /// Those who send until the pod is gone: no delay helps.
    pub undrainable: Vec<Undrainable>,
    /// Those of whom nobody knows when they stop: the sums hold for the others only.
    pub unknown: Vec<String>,
    /// What bounds the sums.
    pub bounds: Vec<Bound>,
    /// Settings that could not be read; their defaults were taken.
    pub problems: Vec<TuningProblem>,
}

/// Somebody who sends until the pod is gone.
#[derive(Debug, Clone, PartialEq)]
pub struct Undrainable {
    /// Who.
    pub id: &'static str,
    /// Until when.
    pub until: Amount,
    /// Why.
    pub reason: Reason,
    /// What helps instead.
    pub advice: &'static str,
}

/// Something that ends earlier than the sums need.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// What bounds.
    pub id: &'static str,
    /// What it bounds.
    pub limit: Limit,
    /// To how much, seconds from the delete.
    pub at_most: Amount,
    /// The sum that it bounds is larger.
    pub exceeded: bool,
}

fn id(timing: &SourceTiming) -> &'static str {
    &timing.source.id
}

/// The data plane's moment, and whether it falls back to terminating pods.
fn data_plane(
    index: &ObjectIndex<'_>,
    target: &Target<'_>,
    detected: &Detected<'_>,
    grace: Option<f64>,
) -> (Around, Option<SourceTiming>) {
    let mut around = Around {
        dataplane: Amount::Unknown,
        fallback: true,
        grace,
    };
    let baseline = catalogue().baseline.as_ref().map(|source| InUse {
        source,
        evidence: Vec::new(),
        mode: None,
        installed: false,
        given: None,
        objects: Vec::new(),
    });
    let baseline = baseline.map(|used| timing(target, &used, Tunings::default(), around));
    let own = |found: &&InUse<'_>| found.source.class == Class::Dataplane;
    let mut in_use = detected.in_use.iter().filter(own).peekable();
    if in_use.peek().is_none() {
        // A label says that somebody else routes this Service: nobody knows who and when.
        if detected.other_proxy.is_some() {
            return (around, None);
        }
        around.dataplane = baseline
            .as_ref()
            .map_or(Amount::Unknown, |timing| timing.last_new_connection.amount);
        return (around, baseline.filter(|_| !target.facts.headless));
    }
    // OpenShift SDN is kube-proxy at heart.
    around.dataplane = baseline.map_or(Amount::Unknown, |timing| timing.last_new_connection.amount);
    let mut slowest = Amount::NONE;
    let mut fallback = true;
    for used in in_use {
        let one = timing(target, used, tunings(index, target, used), around);
        if one.last_new_connection.amount.order(slowest).is_gt() {
            slowest = one.last_new_connection.amount;
        }
        fallback &= used.source.terminating.when_no_ready == WhenNoReady::ServingTerminating;
    }
    around.dataplane = slowest;
    around.fallback = fallback;
    (around, None)
}

/// Works out the budget of a Service's pods.
#[must_use]
pub fn budget(index: &ObjectIndex<'_>, detected: &Detected<'_>, situation: Situation) -> Budget {
    let mut all = Vec::new();
    if let Some(target) = &detected.target {
        let (around, baseline) = data_plane(index, target, detected, situation.grace);
        all.extend(baseline);
        for used in &detected.in_use {
            let tunings = tunings(index, target, used);
            // A data plane's own formula may say "as kube-proxy does"; for it, DP is kube-proxy's.
            all.push(timing(target, used, tunings, around));
        }
    }
    let problems = all
        .iter()
        .flat_map(|timing| timing.tunings.problems.clone())
        .collect();
    let (mut timings, others): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|timing| timing.source.class.sends());
    timings.sort_by(|one, two| {
        let order = one
            .last_new_connection
            .amount
            .order(two.last_new_connection.amount);
        order.then_with(|| id(one).cmp(id(two)))
    });
    let mut unknown: Vec<String> = timings
        .iter()
        .filter(|timing| timing.last_new_connection.amount == Amount::Unknown)
        .map(|timing| timing.source.id.clone())
        .collect();
    unknown.extend(detected.other_proxy.clone().filter(|_| {
        let mut all = timings.iter();
        !all.any(|timing| timing.source.class == Class::Dataplane)
    }));
    let pre_stop = pre_stop(&timings, &others, unknown.is_empty());
    let grace = grace(&timings, &pre_stop, situation);
    Budget {
        undrainable: undrainable(&timings),
        bounds: bounds(&others, &pre_stop, &grace),
        timings,
        others,
        pre_stop,
        grace,
        unknown,
        problems,
    }
}

fn undrainable(timings: &[SourceTiming]) -> Vec<Undrainable> {
    let until = |timing: &&SourceTiming| {
        matches!(
            timing.last_new_connection.amount,
            Amount::UntilPodIsGone | Amount::Unlimited
        )
    };
    timings
        .iter()
        .filter(until)
        .map(|timing| Undrainable {
            id: id(timing),
            until: timing.last_new_connection.amount,
            reason: timing.last_new_connection.reason,
            advice: if timing.last_new_connection.reason == Reason::PublishNotReady {
                "Take publishNotReadyAddresses off the Service that clients use, and keep it for one that only the pods use to find each other."
            } else {
                timing.source.advice.as_deref().unwrap_or_default()
            },
        })
        .collect()
}

fn margin() -> SumTerm {
    SumTerm {
        of: TermOf::Margin,
        seconds: catalogue().constant("margin"),
    }
}

/// The slowest traffic source that can be outwaited decides; nobody's margin is added to nothing.
fn pre_stop(timings: &[SourceTiming], others: &[SourceTiming], complete: bool) -> Sum {
    let finite = timings
        .iter()
        .filter_map(|timing| Some((timing, timing.last_new_connection.amount.seconds(None)?)));
    // Of equals the first counts, so that the answer does not depend on their order.
    let slowest = finite.fold(None, |best: Option<(&SourceTiming, f64)>, one| match best {
        Some(before) if before.1 >= one.1 => Some(before),
        _ => Some(one),
    });
    let Some((slowest, seconds)) = slowest else {
        return sum(Vec::new(), None, complete && timings.is_empty());
    };
    let moment = &slowest.last_new_connection;
    let term = |names: String, numbers: String, seconds| SumTerm {
        of: TermOf::TrafficSource {
            id: id(slowest),
            names,
            numbers,
        },
        seconds,
    };
    let mut terms: Vec<_> = moment
        .terms
        .iter()
        .map(|one| term(one.names.clone(), one.numbers.clone(), one.seconds))
        .collect();
    if terms.is_empty() {
        terms.push(term("given".to_owned(), seconds.to_string(), seconds));
    }
    terms.push(margin());
    // Only one preStop runs and only one hold is on a delete: the largest credit counts.
    for kind in [CreditKind::Holds, CreditKind::Covers] {
        let given = others.iter().chain(timings).filter_map(|timing| {
            let (_, amount) = timing.credit.filter(|(known, _)| *known == kind)?;
            Some((id(timing), amount.seconds(None)?))
        });
        let needed = total(&terms);
        let best = given.fold(None, |best: Option<(&'static str, f64)>, one| match best {
            Some(before) if before.1 >= one.1 => Some(before),
            _ => Some(one),
        });
        // What covers all is judged by what traffic sources need, without the margin, as it is longer than them by itself.
        let without_margin = needed - catalogue().constant("margin");
        if let Some((from, amount)) = best
            && (kind == CreditKind::Holds || without_margin <= amount)
        {
            let used = if kind == CreditKind::Covers {
                needed
            } else {
                amount.min(needed)
            };
            if used > 0.0 {
                terms.push(SumTerm {
                    of: TermOf::Credit(from),
                    seconds: -used,
                });
            }
        }
    }
    sum(terms, Some(id(slowest)), complete)
}

fn grace(timings: &[SourceTiming], pre_stop: &Sum, situation: Situation) -> Sum {
    let cuts = timings
        .iter()
        .filter(|timing| {
            let source = timing.source;
            source.level == Level::L7 || source.class == Class::CloudLb
        })
        .filter(|timing| timing.source.drain.from == DrainFrom::Stop)
        .filter_map(|timing| Some((id(timing), timing.drain.seconds(None)?)))
        .fold(None, |best: Option<(&'static str, f64)>, one| match best {
            Some(before) if before.1 <= one.1 => Some(before),
            _ => Some(one),
        });
    #[allow(clippy::cast_precision_loss)]
    let mut terms = vec![SumTerm {
        of: TermOf::PreStop,
        seconds: pre_stop.seconds as f64,
    }];
    if let Some(request) = situation.longest_request {
        let cut = cuts.filter(|(_, cut)| *cut < request);
        terms.push(SumTerm {
            of: TermOf::Request(cut.map(|(from, _)| from)),
            seconds: cut.map_or(request, |(_, cut)| cut),
        });
    }
    terms.push(margin());
    let complete = pre_stop.complete && situation.longest_request.is_some();
    sum(terms, pre_stop.slowest, complete)
}

fn bounds(others: &[SourceTiming], pre_stop: &Sum, grace: &Sum) -> Vec<Bound> {
    let exceeds = |sum: &Sum, at_most: Amount| {
        at_most
            .whole_seconds()
            .is_some_and(|at_most| sum.seconds > at_most)
    };
    others
        .iter()
        .filter_map(|timing| {
            let (limit, at_most) = timing.limit?;
            Some(Bound {
                id: id(timing),
                limit,
                at_most,
                exceeded: exceeds(
                    match limit {
                        Limit::Grace => grace,
                        Limit::Inbound => pre_stop,
                    },
                    at_most,
                ),
            })
        })
        .collect()
}
