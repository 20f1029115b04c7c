//! What all objects have: `metadata`, references to other objects, conditions.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

use super::presence::or_default;

/// `metadata`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Meta {
    /// `name`.
    pub name: Option<String>,
    /// `namespace`.
    pub namespace: Option<String>,
    /// `uid`.
    pub uid: Option<String>,
    /// `generation`.
    pub generation: Option<i64>,
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

/// One of `ownerReferences`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct OwnerReference {
    /// `kind`.
    #[serde(deserialize_with = "or_default")]
    pub kind: String,
    /// `name`.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// `controller`.
    pub controller: Option<bool>,
}

/// `targetRef` of an endpoint, `involvedObject` of an Event.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectReference {
    /// `kind`.
    pub kind: Option<String>,
    /// `namespace`.
    pub namespace: Option<String>,
    /// `name`.
    pub name: Option<String>,
    /// `uid`.
    pub uid: Option<String>,
    /// `fieldPath`.
    pub field_path: Option<String>,
}

/// One of `conditions` of a pod, a node or a workload. `redact` keeps few of the messages, which may say anything.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    /// `type`.
    #[serde(rename = "type", deserialize_with = "or_default")]
    pub type_: String,
    /// `status`: `True`, `False` or `Unknown`.
    #[serde(deserialize_with = "or_default")]
    pub status: String,
    /// `reason`.
    pub reason: Option<String>,
    /// `message`.
    pub message: Option<String>,
    /// `lastTransitionTime`.
    pub last_transition_time: Option<Time>,
}

/// An object whose `spec` is of this kind.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(
    rename_all = "camelCase",
    default,
    bound(deserialize = "S: Deserialize<'de> + Default")
)]
pub struct WithSpec<S> {
    /// `apiVersion`, which whoever writes an object says for all kinds.
    #[serde(deserialize_with = "or_default", skip_serializing)]
    pub api_version: String,
    /// `metadata`.
    #[serde(deserialize_with = "or_default")]
    pub metadata: Meta,
    /// `spec`.
    #[serde(deserialize_with = "or_default")]
    pub spec: S,
}
