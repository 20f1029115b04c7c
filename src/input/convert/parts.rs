//! Which parts of pods, and of what makes them, are read?
//!
//! The API's own types also hold volumes, affinities, security contexts and managed fields. Nobody here looks at those, and types for
//! them would make the program larger by a megabyte and each of a hundred thousand pods as well.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1 as apps;
use k8s_openapi::api::core::v1 as core;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference, Time};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

/// The API takes null for nothing said.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
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

/// A workload whose `spec` is of this kind.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, bound = "S: Deserialize<'de> + Default")]
pub struct Workload<S> {
    /// `metadata`.
    #[serde(deserialize_with = "or_default")]
    pub metadata: Meta,
    /// `spec`.
    #[serde(deserialize_with = "or_default")]
    pub spec: S,
}

/// `spec` of a Deployment.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploymentSpec {
    /// `replicas`.
    pub replicas: Option<i32>,
    /// `minReadySeconds`.
    pub min_ready_seconds: Option<i32>,
    /// `strategy`.
    pub strategy: Option<apps::DeploymentStrategy>,
    /// `template`.
    #[serde(deserialize_with = "or_default")]
    pub template: Template,
}

/// `spec` of a `StatefulSet`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetSpec {
    /// `replicas`.
    pub replicas: Option<i32>,
    /// `minReadySeconds`.
    pub min_ready_seconds: Option<i32>,
    /// `updateStrategy`.
    pub update_strategy: Option<apps::StatefulSetUpdateStrategy>,
    /// `template`.
    #[serde(deserialize_with = "or_default")]
    pub template: Template,
}

/// `spec` of a `DaemonSet`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSetSpec {
    /// `minReadySeconds`.
    pub min_ready_seconds: Option<i32>,
    /// `updateStrategy`.
    pub update_strategy: Option<apps::DaemonSetUpdateStrategy>,
    /// `template`.
    #[serde(deserialize_with = "or_default")]
    pub template: Template,
}

/// `spec` of a `ReplicaSet`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSetSpec {
    /// `replicas`.
    pub replicas: Option<i32>,
    /// `minReadySeconds`.
    pub min_ready_seconds: Option<i32>,
    /// `template`.
    pub template: Option<Template>,
}
