//! What a node is: its name, place, addresses and versions.

use std::collections::BTreeMap;

use super::service::Family;
use super::version::KubeVersion;

/// The well-known label that holds a node's zone.
pub const ZONE_LABEL: &str = "topology.kubernetes.io/zone";

/// The well-known label that holds a node's host name.
pub const HOSTNAME_LABEL: &str = "kubernetes.io/hostname";

/// A Node as far as routing depends on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The families for which the node has a range of pod addresses (`spec.podCIDRs`).
    pub pod_cidr_families: Vec<Family>,
    /// `status.nodeInfo.kubeletVersion`.
    pub kubelet: Option<KubeVersion>,
    /// Its operating system is Windows.
    pub windows: bool,
}

impl Node {
    /// The zone label; an empty one counts as none.
    #[must_use]
    pub fn zone(&self) -> Option<&str> {
        self.labels
            .get(ZONE_LABEL)
            .map(String::as_str)
            .filter(|zone| !zone.is_empty())
    }
}
