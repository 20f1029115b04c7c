//! DC306: several budgets count the same pods.

use std::collections::HashMap;
use std::rc::Rc;

use super::scale::named;
use super::words::list;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::Cluster;
use crate::analysis::disruption::Budgets;
use crate::facts::ObjectRef;
use crate::facts::disruption::DisruptionBudget;
use crate::facts::workload::WorkloadKind;

pub(super) static RULE: Rule = Rule {
    id: "DC306",
    slug: "budgets-overlap",
    severity: Severity::Warning,
    when: When::Next,
    summary: "Several PodDisruptionBudgets count the same pods, which then cannot be evicted at all.",
    page: include_str!("../../docs/rules/DC306.md"),
    check: Check::Cluster(check),
};

struct Overlap<'a> {
    budgets: Vec<&'a DisruptionBudget>,
    names: Vec<String>,
    objects: Vec<ObjectRef>,
}

fn about(overlap: Overlap<'_>) -> Option<Finding> {
    let Overlap {
        budgets,
        names,
        objects,
    } = overlap;
    let (last, others) = budgets.split_last()?;
    let noun = if others.len() == 1 {
        "PodDisruptionBudget"
    } else {
        "PodDisruptionBudgets"
    };
    Some(Finding {
        path: Some("spec.selector".into()),
        message: format!(
                "it counts the pods of {}, and so does {noun} {}: none of these pods can be evicted.",
                list(names),
                list(others.iter().map(|budget| &budget.name.name)),
            ),
        why: "The eviction API answers 500 for a pod that several budgets count, whatever they would allow. kubectl drain stops with that error.".to_owned(),
        help: format!(
            "Keep one PodDisruptionBudget for these pods: with {} none can be evicted. Delete the others, or narrow their selectors; an empty selector counts every pod of the namespace.",
            budgets.len()
        ),
        related: others
            .iter()
            .map(|budget| ObjectRef::from(*budget))
            .chain(objects)
            .collect(),
        ..RULE.about(*last)
    })
}

fn check<'a>(cluster: &Cluster<'a>) -> Vec<Finding> {
    let mut overlaps: Vec<Overlap<'a>> = Vec::new();
    // The places of those by the list of budgets itself: what the same ones count has the same list.
    let mut places: HashMap<_, usize> = HashMap::new();
    let mut add = |budgets: Budgets<'a>, name: String, object: ObjectRef| {
        let place = places.entry(Rc::as_ptr(&budgets)).or_insert_with(|| {
            let mut budgets = budgets.to_vec();
            // One that occurs twice in the input is one.
            budgets.dedup_by(|one, other| one.name == other.name);
            overlaps.push(Overlap {
                budgets,
                names: Vec::new(),
                objects: Vec::new(),
            });
            overlaps.len() - 1
        });
        if let Some(overlap) = overlaps.get_mut(*place) {
            overlap.names.push(name);
            overlap.objects.push(object);
        }
    };
    for workload in &cluster.disruption.standing {
        // kubectl drain skips the pods of DaemonSets, and those of Jobs end by themselves.
        let replicas = cluster.disruption.replicas(workload);
        let none = replicas.is_some_and(|replicas| replicas.most == 0);
        if workload.kind == WorkloadKind::DaemonSet || workload.kind.ends() || none {
            continue;
        }
        let namespace = &workload.name.namespace;
        let budgets = cluster.disruption.budgets(namespace, &workload.pod_labels);
        add(budgets, named(workload), ObjectRef::from(*workload));
    }
    for pod in &cluster.snapshot.pods {
        if pod.owner.is_none() && !pod.is_terminal() {
            let budgets = cluster.disruption.budgets(&pod.name.namespace, &pod.labels);
            add(
                budgets,
                format!("Pod {}", pod.name.name),
                ObjectRef::from(pod),
            );
        }
    }
    let several = overlaps.into_iter().filter(|each| each.budgets.len() > 1);
    several.filter_map(about).collect()
}
