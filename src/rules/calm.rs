//! The reasons for which a finding about manifests is for information, in words.

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
    /// A webhook that no rollout and no drain waits for.
    IdleWebhook,
    /// A readiness gate waits for a load balancer.
    Gated,
    /// Clients of a message broker or `ZooKeeper`.
    Broker,
    /// One replica does, and nothing shows that it has to be there at all times.
    DoesWithOne,
    /// Somebody chose a rollout with a gap, for one replica.
    Decided,
    /// A shell may keep SIGTERM from it.
    KeptByShell,
    /// Clients ask a registry of services for its pods.
    Registered,
    /// It takes its work from a queue.
    Works,
    /// The manifest holds the whole program.
    Inline,
    /// Nothing shows that its start takes time.
    MayStartAtOnce,
    /// Only clients within the cluster meet a refused connection.
    Within,
    /// What leads clients to it tries a refused connection on another pod.
    TriedAgain,
    /// What leads clients to it is not identified.
    UnknownRoute,
}

impl Calm {
    /// The end of an explanation.
    pub(super) const fn sentence(self) -> &'static str {
        match self {
            Self::NotReplaced => " For information only: no rollout replaces these pods by itself.",
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
                " For information only: a rollout deletes every pod before it creates the next one, so requests fail meanwhile with and without a probe."
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
                " For information only: by its image or name it is a program for people who look at it, or for measurements that are sent again."
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
            Self::IdleWebhook => {
                " For information only: it is a webhook of others' objects, or with failurePolicy Ignore, which no rollout and no drain waits for, and nothing else that was read sends requests to it."
            }
            Self::Gated => {
                " For information only: GKE adds a readiness gate to pods behind its network endpoint groups, so that a rollout waits until the load balancer's health check has passed."
            }
            Self::Broker => {
                " For information only: by its port it is a broker of Kafka or a ZooKeeper, whose clients ask the next one by themselves."
            }
            Self::DoesWithOne => {
                " For information only: one replica does, as nothing that was read asks for one to be there at all times: no second one, no autoscaler, no budget."
            }
            Self::Decided => {
                " For information only: to let no second pod start beside the only one is never the default, so somebody chose it, and no budget or second replica asks for one to be there at all times."
            }
            Self::KeptByShell => {
                " For information only: its command is a shell or a script that may keep SIGTERM from it (DC207), so that it goes on serving until SIGKILL, and that comes first."
            }
            Self::Registered => {
                " For information only: by its variables its clients find its pods in a registry of services (Eureka, Nacos, Consul), and no route leads to it."
            }
            Self::Works => {
                " For information only: by its name it takes its work from a queue, and nothing that was read sends requests to it."
            }
            Self::Inline => {
                " For information only: its command holds the whole program, so it is a small one."
            }
            Self::MayStartAtOnce => {
                " For information only: nothing that was read shows that its start takes time: no delay of a liveness probe, and no runtime, framework or migration in image, command or variables."
            }
            Self::Within => {
                " For information only: nothing that was read leads clients from outside to it, and nothing asks for rollouts without a gap (maxUnavailable: 0). Callers within the cluster are refused for that short time only."
            }
            Self::TriedAgain => {
                " For information only: what leads clients to it tries a refused connection on another pod by default, and nothing asks for rollouts without a gap (maxUnavailable: 0). Requests that are under way may still be cut off."
            }
            Self::UnknownRoute => {
                " For information only: what leads clients to it is not identified, so that nobody can say whether it tries a refused connection on another pod, and nothing asks for rollouts without a gap (maxUnavailable: 0)."
            }
            Self::WaitsForAnother => {
                " For information only: the pod is not Ready before another container's probe succeeds, which takes some seconds."
            }
        }
    }
}
