//! DC305: a budget that counts no pod.

use std::collections::BTreeMap;

use super::near::{is_plain, nearly};
use super::scale::named;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::Cluster;
use crate::facts::ObjectName;
use crate::facts::disruption::DisruptionBudget;
use crate::facts::selector::LabelSelector;
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

/// The workload whose pods the selector misses by one label, which looks mistyped; it has no other budget.
fn nearest<'a>(
    budget: &DisruptionBudget,
    selector: &LabelSelector,
    cluster: &Cluster<'a>,
) -> Option<&'a Workload> {
    let namespace = &budget.name.namespace;
    let rest = LabelSelector {
        labels: BTreeMap::new(),
        expressions: selector.expressions.clone(),
    };
    let standing = cluster.disruption.standing.iter();
    let mut near = standing.copied().filter(|workload| {
        let labels = &workload.pod_labels;
        workload.name.namespace == *namespace
            && !workload.kind.ends()
            && nearly(&selector.labels, labels).is_some()
            && rest.matches(labels)
    });
    let (Some(only), None) = (near.next(), near.next()) else {
        return None;
    };
    let budgets = cluster.disruption.budgets(namespace, &only.pod_labels);
    budgets.is_empty().then_some(only)
}

/// Texts that a tool fills in say nothing yet.
fn is_rendered(selector: &LabelSelector) -> bool {
    let mut labels = selector.labels.iter();
    labels.all(|(key, value)| is_plain(key) && is_plain(value))
}

/// Whose pods are evidently meant, and what is the case. What else a selector is for may be made by an operator, or be elsewhere.
fn judge<'a>(
    budget: &DisruptionBudget,
    cluster: &Cluster<'a>,
) -> Option<(Option<&'a Workload>, String)> {
    if !cluster.disruption.counted(budget).is_empty() {
        return None;
    }
    let namesake = namesake(budget, cluster);
    let Some(selector) = &budget.selector else {
        return Some((
            namesake,
            "it has no selector, which selects no pod.".to_owned(),
        ));
    };
    if budget.picks_nothing() {
        return Some((namesake, "the selector is empty, which in policy/v1beta1 selects no pod (in policy/v1 every pod of the namespace).".to_owned()));
    }
    if !is_rendered(selector) {
        return None;
    }
    let (meant, not_even) = match namesake {
        Some(workload) => (workload, "not even"),
        None => (nearest(budget, selector, cluster)?, "the closest are"),
    };
    let labels: Vec<_> = meant
        .pod_labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let labels = if labels.is_empty() {
        "no labels".to_owned()
    } else {
        labels.join(",")
    };
    Some((
        Some(meant),
        format!(
            "the selector {selector} matches no pod, {not_even} those of {}, which have {labels}.",
            named(meant),
        ),
    ))
}

fn check(cluster: &Cluster<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for budget in &cluster.snapshot.disruption_budgets {
        let Some((meant, message)) = judge(budget, cluster) else {
            continue;
        };
        found.push(Finding {
            path: Some("spec.selector".into()),
            message,
            why: "A budget counts the pods of its own namespace that its selector matches. The labels of pods are those of spec.template.metadata, not those of the workload itself.".to_owned(),
            help: match meant {
                Some(workload) => format!("Set spec.selector to that of {}: it matches no pod.", named(workload)),
                None => "Set spec.selector to that of the workload whose pods are meant: it matches no pod.".to_owned(),
            },
            ..RULE.about(budget)
        });
    }
    found
}
