//! DC204: preStop is shorter than the slowest traffic source needs.

use super::pods::{Delay, Pods, because, longer_in_fallback, slowest};
use super::{Check, Doubt, Finding, Rule, Severity, When};
use crate::analysis::serves::{Serves, takes_out};
use crate::facts::pod_spec::Handler;
use crate::facts::service::Service;
use crate::sources::Budget;
use crate::sources::sum::TermOf;
use crate::sources::timing::SourceTiming;

pub(super) static RULE: Rule = Rule {
    id: "DC204",
    slug: "delay-too-short",
    severity: Severity::Warning,
    when: When::Next,
    summary: "preStop ends before the slowest traffic source has stopped sending new connections.",
    page: include_str!("../../docs/rules/DC204.md"),
    check: Check::Workload(check),
};

/// Which object shows that the traffic source is in use, in words.
fn evidence(source: &SourceTiming) -> String {
    source
        .evidence
        .first()
        .map_or_else(String::new, |evidence| {
            let field = evidence
                .field
                .as_ref()
                .map_or_else(String::new, |field| format!(", {field}"));
            format!(" (seen by {}{field})", evidence.object)
        })
}

/// A Service with a traffic source that sends new connections for longer than SIGTERM is delayed.
struct Late<'p> {
    service: &'p Service,
    budget: &'p Budget,
    source: &'p SourceTiming,
    seconds: f64,
    /// So much time is missing.
    short_millis: i64,
}

/// What is missing less than this is no warning: the times that make the sum are not known as closely as that, in milliseconds.
const HARDLY_SHORT: i64 = 1000;

fn late<'p>(service: &'p Service, budget: &'p Budget, delay_millis: i64) -> Option<Late<'p>> {
    let (source, seconds) = slowest(budget)?;
    // The budget has subtracted a delay before the delete, as preStop need not give that time. The margin is advice, and its lack
    // is no finding; nor is that of what only makes whole seconds of the sum.
    let terms = budget.pre_stop.terms.iter();
    let without_margin =
        terms.filter(|term| !matches!(term.of, TermOf::Margin | TermOf::RoundedUp));
    #[allow(clippy::cast_possible_truncation)]
    let needed_millis = (without_margin.map(|term| term.seconds).sum::<f64>() * 1000.0) as i64;
    (delay_millis < needed_millis).then_some(Late {
        service,
        budget,
        source,
        seconds,
        short_millis: needed_millis - delay_millis,
    })
}

fn finding<'a>(pods: &Pods<'_, 'a>, serves: &Serves<'a>) -> Option<Finding> {
    if pods.delay(serves) == Delay::Useless {
        return None;
    }
    let end = pods.end(&serves.container.name)?;
    let hook = end.pre_stop.as_ref().filter(|hook| hook.delays)?;
    // The time for which the application accepts connections after SIGTERM counts too, if it is declared.
    let declared = pods
        .check
        .declared
        .drain_of(&serves.container.name)
        .unwrap_or(0);
    let delay = end.sigterm_at.max();
    let delay = delay.saturating_add(declared.saturating_mul(1000));
    let worst = serves
        .budgets
        .each()
        .filter_map(|(service, budget)| late(service, budget, delay))
        .max_by(|one, other| {
            let rank = |late: &Late<'_>| (takes_out(late.service), late.seconds);
            let (one, other) = (rank(one), rank(other));
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        })?;
    let Late {
        service,
        budget,
        source,
        seconds,
        short_millis,
    } = worst;
    let minimum = i64::try_from(budget.pre_stop.seconds).unwrap_or(i64::MAX);
    let also = if declared > 0 {
        format!(", and the application accepts connections for {declared} s after it")
    } else {
        String::new()
    };
    let longer = longer_in_fallback(source);
    let at_least = if budget.pre_stop.complete() {
        ""
    } else {
        "at least "
    };
    let safe = pods.may_delay(serves);
    let first = match pods.delay(serves) {
        Delay::HelpsInDrains => {
            "Change strategy Recreate first: a rollout starts no new pod before every preStop has ended. Then make"
        }
        Delay::Helps | Delay::Useless => "Make",
    };
    let path = pods.container_path(end)?;
    let grace = pods.grace_beside(minimum);
    let fix = (safe && matches!(hook.handler, Handler::Sleep(_)))
        .then(|| pods.sleep_instead(end, minimum, Some(grace)))
        .flatten()
        .map(|patch| patch.unless(serves.guessed, Doubt::Container));
    Some(Finding {
        // DNS clients choose how long they keep an answer; peers mostly learn without DNS which pod is going.
        severity: if takes_out(service) && safe && short_millis >= HARDLY_SHORT {
            Severity::Warning
        } else {
            Severity::Info
        },
        path: Some(format!("{path}.lifecycle.preStop").into()),
        message: format!(
            "{} may send container {} new connections for {} s{longer}{}; preStop delays SIGTERM by only {}{also}: use {at_least}{minimum} s.",
            source.source.name,
            end.name,
            seconds.ceil(),
            evidence(source),
            end.sigterm_at,
        ),
        why: format!(
            "Minimum preStop delay: {}.{} New connections after SIGTERM meet a process that was told to end.",
            budget.pre_stop,
            because(&budget.pre_stop).unwrap_or_default()
        ),
        help: format!(
            "{first} preStop {at_least}{minimum} s long (now {}) and raise the grace period from {} to {at_least}{grace} s. Or reduce the time that {} takes. If the application accepts connections after SIGTERM, declare for how long with the annotation drain-check/drain-seconds.",
            end.sigterm_at,
            pods.grace().max(1),
            source.source.name
        ),
        patch: fix,
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    pods.check
        .serves
        .iter()
        .filter(|each| each.proxied())
        .filter_map(|each| finding(pods, each))
        .collect()
}
