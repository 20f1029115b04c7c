//! `spec` of a pod or of a pod template, with its containers.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

use super::presence::{Present, or_default};
use super::resources::Resources;
use super::selector::LabelSelector;

/// `spec` of a pod, or of a template.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSpec {
    /// `terminationGracePeriodSeconds`.
    pub termination_grace_period_seconds: Option<i64>,
    /// `restartPolicy`.
    pub restart_policy: Option<String>,
    /// `hostNetwork`.
    pub host_network: Option<bool>,
    /// `hostPID`.
    #[serde(rename = "hostPID")]
    pub host_pid: Option<bool>,
    /// `shareProcessNamespace`.
    pub share_process_namespace: Option<bool>,
    /// `os`.
    pub os: Option<PodOs>,
    /// `priorityClassName`.
    pub priority_class_name: Option<String>,
    /// `nodeSelector`.
    pub node_selector: Option<BTreeMap<String, String>>,
    /// `nodeName`.
    pub node_name: Option<String>,
    /// `containers`.
    #[serde(deserialize_with = "or_default")]
    pub containers: Vec<Container>,
    /// `initContainers`.
    pub init_containers: Option<Vec<Container>>,
    /// `ephemeralContainers`.
    pub ephemeral_containers: Option<Vec<Container>>,
    /// `readinessGates`.
    pub readiness_gates: Option<Vec<ReadinessGate>>,
    /// `affinity`.
    pub affinity: Option<Affinity>,
    /// `topologySpreadConstraints`.
    pub topology_spread_constraints: Option<Vec<SpreadTerm>>,
    /// `tolerations`.
    pub tolerations: Option<Vec<Toleration>>,
    /// `volumes`.
    pub volumes: Option<Vec<Volume>>,
}

/// One of `tolerations`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Toleration {
    /// `key`.
    pub key: Option<String>,
    /// `operator`: `Equal` by default, or `Exists`.
    pub operator: Option<String>,
    /// `value`.
    pub value: Option<String>,
    /// `effect`.
    pub effect: Option<String>,
    /// `tolerationSeconds`.
    pub toleration_seconds: Option<i64>,
}

/// `os`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct PodOs {
    /// `name`.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
}

/// One of `readinessGates`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReadinessGate {
    /// `conditionType`.
    #[serde(deserialize_with = "or_default")]
    pub condition_type: String,
}

/// `affinity`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Affinity {
    /// `podAntiAffinity`.
    pub pod_anti_affinity: Option<PodAntiAffinity>,
}

/// `podAntiAffinity`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodAntiAffinity {
    /// `requiredDuringSchedulingIgnoredDuringExecution`.
    pub required_during_scheduling_ignored_during_execution: Option<Vec<SpreadTerm>>,
    /// `preferredDuringSchedulingIgnoredDuringExecution`.
    pub preferred_during_scheduling_ignored_during_execution: Option<Vec<PreferredTerm>>,
}

/// A preferred term.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PreferredTerm {
    /// `podAffinityTerm`.
    pub pod_affinity_term: SpreadTerm,
}

/// A term of an anti-affinity, or a spread constraint.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SpreadTerm {
    /// `topologyKey`.
    #[serde(deserialize_with = "or_default")]
    pub topology_key: String,
    /// `labelSelector`.
    pub label_selector: Option<LabelSelector>,
}

/// One of `volumes`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Volume {
    /// `persistentVolumeClaim`.
    pub persistent_volume_claim: Option<ClaimSource>,
    /// `emptyDir`.
    pub empty_dir: Option<EmptyDir>,
}

/// `emptyDir`, of which nothing is read.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub struct EmptyDir {}

/// `persistentVolumeClaim`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimSource {
    /// `claimName`.
    #[serde(deserialize_with = "or_default")]
    pub claim_name: String,
}

/// A container of any kind.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Container {
    /// `name`.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// `image`.
    pub image: Option<String>,
    /// `command`.
    pub command: Option<Vec<String>>,
    /// `args`.
    pub args: Option<Vec<String>>,
    /// `env`.
    pub env: Option<Vec<EnvVar>>,
    /// `ports`.
    pub ports: Option<Vec<ContainerPort>>,
    /// `restartPolicy`.
    pub restart_policy: Option<String>,
    /// `lifecycle`.
    pub lifecycle: Option<Lifecycle>,
    /// `readinessProbe`.
    pub readiness_probe: Option<Probe>,
    /// `livenessProbe`.
    pub liveness_probe: Option<Probe>,
    /// `startupProbe`.
    pub startup_probe: Option<Probe>,
    /// `volumeMounts`.
    pub volume_mounts: Option<Vec<VolumeMount>>,
    /// `resources`.
    pub resources: Option<Resources>,
    /// `envFrom`. Only that it is written matters, and only of a manifest, as of the one below.
    #[serde(skip_serializing)]
    pub env_from: Option<Present>,
    /// `securityContext`.
    #[serde(skip_serializing)]
    pub security_context: Option<Present>,
}

/// One of `volumeMounts`. Its volume's name is not read: the API server makes one up for each pod's token.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeMount {
    /// `mountPath`.
    #[serde(deserialize_with = "or_default")]
    pub mount_path: String,
}

/// One of `env`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EnvVar {
    /// `name`.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// `value`.
    pub value: Option<String>,
    /// `valueFrom`, of which it only matters that it is there.
    pub value_from: Option<Present>,
}

/// One of `ports`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerPort {
    /// `name`.
    pub name: Option<String>,
    /// `containerPort`.
    #[serde(deserialize_with = "or_default")]
    pub container_port: i32,
    /// `hostPort`.
    pub host_port: Option<i32>,
    /// `protocol`.
    pub protocol: Option<String>,
}

/// `lifecycle`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Lifecycle {
    /// `preStop`.
    pub pre_stop: Option<Handler>,
    /// `stopSignal`.
    pub stop_signal: Option<String>,
}

/// `preStop`: one of these.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Handler {
    /// `exec`.
    pub exec: Option<Exec>,
    /// `httpGet`.
    pub http_get: Option<HttpGet>,
    /// `tcpSocket`.
    pub tcp_socket: Option<TcpSocket>,
    /// `sleep`.
    pub sleep: Option<SleepAction>,
}

/// `exec`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Exec {
    /// `command`.
    pub command: Option<Vec<String>>,
}

/// `httpGet`, without its headers, which may be secret.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct HttpGet {
    /// `host`.
    pub host: Option<String>,
    /// `path`.
    pub path: Option<String>,
    /// `port`.
    #[serde(deserialize_with = "or_default")]
    pub port: IntOrString,
    /// `scheme`.
    pub scheme: Option<String>,
}

/// `tcpSocket`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct TcpSocket {
    /// `port`.
    #[serde(deserialize_with = "or_default")]
    pub port: IntOrString,
}

/// `sleep`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct SleepAction {
    /// `seconds`.
    #[serde(deserialize_with = "or_default")]
    pub seconds: i64,
}

/// `grpc`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Grpc {
    /// `port`.
    #[serde(deserialize_with = "or_default")]
    pub port: i32,
}

/// A probe.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Probe {
    /// `exec`.
    pub exec: Option<Exec>,
    /// `httpGet`.
    pub http_get: Option<HttpGet>,
    /// `tcpSocket`.
    pub tcp_socket: Option<TcpSocket>,
    /// `grpc`.
    pub grpc: Option<Grpc>,
    /// `initialDelaySeconds`.
    pub initial_delay_seconds: Option<i32>,
    /// `periodSeconds`.
    pub period_seconds: Option<i32>,
    /// `timeoutSeconds`.
    pub timeout_seconds: Option<i32>,
    /// `successThreshold`.
    pub success_threshold: Option<i32>,
    /// `failureThreshold`.
    pub failure_threshold: Option<i32>,
    /// `terminationGracePeriodSeconds`.
    pub termination_grace_period_seconds: Option<i64>,
}
