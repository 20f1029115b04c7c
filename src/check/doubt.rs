//! Could the answer be another one, had everything been read? Only what failed makes doubts: what a server does not have, or a
//! file leaves out, makes none.
//!
//! Every kube-proxy and every data plane that may be there is asked; where one of them comes to another state, the state is not
//! known. A Service whose endpoints are all ready has the same state with each of them.

use std::collections::{BTreeMap, BTreeSet};

use super::cluster::{Assumptions, KubeProxy, ModeSource, VersionSource};
use super::data_plane;
use super::paths::PortCheck;
use super::service::State;
use super::story::Story;
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::version::KubeVersion;
use crate::facts::{Resource, Snapshot};
use crate::gates::behaviour::Behaviour;
use crate::gates::skew::{Minors, with_any_gate};
use crate::gates::state::{self, Overrides};
use crate::proxy::classes::Fleet;

/// What leaves a state open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Doubt {
    /// What could not be read.
    pub resources: BTreeSet<Resource>,
    /// What else may become of new connections.
    pub stories: Vec<Story>,
    /// Nodes that were not read may turn connections away.
    pub nodes: bool,
}

/// What may be there, besides what was taken to be there.
#[derive(Debug)]
pub struct Alternatives<'a> {
    /// The nodes with each of these, and which missing resources leave it possible. None is a Windows node's: such nodes beside
    /// others change no state.
    fleets: Vec<(Fleet<'a>, BTreeSet<Resource>)>,
    /// The nodes are not known.
    nodes: bool,
}

/// Those of some resources that could not be read.
fn failed(snapshot: &Snapshot, wanted: impl Fn(Resource) -> bool) -> BTreeSet<Resource> {
    let gaps = snapshot.gaps.iter().filter(|gap| gap.is_failure());
    gaps.map(|gap| gap.resource)
        .filter(|resource| wanted(*resource))
        .collect()
}

/// May this show that something else stands in kube-proxy's place?
fn shows_data_plane(resource: Resource) -> bool {
    match resource {
        Resource::DataPlanes | Resource::Installed => true,
        Resource::Senders(name) => [
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
) -> (Vec<KubeVersion>, BTreeSet<Resource>) {
    let told = |proxy: &KubeProxy| {
        matches!(
            proxy.version_source,
            VersionSource::Image | VersionSource::Assumed
        )
    };
    let missing = failed(snapshot, |resource| {
        matches!(resource, Resource::KubeProxyPods | Resource::Nodes)
    });
    if missing.is_empty() || proxies.values().all(told) {
        let known = proxies.values().map(|proxy| proxy.version);
        return (known.collect(), BTreeSet::new());
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
) -> (BTreeSet<ProxyMode>, BTreeSet<Resource>) {
    let known = proxies.values().map(|proxy| proxy.mode).collect();
    let told = |proxy: &KubeProxy| {
        proxy.mode == ProxyMode::Winkernel || proxy.mode_source != ModeSource::Default
    };
    let missing = failed(snapshot, |resource| {
        matches!(
            resource,
            Resource::KubeProxyConfig | Resource::KubeProxyPods
        )
    });
    if assumptions.mode.is_some() || missing.is_empty() || proxies.values().all(told) {
        return (known, BTreeSet::new());
    }
    let linux = [ProxyMode::Iptables, ProxyMode::Nftables, ProxyMode::Ipvs];
    (known.into_iter().chain(linux).collect(), missing)
}

/// What may be there, each with what leaves it possible.
fn behaviours(
    proxies: &BTreeMap<&str, KubeProxy>,
    snapshot: &Snapshot,
    assumptions: &Assumptions,
) -> Vec<(Behaviour, BTreeSet<Resource>)> {
    let mut all: Vec<(Behaviour, BTreeSet<Resource>)> = Vec::new();
    let mut add = |behaviour: Behaviour, missing: &BTreeSet<Resource>| match all
        .iter_mut()
        .find(|(known, _)| *known == behaviour)
    {
        Some((_, resources)) => resources.extend(missing),
        None => all.push((behaviour, missing.clone())),
    };
    let (versions, mut missing) = versions(proxies, snapshot);
    let (modes, more) = modes(proxies, snapshot, assumptions);
    let gates = failed(snapshot, |resource| resource == Resource::KubeProxyConfig);
    missing.extend(more.iter().chain(&gates));
    let each = versions
        .iter()
        .flat_map(|version| modes.iter().map(move |mode| (*version, *mode)));
    for (version, mode) in each.filter(|_| !missing.is_empty()) {
        let read = snapshot.kube_proxies.config.as_ref();
        let read = read.into_iter().flat_map(|config| &config.gates);
        // A version may not know a gate that another one has set.
        let would_start = |(name, value): &(&String, &bool)| {
            state::check(&Overrides::from([((*name).clone(), **value)]), version).is_ok()
        };
        let gates_set = read.filter(would_start).chain(&assumptions.gates);
        let gates_set = gates_set.map(|(name, value)| (name.clone(), *value));
        let gates_set: Overrides = gates_set.collect();
        let mut any = with_any_gate(version, mode, &gates_set);
        let take = if gates.is_empty() { 1 } else { usize::MAX };
        any.by_ref().take(take).for_each(|one| add(one, &missing));
    }
    let planes = failed(snapshot, shows_data_plane);
    if !planes.is_empty() && assumptions.mode.is_none() {
        for falls_back in [true, false] {
            add(data_plane::behaviour(falls_back), &planes);
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
        let groups = self.fleets.iter().flat_map(|(fleet, _)| fleet.groups());
        groups.map(|(behaviour, _)| behaviour)
    }

    /// What leaves the state of a Service open; `None` where all of it comes to the same.
    #[must_use]
    pub fn doubt(
        &self,
        ports: &[PortCheck<'a>],
        other_data_plane: bool,
        ask: impl Fn(&Fleet<'a>) -> Vec<PortCheck<'a>>,
    ) -> Option<Doubt> {
        let state = Story::of(ports)?.state();
        let mut doubt = Doubt::default();
        let local = ports
            .iter()
            .flat_map(|port| &port.paths)
            .any(|path| path.local);
        // A node without an endpoint turns connections away under a Local policy. Nothing gets better by that.
        if self.nodes && local && state == State::Healthy {
            doubt.nodes = true;
            doubt.resources.insert(Resource::Nodes);
        }
        let fleets = self.fleets.iter().filter(|_| !other_data_plane);
        for (fleet, resources) in fleets {
            let Some(story) = Story::of(&ask(fleet)) else {
                continue;
            };
            if story.state() != state {
                doubt.resources.extend(resources);
                if !doubt.stories.contains(&story) {
                    doubt.stories.push(story);
                }
            }
        }
        (doubt != Doubt::default()).then_some(doubt)
    }
}
