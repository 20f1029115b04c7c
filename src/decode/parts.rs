//! Which parts of pods, and of what makes them, are read?
//!
//! The API's own types also hold every kind of volume and affinity, security contexts and managed fields. Nobody here looks at those, and
//! types for them would make the program larger by a megabyte and each of a hundred thousand pods as well.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1 as core;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference, Time};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

/// The API takes null for nothing said.
pub(crate) fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// `metadata`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Meta {
    /// `name`.
    pub name: Option<String>,
    /// `namespace`.
    pub namespace: Option<String>,
    /// `uid`.
    pub uid: Option<String>,
    /// `labels`.
    pub labels: Option<BTreeMap<String, String>>,
    /// `annotations`.
    pub annotations: Option<BTreeMap<String, String>>,
    /// `ownerReferences`.
    pub owner_references: Option<Vec<OwnerReference>>,
    /// `creationTimestamp`.
    pub creation_timestamp: Option<Time>,
    /// `deletionTimestamp`.
    pub deletion_timestamp: Option<Time>,
    /// `deletionGracePeriodSeconds`.
    pub deletion_grace_period_seconds: Option<i64>,
    /// `finalizers`.
    pub finalizers: Option<Vec<String>>,
}

impl From<Meta> for ObjectMeta {
    fn from(meta: Meta) -> Self {
        Self {
            name: meta.name,
            namespace: meta.namespace,
            uid: meta.uid,
            labels: meta.labels,
            annotations: meta.annotations,
            owner_references: meta.owner_references,
            creation_timestamp: meta.creation_timestamp,
            deletion_timestamp: meta.deletion_timestamp,
            deletion_grace_period_seconds: meta.deletion_grace_period_seconds,
            finalizers: meta.finalizers,
            ..Self::default()
        }
    }
}

/// A v1 Pod.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Pod {
    /// `metadata`.
    #[serde(deserialize_with = "or_default")]
    pub metadata: Meta,
    /// `spec`.
    pub spec: Option<PodSpec>,
    /// `status`.
    pub status: Option<PodStatus>,
}

/// `spec` of a pod, or of a template.
#[derive(Debug, Clone, Default, Deserialize)]
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
    pub os: Option<core::PodOS>,
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
    pub readiness_gates: Option<Vec<core::PodReadinessGate>>,
    /// `affinity`.
    pub affinity: Option<Affinity>,
    /// `topologySpreadConstraints`.
    pub topology_spread_constraints: Option<Vec<Apart>>,
    /// `volumes`.
    pub volumes: Option<Vec<Volume>>,
}

/// `affinity`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Affinity {
    /// `podAntiAffinity`.
    pub pod_anti_affinity: Option<PodAntiAffinity>,
}

/// `podAntiAffinity`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodAntiAffinity {
    /// `requiredDuringSchedulingIgnoredDuringExecution`.
    pub required_during_scheduling_ignored_during_execution: Option<Vec<Apart>>,
    /// `preferredDuringSchedulingIgnoredDuringExecution`.
    pub preferred_during_scheduling_ignored_during_execution: Option<Vec<Preferred>>,
}

/// A preferred term.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Preferred {
    /// `podAffinityTerm`.
    pub pod_affinity_term: Apart,
}

/// A term of an anti-affinity, or a spread constraint.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Apart {
    /// `topologyKey`.
    #[serde(deserialize_with = "or_default")]
    pub topology_key: String,
    /// `labelSelector`.
    pub label_selector: Option<LabelSelector>,
}

/// One of `volumes`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Volume {
    /// `persistentVolumeClaim`.
    pub persistent_volume_claim: Option<ClaimSource>,
}

/// `persistentVolumeClaim`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimSource {
    /// `claimName`.
    #[serde(deserialize_with = "or_default")]
    pub claim_name: String,
}

/// A label selector.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelector {
    /// `matchLabels`.
    pub match_labels: Option<BTreeMap<String, String>>,
    /// `matchExpressions`.
    pub match_expressions: Option<Vec<Expression>>,
}

/// One of `matchExpressions`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Expression {
    /// `key`.
    #[serde(deserialize_with = "or_default")]
    pub key: String,
    /// `operator`.
    #[serde(deserialize_with = "or_default")]
    pub operator: String,
    /// `values`.
    pub values: Option<Vec<String>>,
}

/// A container of any kind.
#[derive(Debug, Clone, Default, Deserialize)]
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
    pub ports: Option<Vec<core::ContainerPort>>,
    /// `restartPolicy`.
    pub restart_policy: Option<String>,
    /// `lifecycle`.
    pub lifecycle: Option<core::Lifecycle>,
    /// `readinessProbe`.
    pub readiness_probe: Option<core::Probe>,
    /// `livenessProbe`.
    pub liveness_probe: Option<core::Probe>,
    /// `startupProbe`.
    pub startup_probe: Option<core::Probe>,
}

/// One of `env`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EnvVar {
    /// `name`.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// `value`.
    pub value: Option<String>,
    /// `valueFrom`, of which it only matters that it is there.
    pub value_from: Option<IgnoredAny>,
}

/// `status` of a pod.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodStatus {
    /// `phase`.
    pub phase: Option<String>,
    /// `reason`.
    pub reason: Option<String>,
    /// `podIP`.
    #[serde(rename = "podIP")]
    pub pod_ip: Option<String>,
    /// `podIPs`.
    #[serde(rename = "podIPs")]
    pub pod_ips: Option<Vec<core::PodIP>>,
    /// `conditions`.
    pub conditions: Option<Vec<core::PodCondition>>,
    /// `containerStatuses`.
    pub container_statuses: Option<Vec<ContainerStatus>>,
    /// `initContainerStatuses`.
    pub init_container_statuses: Option<Vec<ContainerStatus>>,
    /// `ephemeralContainerStatuses`.
    pub ephemeral_container_statuses: Option<Vec<ContainerStatus>>,
}

/// What is said of a container.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ContainerStatus {
    /// `name`.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// `ready`.
    #[serde(deserialize_with = "or_default")]
    pub ready: bool,
    /// `started`.
    pub started: Option<bool>,
    /// `state`.
    pub state: Option<core::ContainerState>,
}

/// A pod template.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Template {
    /// `metadata`.
    pub metadata: Option<Meta>,
    /// `spec`.
    pub spec: Option<PodSpec>,
}

/// An object whose `spec` is of this kind.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(
    rename_all = "camelCase",
    default,
    bound = "S: Deserialize<'de> + Default"
)]
pub struct Object<S> {
    /// `apiVersion`.
    #[serde(deserialize_with = "or_default")]
    pub api_version: String,
    /// `metadata`.
    #[serde(deserialize_with = "or_default")]
    pub metadata: Meta,
    /// `spec`.
    #[serde(deserialize_with = "or_default")]
    pub spec: S,
}

/// `spec` of a kind of apps/v1.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadSpec {
    /// `replicas`, which a `DaemonSet` has not.
    pub replicas: Option<i32>,
    /// `minReadySeconds`.
    pub min_ready_seconds: Option<i32>,
    /// `strategy` of a Deployment.
    pub strategy: Option<UpdateStrategy>,
    /// `updateStrategy` of a `StatefulSet` or `DaemonSet`.
    pub update_strategy: Option<UpdateStrategy>,
    /// `template`.
    #[serde(deserialize_with = "or_default")]
    pub template: Template,
}

/// How pods are replaced.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateStrategy {
    /// `type`.
    #[serde(rename = "type")]
    pub type_: Option<String>,
    /// `rollingUpdate`.
    pub rolling_update: Option<RollingUpdate>,
}

/// `rollingUpdate`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdate {
    /// `maxUnavailable`.
    pub max_unavailable: Option<IntOrString>,
    /// `maxSurge`.
    pub max_surge: Option<IntOrString>,
    /// `partition`.
    pub partition: Option<i32>,
}
