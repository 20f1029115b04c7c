//! Which findings about manifests would a maintainer act on? The others are told for information.
//!
//! Only manifests are weighed: whoever asks about a cluster asks about these very pods. Measured by hand on public repositories
//! (CONTRIBUTING.md says how): each condition stands for findings that were true, and that nobody would have acted on.

use super::pods::Pods;
use crate::analysis::serves::Serves;
use crate::facts::service::{Protocol, TargetPort};
use crate::facts::workload::{Strategy, WorkloadKind};

/// Ports of data stores: those of `MySQL`, `PostgreSQL`, Redis, `MongoDB`, Kafka, `ZooKeeper`, memcached, Cassandra, etcd, NATS and `RabbitMQ`.
const STORES: [u16; 11] = [
    3306, 5432, 6379, 27017, 9092, 2181, 11211, 9042, 2379, 4222, 5672,
];

/// Commands that wait and serve nothing.
const IDLE: [&str; 3] = ["sleep", "tail", "pause"];

/// Is there nothing but manifests to go by?
fn only_written(pods: &Pods<'_, '_>) -> bool {
    let observed = pods.check.pods.iter().any(|pod| pod.was_observed());
    !pods.cluster.snapshot.complete && !observed
}

/// Does a rollout replace these pods? Not those of a `ReplicationController` or a `ReplicaSet` of its own, nor a pod alone.
fn rolls_out(pods: &Pods<'_, '_>) -> bool {
    let kind = pods.check.owner.kind.as_str();
    !["Pod", "ReplicaSet", "ReplicationController"].contains(&kind)
}

fn is_one(pods: &Pods<'_, '_>) -> bool {
    let replicas = pods
        .check
        .workload
        .and_then(|workload| pods.cluster.disruption.replicas(workload));
    replicas.is_some_and(|replicas| replicas.most <= 1)
}

/// Does a container run something that waits, and nothing that serves?
fn is_idle(serves: &Serves<'_>) -> bool {
    let first = serves
        .container
        .command
        .first()
        .and_then(|word| word.rsplit('/').next());
    first.is_some_and(|first| IDLE.contains(&first))
}

/// The numbers of the ports through which a container is reached.
fn ports<'s>(serves: &'s Serves<'_>) -> impl Iterator<Item = u16> + 's {
    let ports = serves.services.iter().flat_map(|service| &service.ports);
    ports.filter_map(|port| match &port.target {
        TargetPort::Number(number) => Some(*number),
        TargetPort::Name(name) => {
            let mut declared = serves.container.ports.iter();
            declared
                .find(|each| each.name == *name)
                .map(|each| each.number)
        }
    })
}

/// Is one data store behind the Services, of which a second one beside it would be another one?
fn is_single_store(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> bool {
    is_one(pods) && ports(serves).any(|port| STORES.contains(&port))
}

/// Would a delay of SIGTERM keep requests from failing in the rollouts of these manifests? Where no readiness probe says when the next pod
/// may take over, they fail at its start, and that is what to mend first (DC212).
pub(super) fn delay_counts(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> bool {
    let mut ports = serves.services.iter().flat_map(|service| &service.ports);
    let connects = ports.any(|port| port.protocol == Protocol::Tcp);
    let volume = is_one(pods)
        && pods
            .check
            .workload
            .is_some_and(|workload| !workload.claims.is_empty());
    let takes_over = serves.container.readiness.is_some()
        && rolls_out(pods)
        && connects
        && !volume
        && !is_single_store(pods, serves)
        && !is_idle(serves);
    !only_written(pods) || takes_over
}

/// Would a readiness probe keep requests from failing in the rollouts of these manifests? Where the old pod is gone before the next one
/// starts, they fail with and without one.
pub(super) fn readiness_counts(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> bool {
    let one_after_the_other = is_one(pods)
        && pods.check.workload.is_some_and(|workload| {
            workload.kind == WorkloadKind::StatefulSet
                || matches!(workload.strategy, Strategy::Recreate)
        });
    let counts = rolls_out(pods)
        && !one_after_the_other
        && !is_single_store(pods, serves)
        && !is_idle(serves);
    !only_written(pods) || counts
}

/// Does somebody wait for these containers' requests, so that a slow end costs more than time?
pub(super) fn serves_requests(pods: &Pods<'_, '_>, container: &str) -> bool {
    let mut reached = pods.check.serves.iter();
    let asked = reached.any(|each| each.container.name == container && each.scrape.is_none());
    !only_written(pods) || asked
}
