//! What is one answer of kube-proxy: for which address and client, and what happens to the connection?

use super::lists::{List, Lists};
use super::reason::Verdict;

/// The address that a connection is made to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Path {
    /// One of `spec.clusterIPs`.
    ClusterIp,
    /// A node's address at `spec.ports[].nodePort`.
    NodePort,
    /// One of `status.loadBalancer.ingress`, captured on the node.
    LoadBalancer,
    /// One of `spec.externalIPs`.
    ExternalIp,
}

impl Path {
    /// The name that people are shown: `clusterIP`, `nodePort`, `loadBalancer` or `externalIP`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClusterIp => "clusterIP",
            Self::NodePort => "nodePort",
            Self::LoadBalancer => "loadBalancer",
            Self::ExternalIp => "externalIP",
        }
    }
}

/// Where a connection comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum From {
    /// From anywhere: the cluster IP.
    Anywhere,
    /// From off the cluster.
    Outside,
    /// From a pod, if kube-proxy can tell pods' addresses.
    Pod,
    /// From the node itself, host-network pods included.
    Node,
}

/// How a source stands to `spec.loadBalancerSourceRanges`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ranges {
    /// There are none for this path and family.
    #[default]
    None,
    /// It is in one of them.
    In,
    /// It is in none of them: dropped, as the Service asks for.
    Out,
}

/// What kube-proxy can tell of the addresses that connections come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clients {
    /// It can tell which addresses of this family are pods' (a cluster CIDR or another local detector); without that pods get no short cut.
    pub pods_known: bool,
    /// Pods are in the Service's source ranges; `None` where some may be, or that is not known.
    pub pods_in_ranges: Option<bool>,
    /// The same for nodes.
    pub nodes_in_ranges: Option<bool>,
}

/// The answer for one path from one kind of place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The address.
    pub path: Path,
    /// The source.
    pub from: From,
    /// How that source stands to the source ranges.
    pub ranges: Ranges,
    /// What the node does.
    pub verdict: Verdict,
    /// The list that decided, with a reason for each candidate.
    pub list: List,
}

/// What iptables and nftables do with a connection, by the list that the policy leads to.
pub(super) fn answer(path: Path, from: From, local: bool, lists: &Lists) -> Answer {
    let list = if local { &lists.local } else { &lists.cluster };
    let verdict = if !lists.any {
        Verdict::Reject
    } else if list.is_empty() {
        Verdict::Drop
    } else {
        Verdict::Forward
    };
    Answer {
        path,
        from,
        ranges: Ranges::None,
        verdict,
        list: list.clone(),
    }
}
