//! DC301: a rollout may leave no ready pod.

use serde_json::json;

use super::calm::Calm;
use super::pods::Pods;
use super::scale::{has_address, least, replicas_of, scaled};
use super::weight;
use super::{Check, Doubt, Finding, Patch, Rule, Severity, When};
use crate::analysis::Cluster;
use crate::analysis::disruption::Replicas;
use crate::analysis::successor::{Successor, successor};
use crate::analysis::workload::WorkloadAnalysis;
use crate::facts::ObjectName;
use crate::facts::kube_proxy::VersionSource;
use crate::facts::workload::{Amount, Strategy, Workload, WorkloadKind};

pub(super) static RULE: Rule = Rule {
    id: "DC301",
    slug: "rollout-can-empty",
    severity: Severity::Warning,
    when: When::Next,
    summary: "A rollout may leave no ready pod behind a Service.",
    page: include_str!("../../docs/rules/DC301.md"),
    check: Check::Manifest(check),
};

/// The default (`pkg/apis/apps/v1/defaults.go`, `SetDefaults_Deployment`).
const DEFAULT: Amount = Amount::Percent(25);

/// A volume that only one node may use at a time: an old and a new pod cannot share it. One that was not read may be such a volume.
fn exclusive<'a>(workload: &'a Workload, cluster: &Cluster<'_>) -> Option<&'a String> {
    workload.claims.iter().find(|claim| {
        let name = ObjectName::new(&workload.name.namespace, claim.as_str());
        let claims = &cluster.snapshot.claims;
        let known = claims.iter().find(|each| each.name == name);
        known.is_none_or(|known| !known.shared)
    })
}

fn recreate(
    check: &WorkloadAnalysis<'_>,
    workload: &Workload,
    replicas: &Replicas<'_>,
    cluster: &Cluster<'_>,
) -> Option<Finding> {
    // Pods of another workload answer meanwhile, whichever Service is asked.
    let mut serves = check.serves.iter().peekable();
    let answered = |serves| successor(check, serves, cluster) == Successor::Another;
    if serves.peek().is_some() && serves.all(answered) {
        return None;
    }
    let exclusive = exclusive(workload, cluster);
    let in_the_way = exclusive.is_some() || workload.placement.takes_node_ports;
    let calm = weight::calm_about_recreate(&Pods::new(check, cluster));
    Some(Finding {
        severity: if in_the_way || !has_address(check) || check.is_only_scraped() || calm.is_some() {
            Severity::Info
        } else {
            Severity::Warning
        },
        path: Some("spec.strategy.type".into()),
        message: format!(
            "strategy Recreate: a rollout deletes every old pod before it creates a new one, so no pod answers until the first new pod is ready{}.",
            exclusive.map_or(String::new(), |claim| format!(
                ". Its pods share PersistentVolumeClaim {claim}, which may be limited to one node at a time"
            )),
        ),
        why: format!(
            "The Deployment controller scales the new ReplicaSet up only when no old pod runs.{}",
            calm.map_or("", Calm::sentence),
        ),
        help: if exclusive.is_some() {
            "Use strategy RollingUpdate if several nodes can use the volume (ReadWriteMany): Recreate leaves no pod. Otherwise roll out when there is little traffic.".to_owned()
        } else if replicas.least > 1 {
            "Use strategy RollingUpdate, if an old and a new version can run side by side: Recreate leaves no pod.".to_owned()
        } else {
            "Use strategy RollingUpdate with maxSurge: 1 and maxUnavailable: 0: Recreate leaves no pod. An old and a new version then run side by side.".to_owned()
        },
        ..RULE.about_workload(check)
    })
}

/// How many pods may be missing during a rolling update, and how many it may create in addition (`pkg/controller/deployment/util/deployment_util.go`,
/// `ResolveFenceposts`).
fn fenceposts(unavailable: Amount, surge: Amount, replicas: i64) -> (i64, i64) {
    match (
        unavailable.rounded_down(replicas),
        surge.rounded_up(replicas),
    ) {
        (0, 0) => (1, 0),
        both => both,
    }
}

/// A patch with which no pod is missing at any time. Not offered where a new pod may not fit beside the old ones.
fn one_by_one(workload: &Workload, surge: i64) -> Option<Patch> {
    let fits = !workload.placement.takes_node_ports && workload.claims.is_empty();
    let mut rolling = json!({"maxUnavailable": 0});
    if surge < 1 {
        rolling["maxSurge"] = json!(1);
    }
    let change = json!({"spec": {"strategy": {"rollingUpdate": rolling}}});
    fits.then(|| Patch::doubtful(&change, Doubt::Room))
}

fn rolling(
    check: &WorkloadAnalysis<'_>,
    workload: &Workload,
    replicas: &Replicas<'_>,
    cluster: &Cluster<'_>,
    set: (Option<Amount>, Option<Amount>),
) -> Option<Finding> {
    let (max_unavailable, max_surge) = (set.0.unwrap_or(DEFAULT), set.1.unwrap_or(DEFAULT));
    let number = replicas.least;
    let (unavailable, surge) = fenceposts(max_unavailable, max_surge, number);
    if number < 1 || unavailable < number {
        return None;
    }
    let rounded = if max_unavailable.rounded_down(number) == 0 {
        format!(
            "maxSurge {max_surge} and maxUnavailable {max_unavailable} of {number} are both 0 when rounded, and maxUnavailable then counts as 1"
        )
    } else {
        format!("maxUnavailable {max_unavailable} of {number} is {unavailable}")
    };
    let field = match (set.0, set.1) {
        (None, Some(_)) => "spec.strategy.rollingUpdate.maxSurge",
        _ => "spec.strategy.rollingUpdate.maxUnavailable",
    };
    // Where a new pod finds no place beside the old ones, it is on purpose.
    let in_the_way = exclusive(workload, cluster).is_some() || workload.placement.takes_node_ports;
    let pods = Pods::new(check, cluster);
    // Who lets no second pod start beside the only one has decided as with Recreate, unless that comes out of rounding alone.
    let no_second = set.1.is_some_and(Amount::is_zero);
    let one_less = set.0.is_some_and(|most| most.rounded_down(number) > 0);
    let calm = if number == 1 && no_second && one_less {
        weight::calm_about_recreate(&pods)
    } else {
        weight::calm_about_gap(&pods)
    };
    Some(Finding {
        severity: if in_the_way || !has_address(check) || check.is_only_scraped() || calm.is_some() {
            Severity::Info
        } else {
            Severity::Warning
        },
        path: Some(field.into()),
        message: format!(
                "a rollout with {} may delete {}: {rounded}, so {} of {number} must stay.",
                least(workload, replicas),
                if number == 1 { "the only pod first" } else { "all of them at once" },
                (number - unavailable).max(0),
            ),
        why: format!(
            "A rolling update deletes as many old pods as maxUnavailable allows, whether or not a new one is ready. maxSurge is rounded up, maxUnavailable down.{}",
            calm.map_or("", Calm::sentence),
        ),
        help: "Set maxUnavailable: 0 and maxSurge: 1 (or more), so that a rollout deletes a pod only when a new one is Ready.".to_owned(),
        patch: one_by_one(workload, surge),
        ..RULE.about_workload(check)
    })
}

fn stateful(
    check: &WorkloadAnalysis<'_>,
    workload: &Workload,
    replicas: &Replicas<'_>,
    (set, partition): (Option<Amount>, i64),
    cluster: &Cluster<'_>,
) -> Option<Finding> {
    let number = replicas.least;
    let unavailable = set.map_or(1, |amount| amount.rounded_down(number).max(1));
    // Pods below the partition stay as they are.
    if number < 1 || partition > 0 || unavailable < number {
        return None;
    }
    let gated = number > 1;
    // Manifests name no version; a cluster's controllers do.
    let known = cluster.server_source != VersionSource::NewestKnown;
    let on = cluster.controllers.stateful_sets_go_by_max_unavailable;
    if gated && known && !on && cluster.snapshot.complete {
        return None;
    }
    let condition = if known && on {
        format!(
            "(the feature gate MaxUnavailableStatefulSet is on by default in {})",
            cluster.server
        )
    } else {
        "where the feature gate MaxUnavailableStatefulSet is on (by default in 1.35.0 to 1.35.3, and from 1.37 on)".to_owned()
    };
    Some(Finding {
        severity: Severity::Info,
        path: Some(
            if gated {
                "spec.updateStrategy.rollingUpdate.maxUnavailable"
            } else {
                "spec.replicas"
            }
            .into(),
        ),
        message: if gated {
            format!(
                "a rollout with {} may delete all of them at once {condition}: {number} - {unavailable} leaves none.",
                least(workload, replicas),
            )
        } else {
            format!(
                "a rollout with {} deletes the only pod before it creates the new one.",
                least(workload, replicas),
            )
        },
        why: "A StatefulSet creates the new pod under the same name, so the old one must be gone first; it has no maxSurge.".to_owned(),
        help: if gated {
            format!("Set maxUnavailable below {number}: a rollout may delete all {} at once.", replicas_of(number))
        } else {
            "Run 2 replicas or more if the application supports it: a rollout deletes the only pod first. Otherwise roll out when there is little traffic.".to_owned()
        },
        ..RULE.about_workload(check)
    })
}

/// A StatefulSet that replaces all pods at once (KEP-3541; kubernetes#137187).
fn stateful_recreate(check: &WorkloadAnalysis<'_>) -> Finding {
    Finding {
        severity: Severity::Info,
        path: Some("spec.updateStrategy.type".into()),
        message: "updateStrategy Recreate: a rollout deletes every pod, waits until all have ended, and then creates new ones (1.37 and later, with the feature gate StatefulSetRecreateStrategy, alpha).".to_owned(),
        why: "No pod is left between the end of the old ones and the first new one that is Ready.".to_owned(),
        help: "Use updateStrategy RollingUpdate where an old and a new version can run side by side: Recreate leaves no pod.".to_owned(),
        ..RULE.about_workload(check)
    }
}

fn daemons(
    check: &WorkloadAnalysis<'_>,
    workload: &Workload,
    set: (Option<Amount>, Option<Amount>),
) -> Option<Finding> {
    if set.1.is_some_and(|surge| surge.rounded_up(100) > 0) {
        return None;
    }
    // The number of nodes is not known, and a percentage rounds up.
    if let Some(Amount::Percent(share)) = set.0.filter(|amount| amount.rounded_up(1) > 0)
        && share >= 100
    {
        return Some(Finding {
            // Nobody writes it by accident: the pods of two versions must not run side by side.
            severity: Severity::Info,
            path: Some("spec.updateStrategy.rollingUpdate.maxUnavailable".into()),
            message: format!("maxUnavailable {share}%: a rollout deletes the pods on all nodes at once."),
            why: "A DaemonSet without maxSurge deletes the old pod of a node before it creates the new one, on maxUnavailable nodes at a time.".to_owned(),
            help: "Set maxUnavailable to a small number: now a rollout deletes the pods on all nodes at once. Where the pods use no host port, set it to 0 with maxSurge: 1.".to_owned(),
            ..RULE.about_workload(check)
        });
    }
    let local = check.services.iter().find(|service| {
        service.internal_local
            || service.external_traffic_policy == Some(crate::facts::service::TrafficPolicy::Local)
    })?;
    Some(Finding {
        severity: Severity::Info,
        path: Some("spec.updateStrategy".into()),
        message: format!(
            "Service {} has a Local policy, and a rollout leaves each node in turn without a ready pod.",
            local.name.name,
        ),
        why: "A DaemonSet without maxSurge deletes the old pod of a node before it creates the new one, and under a Local policy no other node takes over.".to_owned(),
        help: if workload.placement.takes_node_ports {
            "Delay SIGTERM with a preStop until load balancers stop: a rollout empties each node in turn. The pods use host ports, so two do not fit on one node."
        } else {
            "Set updateStrategy.rollingUpdate to maxSurge: 1 and maxUnavailable: 0, so that each node keeps a Ready pod."
        }
        .to_owned(),
        ..RULE.about_workload(check)
    })
}

fn finding(check: &WorkloadAnalysis<'_>, cluster: &Cluster<'_>) -> Option<Finding> {
    let workload = check.workload?;
    let (unavailable, surge, partition) = match workload.strategy {
        Strategy::RollingUpdate {
            max_unavailable,
            max_surge,
            partition,
        } => (max_unavailable, max_surge, partition),
        Strategy::Recreate if workload.kind == WorkloadKind::StatefulSet => {
            return Some(stateful_recreate(check));
        }
        Strategy::Recreate => {
            let (_, replicas) = scaled(check, cluster)?;
            return recreate(check, workload, &replicas, cluster);
        }
        Strategy::OnDelete | Strategy::None => return None,
    };
    if workload.kind == WorkloadKind::DaemonSet {
        return daemons(check, workload, (unavailable, surge));
    }
    let (_, replicas) = scaled(check, cluster)?;
    if workload.kind == WorkloadKind::StatefulSet {
        return stateful(
            check,
            workload,
            &replicas,
            (unavailable, partition),
            cluster,
        );
    }
    rolling(check, workload, &replicas, cluster, (unavailable, surge))
}

fn check(check: &WorkloadAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    finding(check, cluster).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::workload::Amount::{Count, Percent};

    #[test]
    fn fenceposts_are_rounded_as_the_controller_rounds_them() {
        for (unavailable, surge, replicas, expected) in [
            // The examples beside `ResolveFenceposts`.
            (Percent(1), Percent(0), 2, (1, 0)),
            (Percent(1), Percent(0), 1, (1, 0)),
            (Percent(25), Percent(1), 2, (0, 1)),
            (Percent(25), Percent(1), 1, (0, 1)),
            (Percent(0), Percent(1), 2, (0, 1)),
            (Percent(25), Percent(25), 4, (1, 1)),
            (Count(1), Count(1), 1, (1, 1)),
            (Percent(100), Count(0), 3, (3, 0)),
        ] {
            assert_eq!(fenceposts(unavailable, surge, replicas), expected);
        }
    }
}
