//! Which findings about manifests would a maintainer act on? The others are told for information, with the reason.
//!
//! Only manifests are weighed: whoever asks about a cluster asks about these very pods. Measured by hand on public repositories
//! (CONTRIBUTING.md says how): each condition stands for findings that were true, and that nobody would have acted on.

use super::pods::Pods;
use crate::analysis::disruption::Replicas;
use crate::analysis::programs::Program;
use crate::analysis::scrape::is_scraped;
use crate::analysis::serves::Serves;
use crate::facts::pod_spec::{Container, Probe};
use crate::facts::service::Protocol;
use crate::facts::workload::{Strategy, WorkloadKind};

/// Ports of data stores: those of `MySQL`, `PostgreSQL`, Redis, `MongoDB`, Kafka, `ZooKeeper`, memcached, Cassandra, etcd, NATS, `RabbitMQ`,
/// SQL Server, Qdrant, Meilisearch, NFS, Elasticsearch, `ClickHouse`, Neo4j, `InfluxDB` and `EventStore`; and of Chrome's debugging, whose one client keeps its session.
const STORES: [u16; 25] = [
    3306, 5432, 6379, 27017, 9092, 2181, 11211, 9042, 2379, 4222, 5672, 1433, 6333, 6334, 7700,
    2049, 111, 9200, 9300, 8123, 7474, 7687, 8086, 2113, 9222,
];

/// The port of SSH, whose server listens as soon as it runs.
const SSH: u16 = 22;

/// The ports of SSH and MQTT: connections are long, and clients make new ones by themselves.
const SESSIONS: [u16; 3] = [SSH, 1883, 8883];

/// Commands that wait and serve nothing.
const IDLE: [&str; 3] = ["sleep", "tail", "pause"];

/// A start takes so long at least where another container's probe waits for it, in seconds.
const SLOW_START: i64 = 5;

/// Why a finding about manifests is no more than good to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Calm {
    /// No rollout replaces the pods.
    NotReplaced,
    /// No TCP connections come.
    NoConnections,
    /// Requests fail at the start of the next pod in any case.
    NotProbed,
    /// One pod, and its volume.
    OnlyVolume,
    /// One data store.
    OnlyStore,
    /// One after the other, so that nobody answers in between.
    OneAfterTheOther,
    /// It runs what serves nothing.
    Idle,
    /// One replica, and nothing sends to it.
    NotAsked,
    /// A controller, and nothing sends to it.
    Controller,
    /// It goes on accepting by itself.
    Lingers,
    /// Clients come back by themselves.
    KeepsStreams,
    /// A page to reload, or measurements that are sent again.
    Watches,
    /// It listens before anybody knows of it.
    ListensAtOnce,
    /// Another container's probe takes longer.
    WaitsForAnother,
    /// It is only tried.
    Trial,
    /// There are no replicas.
    Off,
    /// A rollout deletes all pods first.
    LeavesNone,
    /// Dapr's sidecar waits for the port.
    Dapr,
    /// Clients of a message broker or `ZooKeeper`.
    Broker,
}

impl Calm {
    /// The end of an explanation.
    pub(super) const fn sentence(self) -> &'static str {
        match self {
            Self::NotReplaced => " For information only: no rollout replaces these pods.",
            Self::NoConnections => " For information only: no TCP connections come.",
            Self::NotProbed => {
                " For information only: without a readiness probe requests fail at the start of each new pod too (DC212), and that comes first."
            }
            Self::OnlyVolume => {
                " For information only: one replica with a volume is not meant to be there at all times."
            }
            Self::OnlyStore => {
                " For information only: by its image or port it is the only replica of a data store, and a second one beside it would hold other data."
            }
            Self::OneAfterTheOther => {
                " For information only: a rollout deletes the only pod before it creates the next one, so requests fail meanwhile with and without a probe."
            }
            Self::Idle => " For information only: its command waits and serves nothing.",
            Self::NotAsked => {
                " For information only: one replica is asked for, and nothing that was read sends requests to it: no route, no load balancer, no address that names its Services."
            }
            Self::Controller => {
                " For information only: by its image it is a controller, and nothing that was read sends requests to it."
            }
            Self::Lingers => {
                " For information only: by its image it is a program that goes on accepting connections for some seconds after SIGTERM by itself."
            }
            Self::KeepsStreams => {
                " For information only: by its image or ports it is a program whose clients keep a connection each, and connect again by themselves."
            }
            Self::Watches => {
                " For information only: by its image it is a program for people who look at it, or for measurements that are sent again."
            }
            Self::ListensAtOnce => {
                " For information only: by its image or port it is a program that accepts connections as soon as it runs."
            }
            Self::Trial => " For information only: it runs in a mode that is for trying it.",
            Self::Off => " For information only: 0 replicas are asked for.",
            Self::LeavesNone => {
                " For information only: a rollout may delete all pods before a new one is ready (DC301), and that comes first."
            }
            Self::Dapr => {
                " For information only: the sidecar that Dapr puts into the pod is not Ready before the application's port accepts connections."
            }
            Self::Broker => {
                " For information only: by its port it is a broker of Kafka or a ZooKeeper, whose clients ask the next one by themselves."
            }
            Self::WaitsForAnother => {
                " For information only: the pod is not Ready before another container's probe succeeds, which takes some seconds."
            }
        }
    }
}

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

fn replicas<'a>(pods: &Pods<'_, 'a>) -> Option<Replicas<'a>> {
    let workload = pods.check.workload?;
    pods.cluster.disruption.replicas(workload)
}

fn is_one(pods: &Pods<'_, '_>) -> bool {
    replicas(pods).is_some_and(|replicas| replicas.most <= 1)
}

/// Does a container run something that waits, and nothing that serves?
fn is_idle(container: &Container) -> bool {
    let words = if container.command.is_empty() {
        &container.args
    } else {
        &container.command
    };
    let first = words.first().and_then(|word| word.rsplit('/').next());
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    // Workers of Celery take their work from a broker.
    let of_celery = has("celery") && (has("worker") || has("beat"));
    first.is_some_and(|first| IDLE.contains(&first)) || of_celery
}

/// Do the containers that Services lead to run what serves nothing?
pub(super) fn serve_nothing(pods: &Pods<'_, '_>) -> bool {
    let mut serves = pods.check.serves.iter();
    only_written(pods) && serves.len() > 0 && serves.all(|each| is_idle(each.container))
}

/// Is there no sign in the manifests that containers listen, but for the Services: no port, and no probe?
pub(super) fn may_listen_nowhere(pods: &Pods<'_, '_>) -> bool {
    let silent = |container: &Container| {
        let probes = [
            &container.readiness,
            &container.liveness,
            &container.startup,
        ];
        container.ports.is_empty() && probes.iter().all(|probe| probe.is_none())
    };
    let mut containers = pods.check.spec.containers.iter();
    only_written(pods) && containers.all(silent)
}

/// Is one data store behind the Services, of which a second one beside it would be another one?
fn is_single_store(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> bool {
    is_one(pods) && serves.ports().any(|port| STORES.contains(&port))
}

/// Is it switched off?
fn is_off(pods: &Pods<'_, '_>) -> bool {
    let replicas = replicas(pods);
    replicas.is_some_and(|replicas| replicas.most == 0)
}

/// May a rollout of a Deployment delete all pods before a new one is ready?
fn leaves_none(pods: &Pods<'_, '_>) -> bool {
    let Some(workload) = pods.check.workload else {
        return false;
    };
    match workload.strategy {
        Strategy::RollingUpdate {
            max_unavailable: Some(unavailable),
            ..
        } if workload.kind == WorkloadKind::Deployment => {
            let least = replicas(pods).map_or(0, |replicas| replicas.least);
            least > 0 && unavailable.rounded_down(least) >= least
        }
        _ => false,
    }
}

/// Is it a broker of Kafka or a `ZooKeeper`? Clients know all of them, and go on to the next one where one refuses.
fn is_broker(serves: &Serves<'_>) -> bool {
    let mut ports = serves.ports();
    ports.any(|port| [2181, 9092, 9093, 9094].contains(&port))
}

/// Is a container reached through ports, and through none but these?
fn is_reached_by(serves: &Serves<'_>, these: &[u16]) -> bool {
    let mut ports = serves.ports().peekable();
    ports.peek().is_some() && ports.all(|port| these.contains(&port))
}

/// Does Dapr's sidecar keep the pod from being Ready until this container accepts connections (dapr/dapr, `pkg/runtime/runtime.go`,
/// `blockUntilAppIsReady`)?
fn waits_for_dapr(serves: &Serves<'_>) -> bool {
    let app = serves.dapr_app_port();
    app.is_some_and(|app| serves.ports().any(|port| port == app))
}

/// Is one replica asked for, and nothing sends to it? Who asks for several wants one to be there at all times.
fn is_not_asked(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> bool {
    !serves.asked() && is_one(pods)
}

fn are_connected(serves: &Serves<'_>) -> bool {
    let mut services = serves.services.iter();
    services.any(|service| {
        let mut ports = service.ports.iter();
        ports.any(|port| port.protocol == Protocol::Tcp && !is_scraped(service, port))
    })
}

/// The first reason that holds.
fn first(reasons: impl IntoIterator<Item = (bool, Calm)>) -> Option<Calm> {
    let mut reasons = reasons.into_iter();
    reasons.find_map(|(holds, calm)| holds.then_some(calm))
}

/// Why a delay of SIGTERM would hardly keep requests from failing in the rollouts of these manifests; `None` where it would.
pub(super) fn calm_about_delay(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> Option<Calm> {
    if !only_written(pods) {
        return None;
    }
    let connects = are_connected(serves);
    let workload = pods.check.workload;
    let volume = is_one(pods) && workload.is_some_and(|workload| !workload.claims.is_empty());
    let unprobed = serves.container.readiness.is_none()
        && calm_about_readiness(pods, serves) != Some(Calm::ListensAtOnce);
    let reasons = [
        (!rolls_out(pods), Calm::NotReplaced),
        (!connects, Calm::NoConnections),
        (is_idle(serves.container), Calm::Idle),
        (unprobed, Calm::NotProbed),
        (volume, Calm::OnlyVolume),
        (is_single_store(pods, serves), Calm::OnlyStore),
        (is_broker(serves), Calm::Broker),
        (
            // Sessions that nobody outside begins.
            !serves.from_outside() && is_reached_by(serves, &SESSIONS),
            Calm::KeepsStreams,
        ),
        (is_off(pods), Calm::Off),
        (leaves_none(pods), Calm::LeavesNone),
        (is_not_asked(pods, serves), Calm::NotAsked),
    ];
    let by_program = || match Program::of(serves.container)? {
        Program::Lingers => Some(Calm::Lingers),
        Program::KeepsStreams => Some(Calm::KeepsStreams),
        Program::Watches | Program::Records => Some(Calm::Watches),
        Program::Trial => Some(Calm::Trial),
        Program::Stores => is_one(pods).then_some(Calm::OnlyStore),
        Program::ListensAtOnce => None,
        Program::Controls => (!serves.asked()).then_some(Calm::Controller),
    };
    first(reasons).or_else(by_program)
}

/// Does a container's probe keep the pod from being Ready for some seconds?
fn is_slow(container: &Container) -> bool {
    let waits = |probe: &Option<Probe>| {
        let probe = probe.as_ref();
        probe.is_some_and(|probe| probe.initial_delay_seconds >= SLOW_START)
    };
    waits(&container.readiness) || waits(&container.startup)
}

/// Why a readiness probe would hardly keep requests from failing in the rollouts of these manifests; `None` where it would.
pub(super) fn calm_about_readiness(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> Option<Calm> {
    if !only_written(pods) {
        return None;
    }
    let workload = pods.check.workload;
    let one_after_the_other = is_one(pods)
        && workload.is_some_and(|workload| {
            workload.kind == WorkloadKind::StatefulSet
                || matches!(workload.strategy, Strategy::Recreate)
        });
    let mut others = pods.check.spec.containers.iter();
    let reasons = [
        (!rolls_out(pods), Calm::NotReplaced),
        (!are_connected(serves), Calm::NoConnections),
        (is_idle(serves.container), Calm::Idle),
        (one_after_the_other, Calm::OneAfterTheOther),
        (is_single_store(pods, serves), Calm::OnlyStore),
        (others.any(is_slow), Calm::WaitsForAnother),
        (waits_for_dapr(serves), Calm::Dapr),
        (is_reached_by(serves, &[SSH]), Calm::ListensAtOnce),
        (is_off(pods), Calm::Off),
        (is_not_asked(pods, serves), Calm::NotAsked),
    ];
    let by_program = || match Program::of(serves.container)? {
        Program::ListensAtOnce => Some(Calm::ListensAtOnce),
        Program::Trial => Some(Calm::Trial),
        Program::Controls => (!serves.asked()).then_some(Calm::Controller),
        Program::Records | Program::Stores if is_one(pods) => Some(Calm::OnlyStore),
        _ => None,
    };
    first(reasons).or_else(by_program)
}

/// Why nobody would mind that a rollout leaves no pod for a while; `None` where somebody would, and where no container is known that serves.
pub(super) fn calm_about_gap(pods: &Pods<'_, '_>) -> Option<Calm> {
    let serves = &pods.check.serves;
    if !only_written(pods) || serves.is_empty() {
        return None;
    }
    let stores = |each: &Serves<'_>| {
        let program = Program::of(each.container);
        matches!(program, Some(Program::Records | Program::Stores)) || is_single_store(pods, each)
    };
    first([
        (
            serves.iter().all(|each| is_idle(each.container)),
            Calm::Idle,
        ),
        (serves.iter().any(stores), Calm::OnlyStore),
        (
            serves.iter().all(|each| is_not_asked(pods, each)),
            Calm::NotAsked,
        ),
    ])
}

/// Does somebody wait for these containers' requests, so that a slow end costs more than time?
pub(super) fn serves_requests(pods: &Pods<'_, '_>, container: &str) -> bool {
    let mut reached = pods.check.serves.iter();
    let asked = reached.any(|each| each.container.name == container && each.scrape.is_none());
    !only_written(pods) || asked && rolls_out(pods)
}
