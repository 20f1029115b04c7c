//! Which kube-proxy is on a node, which version has the server, and how is that known?

use super::assumptions::Assumptions;
use crate::facts::Snapshot;
use crate::facts::kube_proxy::{
    KubeProxy, KubeProxyPod, KubeProxySettings, ModeSource, ProxyMode, VersionSource,
};
use crate::facts::node::Node;
use crate::facts::version::KubeVersion;
use crate::gates::behaviour::NEWEST_MINOR;

/// The version of the API server and the controllers: a kubelet is never newer than they are, so the newest one is a lower bound.
pub(super) fn server(
    snapshot: &Snapshot,
    assumptions: &Assumptions,
) -> (KubeVersion, VersionSource) {
    let kubelet = snapshot.nodes.iter().filter_map(|node| node.kubelet).max();
    if let Some(version) = assumptions.version {
        (version, VersionSource::Assumed)
    } else if let Some(version) = snapshot.server {
        (version, VersionSource::Server)
    } else if let Some(version) = kubelet {
        (version, VersionSource::Kubelet)
    } else {
        (KubeVersion::minor(NEWEST_MINOR), VersionSource::NewestKnown)
    }
}

/// The kube-proxy of a node.
pub(super) fn kube_proxy(
    node: &Node,
    pod: Option<&KubeProxyPod>,
    config: Option<&KubeProxySettings>,
    flags: &KubeProxySettings,
    snapshot: &Snapshot,
    assumptions: &Assumptions,
) -> KubeProxy {
    let (version, version_source) = if let Some(version) = assumptions.version {
        (version, VersionSource::Assumed)
    } else if let Some(version) = pod.and_then(|pod| pod.version) {
        (version, VersionSource::Image)
    } else if let Some(version) = node.kubelet {
        (version, VersionSource::Kubelet)
    } else if let Some(version) = snapshot.server {
        (version, VersionSource::Server)
    } else {
        (KubeVersion::minor(NEWEST_MINOR), VersionSource::NewestKnown)
    };
    let (mode, mode_source) = if node.windows {
        (ProxyMode::Winkernel, ModeSource::Default)
    } else if let Some(mode) = assumptions.mode {
        (mode, ModeSource::Assumed)
    } else if let Some(mode) = config.and_then(|config| config.mode) {
        (mode, ModeSource::Config)
    } else if let Some(mode) = flags.mode {
        (mode, ModeSource::Flags)
    } else if config.is_some() {
        (ProxyMode::Iptables, ModeSource::Config)
    } else {
        let mode = assumptions.mode_of_rules.unwrap_or(ProxyMode::Iptables);
        (mode, ModeSource::Default)
    };
    KubeProxy {
        version,
        version_source,
        mode,
        mode_source,
    }
}
