//! The kinds of apps/v1.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

use super::object::{Condition, Meta};
use super::pod_spec::PodSpec;
use super::presence::or_default;

/// A kind of apps/v1.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Workload {
    /// `metadata`.
    #[serde(deserialize_with = "or_default")]
    pub metadata: Meta,
    /// `spec`.
    #[serde(deserialize_with = "or_default")]
    pub spec: WorkloadSpec,
    /// `status`.
    pub status: Option<WorkloadStatus>,
}

/// `status` of a kind of apps/v1.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadStatus {
    /// `observedGeneration`.
    pub observed_generation: Option<i64>,
    /// `replicas`, which a `DaemonSet` has not.
    pub replicas: Option<i64>,
    /// `readyReplicas`.
    pub ready_replicas: Option<i64>,
    /// `updatedReplicas`.
    pub updated_replicas: Option<i64>,
    /// `updatedNumberScheduled` of a `DaemonSet`.
    pub updated_number_scheduled: Option<i64>,
    /// `desiredNumberScheduled` of a `DaemonSet`.
    pub desired_number_scheduled: Option<i64>,
    /// `numberReady` of a `DaemonSet`.
    pub number_ready: Option<i64>,
    /// `conditions`.
    pub conditions: Option<Vec<Condition>>,
}

/// `spec` of a kind of apps/v1.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadSpec {
    /// `replicas`, which a `DaemonSet` has not.
    pub replicas: Option<i32>,
    /// `minReadySeconds`.
    pub min_ready_seconds: Option<i32>,
    /// `paused` of a Deployment.
    pub paused: Option<bool>,
    /// `podManagementPolicy` of a `StatefulSet`.
    pub pod_management_policy: Option<String>,
    /// `strategy` of a Deployment.
    pub strategy: Option<UpdateStrategy>,
    /// `updateStrategy` of a `StatefulSet` or `DaemonSet`.
    pub update_strategy: Option<UpdateStrategy>,
    /// `template`.
    #[serde(deserialize_with = "or_default")]
    pub template: Template,
}

/// How pods are replaced.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateStrategy {
    /// `type`.
    #[serde(rename = "type")]
    pub type_: Option<String>,
    /// `rollingUpdate`.
    pub rolling_update: Option<RollingUpdate>,
}

/// `rollingUpdate`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdate {
    /// `maxUnavailable`.
    pub max_unavailable: Option<IntOrString>,
    /// `maxSurge`.
    pub max_surge: Option<IntOrString>,
    /// `partition`.
    pub partition: Option<i32>,
}

/// A pod template.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Template {
    /// `metadata`.
    pub metadata: Option<Meta>,
    /// `spec`.
    pub spec: Option<PodSpec>,
}
