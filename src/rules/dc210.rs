//! DC210: a proxy beside the application is gone before the application is done.

use super::pods::{Pods, of_each_container};
use super::{Check, Finding, Rule, Severity, When};
use crate::shutdown::proxies;
use crate::shutdown::proxies::Proxy;
use crate::shutdown::{ContainerEnd, ContainerKind, Reason, Span};
use crate::words::sentence;

pub(super) static RULE: Rule = Rule {
    id: "DC210",
    slug: "sidecar-stops-first",
    severity: Severity::Warning,
    when: When::Next,
    summary: "A proxy beside the application ends before the application gets SIGTERM, or before it has drained.",
    page: include_str!("../../docs/rules/DC210.md"),
    check: Check::Workload(check),
};

/// When a proxy is gone at the latest, if the spec shows it.
fn gone(pods: &Pods<'_, '_>, end: &ContainerEnd) -> Option<(Proxy, Span, Span)> {
    let beside = matches!(end.kind, ContainerKind::Main | ContainerKind::Sidecar);
    let container = pods.container(end).filter(|_| beside)?;
    let proxy = proxies::find(container)?;
    let goes_on = proxies::goes_on(proxy, container, pods.check.annotations)?;
    let gone = end.sigterm_at.after(goes_on).or_earlier(end.sigkill_at);
    Some((proxy, goes_on, gone))
}

fn finding(pods: &Pods<'_, '_>, end: &ContainerEnd) -> Option<Finding> {
    let (proxy, goes_on, gone) = gone(pods, end)?;
    let application = pods
        .check
        .shutdown
        .containers
        .iter()
        .filter(|other| other.kind == ContainerKind::Main && other.name != end.name)
        .filter(|other| {
            pods.container(other)
                .is_some_and(|container| proxies::find(container).is_none())
        })
        .max_by_key(|other| needed(pods, other))?;
    let needed = needed(pods, application);
    if gone.max() >= needed {
        return None;
    }
    let sigterm_at = application.sigterm_at;
    let drain = pods.check.declared.drain_of(&application.name);
    let until = match drain {
        Some(drain) if drain > 0 => {
            format!("gets SIGTERM at {sigterm_at} and needs {drain} s more, as declared")
        }
        _ => format!("gets SIGTERM at {sigterm_at} and works until then"),
    };
    let why = if end.kind == ContainerKind::Sidecar {
        Reason::SidecarWithoutOrder.sentence()
    } else {
        "Each container of a pod gets SIGTERM after its own preStop, independently of the others. Only native sidecars wait for the main containers (on kubelets of 1.29 and later)."
    };
    Some(Finding {
        severity: Severity::Warning,
        path: Some(pods.path(end, "lifecycle")?.into()),
        message: format!(
            "{} (container {}) gets SIGTERM at {} and goes on for {goes_on}, so it is gone after {gone}; container {} {until}: for {} s it has no traffic through the proxy.",
            sentence(proxy.name()),
            end.name,
            end.sigterm_at,
            application.name,
            (needed - gone.max() + 999) / 1000,
        ),
        why: why.to_owned(),
        help: if end.kind == ContainerKind::Sidecar {
            format!(
                "Upgrade the kubelets to 1.29 or later, which stop {} after {}. Or {}.",
                end.name,
                application.name,
                proxy.stay_longer()
            )
        } else {
            format!(
                "Make {} a native sidecar (init container, restartPolicy: Always): it ends before {}. Or {}.",
                end.name,
                application.name,
                proxy.stay_longer()
            )
        },
        ..RULE.about_workload(pods.check)
    })
}

/// Until when the application needs its proxy, at least, in milliseconds.
fn needed(pods: &Pods<'_, '_>, end: &ContainerEnd) -> i64 {
    let drain = pods.check.declared.drain_of(&end.name).unwrap_or(0);
    end.sigterm_at
        .after(Span::exactly(drain))
        .or_earlier(end.sigkill_at)
        .min()
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    of_each_container(pods, finding)
}
