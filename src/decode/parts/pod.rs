//! core/v1 Pod.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

use super::object::{Condition, Meta};
use super::pod_spec::PodSpec;
use super::presence::{Present, or_default};

/// A v1 Pod.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
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

/// `status` of a pod.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodStatus {
    /// `phase`.
    pub phase: Option<String>,
    /// `reason`.
    pub reason: Option<String>,
    /// `message`.
    pub message: Option<String>,
    /// `podIP`.
    #[serde(rename = "podIP")]
    pub pod_ip: Option<String>,
    /// `podIPs`.
    #[serde(rename = "podIPs")]
    pub pod_ips: Option<Vec<PodIp>>,
    /// `conditions`.
    pub conditions: Option<Vec<Condition>>,
    /// `containerStatuses`.
    pub container_statuses: Option<Vec<ContainerStatus>>,
    /// `initContainerStatuses`.
    pub init_container_statuses: Option<Vec<ContainerStatus>>,
    /// `ephemeralContainerStatuses`.
    pub ephemeral_container_statuses: Option<Vec<ContainerStatus>>,
}

/// One of `podIPs`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct PodIp {
    /// `ip`.
    #[serde(deserialize_with = "or_default")]
    pub ip: String,
}

/// What is said of a container.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
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
    pub state: Option<ContainerState>,
    /// `lastState`.
    pub last_state: Option<LastState>,
    /// `restartCount`.
    pub restart_count: Option<i64>,
}

/// `lastState`: how the container ended before.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct LastState {
    /// `terminated`.
    pub terminated: Option<TerminatedState>,
}

/// `state`: one of these.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ContainerState {
    /// `waiting`.
    pub waiting: Option<WaitingState>,
    /// `running`.
    pub running: Option<Present>,
    /// `terminated`.
    pub terminated: Option<TerminatedState>,
}

/// `waiting`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct WaitingState {
    /// `reason`.
    pub reason: Option<String>,
    /// `message`.
    pub message: Option<String>,
}

/// `terminated`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TerminatedState {
    /// `exitCode`.
    #[serde(deserialize_with = "or_default")]
    pub exit_code: i32,
    /// `signal`.
    pub signal: Option<i32>,
    /// `reason`.
    pub reason: Option<String>,
    /// `finishedAt`.
    pub finished_at: Option<Time>,
}
