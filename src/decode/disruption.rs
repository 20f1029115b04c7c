//! `PodDisruptionBudget`, autoscalers and `PersistentVolumeClaim` → facts.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::Deserialize;

use super::parts::{LabelSelector, Object, or_default};
use super::placement::selector;
use super::{amount, name, owner};
use crate::facts::autoscaler::Autoscaler;
use crate::facts::claim::Claim;
use crate::facts::disruption::{Asks, DisruptionBudget};

/// `spec` of a `PodDisruptionBudget`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DisruptionBudgetSpec {
    /// `selector`.
    pub selector: Option<LabelSelector>,
    /// `minAvailable`.
    pub min_available: Option<IntOrString>,
    /// `maxUnavailable`.
    pub max_unavailable: Option<IntOrString>,
}

/// `spec` of a `HorizontalPodAutoscaler`, or of a `ScaledObject` of KEDA.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AutoscalerSpec {
    /// `scaleTargetRef`.
    #[serde(deserialize_with = "or_default")]
    pub scale_target_ref: TargetRef,
    /// `minReplicas`, or `minReplicaCount`.
    #[serde(alias = "minReplicaCount")]
    pub min_replicas: Option<i64>,
    /// `maxReplicas`, or `maxReplicaCount`.
    #[serde(alias = "maxReplicaCount")]
    pub max_replicas: Option<i64>,
    /// `idleReplicaCount`, which only a `ScaledObject` has.
    pub idle_replica_count: Option<i64>,
}

/// `scaleTargetRef`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TargetRef {
    /// `apiVersion`.
    pub api_version: Option<String>,
    /// `kind`.
    pub kind: Option<String>,
    /// `name`.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
}

/// `spec` of a `PersistentVolumeClaim`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimSpec {
    /// `accessModes`.
    pub access_modes: Option<Vec<String>>,
}

/// A `PodDisruptionBudget` of policy/v1 or policy/v1beta1.
#[must_use]
pub fn disruption_budget(object: Object<DisruptionBudgetSpec>) -> DisruptionBudget {
    let spec = object.spec;
    // The controller looks at maxUnavailable first (`getExpectedPodCount`).
    let asks = amount(spec.max_unavailable)
        .map(Asks::MaxUnavailable)
        .or_else(|| amount(spec.min_available).map(Asks::MinAvailable));
    DisruptionBudget {
        api_version: object.api_version,
        name: name(&ObjectMeta::from(object.metadata)),
        selector: spec.selector.map(selector),
        asks: asks.unwrap_or(Asks::Nothing),
    }
}

fn autoscaler(object: Object<AutoscalerSpec>, kind: &str, (least, most): (i64, i64)) -> Autoscaler {
    let spec = object.spec;
    let meta = ObjectMeta::from(object.metadata);
    let target = spec.scale_target_ref;
    let version = target.api_version.unwrap_or_default();
    Autoscaler {
        api_version: object.api_version,
        kind: kind.to_owned(),
        name: name(&meta),
        owner: owner(&meta),
        target_group: version
            .split_once('/')
            .map(|(group, _)| group.to_owned())
            .unwrap_or_default(),
        // KEDA takes a Deployment where nothing is said.
        target_kind: target.kind.unwrap_or_else(|| "Deployment".to_owned()),
        target_name: target.name,
        least: spec
            .idle_replica_count
            .or(spec.min_replicas)
            .unwrap_or(least),
        most: spec.max_replicas.unwrap_or(most),
    }
}

/// A `HorizontalPodAutoscaler` of any version: 1 replica at least where nothing is said.
#[must_use]
pub fn horizontal(object: Object<AutoscalerSpec>) -> Autoscaler {
    autoscaler(object, "HorizontalPodAutoscaler", (1, i64::from(i32::MAX)))
}

/// A `ScaledObject` of KEDA: 0 to 100 replicas where nothing is said.
#[must_use]
pub fn scaled_object(object: Object<AutoscalerSpec>) -> Autoscaler {
    autoscaler(object, "ScaledObject", (0, 100))
}

/// A v1 `PersistentVolumeClaim`.
#[must_use]
pub fn claim(object: Object<ClaimSpec>) -> Claim {
    let modes = object.spec.access_modes.unwrap_or_default();
    Claim {
        name: name(&ObjectMeta::from(object.metadata)),
        shared: modes
            .iter()
            .any(|mode| ["ReadWriteMany", "ReadOnlyMany"].contains(&mode.as_str())),
    }
}
