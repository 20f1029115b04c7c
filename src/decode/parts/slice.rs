//! discovery.k8s.io/v1 and v1beta1 EndpointSlice.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

use super::bounded::{ENDPOINTS, at_most};
use super::object::{Meta, ObjectReference};
use super::presence::or_default;

/// An EndpointSlice.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointSlice {
    /// `metadata`.
    #[serde(deserialize_with = "or_default")]
    pub metadata: Meta,
    /// `addressType`.
    #[serde(deserialize_with = "or_default")]
    pub address_type: String,
    /// `endpoints`.
    #[serde(deserialize_with = "at_most::<ENDPOINTS, _, _>")]
    pub endpoints: Option<Vec<Endpoint>>,
    /// `ports`.
    pub ports: Option<Vec<SlicePort>>,
}

/// One of `endpoints`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Endpoint {
    /// `addresses`.
    #[serde(deserialize_with = "or_default")]
    pub addresses: Vec<String>,
    /// `conditions`.
    pub conditions: Option<EndpointConditions>,
    /// `nodeName`.
    pub node_name: Option<String>,
    /// `zone`.
    pub zone: Option<String>,
    /// `targetRef`.
    pub target_ref: Option<ObjectReference>,
    /// `hints`.
    pub hints: Option<Hints>,
    /// `deprecatedTopology`.
    pub deprecated_topology: Option<BTreeMap<String, String>>,
    /// `topology` of v1beta1, where v1 says `nodeName`, `zone` and `deprecatedTopology` (KEP-752).
    pub topology: Option<BTreeMap<String, String>>,
}

/// `conditions` of an endpoint; `None` is not said.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct EndpointConditions {
    /// `ready`.
    pub ready: Option<bool>,
    /// `serving`.
    pub serving: Option<bool>,
    /// `terminating`.
    pub terminating: Option<bool>,
}

/// `hints`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Hints {
    /// `forZones`.
    pub for_zones: Option<Vec<Hint>>,
    /// `forNodes`.
    pub for_nodes: Option<Vec<Hint>>,
}

/// One of `forZones` or `forNodes`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Hint {
    /// `name`.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
}

/// One of `ports`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct SlicePort {
    /// `name`.
    pub name: Option<String>,
    /// `port`.
    pub port: Option<i32>,
    /// `protocol`.
    pub protocol: Option<String>,
}
