//! DC204: preStop is shorter than the slowest of those who send.

use super::pods::{Pods, lead_to};
use super::{Check, Doubt, Finding, Rule, Severity};
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
    summary: "preStop ends before the slowest traffic source has stopped sending new connections.",
    page: include_str!("../../docs/rules/DC204.md"),
    check: Check::Workload(check),
};

/// The slowest traffic source that can be outwaited, with its seconds.
fn slowest(budget: &Budget) -> Option<(&SourceTiming, f64)> {
    let decides = budget.pre_stop.slowest?;
    let source = budget
        .timings
        .iter()
        .find(|source| source.source.id == decides)?;
    Some((source, source.last_new_connection.amount.seconds(None)?))
}

/// What shows that the traffic source is in use, in words.
fn seen(source: &SourceTiming) -> String {
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

/// A Service's traffic sources that send for longer than the SIGTERM is held back.
struct Late<'p> {
    service: &'p Service,
    budget: &'p Budget,
    source: &'p SourceTiming,
    seconds: f64,
}

fn late<'p>(service: &'p Service, budget: &'p Budget, held_millis: i64) -> Option<Late<'p>> {
    let (source, seconds) = slowest(budget)?;
    // A hold on the delete is time that preStop need not give; the budget has subtracted it. Its margin is advice, and no fault
    // is found with whoever does without.
    let terms = budget.pre_stop.terms.iter();
    let without_margin = terms.filter(|term| term.of != TermOf::Margin);
    #[allow(clippy::cast_possible_truncation)]
    let needed_millis = (without_margin.map(|term| term.seconds).sum::<f64>() * 1000.0) as i64;
    (held_millis < needed_millis).then_some(Late {
        service,
        budget,
        source,
        seconds,
    })
}

fn finding(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> Option<Finding> {
    let end = pods.end(&serves.container.name)?;
    let hook = end.pre_stop.as_ref().filter(|hook| hook.delays)?;
    // What the application goes on accepting after its signal counts too, if somebody declared it.
    let declared = pods
        .check
        .declared
        .drain_of(&serves.container.name)
        .unwrap_or(0);
    let held = end.sigterm_at.max();
    let held = held.saturating_add(declared.saturating_mul(1000));
    let asking = pods.check.budgets.iter().filter(|(service, _)| {
        let mut own = serves.services.iter();
        own.any(|own| own.name == service.name)
    });
    let worst = asking
        .filter_map(|(service, budget)| late(service, budget, held))
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
    } = worst;
    let asked = i64::try_from(budget.pre_stop.seconds).unwrap_or(i64::MAX);
    let path = pods.container_path(end)?;
    let grace = pods.grace_beside(asked);
    let cure = matches!(hook.handler, Handler::Sleep(_))
        .then(|| pods.sleep_instead(end, asked, Some(grace)))
        .flatten()
        .map(|patch| patch.unless(serves.guessed, Doubt::Container));
    Some(Finding {
        // Clients that go by DNS choose for how long they remember; peers mostly know without it who is going.
        severity: if takes_out(service) {
            Severity::Warning
        } else {
            Severity::Info
        },
        path: Some(format!("{path}.lifecycle.preStop").into()),
        message: format!(
            "{}, whose SIGTERM comes {} after the delete; {} sends new connections for {} s{}.",
            lead_to(serves),
            end.sigterm_at,
            source.source.name,
            seconds.ceil(),
            seen(source),
        ),
        why: format!(
            "Minimum preStop: {}. What is sent after the SIGTERM goes to a process that is ending.",
            budget.pre_stop
        ),
        help: format!(
            "Make preStop {asked} s long and terminationGracePeriodSeconds {asked} s more than the application needs to end (for example {grace}), or shorten what {} takes. If the application goes on accepting connections after its SIGTERM, declare for how many seconds with the annotation drain-check/drain-seconds.",
            source.source.name
        ),
        patch: cure,
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
