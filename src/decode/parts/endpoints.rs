//! core/v1 Endpoints.

use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

use super::object::{Meta, ObjectReference};
use super::presence::or_default;

/// A v1 Endpoints.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Endpoints {
    /// `metadata`.
    #[serde(deserialize_with = "or_default")]
    pub metadata: Meta,
    /// `subsets`.
    pub subsets: Option<Vec<EndpointsSubset>>,
}

/// One of `subsets`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointsSubset {
    /// `addresses`.
    pub addresses: Option<Vec<EndpointsAddress>>,
    /// `notReadyAddresses`.
    pub not_ready_addresses: Option<Vec<EndpointsAddress>>,
    /// `ports`.
    pub ports: Option<Vec<EndpointsPort>>,
}

/// One of `addresses` or `notReadyAddresses`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointsAddress {
    /// `ip`.
    #[serde(deserialize_with = "or_default")]
    pub ip: String,
    /// `nodeName`.
    pub node_name: Option<String>,
    /// `targetRef`.
    pub target_ref: Option<ObjectReference>,
}

/// One of `ports`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct EndpointsPort {
    /// `name`.
    pub name: Option<String>,
    /// `port`.
    #[serde(deserialize_with = "or_default")]
    pub port: i32,
    /// `protocol`.
    pub protocol: Option<String>,
}
