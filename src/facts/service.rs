//! Which addresses, ports and traffic policies does a Service have?

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::ObjectName;
use super::cidr::Cidr;
pub use super::family::Family;

/// A Service as far as routing depends on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Service {
    /// Namespace and name.
    pub name: ObjectName,
    /// `metadata.uid`.
    pub uid: Option<String>,
    /// `metadata.labels`.
    pub labels: BTreeMap<String, String>,
    /// `metadata.annotations`.
    pub annotations: BTreeMap<String, String>,
    /// `spec.type`.
    pub kind: ServiceType,
    /// `spec.clusterIPs` (`spec.clusterIP` before 1.20), of every family; empty for headless and `ExternalName` Services.
    pub cluster_ips: Vec<IpAddr>,
    /// `spec.clusterIP` is `None`: DNS answers with the pods' addresses.
    pub headless: bool,
    /// `spec.externalName`.
    pub external_name: Option<String>,
    /// `spec.ipFamilies`.
    pub ip_families: Vec<Family>,
    /// `spec.selector`; `None` is a Service without one, whose endpoints somebody else writes.
    pub selector: Option<BTreeMap<String, String>>,
    /// `spec.ports`.
    pub ports: Vec<ServicePort>,
    /// `spec.externalIPs`.
    pub external_ips: Vec<IpAddr>,
    /// `status.loadBalancer.ingress`, entries with an IP only.
    pub load_balancer_ingress: Vec<LoadBalancerIngress>,
    /// `spec.loadBalancerSourceRanges`: the clients that may connect to the load balancer's address; empty for all.
    pub source_ranges: Vec<Cidr>,
    /// `spec.internalTrafficPolicy` is `Local`.
    pub internal_local: bool,
    /// `spec.externalTrafficPolicy`; `None` where the field is absent.
    pub external_traffic_policy: Option<TrafficPolicy>,
    /// `spec.publishNotReadyAddresses`.
    pub publish_not_ready: bool,
    /// `spec.healthCheckNodePort`, if not 0.
    pub health_check_node_port: Option<u16>,
    /// `spec.topologyKeys`, which existed up to 1.21.
    pub topology_keys: Vec<String>,
    /// `spec.sessionAffinity` is `ClientIP`: `sessionAffinityConfig.clientIP.timeoutSeconds`, in seconds.
    pub affinity_seconds: Option<i64>,
}

/// `spec.type`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ServiceType {
    /// Reachable inside the cluster.
    #[default]
    ClusterIP,
    /// Also on a port of each node.
    NodePort,
    /// Also through a load balancer.
    LoadBalancer,
    /// A DNS alias; nothing is proxied.
    ExternalName,
}

impl ServiceType {
    /// The type as manifests write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClusterIP => "ClusterIP",
            Self::NodePort => "NodePort",
            Self::LoadBalancer => "LoadBalancer",
            Self::ExternalName => "ExternalName",
        }
    }
}

/// `spec.internalTrafficPolicy` (KEP-2086) and `spec.externalTrafficPolicy`: may a node send to endpoints of the whole cluster, or only to
/// its own?
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrafficPolicy {
    /// Any endpoint.
    Cluster,
    /// Endpoints of the same node only.
    Local,
}

/// One of `spec.ports`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServicePort {
    /// `name`; empty for the only port of a Service that does not name it.
    pub name: String,
    /// `port`: the number that clients connect to.
    pub port: u16,
    /// `protocol`: TCP, UDP or SCTP.
    pub protocol: Protocol,
    /// `targetPort`: what the pods listen on.
    pub target: TargetPort,
    /// `nodePort`: the port on every node, if there is one.
    pub node_port: Option<u16>,
}

/// `targetPort`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetPort {
    /// A number, used as it is.
    Number(u16),
    /// The name of a container's port.
    Name(String),
}

/// A transport protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    /// TCP, the default.
    #[default]
    Tcp,
    /// UDP.
    Udp,
    /// SCTP.
    Sctp,
}

impl Protocol {
    /// The protocol as manifests write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "TCP",
            Self::Udp => "UDP",
            Self::Sctp => "SCTP",
        }
    }
}

/// One of `status.loadBalancer.ingress`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadBalancerIngress {
    /// `ip`: the load balancer's address.
    pub ip: IpAddr,
    /// `ipMode: Proxy` (KEP-1860): the load balancer terminates connections, so nodes do not capture the address.
    pub proxy_mode: bool,
}
