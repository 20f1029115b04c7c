//! Which kube-proxies and data planes may be there, besides what was taken to be there, because something could not be read? Only what
//! failed counts: what a server does not have, or a file leaves out, is no failure.

use std::collections::BTreeMap;

use super::assumptions::Assumptions;
use crate::facts::kube_proxy::{KubeProxy, ModeSource, ProxyMode, VersionSource};
use crate::facts::version::KubeVersion;
use crate::facts::{Resource, Snapshot};
use crate::gates::behaviour::Behaviour;
use crate::gates::skew::{Minors, with_any_gate};
use crate::gates::state;
use crate::gates::state::Overrides;
use crate::proxy::classes::Fleet;

/// What may be there, besides what was taken to be there.
#[derive(Debug)]
pub struct Alternatives<'a> {
    /// The nodes with each of these, and which missing resources leave it possible. None is a Windows node's: such nodes beside
    /// others change no state.
    pub fleets: Vec<(Fleet<'a>, Vec<Resource>)>,
    /// The nodes are not known.
    pub nodes: bool,
}

/// Those of some resources that could not be read.
fn failed(snapshot: &Snapshot, wanted: fn(Resource) -> bool) -> Vec<Resource> {
    let mut resources = Vec::new();
    for gap in &snapshot.gaps {
        if gap.is_failure() && wanted(gap.resource) {
            add(&mut resources, gap.resource);
        }
    }
    resources
}

/// Takes something in once.
fn add<T: PartialEq>(all: &mut Vec<T>, one: T) {
    if !all.contains(&one) {
        all.push(one);
    }
}

/// May this show that something else stands in kube-proxy's place?
fn shows_data_plane(resource: Resource) -> bool {
    match resource {
        Resource::DataPlanes | Resource::Installed => true,
        Resource::TrafficObjects(name) => [
            "configmaps/",
            "daemonsets.apps/",
            "felixconfigurations.",
            "installations.operator.",
            "networks.operator.",
        ]
        .iter()
        .any(|start| name.starts_with(start)),
        _ => false,
    }
}

/// The versions of kube-proxy that may be there, and what leaves them possible.
fn versions(
    proxies: &BTreeMap<&str, KubeProxy>,
    snapshot: &Snapshot,
) -> (Vec<KubeVersion>, Vec<Resource>) {
    let missing = failed(snapshot, |resource| {
        matches!(resource, Resource::KubeProxyPods | Resource::Nodes)
    });
    let told = |proxy: &KubeProxy| {
        matches!(
            proxy.version_source,
            VersionSource::Image | VersionSource::Assumed
        )
    };
    if missing.is_empty() || proxies.values().all(told) {
        let mut known = Vec::new();
        for proxy in proxies.values() {
            add(&mut known, proxy.version);
        }
        return (known, Vec::new());
    }
    let kubelets = snapshot.nodes.iter().filter_map(|node| node.kubelet);
    let minors = match snapshot.server {
        Some(server) => Minors::beside_server(server),
        None => Minors::beside_kubelets(kubelets).unwrap_or(Minors::ALL),
    };
    (minors.releases(), missing)
}

/// The modes of kube-proxy that may be there, and what leaves them possible.
fn modes(
    proxies: &BTreeMap<&str, KubeProxy>,
    snapshot: &Snapshot,
    assumptions: &Assumptions,
) -> (Vec<ProxyMode>, Vec<Resource>) {
    let mut modes = Vec::new();
    for proxy in proxies.values() {
        add(&mut modes, proxy.mode);
    }
    let missing = failed(snapshot, |resource| {
        matches!(
            resource,
            Resource::KubeProxyConfig | Resource::KubeProxyPods
        )
    });
    let told = |proxy: &KubeProxy| {
        proxy.mode == ProxyMode::Winkernel || proxy.mode_source != ModeSource::Default
    };
    if assumptions.mode.is_some() || missing.is_empty() || proxies.values().all(told) {
        return (modes, Vec::new());
    }
    for mode in [ProxyMode::Iptables, ProxyMode::Nftables, ProxyMode::Ipvs] {
        add(&mut modes, mode);
    }
    (modes, missing)
}

/// The gates that are set, as far as a version knows them: it may not know one that another has.
fn gates(snapshot: &Snapshot, assumptions: &Assumptions, version: KubeVersion) -> Overrides {
    let mut gates = Overrides::new();
    if let Some(read) = &snapshot.kube_proxies.config {
        gates.clone_from(&read.gates);
    }
    gates.retain(|name, value| {
        state::check(&Overrides::from([(name.clone(), *value)]), version).is_ok()
    });
    gates.extend(assumptions.gates.clone());
    gates
}

/// What may be there, each with what leaves it possible.
fn behaviours(
    proxies: &BTreeMap<&str, KubeProxy>,
    snapshot: &Snapshot,
    assumptions: &Assumptions,
) -> Vec<(Behaviour, Vec<Resource>)> {
    let mut all: Vec<(Behaviour, Vec<Resource>)> = Vec::new();
    let mut may_be = |behaviour: Behaviour, missing: &[Resource]| {
        if !all.iter().any(|(known, _)| *known == behaviour) {
            all.push((behaviour, missing.to_vec()));
        }
    };
    let (versions, mut missing) = versions(proxies, snapshot);
    let (modes, more) = modes(proxies, snapshot, assumptions);
    let settings = failed(snapshot, |resource| resource == Resource::KubeProxyConfig);
    for resource in more.iter().chain(&settings) {
        add(&mut missing, *resource);
    }
    if !missing.is_empty() {
        for version in versions {
            let gates = gates(snapshot, assumptions, version);
            for mode in &modes {
                let mut any = with_any_gate(version, *mode, &gates);
                if settings.is_empty() {
                    any.truncate(1);
                }
                for behaviour in any {
                    may_be(behaviour, &missing);
                }
            }
        }
    }
    let planes = failed(snapshot, shows_data_plane);
    if !planes.is_empty() && assumptions.mode.is_none() {
        for falls_back in [true, false] {
            may_be(Behaviour::of_data_plane(falls_back), &planes);
        }
    }
    all
}

impl<'a> Alternatives<'a> {
    /// What may be there besides what was taken to be there.
    #[must_use]
    pub fn new(
        proxies: &BTreeMap<&str, KubeProxy>,
        snapshot: &Snapshot,
        assumptions: &Assumptions,
        fleet: impl Fn(Behaviour) -> Fleet<'a>,
    ) -> Self {
        let nodes = failed(snapshot, |resource| resource == Resource::Nodes);
        Self {
            fleets: behaviours(proxies, snapshot, assumptions)
                .into_iter()
                .map(|(behaviour, missing)| (fleet(behaviour), missing))
                .collect(),
            nodes: !nodes.is_empty() && assumptions.node.is_none(),
        }
    }

    /// What each kube-proxy that may be there does.
    pub fn behaviours(&self) -> impl Iterator<Item = &Behaviour> {
        let fleets = self.fleets.iter();
        let behaviours = fleets.flat_map(|(fleet, _)| fleet.behaviours());
        behaviours.map(|(behaviour, _)| behaviour)
    }
}
