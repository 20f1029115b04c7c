//! DC211: readiness cannot turn false before the container is gone.

use std::collections::BTreeSet;

use super::pods::{Pods, services};
use super::{Check, Finding, Rule, Severity, words};
use crate::analysis::serves::Serves;
use crate::analysis::workload::WorkloadAnalysis;
use crate::facts::pod_spec::Probe;
use crate::gates::kubelet::Kubelet;
use crate::gates::state::Overrides;
use crate::shutdown::readiness;
use crate::shutdown::readiness::ReadinessReason;

pub(super) static RULE: Rule = Rule {
    id: "DC211",
    slug: "readiness-too-slow",
    severity: Severity::Warning,
    summary: "The readiness probe cannot turn false before the container is gone, behind a Service that depends on it.",
    page: include_str!("../../docs/rules/DC211.md"),
    check: Check::Workload(check),
};

/// What was found about a container's probe.
struct Late {
    message: String,
    reason: ReadinessReason,
    help: String,
}

/// Kubelets among those that the pods are on, or may come to, on which the probe never counts. Where no kubelet is known, none is
/// blamed.
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
                "Readiness of container {name} cannot turn false while the pod ends on kubelet {}: from the SIGTERM at {} to the kill at {} it stays as it was.",
                words::list(&versions),
                end.sigterm_at,
                end.sigkill_at,
            ),
            reason,
            help: match reason {
                ReadinessReason::ExecResultLost => {
                    "Use an httpGet, tcpSocket or grpc probe, or a kubelet without this defect."
                }
                _ => "Upgrade these kubelets.",
            }
            .to_owned(),
        });
    }
    let wait = readiness::delay(probe);
    let earliest = end.sigterm_at.min().saturating_add(wait.min());
    if earliest < end.sigkill_at.max() {
        return None;
    }
    let failures = probe.failure_threshold.max(1);
    let period = probe.period_seconds.max(1);
    Some(Late {
        message: format!(
            "If container {name} begins to fail at its SIGTERM, readiness turns false {} s later at the earliest (({failures} - 1) failures x {period} s); the signal comes at {}, and the kill at {}.",
            wait.min() / 1000,
            end.sigterm_at,
            end.sigkill_at,
        ),
        reason: ReadinessReason::ProbeFails,
        help: format!(
            "Make failureThreshold x periodSeconds shorter than what lies between the signal and the kill ({} s at most), or raise terminationGracePeriodSeconds.",
            (end.sigkill_at.max() - end.sigterm_at.min()) / 1000,
        ),
    })
}

fn finding(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> Option<Finding> {
    let probe = serves.container.readiness.as_ref()?;
    if serves.guessed {
        return None;
    }
    let found = late(pods, serves, probe)?;
    let end = pods.end(&serves.container.name)?;
    let local: Vec<_> = serves.local().map(|service| &service.name.name).collect();
    let (severity, who) = if local.is_empty() {
        (
            Severity::Info,
            format!(
                "{} takes a pod out because it is deleted, not because it is unready; only who goes by `serving` is misled: kube-proxy when no endpoint is ready, and some ingress controllers.",
                services(serves)
            ),
        )
    } else {
        (
            Severity::Warning,
            format!(
                "Under the Local policy of {}, a node whose only pods end goes on sending to those that still serve, and knows that from readiness alone.",
                words::list(&local)
            ),
        )
    };
    Some(Finding {
        severity,
        path: Some(pods.path(end, "readinessProbe")?.into()),
        message: found.message,
        why: format!("{} {who}", found.reason.sentence()),
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
