//! DC304: no budget keeps the pods from being evicted together.

use super::scale::{replicas_of, requirement, scaled};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::Cluster;
use crate::analysis::disruption::all_at_once;
use crate::analysis::workload::WorkloadAnalysis;
use crate::facts::ObjectRef;
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
    let budgets = cluster.disruption.budgets(namespace, &workload.pod_labels);
    let all = |asks| all_at_once(asks, replicas.most);
    let protects = budgets.iter().any(|budget| !all(budget.asks));
    if protects || replicas.most < 2 || workload.kind == WorkloadKind::ReplicaSet {
        return None;
    }
    let number = if replicas.by.is_some() && replicas.most > replicas.least {
        format!("up to {}", replicas_of(replicas.most))
    } else {
        replicas_of(replicas.most)
    };
    let why = "The eviction API allows every eviction of a pod that no budget counts, whatever the state of the others.".to_owned();
    let Some(budget) = budgets.first() else {
        return Some(Finding {
            message: format!(
                "there are {number}, but no PodDisruptionBudget that was read counts the pods: drains may evict all of them at the same time.",
            ),
            why,
            help: "Add a PodDisruptionBudget with maxUnavailable: 1: drains may evict all pods together. Give it the selector of the workload.".to_owned(),
            ..RULE.about_workload(check)
        });
    };
    let (asked, field) = requirement(budget.asks);
    let mut related = vec![ObjectRef::from(*budget)];
    related.extend(check.services.iter().copied().map(ObjectRef::from));
    Some(Finding {
        message: format!(
            "there are {number}, and PodDisruptionBudget {} ({asked}) protects none of them: drains may evict all at the same time.",
            budget.name.name,
        ),
        why: format!(
            "A budget allows as many evictions as leave the pods that it asks for. {field} here asks for none."
        ),
        help: format!(
            "Set maxUnavailable: 1 in the PodDisruptionBudget: with {asked} drains may evict all pods together."
        ),
        related: related.into(),
        ..RULE.about_workload(check)
    })
}

fn check(check: &WorkloadAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    finding(check, cluster).into_iter().collect()
}
