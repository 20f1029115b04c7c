//! Who sets the number of a workload's replicas (autoscaling `HorizontalPodAutoscaler`, `ScaledObject` of KEDA)?

use super::ObjectName;
use super::pod::Owner;

/// An autoscaler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Autoscaler {
    /// Its apiVersion.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Namespace and name.
    pub name: ObjectName,
    /// What it belongs to: a `ScaledObject` makes a `HorizontalPodAutoscaler`.
    pub owner: Option<Owner>,
    /// `spec.scaleTargetRef.apiVersion`, the API group of it; empty where it is not set.
    pub target_group: String,
    /// `spec.scaleTargetRef.kind`.
    pub target_kind: String,
    /// `spec.scaleTargetRef.name`, in its own namespace.
    pub target_name: String,
    /// `spec.minReplicas` (`minReplicaCount` of a `ScaledObject`): 1 by default, 0 for a `ScaledObject`.
    pub least: i64,
    /// `spec.maxReplicas` (`maxReplicaCount` of a `ScaledObject`).
    pub most: i64,
}
