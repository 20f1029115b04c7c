//! `PodDisruptionBudget`, autoscalers and `PersistentVolumeClaim` → facts.

use super::common::{amount, name, owner};
use super::parts::{AutoscalerSpec, ClaimSpec, DisruptionBudgetSpec, WithSpec};
use super::placement::selector;
use crate::facts::autoscaler::Autoscaler;
use crate::facts::claim::Claim;
use crate::facts::disruption::{Asks, DisruptionBudget};

/// A `PodDisruptionBudget` of policy/v1 or policy/v1beta1.
#[must_use]
pub fn disruption_budget(object: WithSpec<DisruptionBudgetSpec>) -> DisruptionBudget {
    let spec = object.spec;
    // The controller looks at maxUnavailable first (`getExpectedPodCount`).
    let asks = amount(spec.max_unavailable)
        .map(Asks::MaxUnavailable)
        .or_else(|| amount(spec.min_available).map(Asks::MinAvailable));
    DisruptionBudget {
        api_version: object.api_version,
        name: name(&object.metadata),
        selector: spec.selector.map(selector),
        asks: asks.unwrap_or(Asks::Nothing),
        unhealthy: spec.unhealthy_pod_eviction_policy,
    }
}

fn autoscaler(
    object: WithSpec<AutoscalerSpec>,
    kind: &str,
    (least, most): (i64, i64),
) -> Autoscaler {
    let spec = object.spec;
    let meta = object.metadata;
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
            .or(spec.min_replica_count)
            .unwrap_or(least),
        most: spec.max_replicas.or(spec.max_replica_count).unwrap_or(most),
    }
}

/// A `HorizontalPodAutoscaler` of any version: 1 replica at least where nothing is said.
#[must_use]
pub fn horizontal(object: WithSpec<AutoscalerSpec>) -> Autoscaler {
    autoscaler(object, "HorizontalPodAutoscaler", (1, i64::from(i32::MAX)))
}

/// A `ScaledObject` of KEDA: 0 to 100 replicas where nothing is said.
#[must_use]
pub fn scaled_object(object: WithSpec<AutoscalerSpec>) -> Autoscaler {
    autoscaler(object, "ScaledObject", (0, 100))
}

/// A v1 `PersistentVolumeClaim`.
#[must_use]
pub fn claim(object: WithSpec<ClaimSpec>) -> Claim {
    let modes = object.spec.access_modes.unwrap_or_default();
    Claim {
        name: name(&object.metadata),
        shared: modes
            .iter()
            .any(|mode| ["ReadWriteMany", "ReadOnlyMany"].contains(&mode.as_str())),
    }
}
