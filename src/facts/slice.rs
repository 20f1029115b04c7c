//! Which endpoints do the EndpointSlices of a Service list, and with which conditions (KEP-752)?

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::ObjectName;
use super::service::Protocol;

/// The label that ties a slice to its Service.
pub const SERVICE_NAME: &str = "kubernetes.io/service-name";

/// One EndpointSlice (`discovery.k8s.io`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointSlice {
    /// Namespace and name.
    pub name: ObjectName,
    /// `metadata.labels`; `kubernetes.io/service-name` ties the slice to its Service.
    pub labels: BTreeMap<String, String>,
    /// When what it follows last changed (`endpoints.kubernetes.io/last-change-trigger-time`), or else when it was created.
    pub changed: Option<DateTime<Utc>>,
    /// `addressType`.
    pub address_type: AddressType,
    /// `endpoints`.
    pub endpoints: Vec<Endpoint>,
    /// `ports`.
    pub ports: Vec<SlicePort>,
}

impl EndpointSlice {
    /// The Service that it belongs to.
    #[must_use]
    pub fn service(&self) -> Option<ObjectName> {
        let service = self.labels.get(SERVICE_NAME)?;
        Some(ObjectName::new(&self.name.namespace, service))
    }

    /// Does it belong to this Service?
    #[must_use]
    pub fn is_of(&self, service: &ObjectName) -> bool {
        self.name.namespace == service.namespace
            && self.labels.get(SERVICE_NAME) == Some(&service.name)
    }
}

/// `addressType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressType {
    /// IPv4 addresses.
    V4,
    /// IPv6 addresses.
    V6,
    /// Host names; kube-proxy ignores them.
    Fqdn,
    /// `IP`, of either family: discovery v1alpha1, up to 1.19.
    Ip,
}

/// One of a slice's ports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlicePort {
    /// `name`: the Service port's; `None` makes kube-proxy skip the port, while an empty name is a name.
    pub name: Option<String>,
    /// `port`; `None` or 0 makes kube-proxy skip it.
    pub port: Option<u16>,
    /// `protocol`.
    pub protocol: Protocol,
}

/// One endpoint, with its conditions as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// `addresses`; kube-proxy and the controllers use the first only.
    pub addresses: Vec<String>,
    /// `conditions`.
    pub conditions: Conditions,
    /// `nodeName`.
    pub node: Option<String>,
    /// `zone`.
    pub zone: Option<String>,
    /// The pod behind it, if `targetRef` names one.
    pub pod: Option<PodRef>,
    /// `hints.forZones`.
    pub zone_hints: Vec<String>,
    /// `hints.forNodes`.
    pub node_hints: Vec<String>,
    /// `deprecatedTopology` (v1) or `topology` (v1beta1).
    pub topology: BTreeMap<String, String>,
}

/// `conditions` as written; `None` where the slice does not set one (KEP-1672).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Conditions {
    /// `ready`.
    pub ready: Option<bool>,
    /// `serving`.
    pub serving: Option<bool>,
    /// `terminating`.
    pub terminating: Option<bool>,
}

/// `targetRef` of kind Pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodRef {
    /// Namespace and name.
    pub name: ObjectName,
    /// `uid`, which distinguishes it from a later pod of the same name.
    pub uid: Option<String>,
}
