//! How long must preStop and the grace period be at least, for all traffic sources of a Service?
//!
//! ```text
//! preStop      = max(last new connection of each) + margin - time that something else provides
//! grace period = preStop + min(longest request, shortest drain of a load balancer) + margin
//! ```
//!
//! Both are sums of typed terms. No delay outlasts a traffic source that sends until the pod is gone: it is listed with what
//! helps instead.

use super::amount::Amount;
use super::at_least::{AtLeast, reasons};
use super::catalogue::{Class, Level, WhenNoReady, catalogue};
use super::detected::{DetectedSources, SourceInUse};
use super::figures::{CreditKind, DrainFrom, Limit};
use super::sum::{Sum, SumTerm, TermOf, sum, total};
use super::timing::{DataPlaneTiming, SourceTiming, TimingReason, timing};
use super::tuning::TuningProblem;
use crate::facts::service::Service;

/// What the pods of a workload allow and need; `None` for what is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PodTiming {
    /// `terminationGracePeriodSeconds`, of a live pod rather than its template: policies change it.
    pub grace_period: Option<f64>,
    /// The longest request that must be able to finish, seconds.
    pub longest_request: Option<f64>,
}

/// Until when the traffic sources of a Service send, and what that asks of its pods.
#[derive(Debug, Clone)]
pub struct Budget {
    /// All that send traffic, by the last new connection; unknown comes last.
    pub timings: Vec<SourceTiming>,
    /// Those of the catalogue that send nothing but change when pods or proxies end.
    pub others: Vec<SourceTiming>,
    /// The minimum preStop delay.
    pub pre_stop: Sum,
    /// The minimum `terminationGracePeriodSeconds`.
    pub grace_period: Sum,
    /// Those that send until the pod is gone: no preStop delay outlasts them.
    pub undrainable: Vec<Undrainable>,
    /// The ids of those of which it is unknown when they stop: the sums hold for the others only.
    pub unknown: Vec<String>,
    /// What limits how long a pod or its traffic may last.
    pub bounds: Vec<Bound>,
    /// Settings that cannot be read; the sums take their defaults.
    pub problems: Vec<TuningProblem>,
}

/// A traffic source that sends until the pod is gone.
#[derive(Debug, Clone, PartialEq)]
pub struct Undrainable {
    /// Its id.
    pub id: &'static str,
    /// Until when.
    pub until: Amount,
    /// Why.
    pub reason: TimingReason,
    /// What helps instead.
    pub advice: &'static str,
}

/// A limit on the grace period, or on how long anything reaches the application.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// The id of what sets the limit.
    pub id: &'static str,
    /// What it limits.
    pub limit: Limit,
    /// To how much, seconds from the delete.
    pub at_most: Amount,
    /// The sum for it is larger.
    pub exceeded: bool,
}

fn id(timing: &SourceTiming) -> &'static str {
    &timing.source.id
}

/// What is known of the data plane that routes the Service, and kube-proxy where it is the one.
fn data_plane(
    service: &Service,
    detected: &DetectedSources<'_>,
    grace_period: Option<f64>,
) -> (DataPlaneTiming, Option<SourceTiming>) {
    let unknown = DataPlaneTiming {
        last_new_connection: Amount::Unknown,
        falls_back: true,
    };
    let kube_proxy = catalogue().baseline.as_ref().map(|source| {
        let used = SourceInUse::unseen(source, None);
        timing(service, &used, unknown, grace_period)
    });
    let last_of_kube_proxy = kube_proxy
        .as_ref()
        .map_or(Amount::Unknown, |timing| timing.last_new_connection.amount);
    let as_kube_proxy = DataPlaneTiming {
        last_new_connection: last_of_kube_proxy,
        ..unknown
    };
    let in_use = detected.in_use.iter();
    let data_planes: Vec<_> = in_use
        .filter(|used| used.source.class == Class::Dataplane)
        .collect();
    if data_planes.is_empty() {
        // A label says that another proxy routes this Service, of which nothing is known.
        if detected.other_proxy.is_some() {
            return (unknown, None);
        }
        // A headless Service has no address that kube-proxy could route.
        return (as_kube_proxy, kube_proxy.filter(|_| !service.headless));
    }
    let mut slowest = Amount::NONE;
    let mut falls_back = true;
    for used in data_planes {
        // In a data plane's own formula `DP` is kube-proxy: OpenShift SDN runs it.
        let last = timing(service, used, as_kube_proxy, grace_period).last_new_connection;
        if last.amount.order(slowest).is_gt() {
            slowest = last.amount;
        }
        let (_, when_no_ready) = used.source.terminating.of(used.release);
        falls_back &= when_no_ready == WhenNoReady::ServingTerminating;
    }
    let found = DataPlaneTiming {
        last_new_connection: slowest,
        falls_back,
    };
    (found, None)
}

/// Works out the budget of the pods of a Service.
#[must_use]
pub fn budget(detected: &DetectedSources<'_>, pods: PodTiming) -> Budget {
    let mut all = Vec::new();
    if let Some(service) = detected.service {
        let (data_plane, kube_proxy) = data_plane(service, detected, pods.grace_period);
        all.extend(kube_proxy);
        let in_use = detected.in_use.iter();
        all.extend(in_use.map(|used| timing(service, used, data_plane, pods.grace_period)));
    }
    let problems = detected.tuning_problems().cloned().collect();
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
    let at_least = reasons(detected, &timings);
    let unknown = at_least.iter().filter_map(|reason| match reason {
        AtLeast::NotIdentified { id, .. } | AtLeast::StopUnknown { id, .. } => {
            Some((*id).to_owned())
        }
        AtLeast::OtherProxy(name) => Some(name.clone()),
        _ => None,
    });
    let unknown = unknown.collect();
    let pre_stop = pre_stop(&timings, &others, at_least);
    let grace_period = grace_period(&timings, &pre_stop, pods.longest_request);
    Budget {
        undrainable: undrainable(&timings),
        bounds: bounds(&others, &pre_stop, &grace_period),
        timings,
        others,
        pre_stop,
        grace_period,
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
            advice: if timing.last_new_connection.reason == TimingReason::PublishNotReady {
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

/// The time of the slowest traffic source that stops before the pod is gone, with a margin; nothing where there is none.
fn pre_stop(timings: &[SourceTiming], others: &[SourceTiming], mut at_least: Vec<AtLeast>) -> Sum {
    let finite = timings
        .iter()
        .filter_map(|timing| Some((timing, timing.last_new_connection.amount.seconds(None)?)));
    // Of equals the first counts, so that the answer does not depend on their order.
    let slowest = finite.fold(None, |best: Option<(&SourceTiming, f64)>, one| match best {
        Some(before) if before.1 >= one.1 => Some(before),
        _ => Some(one),
    });
    let Some((slowest, seconds)) = slowest else {
        if !timings.is_empty() && at_least.is_empty() {
            at_least.push(AtLeast::NoFigure);
        }
        return sum(Vec::new(), None, at_least);
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
        terms.push(term("declared".to_owned(), seconds.to_string(), seconds));
    }
    terms.push(margin());
    // Credits of one kind run at the same time, so the largest counts.
    for kind in [CreditKind::Holds, CreditKind::Covers] {
        let credits = others.iter().chain(timings).filter_map(|timing| {
            let (_, amount) = timing.credit.filter(|(known, _)| *known == kind)?;
            Some((id(timing), amount.seconds(None)?))
        });
        let needed = total(&terms);
        let best = credits.fold(None, |best: Option<(&'static str, f64)>, one| match best {
            Some(before) if before.1 >= one.1 => Some(before),
            _ => Some(one),
        });
        // What takes the place of preStop must be as long as the traffic sources need, without the margin.
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
    sum(terms, Some(id(slowest)), at_least)
}

fn grace_period(timings: &[SourceTiming], pre_stop: &Sum, longest_request: Option<f64>) -> Sum {
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
    if let Some(request) = longest_request {
        let cut = cuts.filter(|(_, cut)| *cut < request);
        terms.push(SumTerm {
            of: TermOf::Request(cut.map(|(from, _)| from)),
            seconds: cut.map_or(request, |(_, cut)| cut),
        });
    }
    terms.push(margin());
    let mut at_least = pre_stop.at_least.clone();
    if longest_request.is_none() {
        at_least.push(AtLeast::LongestRequest);
    }
    sum(terms, pre_stop.slowest, at_least)
}

fn bounds(others: &[SourceTiming], pre_stop: &Sum, grace_period: &Sum) -> Vec<Bound> {
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
                        Limit::GracePeriod => grace_period,
                        Limit::Inbound => pre_stop,
                    },
                    at_most,
                ),
            })
        })
        .collect()
}
