//! What is a node: its name, zone, pod addresses, kubelet's version, and does its kubelet still report?

use std::collections::BTreeMap;
use std::net::IpAddr;

use chrono::{DateTime, Utc};

use super::cidr::Cidr;
use super::resources::Allocatable;
use super::service::Family;
use super::version::KubeVersion;

/// The well-known label that holds a node's zone.
pub const ZONE_LABEL: &str = "topology.kubernetes.io/zone";

/// The well-known label that holds a node's host name.
pub const HOSTNAME_LABEL: &str = "kubernetes.io/hostname";

/// The taint of a node whose kubelet says that it is not ready.
pub const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// The taint of a node whose kubelet does not report.
pub const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

/// A Node as far as routing depends on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// `metadata.name`.
    pub name: String,
    /// `metadata.labels`.
    pub labels: BTreeMap<String, String>,
    /// `spec.podCIDRs`: its pods' addresses.
    pub pod_cidrs: Vec<Cidr>,
    /// `status.addresses` of type `InternalIP` and `ExternalIP`, internal ones first.
    pub addresses: Vec<IpAddr>,
    /// `status.nodeInfo.kubeletVersion`.
    pub kubelet: Option<KubeVersion>,
    /// Its operating system is Windows (`status.nodeInfo.operatingSystem`, or the label `kubernetes.io/os`).
    pub windows: bool,
    /// The condition `Ready` in `status.conditions`; `None` where there is none.
    pub ready: Option<NodeReady>,
    /// `spec.taints`.
    pub taints: Vec<Taint>,
    /// `status.allocatable`.
    pub allocatable: Allocatable,
}

/// A node's condition `Ready`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeReady {
    /// `status`.
    pub status: ReadyStatus,
    /// `reason`.
    pub reason: String,
    /// `lastTransitionTime`: when `status` last changed.
    pub changed: Option<DateTime<Utc>>,
}

/// `status` of a condition `Ready`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadyStatus {
    /// The kubelet says that it is ready.
    True,
    /// The kubelet says that it is not.
    False,
    /// The kubelet has not reported for a while (`NodeStatusUnknown`).
    Unknown,
}

impl ReadyStatus {
    /// The status as the API writes it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

/// One of a node's taints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taint {
    /// `key`.
    pub key: String,
    /// `value`.
    pub value: String,
    /// `effect`: `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: String,
}

impl Node {
    /// Its address of a family that kube-proxy takes as the node's own: the first internal one.
    #[must_use]
    pub fn address(&self, family: Family) -> Option<IpAddr> {
        let mut addresses = self.addresses.iter().copied();
        addresses.find(|address| Family::of(*address) == family)
    }

    /// The zone label; an empty one counts as none.
    #[must_use]
    pub fn zone(&self) -> Option<&str> {
        self.labels
            .get(ZONE_LABEL)
            .map(String::as_str)
            .filter(|zone| !zone.is_empty())
    }
}
