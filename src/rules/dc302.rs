//! DC302: one replica behind a Service.

use super::scale::{least, scaled};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::Cluster;
use crate::analysis::workload::WorkloadAnalysis;

pub(super) static RULE: Rule = Rule {
    id: "DC302",
    slug: "single-replica",
    severity: Severity::Info,
    when: When::Next,
    summary: "One replica is behind a Service, so its end is an outage of the Service.",
    page: include_str!("../../docs/rules/DC302.md"),
    check: Check::Manifest(check),
};

fn finding(check: &WorkloadAnalysis<'_>, cluster: &Cluster<'_>) -> Option<Finding> {
    let (workload, replicas) = scaled(check, cluster)?;
    if replicas.least != 1 {
        return None;
    }
    let by_default = replicas.by.is_none() && workload.replicas.is_none();
    let (no_pod, unless) = match replicas.by {
        Some(_) if replicas.most > 1 => ("While it is not scaled up, no pod", ""),
        _ if by_default => (
            "No pod",
            ", unless an autoscaler that was not read sets another number",
        ),
        _ => ("No pod", ""),
    };
    Some(Finding {
        severity: Severity::Info,
        path: Some("spec.replicas".into()),
        message: format!(
            "there is {}. {no_pod} answers from its end until another one is ready{unless}.",
            least(workload, &replicas),
        ),
        why: "A drain evicts a pod without waiting for its replacement, and a pod ends with a node that fails. maxSurge helps in rollouts only.".to_owned(),
        help: match replicas.by {
            Some(scaler) => format!(
                "Raise the minimum of {} {} to 2 replicas, if the application can run more than once.",
                scaler.kind, scaler.name.name
            ),
            None => "Run 2 replicas or more, if the application can run more than once: the end of the only one is an outage. Give them a PodDisruptionBudget with maxUnavailable: 1.".to_owned(),
        },
        ..RULE.about_workload(check)
    })
}

fn check(check: &WorkloadAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    finding(check, cluster).into_iter().collect()
}
