//! Shared by the rules about the number of pods: replicas and workloads in words.

use super::words::count;
use crate::analysis::Cluster;
use crate::analysis::disruption::Replicas;
use crate::analysis::workload::WorkloadAnalysis;
use crate::facts::disruption::Asks;
use crate::facts::service::ServiceType;
use crate::facts::workload::{Workload, WorkloadKind};

/// `1 replica`, `at least 2 replicas (HorizontalPodAutoscaler web)`: the minimum, and where it comes from.
pub(super) fn least(workload: &Workload, replicas: &Replicas<'_>) -> String {
    match replicas.by {
        Some(scaler) => format!(
            "at least {} ({} {})",
            replicas_of(replicas.least),
            scaler.kind,
            scaler.name.name
        ),
        None if workload.replicas.is_none() => {
            format!("{} (the default)", replicas_of(replicas.least))
        }
        None => replicas_of(replicas.least),
    }
}

/// `1 replica`, `2 replicas`.
pub(super) fn replicas_of(number: i64) -> String {
    count(usize::try_from(number).unwrap_or(0), "replica")
}

/// `Deployment web`.
pub(super) fn named(workload: &Workload) -> String {
    format!("{} {}", workload.kind.name(), workload.name.name)
}

/// A Service with a cluster IP leads to these pods, so clients need not use DNS names of pods.
pub(super) fn has_address(check: &WorkloadAnalysis<'_>) -> bool {
    check
        .services
        .iter()
        .any(|service| !service.headless && service.kind != ServiceType::ExternalName)
}

/// `minAvailable 2`, with its field.
pub(super) fn requirement(asks: Asks) -> (String, &'static str) {
    match asks {
        Asks::MinAvailable(amount) => (format!("minAvailable {amount}"), "spec.minAvailable"),
        Asks::MaxUnavailable(amount) => (format!("maxUnavailable {amount}"), "spec.maxUnavailable"),
        Asks::Nothing => ("neither minAvailable nor maxUnavailable".to_owned(), "spec"),
    }
}

/// The workload of a check with its replicas, if it is a Deployment, `StatefulSet` or `ReplicaSet` that is not scaled to 0.
pub(super) fn scaled<'a>(
    check: &WorkloadAnalysis<'a>,
    cluster: &Cluster<'a>,
) -> Option<(&'a Workload, Replicas<'a>)> {
    let workload = check.workload?;
    let kinds = [
        WorkloadKind::Deployment,
        WorkloadKind::StatefulSet,
        WorkloadKind::ReplicaSet,
    ];
    if !kinds.iter().any(|kind| workload.kind == *kind) {
        return None;
    }
    let replicas = cluster.disruption.replicas(workload)?;
    (replicas.most > 0).then_some((workload, replicas))
}
