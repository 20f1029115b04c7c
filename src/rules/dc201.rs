//! DC201: nothing delays the SIGTERM while others still send.

use std::collections::BTreeMap;

use super::pods::{Pods, lead_to, notice};
use super::{Check, Doubt, Finding, Rule, Severity, dc205};
use crate::analysis::declarations::Declarations;
use crate::analysis::serves::Serves;
use crate::analysis::workload::WorkloadAnalysis;
use crate::shutdown::{Reason, proxies};

pub(super) static RULE: Rule = Rule {
    id: "DC201",
    slug: "no-drain-delay",
    severity: Severity::Warning,
    summary: "Nothing delays SIGTERM of a container that a Service leads to, while traffic sources still send.",
    page: include_str!("../../docs/rules/DC201.md"),
    check: Check::Workload(check),
};

/// Pods with this label get a preStop and a proxy that wait until requests stop coming
/// (knative/serving, `pkg/queue/sharedmain/main.go`).
const KNATIVE: &str = "serving.knative.dev/revision";

/// Labels and annotations of the webhook that holds the delete back instead (foriequal0/pod-graceful-drain).
const HELD_BACK: &str = "pod-graceful-drain/";

/// Somebody else sees to it that nobody sends any more when the SIGTERM comes.
fn exempt(check: &WorkloadAnalysis<'_>) -> bool {
    let told = |keys: &BTreeMap<String, String>| {
        keys.keys()
            .any(|key| key == KNATIVE || key.starts_with(HELD_BACK))
    };
    told(check.labels)
        || told(check.annotations)
        || check
            .pods
            .iter()
            .any(|pod| told(&pod.labels) || told(&pod.annotations))
}

fn finding<'a>(pods: &Pods<'_, 'a>, serves: &Serves<'a>) -> Option<Finding> {
    let container = serves.container;
    let end = pods.end(&container.name)?;
    // Up to 1.21 a grace of 0 skips preStop, which DC208 says.
    if end.sigterm_at.max() > 0 || end.has(Reason::HookNotRun) {
        return None;
    }
    // A hook that fails, or signals by itself, is reported as such.
    if dc205::fault(pods, end).is_some() {
        return None;
    }
    // Whether somebody declared by an annotation how the application drains after its signal.
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
    let notice = notice(serves, pods);
    let seconds = notice.seconds;
    // What is given before the delete suffices for everybody.
    if seconds == 0 {
        return None;
    }
    let guess = notice.sum.is_none();
    let sum = notice
        .sum
        .map(|sum| format!(" ({sum})"))
        .unwrap_or_default();
    let without = container.lifecycle.pre_stop.is_none();
    let reason = if without {
        Reason::NoPreStop
    } else {
        Reason::HookTakesNoTime
    };
    let grace = pods.grace_beside(seconds);
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
            "{}, which gets its SIGTERM {} after the delete: those who send connections have 0 s to notice that the pod is going.",
            lead_to(serves),
            end.sigterm_at,
        ),
        why: format!(
            "{} The endpoint turns unready at the same time, and every kube-proxy, ingress and load balancer acts on that some seconds later; until then connections go to a process that is ending.",
            reason.sentence()
        ),
        help: format!(
            "Hold the SIGTERM back until the slowest of them has noticed, for example {how}{sum}, and raise terminationGracePeriodSeconds by as much ({} + {seconds} = {grace}). If the application accepts connections after its SIGTERM, say for how long: annotation drain-check/drain-seconds.",
            pods.grace().max(1),
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
