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
    /// The API group of what it scales; empty where nothing is said.
    pub target_group: String,
    /// The kind of what it scales.
    pub target_kind: String,
    /// The name of what it scales, in its own namespace.
    pub target_name: String,
    /// The fewest replicas: 1 by default, 0 for a `ScaledObject`.
    pub least: i64,
    /// The most replicas.
    pub most: i64,
}
