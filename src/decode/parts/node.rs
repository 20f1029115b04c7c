//! core/v1 Node.

use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

use super::object::{Condition, Meta};
use super::presence::or_default;
use super::resources::Quantities;

/// A v1 Node.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Node {
    /// `metadata`.
    #[serde(deserialize_with = "or_default")]
    pub metadata: Meta,
    /// `spec`.
    pub spec: Option<NodeSpec>,
    /// `status`.
    pub status: Option<NodeStatus>,
}

/// `spec` of a Node.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSpec {
    /// `podCIDR`.
    #[serde(rename = "podCIDR")]
    pub pod_cidr: Option<String>,
    /// `podCIDRs`.
    #[serde(rename = "podCIDRs")]
    pub pod_cidrs: Option<Vec<String>>,
    /// `providerID`, which the traffic sources read.
    #[serde(rename = "providerID")]
    pub provider_id: Option<String>,
    /// `taints`.
    pub taints: Option<Vec<Taint>>,
}

/// One of `taints`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Taint {
    /// `key`.
    #[serde(deserialize_with = "or_default")]
    pub key: String,
    /// `value`.
    #[serde(deserialize_with = "or_default")]
    pub value: String,
    /// `effect`.
    #[serde(deserialize_with = "or_default")]
    pub effect: String,
}

/// `status` of a Node.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeStatus {
    /// `addresses`.
    pub addresses: Option<Vec<NodeAddress>>,
    /// `allocatable`.
    pub allocatable: Option<Quantities>,
    /// `conditions`.
    pub conditions: Option<Vec<Condition>>,
    /// `nodeInfo`.
    pub node_info: Option<NodeInfo>,
}

/// One of `addresses`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct NodeAddress {
    /// `type`.
    #[serde(rename = "type", deserialize_with = "or_default")]
    pub type_: String,
    /// `address`.
    #[serde(deserialize_with = "or_default")]
    pub address: String,
}

/// `nodeInfo`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeInfo {
    /// `kubeletVersion`.
    #[serde(deserialize_with = "or_default")]
    pub kubelet_version: String,
    /// `operatingSystem`.
    #[serde(deserialize_with = "or_default")]
    pub operating_system: String,
}
