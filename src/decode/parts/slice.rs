//! discovery.k8s.io/v1 and v1beta1 EndpointSlice.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bounded::{ENDPOINTS, at_most};
use super::object::{Meta, ObjectReference};
use super::presence::or_default;

/// An EndpointSlice.
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

/// One of `endpoints`. There are many: what is not said is not written as null, only to be taken out.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Endpoint {
    /// `addresses`.
    #[serde(deserialize_with = "or_default")]
    pub addresses: Vec<String>,
    /// `conditions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditions: Option<EndpointConditions>,
    /// `nodeName`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_name: Option<String>,
    /// `zone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// `targetRef`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_ref: Option<ObjectReference>,
    /// `hints`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<Hints>,
    /// `deprecatedTopology`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated_topology: Option<BTreeMap<String, String>>,
    /// `topology` of v1beta1, where v1 says `nodeName`, `zone` and `deprecatedTopology` (KEP-752).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<BTreeMap<String, String>>,
}

/// `conditions` of an endpoint; `None` is not said.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct EndpointConditions {
    /// `ready`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<bool>,
    /// `serving`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serving: Option<bool>,
    /// `terminating`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminating: Option<bool>,
}

/// `hints`.
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
