//! DC310: a budget that keeps pods which are not ready from being evicted.

use std::collections::HashMap;
use std::rc::Rc;

use super::scale::named;
use super::words::list;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::Cluster;
use crate::analysis::disruption::Counted;
use crate::facts::ObjectRef;
use crate::facts::disruption::DisruptionBudget;
use crate::facts::workload::{Workload, WorkloadKind};
use crate::gates::api_server::ApiServer;

pub(super) static RULE: Rule = Rule {
    id: "DC310",
    slug: "unready-pods-block-drain",
    severity: Severity::Info,
    when: When::Next,
    summary: "A PodDisruptionBudget may keep pods that are not ready from being evicted, so that a drain waits for them.",
    page: include_str!("../../docs/rules/DC310.md"),
    check: Check::Cluster(check),
};

/// What is said of a budget, and of every other one that counts the same.
fn judge(
    budget: &DisruptionBudget,
    counted: &Counted<'_>,
    cluster: &Cluster<'_>,
) -> Option<Finding> {
    // kubectl drain skips the pods of DaemonSets, and those of Jobs end by themselves.
    let drained = |workload: &&&Workload| {
        let replicas = cluster.disruption.replicas(workload);
        let none = replicas.is_some_and(|replicas| replicas.most == 0);
        workload.kind != WorkloadKind::DaemonSet && !workload.kind.ends() && !none
    };
    let workloads: Vec<_> = counted.workloads.iter().filter(drained).collect();
    let bare = counted
        .bare
        .iter()
        .map(|pod| format!("Pod {}", pod.name.name));
    let names: Vec<_> = workloads
        .iter()
        .map(|each| named(each))
        .chain(bare)
        .collect();
    if names.is_empty() {
        return None;
    }
    Some(Finding {
        path: Some("spec".into()),
        message: format!(
            "there is no unhealthyPodEvictionPolicy: pods of {} that run and are not ready can be evicted only while enough others are healthy.",
            list(names),
        ),
        why: "By default (IfHealthyBudget) the eviction API answers 429 for a running pod that is not ready, unless as many pods are healthy as the budget asks for. Pods in a crash loop, or that were never ready, then block the drain of their node.".to_owned(),
        help: "Set unhealthyPodEvictionPolicy: AlwaysAllow, so that pods that are not ready do not block a drain. The budget then protects ready pods only; leave it out where a pod that recovers must not be disturbed.".to_owned(),
        related: workloads.iter().map(|each| ObjectRef::from(**each)).collect(),
        ..RULE.about(budget)
    })
}

fn check(cluster: &Cluster<'_>) -> Vec<Finding> {
    if !ApiServer::new(cluster.server).reads_unhealthy_policy {
        return Vec::new();
    }
    // policy/v1beta1 is older. Whoever names a policy has decided.
    let undecided = |budget: &&DisruptionBudget| {
        budget.api_version == "policy/v1" && budget.unhealthy.is_none()
    };
    let budgets = cluster.snapshot.disruption_budgets.iter();
    // Budgets that count the same are judged once: there may be a thousand of either.
    let mut judged: HashMap<_, Option<Finding>> = HashMap::new();
    let mut findings = Vec::new();
    for budget in budgets.filter(undecided) {
        let counted = cluster.disruption.counted(budget);
        if counted.is_empty() {
            continue;
        }
        let known = judged.entry(Rc::as_ptr(&counted));
        if let Some(finding) = known.or_insert_with(|| judge(budget, &counted, cluster)) {
            findings.push(Finding {
                object: budget.into(),
                ..finding.clone()
            });
        }
    }
    findings
}
