//! DC203: preStop and the application's own shutdown do not fit into the grace period.

use serde_json::json;

use super::pods::{Pods, of_each_container};
use super::{Check, Doubt, Finding, Rule, Severity, When};
use crate::shutdown::{ContainerEnd, ContainerKind, Reason, proxies};

pub(super) static RULE: Rule = Rule {
    id: "DC203",
    slug: "grace-too-short",
    severity: Severity::Warning,
    when: When::Next,
    summary: "The grace period is shorter than preStop and the declared drain time together.",
    page: include_str!("../../docs/rules/DC203.md"),
    check: Check::Workload(check),
};

/// Seconds to spare before SIGKILL: the kubelet learns of the delete up to two seconds late, and a shutdown takes longer under load
/// than when it was measured.
const MARGIN: i64 = 5;

fn seconds(millis: i64) -> i64 {
    millis.saturating_add(999) / 1000
}

/// No drain time is declared, and preStop leaves hardly any time for one.
fn hardly_any_time(pods: &Pods<'_, '_>, end: &ContainerEnd) -> Option<Finding> {
    let hook = end.pre_stop.as_ref().filter(|hook| hook.delays)?;
    let grace = pods.grace();
    let left = grace * 1000 - hook.takes.min();
    if left <= 0 || left >= MARGIN * 1000 || pods.kubelet().grace_twice {
        return None;
    }
    let least = seconds(hook.takes.min());
    let wanted = least + MARGIN;
    Some(Finding {
        severity: Severity::Info,
        path: Some(pods.spec_field("terminationGracePeriodSeconds").into()),
        message: format!(
                "preStop of container {} takes {} of a grace period of {grace} s: {grace} - {least} = {} s are left for the application to shut down.",
                end.name,
                hook.takes,
                grace - least,
            ),
        why: "The grace period counts from the delete, and preStop is part of it. How long the application needs after SIGTERM is not declared; few servers finish their in-flight requests in so little time."
                .to_owned(),
        help: format!(
                "Raise the grace period from {grace} to at least {wanted} s ({least} preStop + {MARGIN} margin + the shutdown). Or declare how long the shutdown takes with the annotation drain-check/drain-seconds."
            ),
        patch: None,
        ..RULE.about_workload(pods.check)
    })
}

fn finding(pods: &Pods<'_, '_>, end: &ContainerEnd) -> Option<Finding> {
    // A proxy beside the application drains by its own settings.
    let proxy = pods.container(end).and_then(proxies::find);
    if end.kind != ContainerKind::Main || proxy.is_some() {
        return None;
    }
    let hook = end.pre_stop.as_ref().filter(|hook| hook.delays);
    let (least, most) = hook.map_or((0, 0), |hook| (hook.takes.min(), hook.takes.max()));
    let grace = pods.grace();
    // DC202 reports this.
    if least >= grace.saturating_mul(1000) {
        return None;
    }
    let Some(drain) = pods.check.declared.drain_of(&end.name) else {
        return hardly_any_time(pods, end);
    };
    let needed = least.saturating_add(drain.saturating_mul(1000));
    if needed <= grace.saturating_mul(1000) {
        return None;
    }
    // A kubelet that grants the grace period twice leaves enough time for now.
    let later = needed <= end.sigkill_at.min();
    let before = seconds(least);
    let unknown = hook.is_some() && end.has(Reason::HookTimeUnknown);
    let wanted = seconds(if unknown { least } else { most })
        .saturating_add(drain)
        .saturating_add(MARGIN);
    let at_least = if unknown { "at least " } else { "" };
    Some(Finding {
        severity: if later {
            Severity::Info
        } else {
            Severity::Warning
        },
        path: Some(pods.spec_field("terminationGracePeriodSeconds").into()),
        message: format!(
            "container {} needs {at_least}{before} s for preStop and, as declared, {drain} s after SIGTERM: {before} + {drain} = {} s, but terminationGracePeriodSeconds is {grace}. SIGKILL comes at {} ({}).",
            end.name,
            before.saturating_add(drain),
            end.sigkill_at,
            pods.kubelet_words(),
        ),
        why: if later {
            format!(
                "{} Kubelets from 1.28 on do not.",
                Reason::GraceTwice.sentence()
            )
        } else {
            Reason::KillWhenGraceIsUsedUp.sentence().to_owned()
        },
        help: format!(
            "Raise the grace period from {grace} to {wanted} s ({} preStop + {drain} declared + {MARGIN} margin). Or shorten one of the two.",
            wanted - drain - MARGIN,
        ),
        patch: pods
            .patch(json!({"terminationGracePeriodSeconds": wanted}))
            .map(|patch| patch.unless(unknown, Doubt::HookTime)),
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    of_each_container(pods, finding)
}
