//! `spec` of `PodDisruptionBudget`, `HorizontalPodAutoscaler`, `ScaledObject` and `PersistentVolumeClaim`.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

use super::presence::or_default;
use super::selector::LabelSelector;

/// `spec` of a `PodDisruptionBudget`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DisruptionBudgetSpec {
    /// `selector`.
    pub selector: Option<LabelSelector>,
    /// `minAvailable`.
    pub min_available: Option<IntOrString>,
    /// `maxUnavailable`.
    pub max_unavailable: Option<IntOrString>,
    /// `unhealthyPodEvictionPolicy`.
    pub unhealthy_pod_eviction_policy: Option<String>,
}

/// `spec` of a `HorizontalPodAutoscaler`, or of a `ScaledObject` of KEDA, whose fields end in `Count`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AutoscalerSpec {
    /// `scaleTargetRef`.
    #[serde(deserialize_with = "or_default")]
    pub scale_target_ref: ScaleTarget,
    /// `minReplicas`.
    pub min_replicas: Option<i64>,
    /// `maxReplicas`.
    pub max_replicas: Option<i64>,
    /// `minReplicaCount`.
    pub min_replica_count: Option<i64>,
    /// `maxReplicaCount`.
    pub max_replica_count: Option<i64>,
    /// `idleReplicaCount`.
    pub idle_replica_count: Option<i64>,
}

/// `scaleTargetRef`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScaleTarget {
    /// `apiVersion`.
    pub api_version: Option<String>,
    /// `kind`.
    pub kind: Option<String>,
    /// `name`.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
}

/// `spec` of a `PersistentVolumeClaim`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimSpec {
    /// `accessModes`.
    pub access_modes: Option<Vec<String>>,
}
