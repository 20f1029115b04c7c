//! DC202: preStop takes the whole grace period.

use serde_json::json;

use super::pods::{Pods, handler, of_each_container};
use super::{Check, Doubt, Finding, Rule, Severity, When};
use crate::shutdown::{ContainerEnd, ContainerKind, Reason};

pub(super) static RULE: Rule = Rule {
    id: "DC202",
    slug: "prestop-uses-up-grace",
    severity: Severity::Error,
    when: When::Next,
    summary: "preStop takes the whole grace period, so SIGKILL comes two seconds after SIGTERM.",
    page: include_str!("../../docs/rules/DC202.md"),
    check: Check::AnyWorkload(check),
};

/// Seconds that leave the application as much time as it has today without preStop.
fn longer_grace(takes_millis: i64, grace: i64) -> i64 {
    let takes = takes_millis.saturating_add(999) / 1000;
    takes.saturating_add(grace.max(30))
}

fn finding(pods: &Pods<'_, '_>, end: &ContainerEnd) -> Option<Finding> {
    let grace = pods.grace();
    let hook_of = end.pre_stop.as_ref()?;
    // Only a hook that is certain to take that long is reported.
    let certain = hook_of.takes.min() >= grace.saturating_mul(1000);
    if !certain || !hook_of.delays || !end.has(Reason::SignalWhenGraceIsUsedUp) {
        return None;
    }
    let path = pods.container_path(end)?;
    let endless = hook_of.takes.min() == i64::MAX;
    let takes = if endless {
        "never ends".to_owned()
    } else {
        format!("takes {}", hook_of.takes)
    };
    let left = end.sigkill_at.max() - end.sigterm_at.max();
    let wanted = longer_grace(hook_of.takes.max(), grace);
    let unknown = !hook_of.takes.is_exact() || end.has(Reason::HookTimeUnknown);
    let fix = (!endless && end.kind == ContainerKind::Main)
        .then(|| pods.patch(json!({"terminationGracePeriodSeconds": wanted})))
        .flatten()
        .map(|patch| patch.unless(unknown, Doubt::HookTime));
    let help = if endless {
        format!("Let preStop end by itself, well before the grace period of {grace} s.")
    } else {
        format!(
            "Raise the grace period from {grace} to {wanted} s ({} preStop + {} to shut down), or shorten preStop. Use the time that your application needs to shut down.",
            wanted - grace.max(30),
            grace.max(30),
        )
    };
    Some(Finding {
        severity: Severity::Error,
        path: Some(format!("{path}.lifecycle.preStop").into()),
        message: format!(
                "preStop ({}) of container {} {takes} in a grace period of {grace} s: SIGTERM comes at {}, SIGKILL at {}, so the application has {} s to shut down.",
                handler(&hook_of.handler),
                end.name,
                end.sigterm_at,
                end.sigkill_at,
                left / 1000,
            ),
        why: "The grace period counts from the delete, and preStop is part of it. When it is used up, the kubelet sends SIGTERM and allows two more seconds before SIGKILL."
                .to_owned(),
        help,
        patch: fix,
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    of_each_container(pods, finding)
}
