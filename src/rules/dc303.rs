//! DC303: a budget that allows no eviction.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::json;

use super::scale::{named, replicas_of, requirement};
use super::words::{count, list};
use super::{Check, Doubt, Finding, Patch, Rule, Severity, When};
use crate::analysis::Cluster;
use crate::analysis::disruption::{Counted, allowed};
use crate::facts::ObjectRef;
use crate::facts::disruption::{Asks, DisruptionBudget};
use crate::facts::workload::{Amount, Workload, WorkloadKind};

pub(super) static RULE: Rule = Rule {
    id: "DC303",
    slug: "budget-blocks-drain",
    severity: Severity::Warning,
    when: When::Next,
    summary: "A PodDisruptionBudget never allows an eviction, so a drain never ends.",
    page: include_str!("../../docs/rules/DC303.md"),
    check: Check::Cluster(check),
};

const WHY: &str = "A drain evicts pods, and the eviction API answers 429 where fewer healthy pods would be left than the budget requires. kubectl drain then retries until its timeout, and node upgrades wait.";

/// Kinds whose pods have a controller without a scale. The disruption controller gives up where it needs one
/// (`getExpectedScale`: "found no controllers for pod").
fn without_scale(workload: &Workload) -> bool {
    workload.kind == WorkloadKind::DaemonSet || workload.kind.ends()
}

const fn needs_scale(asks: Asks) -> bool {
    match asks {
        Asks::MinAvailable(Amount::Percent(_)) | Asks::MaxUnavailable(_) => true,
        Asks::MinAvailable(Amount::Count(_)) | Asks::Nothing => false,
    }
}

/// It allows no eviction, whatever the number of pods.
const fn never(asks: Asks) -> bool {
    match asks {
        Asks::MinAvailable(Amount::Percent(share)) => share >= 100,
        Asks::MaxUnavailable(Amount::Count(most) | Amount::Percent(most)) => most <= 0,
        Asks::MinAvailable(Amount::Count(_)) => false,
        Asks::Nothing => true,
    }
}

fn finding(budget: &DisruptionBudget, message: String, help: &str) -> Finding {
    Finding {
        severity: if is_meant(budget) {
            Severity::Info
        } else {
            Severity::Warning
        },
        path: Some(requirement(budget.asks).1.into()),
        message,
        why: WHY.to_owned(),
        help: help.to_owned(),
        ..RULE.about(budget)
    }
}

/// The replicas of all workloads that it counts, at least and at most; `None` where one is not known.
struct Scale<'a> {
    workloads: Vec<&'a Workload>,
    least: i64,
    most: i64,
    by_autoscaler: Vec<String>,
}

fn scale<'a>(counted: &Counted<'a>, cluster: &Cluster<'a>) -> Option<Scale<'a>> {
    let mut sum = Scale {
        workloads: counted.workloads.clone(),
        least: 0,
        most: 0,
        by_autoscaler: Vec::new(),
    };
    for workload in &counted.workloads {
        let replicas = cluster.disruption.replicas(workload)?;
        sum.least = sum.least.saturating_add(replicas.least);
        sum.most = sum.most.saturating_add(replicas.most);
        sum.by_autoscaler.extend(
            replicas
                .by
                .map(|scaler| format!("{} {}", scaler.kind, scaler.name.name)),
        );
    }
    Some(sum)
}

/// Game servers and the like say so of pods that nobody is to evict
/// (<https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md>).
const SAFE_TO_EVICT: &str = "safe-to-evict";

/// Is a budget there so that nobody evicts what it counts?
fn is_meant(budget: &DisruptionBudget) -> bool {
    let selector = budget.selector.as_ref();
    let mut labels = selector.iter().flat_map(|selector| &selector.labels);
    labels.any(|(key, value)| key.ends_with(SAFE_TO_EVICT) && value == "false")
}

/// No number of pods is enough.
fn always(budget: &DisruptionBudget, counted: &Counted<'_>) -> Option<Finding> {
    if !never(budget.asks) {
        return None;
    }
    let (requirement, _) = requirement(budget.asks);
    let about = if counted.workloads.is_empty() {
        String::new()
    } else {
        format!(
            " ({})",
            list(counted.workloads.iter().map(|each| named(each)))
        )
    };
    Some(finding(
        budget,
        format!("{requirement}: no pod that it counts{about} can ever be evicted."),
        &match budget.asks {
            Asks::Nothing => "Set maxUnavailable: 1: without minAvailable or maxUnavailable no eviction is allowed.".to_owned(),
            Asks::MinAvailable(_) | Asks::MaxUnavailable(_) => format!("Set maxUnavailable: 1 instead of {requirement}, which allows no eviction. If a person must agree to each eviction, note that beside the budget."),
        },
    ))
}

/// The controller cannot calculate the budget.
fn broken(budget: &DisruptionBudget, counted: &Counted<'_>) -> Option<Finding> {
    if !needs_scale(budget.asks) {
        return None;
    }
    let (requirement, _) = requirement(budget.asks);
    let (without, with): (Vec<_>, Vec<_>) = counted
        .workloads
        .iter()
        .copied()
        .partition(|workload| without_scale(workload));
    if let (Some(without), Some(with)) = (without.first(), with.first()) {
        return Some(finding(
            budget,
            format!(
                "{requirement} needs a number of replicas, but the budget also counts the pods of {}, which has none: {}no pod can be evicted, not even of {}.",
                named(without),
                // The controller counts pods that ended, too (`getPodsForPdb`).
                if without.kind.ends() {
                    "until they are deleted, "
                } else {
                    ""
                },
                named(with),
            ),
            "Narrow spec.selector to the pods of one workload: now no pod can be evicted.",
        ));
    }
    if counted.workloads.is_empty() && counted.made == 0 && !counted.bare.is_empty() {
        return Some(finding(
            budget,
            format!(
                "{requirement} needs a number of replicas, but its {} ({}) without a controller have none: no pod can be evicted.",
                count(counted.bare.len(), "pod"),
                list(counted.bare.iter().map(|pod| &pod.name.name)),
            ),
            "Set minAvailable to a plain number, below the number of pods: these have no controller.",
        ));
    }
    None
}

fn by_number(
    budget: &DisruptionBudget,
    counted: &Counted<'_>,
    cluster: &Cluster<'_>,
) -> Option<Finding> {
    let all = scale(counted, cluster)?;
    let bare = i64::try_from(counted.bare.len()).unwrap_or(i64::MAX);
    // Pods of controllers that were not read.
    let unknown = counted.made > 0 && counted.workloads.is_empty();
    if unknown || all.most.saturating_add(bare) < 1 {
        return None;
    }
    let blocked = |number: i64| allowed(budget.asks, number, bare) < 1;
    let forever = blocked(all.most);
    // Where 0 replicas are possible, there may be no pod to drain.
    if !forever && (all.least < 1 || !blocked(all.least)) {
        return None;
    }
    let number = if forever { all.most } else { all.least };
    let (requirement, _) = requirement(budget.asks);
    let mut names: Vec<_> = all.workloads.iter().map(|each| named(each)).collect();
    names.extend(
        counted
            .bare
            .iter()
            .map(|pod| format!("Pod {}", pod.name.name)),
    );
    let pods = number.saturating_add(bare);
    let healthy = count(usize::try_from(pods).unwrap_or(0), "pod");
    let mut message = format!(
        "{requirement}: none of the {healthy} of {} can be evicted",
        list(&names)
    );
    if pods == 1 {
        message = format!(
            "{requirement}: the only pod of {} cannot be evicted",
            list(&names)
        );
    }
    if !forever {
        message = format!(
            "{message} while {} is at its minimum ({})",
            list(&all.by_autoscaler),
            replicas_of(all.least)
        );
    }
    let several = all.least > 1 && bare == 0 && matches!(budget.asks, Asks::MinAvailable(_));
    Some(Finding {
        // The two fields exclude each other. With a single pod maxUnavailable: 1 would let a drain evict all there is.
        patch: several.then(|| {
            let change = json!({"spec": {"minAvailable": null, "maxUnavailable": 1}});
            Patch::doubtful(&change, Doubt::Availability)
        }),
        ..finding(
            budget,
            format!("{message}."),
            &format!(
                "Set maxUnavailable: 1 instead of {requirement}, and run at least 2 replicas."
            ),
        )
    })
}

fn judge(
    budget: &DisruptionBudget,
    counted: &Counted<'_>,
    cluster: &Cluster<'_>,
) -> Option<Finding> {
    // kubectl drain skips the pods of DaemonSets, and those of Jobs end by themselves.
    let nothing_to_drain = !counted.workloads.is_empty()
        && counted.bare.is_empty()
        && counted.workloads.iter().all(|workload| {
            let replicas = cluster.disruption.replicas(workload);
            without_scale(workload) || replicas.is_some_and(|replicas| replicas.most == 0)
        });
    if budget.picks_nothing() || nothing_to_drain {
        return None;
    }
    always(budget, counted)
        .or_else(|| broken(budget, counted))
        .or_else(|| by_number(budget, counted, cluster))
}

fn check(cluster: &Cluster<'_>) -> Vec<Finding> {
    // Budgets that count the same and ask the same are judged once: there may be a thousand of either.
    let mut judged: HashMap<_, Option<Finding>> = HashMap::new();
    let mut related: HashMap<_, Arc<[ObjectRef]>> = HashMap::new();
    let mut findings = Vec::new();
    for budget in &cluster.snapshot.disruption_budgets {
        let counted = cluster.disruption.counted(budget);
        // What nothing was counted for is made anew each time.
        let which = (!counted.is_empty()).then_some(Rc::as_ptr(&counted));
        let key = (which, budget.asks, budget.picks_nothing());
        let known = judged.entry(key);
        let Some(finding) = known.or_insert_with(|| judge(budget, &counted, cluster)) else {
            continue;
        };
        let related = related.entry(which).or_insert_with(|| {
            let made = counted.workloads.iter();
            made.map(|workload| ObjectRef::from(*workload)).collect()
        });
        findings.push(Finding {
            object: budget.into(),
            related: Arc::clone(related),
            ..finding.clone()
        });
    }
    findings
}
