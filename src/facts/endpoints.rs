//! Which addresses does the Endpoints object of a Service list?

use std::net::IpAddr;

use super::ObjectName;
use super::service::Protocol;
use super::slice::PodRef;

/// The core/v1 Endpoints of a Service: what `kubectl get endpoints` prints.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Endpoints {
    /// Namespace and name; the name is the Service's.
    pub name: ObjectName,
    /// The annotation `endpoints.kubernetes.io/over-capacity`, if there is one: `truncated` since 1.22, `warning` in 1.21.
    pub over_capacity: Option<String>,
    /// It is not mirrored into slices: the label `endpointslice.kubernetes.io/skip-mirror` is `true`, or it is a
    /// leader-election lock.
    pub skip_mirror: bool,
    /// `subsets`.
    pub subsets: Vec<Subset>,
}

/// One of `subsets`: addresses with the same ports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subset {
    /// `addresses`: the ready ones.
    pub ready: Vec<Address>,
    /// `notReadyAddresses`.
    pub not_ready: Vec<Address>,
    /// `ports`.
    pub ports: Vec<Port>,
}

/// One address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// `ip`; the API server writes it in canonical form since 1.33 only, so it is kept parsed.
    pub ip: IpAddr,
    /// `nodeName`.
    pub node: Option<String>,
    /// The pod behind it, if `targetRef` names one.
    pub pod: Option<PodRef>,
}

/// One port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Port {
    /// `name`: the Service port's; empty for an unnamed one.
    pub name: String,
    /// `port`: the number on the pods.
    pub number: u16,
    /// `protocol`.
    pub protocol: Protocol,
}
