//! What is in a pod's spec, as far as the pod's termination depends on it? The same for live pods and for workloads' templates.

use std::collections::BTreeMap;

use super::node::Taint;
use super::resources::Amounts;
use super::service::{Protocol, TargetPort};

/// A pod's spec (core/v1 `PodSpec`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PodSpec {
    /// `terminationGracePeriodSeconds`, in seconds; the API server writes 30 where it is not set. May be negative.
    pub grace_seconds: Option<i64>,
    /// `restartPolicy`.
    pub restart_policy: RestartPolicy,
    /// `hostNetwork`.
    pub host_network: bool,
    /// `hostPID`: no container's process is PID 1.
    pub host_pid: bool,
    /// `shareProcessNamespace`: the pause process is PID 1, not the containers' own.
    pub shares_processes: bool,
    /// `os.name`, which `stopSignal` needs (KEP-4960).
    pub os: Option<String>,
    /// `priorityClassName`: what a graceful shutdown of the node goes by (KEP-2000, KEP-2712).
    pub priority_class: Option<String>,
    /// `nodeSelector`: the labels that a node must have.
    pub node_selector: BTreeMap<String, String>,
    /// `containers`.
    pub containers: Vec<Container>,
    /// `initContainers`, native sidecars among them.
    pub init_containers: Vec<Container>,
    /// `ephemeralContainers`.
    pub ephemeral_containers: Vec<Container>,
    /// `tolerations`.
    pub tolerations: Vec<Toleration>,
    /// A volume of kind `emptyDir`, which goes with the pod.
    pub empty_dir: bool,
    /// What it asks of its node.
    pub requests: Amounts,
    /// `readinessGates`: the types of the conditions that Ready needs besides the containers.
    pub readiness_gates: Vec<String>,
}

impl PodSpec {
    /// The init containers that run beside the main ones (KEP-753).
    #[must_use = "it is an iterator"]
    pub fn sidecars(&self) -> impl DoubleEndedIterator<Item = &Container> {
        self.init_containers
            .iter()
            .filter(|container| container.restarts_always)
    }
}

/// One of `tolerations`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Toleration {
    /// `key`; empty with `Exists` is every key.
    pub key: String,
    /// `value`; `None` where the operator is `Exists`: any value.
    pub value: Option<String>,
    /// `effect`; empty is every effect.
    pub effect: String,
    /// `tolerationSeconds`: so long, with the effect `NoExecute`; `None` is for ever.
    pub seconds: Option<i64>,
}

impl Toleration {
    /// Does it stand a taint (`ToleratesTaint` of `core/v1`)?
    #[must_use]
    pub fn stands(&self, taint: &Taint) -> bool {
        let key = self.key == taint.key || (self.key.is_empty() && self.value.is_none());
        key && (self.effect.is_empty() || self.effect == taint.effect)
            && self
                .value
                .as_ref()
                .is_none_or(|value| *value == taint.value)
    }
}

/// `spec.restartPolicy`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RestartPolicy {
    /// The default.
    #[default]
    Always,
    /// After a failure only.
    OnFailure,
    /// Never.
    Never,
}

/// A container, an init container or an ephemeral one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Container {
    /// `name`.
    pub name: String,
    /// `image`, as written.
    pub image: String,
    /// `command`; empty is the image's entrypoint.
    pub command: Vec<String>,
    /// `args`; empty is the image's own, or none beside a `command`.
    pub args: Vec<String>,
    /// `env`.
    pub env: Vec<EnvVar>,
    /// `ports`.
    pub ports: Vec<ContainerPort>,
    /// An init container with `restartPolicy: Always`: a native sidecar (KEP-753).
    pub restarts_always: bool,
    /// `lifecycle`, as far as it is about termination.
    pub lifecycle: Lifecycle,
    /// `readinessProbe`.
    pub readiness: Option<Probe>,
    /// `livenessProbe`.
    pub liveness: Option<Probe>,
    /// `startupProbe`.
    pub startup: Option<Probe>,
    /// `mountPath` of each of `volumeMounts`, where `preStop` runs a command: what lies there is not the image's.
    pub mounts: Vec<String>,
    /// Nothing is written of it but its name, image and ports, as in a first exercise.
    pub bare: bool,
}

impl Container {
    /// The last part of the image's name, without tag and digest: `web` of `example.com/shop/web:1`.
    #[must_use]
    pub fn program(&self) -> &str {
        let image = self.image.split('@').next().unwrap_or_default();
        let last = image.rsplit('/').next().unwrap_or_default();
        last.split(':').next().unwrap_or_default()
    }

    /// The image's tag, or nothing: `1` of `example.com/shop/web:1`.
    #[must_use]
    pub fn tag(&self) -> &str {
        let image = self.image.split('@').next().unwrap_or_default();
        let last = image.rsplit('/').next().unwrap_or_default();
        last.split_once(':').map_or("", |(_, tag)| tag)
    }

    /// `command` and `args`, as the process gets them where `command` is set.
    pub fn words(&self) -> impl Iterator<Item = &String> {
        self.command.iter().chain(&self.args)
    }

    /// Does `command` begin with a shell? What a script does before the program runs, the image does not tell.
    #[must_use]
    pub fn starts_with_shell(&self) -> bool {
        let first = self
            .command
            .first()
            .and_then(|word| word.rsplit('/').next());
        first.is_some_and(|first| ["sh", "bash", "ash", "dash"].contains(&first))
    }

    /// Does an absolute path lie in a volume, or is it one itself (`subPath`)?
    #[must_use]
    pub fn is_mounted(&self, path: &str) -> bool {
        path.starts_with('/')
            && self.mounts.iter().any(|mount| {
                let below = path.strip_prefix(mount.trim_end_matches('/'));
                below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
            })
    }
}

/// One of a container's environment variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvVar {
    /// `name`.
    pub name: String,
    /// `value`, where it is written out; `None` where it comes from elsewhere.
    pub value: Option<String>,
}

/// One of a container's ports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContainerPort {
    /// `name`; empty where it has none.
    pub name: String,
    /// `containerPort`.
    pub number: u16,
    /// `protocol`.
    pub protocol: Protocol,
}

/// `lifecycle` of a container, without `postStart`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lifecycle {
    /// `preStop`.
    pub pre_stop: Option<Handler>,
    /// `stopSignal`, such as `SIGQUIT` (KEP-4960).
    pub stop_signal: Option<String>,
}

/// What `preStop` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handler {
    /// `exec`: runs a command in the container, without a shell.
    Exec(Vec<String>),
    /// `httpGet`: the kubelet sends a GET.
    HttpGet(HttpGet),
    /// `tcpSocket`: accepted by the API, not implemented by any kubelet.
    TcpSocket,
    /// `sleep`: the kubelet waits for this many seconds (KEP-3960).
    Sleep(i64),
    /// What a webhook puts into the pod when it is made, as `.drain-check.yaml` declares: it takes so many seconds, in whatever way.
    Injected(i64),
    /// No handler: what is left where the API server dropped one that it did not know.
    Empty,
}

/// An HTTP request of the kubelet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpGet {
    /// `host`: another one than the pod.
    pub host: Option<String>,
    /// `port`.
    pub port: TargetPort,
    /// `path`.
    pub path: String,
    /// `scheme: HTTPS`.
    pub https: bool,
}

/// A probe, with the API's defaults filled in (`pkg/apis/core/v1/defaults.go`, `SetDefaults_Probe`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What it tries.
    pub handler: ProbeHandler,
    /// `initialDelaySeconds`, in seconds, 0 by default.
    pub initial_delay_seconds: i64,
    /// `periodSeconds`, in seconds, 10 by default.
    pub period_seconds: i64,
    /// `timeoutSeconds`, in seconds, 1 by default.
    pub timeout_seconds: i64,
    /// `successThreshold`, 1 by default.
    pub success_threshold: i64,
    /// `failureThreshold`, 3 by default.
    pub failure_threshold: i64,
    /// `terminationGracePeriodSeconds`, in seconds: the grace period where this probe causes a restart (KEP-2238). Not for readiness.
    pub grace_seconds: Option<i64>,
}

/// What a probe tries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeHandler {
    /// `exec`: runs a command in the container.
    Exec(Vec<String>),
    /// `httpGet`: sends a GET.
    HttpGet(HttpGet),
    /// `tcpSocket`: opens a connection.
    TcpSocket(TargetPort),
    /// `grpc`: asks the gRPC health service on a port.
    Grpc(u16),
    /// Nothing that is known.
    Empty,
}
