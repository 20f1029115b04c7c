//! The kinds of apps/v1.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{Deserialize, Serialize};

use super::object::Meta;
use super::pod_spec::PodSpec;
use super::presence::or_default;

/// `spec` of a kind of apps/v1.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
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
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Template {
    /// `metadata`.
    pub metadata: Option<Meta>,
    /// `spec`.
    pub spec: Option<PodSpec>,
}
