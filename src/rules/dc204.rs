//! DC204: preStop is shorter than the slowest of those who send.

use super::pods::{Pods, services};
use super::{Check, Patched, Rule, Said, Severity};
use crate::check::serves::{Serves, serves};
use crate::check::workload::WorkloadCheck;
use crate::check::{Cluster, workload};
use crate::consumers::Budget;
use crate::consumers::sender::Sender;
use crate::consumers::sum::TermOf;
use crate::facts::pod_spec::Handler;

pub(super) static RULE: Rule = Rule {
    id: "DC204",
    slug: "delay-too-short",
    severity: Severity::Warning,
    summary: "preStop ends before the slowest of those who send new connections has noticed.",
    page: include_str!("../../docs/rules/DC204.md"),
    check: Check::Workload(check),
};

/// The slowest sender that can be outwaited, with its seconds.
fn slowest(budget: &Budget) -> Option<(&Sender, f64)> {
    let decides = budget.pre_stop.decided_by?;
    let sender = budget
        .senders
        .iter()
        .find(|sender| sender.consumer.id == decides)?;
    Some((sender, sender.last_new_connection.amount.seconds(None)?))
}

/// What shows that the sender is in use, in words.
fn seen(sender: &Sender) -> String {
    sender
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

fn said(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> Option<Patched> {
    let end = pods.end(&serves.container.name)?;
    let hook = end.pre_stop.as_ref().filter(|hook| hook.delays)?;
    let asking = pods.budgets().iter().filter(|(service, _)| {
        serves
            .services
            .iter()
            .any(|served| served.name == service.name)
    });
    let (budget, sender, needed) = asking
        .filter_map(|(_, budget)| {
            let (sender, seconds) = slowest(budget)?;
            Some((budget, sender, seconds))
        })
        .max_by(|one, other| one.2.total_cmp(&other.2))?;
    // A hold on the delete is time that preStop need not give; the budget has subtracted it. Its margin is advice, and no fault
    // is found with whoever does without.
    let without_margin = budget
        .pre_stop
        .terms
        .iter()
        .filter(|term| term.of != TermOf::Margin)
        .map(|term| term.seconds)
        .sum::<f64>();
    #[allow(clippy::cast_possible_truncation)]
    let needed_millis = (without_margin * 1000.0) as i64;
    let asked = i64::try_from(budget.pre_stop.seconds).unwrap_or(i64::MAX);
    // What the application goes on accepting after its signal counts too, if somebody declared it.
    let declared = pods.known.drain_of(&serves.container.name).unwrap_or(0);
    let delay = end
        .stop_signal_at
        .max()
        .saturating_add(declared.saturating_mul(1000));
    if delay >= needed_millis {
        return None;
    }
    let path = workload::container_path(pods.check, end)?;
    let grace = pods.grace_beside(asked);
    let cure = matches!(hook.handler, Handler::Sleep(_))
        .then(|| pods.sleep_instead(end, asked, Some(grace)))
        .flatten();
    Some(Patched {
        patch: cure,
        said: Said {
            severity: Severity::Warning,
            path: Some(format!("{path}.lifecycle.preStop").into()),
            message: format!(
                "{} leads to container {}, whose stop signal comes {} after the delete; {} sends new connections for {} s{}.",
                services(serves),
                serves.container.name,
                end.stop_signal_at,
                sender.consumer.name,
                needed.ceil(),
                seen(sender),
            ),
            why: format!(
                "Smallest safe preStop: {}. What is sent after the stop signal goes to a process that is ending.",
                budget.pre_stop
            ),
            help: format!(
                "Make preStop {asked} s long and terminationGracePeriodSeconds {asked} s more than the application needs to end (for example {grace}), or shorten what {} takes. If the application goes on accepting connections after its stop signal, declare for how many seconds with the annotation drain-check/drain-seconds.",
                sender.consumer.name
            ),
        },
    })
}

fn check(check: &WorkloadCheck<'_>, cluster: &Cluster<'_>) -> Vec<Patched> {
    let pods = Pods::new(check, cluster);
    serves(check)
        .iter()
        .filter(|each| each.proxied())
        .filter_map(|each| said(&pods, each))
        .collect()
}
