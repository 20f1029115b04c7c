//! What do all Services of a snapshot share? Nodes with the kube-proxy of each, versions, and indexes to find things by.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use chrono::{DateTime, Utc};

use super::alternatives::Alternatives;
use super::assumptions::Assumptions;
use super::clients::{self, Addresses, TellsPods};
use super::disruption::Disruption;
use super::fleets;
use super::index::Index;
use super::kube_proxy::{kube_proxy, server};
use super::misfits::{self, Misfit};
use super::node_dump::NodeDump;
use crate::facts::cidr::Cidr;
use crate::facts::kube_proxy::{KubeProxy, KubeProxyPod, KubeProxySettings, VersionSource};
use crate::facts::node::Node;
use crate::facts::service::{Family, Service};
use crate::facts::version::KubeVersion;
use crate::facts::{ObjectName, Snapshot};
use crate::gates::behaviour::Behaviour;
use crate::gates::controllers::Controllers;
use crate::gates::eras::Era;
use crate::gates::state;
use crate::proxy::classes::{Fleet, ProxyNode};
use crate::sources::{DetectedSources, Detector, ObjectIndex};

/// The nodes that are asked: those observed; without any, those that endpoints name; else one without a name.
/// `--node` narrows them, and may name one that was not observed.
#[must_use]
pub fn nodes(snapshot: &Snapshot, assumptions: &Assumptions) -> Vec<Node> {
    let mut nodes = snapshot.nodes.clone();
    if nodes.is_empty() {
        let names: BTreeSet<_> = snapshot
            .slices
            .iter()
            .flat_map(|slice| &slice.endpoints)
            .filter_map(|endpoint| endpoint.node.clone())
            .collect();
        nodes = names
            .into_iter()
            .map(|name| Node {
                name,
                ..Node::default()
            })
            .collect();
    }
    if let Some(only) = &assumptions.node {
        nodes.retain(|node| node.name == *only);
    }
    if nodes.is_empty() {
        nodes.push(Node {
            name: assumptions.node.clone().unwrap_or_default(),
            ..Node::default()
        });
    }
    nodes
}

/// A snapshot prepared for many Services.
#[derive(Debug)]
pub struct Cluster<'a> {
    /// The snapshot.
    pub snapshot: &'a Snapshot,
    /// The nodes that are asked.
    pub nodes: &'a [Node],
    /// What the user fixed.
    pub assumptions: &'a Assumptions,
    /// The kube-proxy of each node.
    pub proxies: BTreeMap<&'a str, KubeProxy>,
    /// The same without repetition: few differ.
    pub kinds: BTreeSet<KubeProxy>,
    /// The kube-proxies that differ in what they do, each as if all nodes had it; empty where all do the same.
    pub rivals: Vec<(KubeProxy, Fleet<'a>)>,
    /// The nodes grouped by what their kube-proxy does.
    pub fleet: Fleet<'a>,
    /// The same nodes as they would be with each version, cut where a version changes anything.
    pub eras: Vec<(Era, Fleet<'a>)>,
    /// What may be there instead, because it could not be read.
    pub alternatives: Alternatives<'a>,
    /// The version of the API server and the controllers.
    pub server: KubeVersion,
    /// How it is known.
    pub server_source: VersionSource,
    /// What the controllers do.
    pub controllers: Controllers,
    /// The moment to judge by.
    pub as_of: Option<DateTime<Utc>>,
    /// The objects, by what leads to them.
    pub index: Index<'a>,
    /// Finds the traffic sources of a Service.
    pub detector: Detector<'a>,
    /// Can kube-proxy tell pods' connections from others?
    pub tells_pods: TellsPods,
    /// Pods' addresses; empty where they are not known.
    pub pod_cidrs: Vec<Cidr>,
    /// What was dumped of nodes' kernels.
    pub node_dumps: &'a [NodeDump],
    /// Disruption budgets, autoscalers and what they are about.
    pub disruption: Disruption<'a>,
    /// An address on which kube-proxies here fail to sync IPv4.
    pub misfit: Option<Misfit>,
    other_planes: [Fleet<'a>; 2],
    sources: BTreeMap<&'a ObjectName, Rc<DetectedSources<'a>>>,
}

impl<'a> Cluster<'a> {
    /// Prepares a snapshot; `nodes` are those of [`nodes`].
    #[must_use]
    pub fn new(snapshot: &'a Snapshot, nodes: &'a [Node], assumptions: &'a Assumptions) -> Self {
        let (server, server_source) = server(snapshot, assumptions);
        let on_node: BTreeMap<&str, &KubeProxyPod> = snapshot
            .kube_proxies
            .pods
            .iter()
            .map(|pod| (pod.node.as_str(), pod))
            .collect();
        let default = KubeProxySettings::default();
        let config = snapshot.kube_proxies.config.as_ref();
        let mut proxies = BTreeMap::new();
        let mut proxy_nodes = Vec::new();
        for node in nodes {
            let pod = on_node.get(node.name.as_str()).copied();
            let flags = pod.map_or(&default, |pod| &pod.flags);
            let proxy = kube_proxy(node, pod, config, flags, snapshot, assumptions);
            let mut gates = config.map_or(&flags.gates, |config| &config.gates).clone();
            // A pretended version may not know a gate that is set today.
            gates.retain(|name, value| {
                state::check(&BTreeMap::from([(name.clone(), *value)]), proxy.version).is_ok()
            });
            gates.extend(assumptions.gates.clone());
            proxies.insert(node.name.as_str(), proxy);
            proxy_nodes.push(ProxyNode {
                node,
                proxy,
                behaviour: Behaviour::new(proxy.version, proxy.mode, &gates),
            });
        }
        let by_labels = snapshot
            .services
            .iter()
            .any(|service| !service.topology_keys.is_empty());
        let fleet = Fleet::new(proxy_nodes.iter().copied(), by_labels);
        Self {
            snapshot,
            nodes,
            assumptions,
            rivals: fleets::rivals(&fleet, &proxy_nodes, by_labels),
            eras: fleets::eras(&proxy_nodes, by_labels),
            kinds: proxies.values().copied().collect(),
            alternatives: Alternatives::new(&proxies, snapshot, assumptions, |behaviour| {
                let nodes = proxy_nodes
                    .iter()
                    .map(|node| ProxyNode { behaviour, ..*node });
                Fleet::new(nodes, by_labels)
            }),
            misfit: misfits::misfit(snapshot, fleet.behaviours().map(|(behaviour, _)| behaviour)),
            proxies,
            fleet,
            server,
            server_source,
            controllers: Controllers::new(server, &assumptions.gates),
            as_of: assumptions.as_of.or(snapshot.taken_at),
            index: Index::new(snapshot),
            detector: Detector::new(ObjectIndex::new(snapshot)),
            tells_pods: TellsPods {
                v4: clients::tells_pods(Family::V4, snapshot, nodes, assumptions),
                v6: clients::tells_pods(Family::V6, snapshot, nodes, assumptions),
            },
            pod_cidrs: clients::pods(snapshot, nodes, assumptions),
            node_dumps: &[],
            disruption: Disruption::new(snapshot),
            other_planes: fleets::other_planes(&proxy_nodes, by_labels),
            sources: BTreeMap::new(),
        }
    }

    /// Detects the traffic sources of some Services once for all who ask: their own analysis, and those of the workloads behind them.
    #[must_use]
    pub fn knowing_sources(mut self, services: &[&'a Service]) -> Self {
        for service in services {
            let found = Rc::new(self.look_for_sources(service));
            self.sources.insert(&service.name, found);
        }
        self
    }

    /// Takes in what nodes' kernels have been told, to be held against the answers.
    #[must_use]
    pub const fn with_node_dumps(mut self, dumps: &'a [NodeDump]) -> Self {
        self.node_dumps = dumps;
        self
    }

    fn look_for_sources(&self, service: &'a Service) -> DetectedSources<'a> {
        self.detector.detect(service, &self.assumptions.sources)
    }

    /// The traffic sources of a Service.
    #[must_use]
    pub fn sources(&self, service: &'a Service) -> Rc<DetectedSources<'a>> {
        let known = self.sources.get(&service.name).map(Rc::clone);
        known.unwrap_or_else(|| Rc::new(self.look_for_sources(service)))
    }

    /// What is known of the addresses of pods and nodes.
    #[must_use]
    pub fn addresses(&self) -> Addresses<'_> {
        Addresses {
            tells_pods: self.tells_pods,
            pods: &self.pod_cidrs,
            nodes: self.nodes,
        }
    }

    /// The nodes as another data plane serves them, in the terms of kube-proxy.
    #[must_use]
    pub const fn other_plane(&self, falls_back: bool) -> &Fleet<'a> {
        let [without, with] = &self.other_planes;
        if falls_back { with } else { without }
    }
}
