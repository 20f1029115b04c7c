//! DC305: a budget that counts no pod.

use super::scale::named;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::Cluster;
use crate::facts::ObjectName;
use crate::facts::disruption::DisruptionBudget;
use crate::facts::workload::Workload;

pub(super) static RULE: Rule = Rule {
    id: "DC305",
    slug: "budget-matches-nothing",
    severity: Severity::Warning,
    when: When::Next,
    summary: "A PodDisruptionBudget's selector matches no pod and no pod template.",
    page: include_str!("../../docs/rules/DC305.md"),
    check: Check::Cluster(check),
};

/// The workload that has the name of the budget.
fn namesake<'a>(budget: &DisruptionBudget, cluster: &Cluster<'a>) -> Option<&'a Workload> {
    let own = budget.name.name.as_str();
    let ends = [
        "",
        "-pdb",
        "-budget",
        "-poddisruptionbudget",
        "-disruption-budget",
    ];
    let names = ends.iter().filter_map(|end| own.strip_suffix(end));
    names
        .flat_map(|name| ["Deployment", "StatefulSet"].map(|kind| (kind, name)))
        .find_map(|(kind, name)| {
            let name = ObjectName::new(&budget.name.namespace, name);
            cluster.disruption.workload(kind, &name)
        })
}

fn judge(budget: &DisruptionBudget, cluster: &Cluster<'_>) -> Option<Finding> {
    let namespace = &budget.name.namespace;
    if !cluster.disruption.counted(budget).is_empty() {
        return None;
    }
    let (severity, message) = if let Some(selector) = &budget.selector {
        if budget.picks_nothing() {
            (
                Severity::Warning,
                "the selector is empty, which in policy/v1beta1 selects no pod (in policy/v1 every pod of the namespace).".to_owned(),
            )
        } else if let Some(workload) = namesake(budget, cluster) {
            let labels: Vec<_> = workload
                .pod_labels
                .iter()
                .map(|(key, value)| format!("{key}={value}"))
                .collect();
            (
                Severity::Warning,
                format!(
                    "the selector {selector} matches no pod, not even those of {}, which have {}.",
                    named(workload),
                    if labels.is_empty() {
                        "no labels".to_owned()
                    } else {
                        labels.join(",")
                    },
                ),
            )
        } else if cluster.disruption.knows(namespace) {
            (
                Severity::Info,
                format!(
                    "no workload that was read of its namespace creates pods with {selector}; others may."
                ),
            )
        } else {
            return None;
        }
    } else {
        (
            Severity::Warning,
            "it has no selector, which selects no pod.".to_owned(),
        )
    };
    Some(Finding {
        severity,
        path: Some("spec.selector".into()),
        message,
        why: "A budget counts the pods of its own namespace that its selector matches. The labels of pods are those of spec.template.metadata, not those of the workload itself.".to_owned(),
        help: match namesake(budget, cluster) {
            Some(workload) => format!("Set spec.selector to that of {}: it matches no pod.", named(workload)),
            None if severity == Severity::Info => {
                "Check spec.selector: it matches nothing that was read. It should be the whole selector of a workload.".to_owned()
            }
            None => "Set spec.selector to that of the workload whose pods are meant: it matches no pod.".to_owned(),
        },
        ..RULE.about(budget)
    })
}

fn check(cluster: &Cluster<'_>) -> Vec<Finding> {
    let budgets = cluster.snapshot.disruption_budgets.iter();
    budgets
        .filter_map(|budget| {
            Some(Finding {
                ..judge(budget, cluster)?
            })
        })
        .collect()
}
