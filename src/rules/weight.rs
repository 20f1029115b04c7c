//! Which findings about manifests would a maintainer act on? The others are told for information, with the reason.
//!
//! Only manifests are weighed: whoever asks about a cluster asks about these very pods. Measured by hand on public repositories
//! (CONTRIBUTING.md says how): each condition stands for findings that were true, and that nobody would have acted on.

use super::calm::Calm;
use super::gates;
use super::pods::Pods;
use crate::analysis::asked::{Asked, Refused};
use crate::analysis::disruption::Replicas;
use crate::analysis::programs::Program;
use crate::analysis::scrape::is_scraped;
use crate::analysis::serves::Serves;
use crate::analysis::starts;
use crate::facts::disruption::{Asks, DisruptionBudget};
use crate::facts::pod_spec::{Container, Probe};
use crate::facts::service::Protocol;
use crate::facts::workload::{Strategy, Workload, WorkloadKind};
use crate::shutdown::hook::first::first_shell;

/// Ports of data stores: those of `MySQL`, `PostgreSQL`, Redis, `MongoDB`, Kafka, `ZooKeeper`, memcached, Cassandra, etcd, NATS, `RabbitMQ`,
/// SQL Server, `ActiveMQ`, Qdrant, Meilisearch, NFS, Elasticsearch, `ClickHouse`, Neo4j, `InfluxDB` and `EventStore`; and of Chrome's debugging, whose one client keeps its session.
const STORES: [u16; 26] = [
    3306, 5432, 6379, 27017, 9092, 2181, 11211, 9042, 2379, 4222, 5672, 1433, 6333, 6334, 7700,
    2049, 111, 9200, 9300, 8123, 7474, 7687, 8086, 2113, 9222, 61616,
];

/// Those of them whose clients keep connections in a pool, and make new ones by themselves.
const POOLED: [u16; 14] = [
    3306, 5432, 6379, 16379, 27017, 11211, 9042, 2379, 4222, 5672, 1433, 61616, 9200, 9300,
];

/// The port of SSH, whose server listens as soon as it runs.
const SSH: u16 = 22;

/// The ports of MQTT: devices keep a connection each, which ends with the pod in any case, and make a new one by themselves.
const MQTT: [u16; 2] = [1883, 8883];

/// Commands that wait and serve nothing.
const IDLE: [&str; 3] = ["sleep", "tail", "pause"];

/// A start takes so long at least where another container's probe waits for it, in seconds.
const SLOW_START: i64 = 5;

/// Is there nothing but manifests to go by? Pods that somebody printed for a test may lie beside a manifest; where a cluster was printed,
/// the workload was too.
fn only_written(pods: &Pods<'_, '_>) -> bool {
    let observed = pods.check.pods.iter().any(|pod| pod.was_observed());
    let printed = pods.check.workload.is_none_or(|workload| workload.stored);
    !(pods.cluster.snapshot.complete || observed && printed)
}

/// Does a rollout replace these pods? Not those of a `ReplicationController` or a `ReplicaSet` of its own, nor a pod alone, nor those that
/// somebody deletes by hand.
fn rolls_out(pods: &Pods<'_, '_>) -> bool {
    let kind = pods.check.owner.kind.as_str();
    let by_hand = |workload: &Workload| matches!(workload.strategy, Strategy::OnDelete);
    !["Pod", "ReplicaSet", "ReplicationController"].contains(&kind)
        && !pods.check.workload.is_some_and(by_hand)
}

fn replicas<'a>(pods: &Pods<'_, 'a>) -> Option<Replicas<'a>> {
    let workload = pods.check.workload?;
    pods.cluster.disruption.replicas(workload)
}

fn is_one(pods: &Pods<'_, '_>) -> bool {
    replicas(pods).is_some_and(|replicas| replicas.most <= 1)
}

fn is_one_with_volume(pods: &Pods<'_, '_>) -> bool {
    let workload = pods.check.workload;
    is_one(pods) && workload.is_some_and(|workload| !workload.claims.is_empty())
}

/// Does another workload run the same program behind the same Services, as blue beside green? A pod of another kind that only shares their
/// labels, as one that tests them, is none.
fn has_twin<'a>(pods: &Pods<'_, 'a>, serves: &Serves<'a>) -> bool {
    let program = serves.container.program();
    let runs_it = |workload: &&Workload| {
        let mut containers = workload.template.spec.containers.iter();
        workload.name != pods.check.owner.name && containers.any(|each| each.program() == program)
    };
    let lists = serves.services.iter();
    let mut lists = lists.map(|service| pods.cluster.index.templates(service));
    // Services of one selector, which may be many, have one list, and mostly come one after the other.
    let mut last: *const [&Workload] = &[];
    lists.any(|list| {
        let is_new = !std::ptr::eq(last, list);
        last = list;
        is_new && list.iter().any(runs_it)
    })
}

/// Does one replica do, by all that was read? It does not where somebody wrote down that it has to stay: a budget, an autoscaler that makes more,
/// or another workload beside it. Who only writes maxUnavailable: 0 beside one replica lives with a short gap: whatever a rollout does, a drain
/// of its node keeps requests waiting for as long as the next one takes to start.
fn does_with_one(pods: &Pods<'_, '_>) -> bool {
    // A budget that asks for none keeps nothing.
    let keeps = |budget: &&DisruptionBudget| !matches!(budget.asks, Asks::MinAvailable(least) if least.is_zero());
    let has_budget = |workload: &Workload| {
        let disruption = &pods.cluster.disruption;
        let budgets = disruption.budgets(&workload.name.namespace, &workload.pod_labels);
        budgets.iter().any(keeps)
    };
    let mut serves = pods.check.serves.iter();
    is_one(pods)
        && pods
            .check
            .workload
            .is_some_and(|workload| !has_budget(workload))
        && !serves.any(|serves| has_twin(pods, serves))
}

/// The same, where there is nothing but manifests to go by.
pub(super) fn is_no_more_than_one(pods: &Pods<'_, '_>) -> bool {
    only_written(pods) && does_with_one(pods)
}

/// Does a container run something that waits, and nothing that serves?
fn is_idle(container: &Container) -> bool {
    let words = if container.command.is_empty() {
        &container.args
    } else {
        &container.command
    };
    let first = words.first().and_then(|word| word.rsplit('/').next());
    let has = |wanted: &str| {
        let mut words = container.words().flat_map(|text| text.split_whitespace());
        words.any(|word| word == wanted)
    };
    // Workers of Celery take their work from a broker.
    let of_celery = has("celery") && (has("worker") || has("beat"));
    first.is_some_and(|first| IDLE.contains(&first)) || of_celery
}

/// Do the containers that Services lead to run what serves nothing? Without Services, do all of them?
pub(super) fn serve_nothing(pods: &Pods<'_, '_>) -> bool {
    let mut serves = pods.check.serves.iter();
    let mut mains = pods.check.spec.containers.iter();
    let idle = if serves.len() > 0 {
        serves.all(|each| is_idle(each.container))
    } else {
        mains.len() > 0 && mains.all(is_idle)
    };
    only_written(pods) && idle
}

/// May a shell be process 1 and keep SIGTERM from the program that it runs? Of a script in a file nobody knows.
fn may_be_kept_by_shell(container: &Container) -> bool {
    let first = container.command.first();
    if first.is_some_and(|first| [".sh", ".bash"].iter().any(|end| first.ends_with(end))) {
        return true;
    }
    let words: Vec<_> = container.words().cloned().collect();
    let options = words.iter().skip(1);
    let mut options = options.take_while(|word| word.starts_with('-'));
    let given = options.any(|word| !word.starts_with("--") && word.contains('c'));
    container.starts_with_shell() && (!given || first_shell(&words).is_some())
}

/// Is the program written out in the command?
fn is_inline(container: &Container) -> bool {
    let interpreters = ["python", "python3", "node", "perl", "ruby"];
    let words: Vec<_> = container.words().map(String::as_str).collect();
    let base = |word: &str| interpreters.contains(&word.rsplit('/').next().unwrap_or_default());
    let mut pairs = words.windows(2);
    pairs.any(|pair| base(pair[0]) && ["-c", "-e"].contains(&pair[1]))
}

/// How the names of variables begin that tell a program where its registry of services is: Eureka, Nacos, Consul, `ZooKeeper`.
const REGISTRIES: [&str; 6] = [
    "EUREKA_",
    "NACOS_",
    "SPRING_CLOUD_CONSUL_",
    "SPRING_CLOUD_DISCOVERY_",
    "SPRING_CLOUD_NACOS_",
    "SPRING_CLOUD_ZOOKEEPER_",
];

/// Does it take its work from a queue, by its name, and nothing sends requests to it? Its Service is for measurements.
fn works(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> bool {
    let named = |name: &str| {
        name.split(['-', '_'])
            .any(|word| ["worker", "workers", "consumer"].contains(&word))
    };
    serves.asked() == Asked::Nobody
        && (named(&pods.check.owner.name.name) || named(serves.container.program()))
}

/// Do clients find its pods in a registry of their own? What comes by a route does not.
fn is_registered(serves: &Serves<'_>) -> bool {
    let mut variables = serves.container.env.iter();
    let registers = variables.any(|each| REGISTRIES.iter().any(|name| each.name.starts_with(name)));
    registers && serves.asked() != Asked::Anybody
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

/// Did somebody write down that a rollout must not take a pod away before another one is ready?
fn asks_for_no_gap(pods: &Pods<'_, '_>) -> bool {
    let strategy = pods.check.workload.map(|workload| &workload.strategy);
    matches!(
        strategy,
        Some(Strategy::RollingUpdate { max_unavailable: Some(most), .. }) if most.is_zero()
    )
}

/// Why hardly anybody would notice that a pod refuses connections for a few seconds while others are there. Who asked for rollouts without a
/// gap wants none.
pub(super) fn calm_about_refusals(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> Option<Calm> {
    if !only_written(pods) || asks_for_no_gap(pods) {
        return None;
    }
    match serves.refused() {
        Refused::Within => Some(Calm::Within),
        Refused::TriedAgain => Some(Calm::TriedAgain),
        Refused::Unknown => Some(Calm::UnknownRoute),
        Refused::Outside => None,
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

/// Proxies that ask who somebody is, by their images or names.
const LOGINS: [&str; 7] = [
    "kube-rbac-proxy",
    "kube-rbac-proxy-web",
    "ose-kube-rbac-proxy",
    "oauth-proxy",
    "oauth2-proxy",
    "origin-oauth-proxy",
    "ose-oauth-proxy",
];

/// The addresses that a proxy for logins sends on to, without their schemes; of another program there are none.
fn upstreams(container: &Container) -> impl Iterator<Item = &str> {
    let names = [container.program(), container.name.as_str()];
    let is_login = names.iter().any(|name| LOGINS.contains(name));
    let words = container.words().filter(move |_| is_login);
    words.filter_map(|word| {
        let value = word.trim_start_matches('-').strip_prefix("upstream=")?;
        Some(value.split_once("://")?.1)
    })
}

/// The port of the same pod that a proxy for logins sends on to: `--upstream=http://localhost:3000`.
fn upstream(container: &Container) -> Option<u16> {
    let mut ports = upstreams(container).filter_map(|address| {
        let (host, rest) = address.split_once(':')?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let here = ["localhost", "127.0.0.1", "[::1]"].contains(&host);
        here.then(|| rest[..digits].parse().ok()).flatten()
    });
    ports.next()
}

/// The name of the Service that a proxy for logins sends on to: `--upstream=http://prometheus-operated.monitoring:9090`.
fn upstream_service(container: &Container) -> Option<&str> {
    upstreams(container).next()?.split(['.', ':', '/']).next()
}

/// Is it a page for the people who run things, by its own name?
fn is_dashboard(pods: &Pods<'_, '_>) -> bool {
    let mut words = pods.check.owner.name.name.split('-');
    words.any(|word| word == "dashboard")
}

/// What is known of the program that answers requests: behind a proxy for logins, of what that sends on to.
fn program(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> Option<Program> {
    if is_dashboard(pods) {
        return Some(Program::Watches);
    }
    let own = Program::of(serves.container);
    let Some(port) = upstream(serves.container) else {
        let elsewhere = upstream_service(serves.container).and_then(Program::named);
        return elsewhere.or(own);
    };
    let others = pods.check.spec.containers.iter();
    let others: Vec<_> = others
        .filter(|each| each.name != serves.container.name)
        .collect();
    let declares = |each: &&&Container| each.ports.iter().any(|declared| declared.number == port);
    let behind = others.iter().find(declares).copied();
    let only = (others.len() == 1).then(|| others[0]);
    behind.or(only).and_then(Program::of).or(own)
}

/// Do rollouts wait until a load balancer's health checks have passed, and nothing else sends?
fn waits_for_groups<'a>(pods: &Pods<'_, 'a>, serves: &Serves<'a>) -> bool {
    let mut services = serves.services.iter();
    !serves.is_named() && services.any(|service| gates::adds_a_gate(&pods.cluster.sources(service)))
}

/// Is one replica asked for, and nothing sends to it? Who asks for several wants one to be there at all times.
fn is_not_asked(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> bool {
    serves.asked() == Asked::Nobody && is_one(pods)
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
pub(super) fn calm_about_delay<'a>(pods: &Pods<'_, 'a>, serves: &Serves<'a>) -> Option<Calm> {
    if !only_written(pods) {
        return None;
    }
    let connects = are_connected(serves);
    let unprobed = serves.container.readiness.is_none()
        && (serves.container.bare
            || calm_about_readiness(pods, serves) != Some(Calm::ListensAtOnce));
    let reasons = [
        (!rolls_out(pods), Calm::NotReplaced),
        (!connects, Calm::NoConnections),
        (is_idle(serves.container), Calm::Idle),
        (is_inline(serves.container), Calm::Inline),
        (is_registered(serves), Calm::Registered),
        (works(pods, serves), Calm::Works),
        (unprobed, Calm::NotProbed),
        (may_be_kept_by_shell(serves.container), Calm::KeptByShell),
        (is_one_with_volume(pods), Calm::OnlyVolume),
        (is_single_store(pods, serves), Calm::OnlyStore),
        (is_broker(serves), Calm::Broker),
        (
            // Sessions that nobody outside begins.
            !serves.from_outside() && is_reached_by(serves, &[SSH])
                || is_reached_by(serves, &MQTT)
                || is_reached_by(serves, &POOLED),
            Calm::KeepsStreams,
        ),
        (is_off(pods), Calm::Off),
        (leaves_none(pods), Calm::LeavesNone),
        (is_not_asked(pods, serves), Calm::NotAsked),
        (serves.is_idle_webhook(), Calm::IdleWebhook),
        (does_with_one(pods), Calm::DoesWithOne),
    ];
    let by_program = || match program(pods, serves)? {
        Program::Lingers => Some(Calm::Lingers),
        Program::Stores if is_one(pods) => Some(Calm::OnlyStore),
        Program::KeepsStreams | Program::Stores => Some(Calm::KeepsStreams),
        Program::Watches | Program::Records => Some(Calm::Watches),
        Program::Trial => Some(Calm::Trial),
        Program::ListensAtOnce => None,
        Program::Controls => (serves.asked() == Asked::Nobody).then_some(Calm::Controller),
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
pub(super) fn calm_about_readiness<'a>(pods: &Pods<'_, 'a>, serves: &Serves<'a>) -> Option<Calm> {
    if !only_written(pods) {
        return None;
    }
    let workload = pods.check.workload;
    let one_after_the_other = workload.is_some_and(|workload| {
        is_one(pods) && workload.kind == WorkloadKind::StatefulSet
            || matches!(workload.strategy, Strategy::Recreate)
    });
    let mut others = pods.check.spec.containers.iter();
    let reasons = [
        (!rolls_out(pods), Calm::NotReplaced),
        (!are_connected(serves), Calm::NoConnections),
        (is_idle(serves.container), Calm::Idle),
        (is_inline(serves.container), Calm::Inline),
        (is_registered(serves), Calm::Registered),
        (works(pods, serves), Calm::Works),
        (one_after_the_other, Calm::OneAfterTheOther),
        (is_one_with_volume(pods), Calm::OnlyVolume),
        (is_single_store(pods, serves), Calm::OnlyStore),
        (others.any(is_slow), Calm::WaitsForAnother),
        (waits_for_dapr(serves), Calm::Dapr),
        (is_reached_by(serves, &[SSH]), Calm::ListensAtOnce),
        (is_off(pods), Calm::Off),
        (is_not_asked(pods, serves), Calm::NotAsked),
        (serves.is_idle_webhook(), Calm::IdleWebhook),
        (waits_for_groups(pods, serves), Calm::Gated),
        (does_with_one(pods), Calm::DoesWithOne),
    ];
    let by_program = || match program(pods, serves)? {
        Program::ListensAtOnce => Some(Calm::ListensAtOnce),
        Program::Lingers if !starts::takes_time(serves.container) => Some(Calm::ListensAtOnce),
        Program::Trial => Some(Calm::Trial),
        Program::Controls => (serves.asked() == Asked::Nobody).then_some(Calm::Controller),
        Program::Records | Program::Stores if is_one(pods) => Some(Calm::OnlyStore),
        Program::KeepsStreams => Some(Calm::KeepsStreams),
        Program::Records | Program::Watches => Some(Calm::Watches),
        _ => None,
    };
    let at_once = || (!starts::takes_time(serves.container)).then_some(Calm::MayStartAtOnce);
    first(reasons).or_else(by_program).or_else(at_once)
}

/// Do people look at it, or clients come back to it by themselves?
fn comes_back(pods: &Pods<'_, '_>, serves: &Serves<'_>) -> bool {
    let program = program(pods, serves);
    matches!(program, Some(Program::KeepsStreams | Program::Watches))
}

/// The same of all that Services lead to.
pub(super) fn come_back(pods: &Pods<'_, '_>) -> bool {
    let mut serves = pods.check.serves.iter();
    only_written(pods) && serves.len() > 0 && serves.all(|each| comes_back(pods, each))
}

/// Why nobody would mind that a rollout leaves no pod for a while; `None` where somebody would, and where no container is known that serves.
pub(super) fn calm_about_gap(pods: &Pods<'_, '_>) -> Option<Calm> {
    let serves = &pods.check.serves;
    if !only_written(pods) || serves.is_empty() {
        return None;
    }
    let stores = |each: &Serves<'_>| {
        let program = program(pods, each);
        matches!(program, Some(Program::Records | Program::Stores)) || is_single_store(pods, each)
    };
    first([
        (
            serves.iter().all(|each| is_idle(each.container)),
            Calm::Idle,
        ),
        (
            serves.iter().all(|each| comes_back(pods, each)),
            Calm::Watches,
        ),
        (serves.iter().any(stores), Calm::OnlyStore),
        (serves.iter().all(|each| works(pods, each)), Calm::Works),
        (
            serves.iter().all(|each| is_not_asked(pods, each)),
            Calm::NotAsked,
        ),
        (
            // Who calls it from within can try again.
            serves.iter().all(|each| each.asked() != Asked::Anybody) && does_with_one(pods),
            Calm::DoesWithOne,
        ),
    ])
}

/// The same where strategy Recreate or `maxSurge: 0` makes the gap. Neither is the default: who writes it beside one replica has decided.
pub(super) fn calm_about_recreate(pods: &Pods<'_, '_>) -> Option<Calm> {
    calm_about_gap(pods).or_else(|| is_no_more_than_one(pods).then_some(Calm::Decided))
}

/// Does somebody wait for these containers' requests, so that a slow end costs more than time?
pub(super) fn serves_requests(pods: &Pods<'_, '_>, container: &str) -> bool {
    let mut reached = pods.check.serves.iter();
    let asked = reached.any(|each| {
        each.container.name == container && each.scrape.is_none() && !does_with_one(pods)
    });
    !only_written(pods) || asked && rolls_out(pods)
}
