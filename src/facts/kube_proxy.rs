//! What is known of the kube-proxies themselves: versions, mode, gates, and how they recognise connections from pods?

use std::collections::BTreeMap;

use chrono::TimeDelta;

use super::cidr::Cidr;
use super::version::KubeVersion;

/// How kube-proxy programs the node: `mode` of its configuration, `--proxy-mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProxyMode {
    /// iptables, the default on Linux.
    Iptables,
    /// nftables, since 1.29.
    Nftables,
    /// IPVS virtual servers.
    Ipvs,
    /// HNS load balancers on Windows.
    Winkernel,
}

impl ProxyMode {
    /// The name that `--proxy-mode` takes (kube-proxy itself also takes `kernelspace` for Windows).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Iptables => "iptables",
            Self::Nftables => "nftables",
            Self::Ipvs => "ipvs",
            Self::Winkernel => "winkernel",
        }
    }

    /// Reads kube-proxy's own setting; empty is its default and therefore `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "iptables" => Some(Self::Iptables),
            "nftables" => Some(Self::Nftables),
            "ipvs" => Some(Self::Ipvs),
            "winkernel" | "kernelspace" => Some(Self::Winkernel),
            _ => None,
        }
    }
}

/// Where kube-proxy's version was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VersionSource {
    /// `--kube-version`.
    Assumed,
    /// The tag of the image of kube-proxy's pod.
    Image,
    /// The node's kubelet (`status.nodeInfo.kubeletVersion`).
    Kubelet,
    /// The API server (`/version`).
    Server,
    /// Not known; the newest version known is assumed.
    NewestKnown,
}

/// Where kube-proxy's mode was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModeSource {
    /// `--proxy-mode`.
    Assumed,
    /// kube-proxy's ConfigMap.
    Config,
    /// kube-proxy's command line.
    Flags,
    /// kube-proxy's default for the node's operating system.
    Default,
}

/// The kube-proxy of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KubeProxy {
    /// Its version.
    pub version: KubeVersion,
    /// How its version is known.
    pub version_source: VersionSource,
    /// Its mode.
    pub mode: ProxyMode,
    /// How its mode is known.
    pub mode_source: ModeSource,
}

/// Everything observed of the cluster's kube-proxies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KubeProxies {
    /// One per pod of kube-proxy.
    pub pods: Vec<KubeProxyPod>,
    /// The configuration that they share (the ConfigMap `kube-system/kube-proxy`), if it was found.
    pub config: Option<KubeProxySettings>,
}

/// A pod that runs kube-proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubeProxyPod {
    /// The node that it runs on.
    pub node: String,
    /// The version in its image's tag. The Node object's `nodeInfo.kubeProxyVersion` is the kubelet's (KEP-4004).
    pub version: Option<KubeVersion>,
    /// The settings on its command line.
    pub flags: KubeProxySettings,
}

/// kube-proxy's settings, (`kubeproxy.config.k8s.io` `KubeProxyConfiguration`), as far as selection depends on them; empty or `None` where
/// one is not set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KubeProxySettings {
    /// `mode`.
    pub mode: Option<ProxyMode>,
    /// `clusterCIDR`.
    pub cluster_cidrs: Vec<Cidr>,
    /// `detectLocalMode`, as written: `ClusterCIDR`, `NodeCIDR`, `BridgeInterface` or `InterfaceNamePrefix`.
    pub detect_local: Option<String>,
    /// `featureGates`.
    pub gates: BTreeMap<String, bool>,
    /// `syncPeriod` and `minSyncPeriod` of each mode that sets one.
    pub sync: BTreeMap<ProxyMode, SyncPeriods>,
}

/// How often kube-proxy syncs; `None` where that is not set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SyncPeriods {
    /// `syncPeriod`: no longer than this passes without a sync.
    pub longest: Option<TimeDelta>,
    /// `minSyncPeriod`: no less than this passes between two.
    pub shortest: Option<TimeDelta>,
}
