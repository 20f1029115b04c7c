//! DC304: no budget counts the pods.

use super::scale::{replicas_of, scaled};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::Cluster;
use crate::analysis::workload::WorkloadAnalysis;
use crate::facts::workload::WorkloadKind;

pub(super) static RULE: Rule = Rule {
    id: "DC304",
    slug: "budget-missing",
    severity: Severity::Info,
    when: When::Next,
    summary: "Several replicas are behind a Service, and no PodDisruptionBudget keeps a drain from evicting them together.",
    page: include_str!("../../docs/rules/DC304.md"),
    check: Check::Manifest(check),
};

fn finding(check: &WorkloadAnalysis<'_>, cluster: &Cluster<'_>) -> Option<Finding> {
    let (workload, replicas) = scaled(check, cluster)?;
    let namespace = &workload.name.namespace;
    let counted = !cluster
        .disruption
        .budgets(namespace, &workload.pod_labels)
        .is_empty();
    if counted || replicas.most < 2 || workload.kind == WorkloadKind::ReplicaSet {
        return None;
    }
    let number = if replicas.by.is_some() && replicas.most > replicas.least {
        format!("up to {}", replicas_of(replicas.most))
    } else {
        replicas_of(replicas.most)
    };
    Some(Finding {
        severity: Severity::Info,
        path: None,
        message: format!(
            "there are {number}, but no PodDisruptionBudget that was read counts the pods: drains may evict all of them at the same time.",
        ),
        why: "The eviction API allows every eviction of a pod that no budget counts, whatever the state of the others.".to_owned(),
        help: "Add a PodDisruptionBudget with maxUnavailable: 1: drains may evict all pods together. Give it the selector of the workload.".to_owned(),
        ..RULE.about_workload(check)
    })
}

fn check(check: &WorkloadAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    finding(check, cluster).into_iter().collect()
}
