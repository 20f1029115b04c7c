//! DC201: nothing delays SIGTERM while traffic sources still send new connections.

use std::collections::BTreeMap;

use super::pods::{Notice, Pods, notice};
use super::{Check, Doubt, Finding, Rule, Severity, When, dc205};
use crate::analysis::declarations::Declarations;
use crate::analysis::serves::Serves;
use crate::analysis::workload::WorkloadAnalysis;
use crate::shutdown::{Reason, proxies};

pub(super) static RULE: Rule = Rule {
    id: "DC201",
    slug: "no-drain-delay",
    severity: Severity::Warning,
    when: When::Next,
    summary: "Nothing delays SIGTERM of a container that a Service leads to, while traffic sources still send.",
    page: include_str!("../../docs/rules/DC201.md"),
    check: Check::Workload(check),
};

/// Pods with this label get a preStop and a proxy that wait until requests stop coming
/// (knative/serving, `pkg/queue/sharedmain/main.go`).
const KNATIVE: &str = "serving.knative.dev/revision";

/// Labels and annotations of the webhook that delays the delete instead (foriequal0/pod-graceful-drain).
const DELAYED_DELETE: &str = "pod-graceful-drain/";

/// Another program makes sure that traffic sources have stopped before SIGTERM.
fn exempt(check: &WorkloadAnalysis<'_>) -> bool {
    let marked = |keys: &BTreeMap<String, String>| {
        keys.keys()
            .any(|key| key == KNATIVE || key.starts_with(DELAYED_DELETE))
    };
    marked(check.labels)
        || marked(check.annotations)
        || check
            .pods
            .iter()
            .any(|pod| marked(&pod.labels) || marked(&pod.annotations))
}

/// Which traffic source may send new connections after the delete, and for how long, as far as that is known.
fn still_sending(notice: &Notice) -> String {
    let Some(slowest) = &notice.slowest else {
        return "traffic sources may still send it new connections".to_owned();
    };
    if slowest.seconds <= 0.0 {
        return format!("{} may still send it new connections", slowest.name);
    }
    let about = if slowest.complete {
        "about"
    } else {
        "at least"
    };
    format!(
        "{} may send it new connections for {about} {} s{}",
        slowest.name,
        slowest.seconds.ceil(),
        slowest.longer
    )
}

fn finding<'a>(pods: &Pods<'_, 'a>, serves: &Serves<'a>) -> Option<Finding> {
    let container = serves.container;
    let end = pods.end(&container.name)?;
    // Up to 1.21 a grace period of 0 skips preStop, which DC208 reports.
    if end.sigterm_at.max() > 0 || end.has(Reason::HookNotRun) {
        return None;
    }
    // DC205 reports a hook that fails or sends the signal itself.
    if dc205::fault(pods, end).is_some() {
        return None;
    }
    // An annotation declares how long the application drains after SIGTERM.
    let declared = Declarations::new(pods.check.annotations, None).drain_of(&container.name);
    if declared.is_some_and(|seconds| seconds > 0) {
        return None;
    }
    if proxies::accepts_on(container) {
        return None;
    }
    let others_delay = || {
        pods.check
            .shutdown
            .containers
            .iter()
            .any(|other| other.sigterm_at.max() > 0)
    };
    if serves.guessed && others_delay() {
        return None;
    }
    let path = pods.container_path(end)?;
    let notice = notice(serves);
    let seconds = notice.seconds;
    // The delay before the delete is enough for every traffic source.
    if seconds == 0 {
        return None;
    }
    let guess = notice.sum.is_none();
    let at_least = notice.bound();
    let because = notice.because.clone().unwrap_or_default();
    let meanwhile = still_sending(&notice);
    let sum = notice
        .sum
        .map(|sum| format!(" ({sum})"))
        .unwrap_or_default();
    let without = container.lifecycle.pre_stop.is_none();
    let cause = if without {
        format!("container {} has no preStop", container.name)
    } else {
        format!("preStop of container {} takes no time", container.name)
    };
    let grace = pods.grace_beside(seconds);
    let now = pods.grace().max(1);
    let (known, raised) = if because.is_empty() {
        ("", format!("from {now} to {grace} s"))
    } else {
        ("known ", "by as much".to_owned())
    };
    let how = if pods.can_sleep() {
        format!("preStop: {{sleep: {{seconds: {seconds}}}}}")
    } else {
        format!(
            "preStop: {{exec: {{command: [sleep, \"{seconds}\"]}}}} (the image needs sleep; not every kubelet here has the sleep action)"
        )
    };
    Some(Finding {
        severity: if serves.proxied() {
            Severity::Warning
        } else {
            Severity::Info
        },
        path: Some(format!("{path}.lifecycle.preStop").into()),
        message: format!(
            "{cause}: it gets SIGTERM at once ({} after the delete), while {meanwhile}.",
            end.sigterm_at,
        ),
        why: "The delete also changes the EndpointSlice, and each traffic source acts on that in its own time. Until then it sends new connections to a process that is shutting down."
            .to_owned(),
        help: format!(
            "Add a preStop sleep of {at_least}{seconds} s{} and raise the grace period {raised}. It delays SIGTERM until all {known}traffic sources have stopped sending new connections: {how}{sum}.{because} If the application accepts connections after SIGTERM, declare for how long with the annotation drain-check/drain-seconds.",
            notice.short,
        ),
        patch: without
            .then(|| pods.sleep_instead(end, seconds, Some(grace)))
            .flatten()
            .map(|patch| patch.unless(guess, Doubt::Sources))
            .map(|patch| patch.unless(serves.guessed, Doubt::Container)),
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    if exempt(pods.check) {
        return Vec::new();
    }
    pods.check
        .serves
        .iter()
        .filter_map(|each| finding(pods, each))
        .collect()
}
