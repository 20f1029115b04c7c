//! DC211: readiness cannot turn false before the container is gone.

use std::collections::BTreeSet;

use super::pods::{Pods, services};
use super::{Check, Finding, Rule, Severity, When, words};
use crate::analysis::serves::Serves;
use crate::analysis::workload::WorkloadAnalysis;
use crate::facts::pod_spec::Probe;
use crate::gates::kubelet::Kubelet;
use crate::gates::state::Overrides;
use crate::shutdown::readiness;
use crate::shutdown::readiness::ReadinessReason;
use crate::sources::catalogue::Normal;

pub(super) static RULE: Rule = Rule {
    id: "DC211",
    slug: "readiness-too-slow",
    severity: Severity::Warning,
    when: When::Next,
    summary: "The readiness probe cannot turn false before the container is gone, behind a Service that depends on it.",
    page: include_str!("../../docs/rules/DC211.md"),
    check: Check::Workload(check),
};

/// What is wrong with a container's probe.
struct Late {
    message: String,
    reason: ReadinessReason,
    help: String,
}

/// Kubelets that the pods run on, or may run on, and on which the probe has no effect during termination. None, where no kubelet is
/// known.
fn never(
    serves: &Serves<'_>,
    check: &WorkloadAnalysis<'_>,
) -> Option<(ReadinessReason, Vec<String>)> {
    let mut found: Option<ReadinessReason> = None;
    let mut versions = BTreeSet::new();
    for version in &check.kubelets {
        let does = Kubelet::new(*version, &Overrides::new());
        let ends = check.shutdown_on(*version);
        let end = ends
            .containers
            .iter()
            .find(|end| end.name == serves.container.name)?;
        let reason = readiness::readiness(serves.container, end, &does).reason;
        if matches!(
            reason,
            ReadinessReason::ProbesStop | ReadinessReason::ExecResultLost
        ) {
            found = Some(reason);
            versions.insert(version.to_string());
        }
    }
    found.map(|reason| (reason, versions.into_iter().collect()))
}

fn late(pods: &Pods<'_, '_>, serves: &Serves<'_>, probe: &Probe) -> Option<Late> {
    let name = &serves.container.name;
    let end = pods.end(name)?;
    if let Some((reason, versions)) = never(serves, pods.check) {
        return Some(Late {
            message: format!(
                "readiness of container {name} cannot turn false during termination on kubelet {}: it does not change between SIGTERM at {} and SIGKILL at {}.",
                words::list(&versions),
                end.sigterm_at,
                end.sigkill_at,
            ),
            reason,
            help: match reason {
                ReadinessReason::ExecResultLost => {
                    "Use an httpGet, tcpSocket or grpc readinessProbe: exec results are discarded during termination. Or use a kubelet without this defect.".to_owned()
                }
                _ => format!(
                    "Upgrade kubelet {}: it stops readiness probes when a pod is deleted.",
                    words::list(&versions)
                ),
            },
        });
    }
    let wait = readiness::delay(probe);
    let earliest = end.sigterm_at.min().saturating_add(wait.min());
    if earliest < end.sigkill_at.max() {
        return None;
    }
    let failures = probe.failure_threshold.max(1);
    let period = probe.period_seconds.max(1);
    let left = (end.sigkill_at.max() - end.sigterm_at.min()) / 1000;
    let only = if end.sigterm_at.is_exact() && end.sigkill_at.is_exact() {
        "only"
    } else {
        "at most"
    };
    Some(Late {
        message: format!(
            "readiness of container {name} takes at least {} s to turn false (({failures} - 1) failures x {period} s), but {only} {left} s remain between SIGTERM at {} and SIGKILL at {}.",
            wait.min() / 1000,
            end.sigterm_at,
            end.sigkill_at,
        ),
        reason: ReadinessReason::ProbeFails,
        help: format!(
            "Make failureThreshold x periodSeconds less than {left} s (now {}), or raise the grace period. That is the time between SIGTERM and SIGKILL.",
            failures.saturating_mul(period)
        ),
    })
}

/// The traffic source in use that goes on sending to a terminating pod until it is unready. Others stop at the delete; where kube-proxy
/// falls back to terminating pods, no other pod could take the connection.
fn relies_on_readiness(serves: &Serves<'_>) -> Option<&'static str> {
    let budgets = serves.budgets.each();
    let mut timings = budgets.flat_map(|(_, budget)| &budget.timings);
    let found = timings.find(|timing| {
        let source = timing.source;
        source.class.sends() && !timing.guessed && source.terminating.normal == Normal::Kept
    });
    found.map(|timing| timing.source.name.as_str())
}

fn finding(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> Option<Finding> {
    let probe = serves.container.readiness.as_ref()?;
    if serves.guessed || serves.scrape.is_some() {
        return None;
    }
    let found = late(pods, serves, probe)?;
    let end = pods.end(&serves.container.name)?;
    let local: Vec<_> = serves.local().map(|service| &service.name.name).collect();
    let relies = relies_on_readiness(serves);
    let (severity, effect) = if let Some(source) = relies {
        (
            Severity::Warning,
            format!("{source} sends to terminating pods as well, until they are unready."),
        )
    } else if local.is_empty() {
        (
            Severity::Info,
            format!(
                "{} stops using a pod because it is deleted, not because it is unready; only what relies on `serving` is misled: kube-proxy when no endpoint is ready, and some ingress controllers.",
                services(serves)
            ),
        )
    } else {
        (
            Severity::Info,
            format!(
                "Under the Local policy of {}, a node with only terminating pods sends to those that still serve, and chooses among them by readiness alone.",
                words::list(&local)
            ),
        )
    };
    Some(Finding {
        severity,
        path: Some(pods.path(end, "readinessProbe")?.into()),
        message: found.message,
        why: format!("{} {effect}", found.reason.sentence()),
        help: found.help,
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    pods.check
        .serves
        .iter()
        .filter_map(|each| finding(pods, each))
        .collect()
}
