//! Who takes the new connections while a pod of a workload ends? A preStop delay gives them time to move there; without anybody it
//! only makes the end longer.
//!
//! Sources: `pkg/controller/deployment/recreate.go` and `rolling.go`, `pkg/controller/statefulset/stateful_set_control.go`,
//! `pkg/controller/replicaset/replica_set.go` (a terminating pod is no longer counted, so that the next one is made at once).

use super::cluster::Cluster;
use super::serves::Serves;
use super::workload::{WorkloadAnalysis, answers_for, owner_of};
use crate::facts::ObjectRef;
use crate::facts::service::{Service, ServiceType};
use crate::facts::workload::{Amount, Strategy, Workload, WorkloadKind};
use crate::sources::Class;

/// Who takes the new connections while a pod ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Successor {
    /// Another pod: one of several, or one that is made no later than this one begins to end.
    Another,
    /// One of several where one pod ends alone, as in a drain. In a rollout nobody: strategy Recreate ends all of them first.
    InDrains,
    /// Nobody: the next pod starts when this one has ended, or there is none.
    Nobody,
}

/// The share of a Deployment's replicas that a rollout may add, where it is not set (`pkg/apis/apps/v1/defaults.go`).
const SURGE: Amount = Amount::Percent(25);

/// Who takes new connections from the Services of a container while a pod ends.
#[must_use]
pub fn successor<'a>(
    check: &WorkloadAnalysis<'a>,
    serves: &Serves<'a>,
    cluster: &Cluster<'a>,
) -> Successor {
    let services = &serves.services;
    if stays_on_node(check, services) || asked_by_name(check, serves) {
        return Successor::Nobody;
    }
    match by_workload(check, cluster) {
        Successor::Another => Successor::Another,
        _ if has_others(check, serves, cluster) => Successor::Another,
        alone => alone,
    }
}

/// Do pods of others answer for some Service of a container too?
fn has_others<'a>(
    check: &WorkloadAnalysis<'a>,
    serves: &Serves<'a>,
    cluster: &Cluster<'a>,
) -> bool {
    let mut services = serves.services.iter();
    services.any(|service| others(check, service, cluster))
}

/// Connections stay on the node of the client, where a `DaemonSet` has one pod at a time.
#[must_use]
pub fn stays_on_node(check: &WorkloadAnalysis<'_>, services: &[&Service]) -> bool {
    let daemons = check
        .workload
        .filter(|workload| workload.kind == WorkloadKind::DaemonSet);
    let surges = |workload: &Workload| match workload.strategy {
        Strategy::RollingUpdate { max_surge, .. } => {
            max_surge.is_some_and(|surge| surge.rounded_up(100) > 0)
        }
        _ => false,
    };
    let local = |service: &&Service| {
        let inside = service.kind == ServiceType::ClusterIP && service.external_ips.is_empty();
        service.internal_local && inside
    };
    let mut proxied = services.iter().filter(|service| !service.headless);
    daemons.is_some_and(|workload| !surges(workload))
        && services.iter().any(|service| !service.headless)
        && proxied.all(local)
}

/// Who wants a pod of a `StatefulSet` through headless Services alone asks for it by its own name, unless a proxy goes by the endpoints.
fn asked_by_name(check: &WorkloadAnalysis<'_>, serves: &Serves<'_>) -> bool {
    let services = &serves.services;
    let headless = || !services.is_empty() && services.iter().all(|service| service.headless);
    let by_endpoints = |class: Class| !matches!(class, Class::Dns | Class::Client);
    let proxied = || {
        let budgets = serves.budgets.each();
        let mut timings = budgets.flat_map(|(_, budget)| &budget.timings);
        timings.any(|timing| {
            let class = timing.source.class;
            class.sends() && by_endpoints(class) && !timing.evidence.is_empty()
        })
    };
    check.owner.kind == "StatefulSet" && headless() && !proxied()
}

/// By how the workload replaces its pods.
fn by_workload(check: &WorkloadAnalysis<'_>, cluster: &Cluster<'_>) -> Successor {
    let Some(workload) = check.workload else {
        // Nobody makes another one of a pod without controller. What other controllers do was not read.
        return if check.owner.kind == "Pod" {
            Successor::Nobody
        } else {
            Successor::Another
        };
    };
    let one = cluster
        .disruption
        .replicas(workload)
        .is_some_and(|replicas| replicas.most <= 1);
    if workload.kind == WorkloadKind::StatefulSet {
        return if one {
            Successor::Nobody
        } else {
            Successor::Another
        };
    }
    match workload.strategy {
        // All at once in a rollout, and a drain leaves them alone.
        Strategy::RollingUpdate {
            max_unavailable: Some(Amount::Percent(100..)),
            max_surge,
            ..
        } if workload.kind == WorkloadKind::DaemonSet
            && max_surge.is_none_or(|surge| surge.rounded_up(100) == 0) =>
        {
            Successor::Nobody
        }
        Strategy::Recreate if one => Successor::Nobody,
        Strategy::Recreate => Successor::InDrains,
        // The next pod is made at the delete, but it needs what the old one still holds: the volume, or the node's port.
        Strategy::RollingUpdate { max_surge, .. }
            if workload.kind == WorkloadKind::Deployment
                && one
                && max_surge.unwrap_or(SURGE).rounded_up(1) == 0
                && (workload.placement.takes_node_ports || !workload.claims.is_empty()) =>
        {
            Successor::Nobody
        }
        _ => Successor::Another,
    }
}

/// Pods of others are behind the Service too.
fn others(check: &WorkloadAnalysis<'_>, service: &Service, cluster: &Cluster<'_>) -> bool {
    // A ReplicaSet that was not read is known by its name, DEPLOYMENT-HASH.
    let is_made = |owner: &ObjectRef| {
        let end = owner.name.name.strip_prefix(&check.owner.name.name);
        owner.kind == "ReplicaSet"
            && owner.name.namespace == check.owner.name.namespace
            && end
                .and_then(|end| end.strip_prefix('-'))
                .is_some_and(|hash| !hash.contains('-'))
    };
    // One of the same name is the same application as another kind, or in another cluster's folder.
    let another = |owner: ObjectRef| {
        owner != check.owner && owner.name != check.owner.name && !is_made(&owner)
    };
    let runs = |workload: &Workload| {
        let replicas = cluster.disruption.replicas(workload);
        replicas.is_none_or(|replicas| replicas.most > 0)
    };
    let ends_by_itself = |workload: &Workload| ["Job", "CronJob"].contains(&workload.kind.name());
    let mut templates = cluster.index.templates(service).iter();
    templates.any(|each| another(answers_for(each)) && runs(each) && !ends_by_itself(each))
        || cluster.index.selected(service).is_some_and(|pods| {
            pods.iter()
                .any(|pod| !pod.is_terminal() && another(owner_of(pod, &cluster.disruption)))
        })
}
