//! What do all Services of a snapshot share? Nodes with the kube-proxy of each, versions, and indexes to find things by.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use chrono::{DateTime, Utc};

use super::by_version::Era;
use super::disruption::Disruption;
use super::doubt::Alternatives;
use super::fleets;
pub use super::kube_proxy::{KubeProxy, ModeSource, VersionSource};
use super::kube_proxy::{kube_proxy, server};
use crate::controllers::selectors::Selectors;
use crate::facts::endpoints::Endpoints;
use crate::facts::kube_proxy::{KubeProxyPod, KubeProxySettings, ProxyMode};
use crate::facts::node::Node;
use crate::facts::pod::Pod;
use crate::facts::service::{Family, Service};
use crate::facts::slice::EndpointSlice;
use crate::facts::version::KubeVersion;
use crate::facts::workload::Workload;
use crate::facts::{ObjectName, Resource, Snapshot};
use crate::gates::behaviour::Behaviour;
use crate::gates::controllers::Controllers;
use crate::gates::state;
use crate::gates::state::Overrides;
use crate::proxy::classes::{Fleet, ProxyNode};
use crate::sources::{Detected, Given, ObjectIndex, detect};

/// What the user fixed, in place of what would be observed.
#[derive(Debug, Clone, Default)]
pub struct Assumptions {
    /// `--kube-version`.
    pub version: Option<KubeVersion>,
    /// `--proxy-mode`.
    pub mode: Option<ProxyMode>,
    /// `--feature-gates`.
    pub gates: Overrides,
    /// The families of `--cluster-cidr`.
    pub cluster_cidr: Option<Vec<Family>>,
    /// `--node`.
    pub node: Option<String>,
    /// `--as-of`.
    pub as_of: Option<DateTime<Utc>>,
    /// `--source`.
    pub sources: Vec<Given>,
    /// `--drain-seconds`: how long the application takes to end after its SIGTERM.
    pub drain_seconds: Option<i64>,
}

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

/// A namespace and a selector of Services in it.
type Selected<'a> = (&'a str, Option<&'a BTreeMap<String, String>>);

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
    /// The objects that tell who sends traffic.
    pub index: ObjectIndex<'a>,
    /// Disruption budgets, autoscalers and what they are about.
    pub disruption: Disruption<'a>,
    other_planes: [Fleet<'a>; 2],
    sources: BTreeMap<&'a ObjectName, Rc<Detected<'a>>>,
    slices: BTreeMap<ObjectName, Vec<&'a EndpointSlice>>,
    endpoints: BTreeMap<&'a ObjectName, &'a Endpoints>,
    pods: BTreeMap<&'a str, BTreeMap<&'a str, &'a Pod>>,
    /// The namespaces of which a server showed some pod.
    observed: BTreeSet<&'a str>,
    /// The pods that selectors of Services pick, by name.
    selected: BTreeMap<Selected<'a>, Vec<&'a Pod>>,
    node_names: BTreeSet<&'a str>,
    /// The families for which some node has a range of pod addresses.
    pod_cidr_families: BTreeSet<Family>,
    by_name: BTreeMap<&'a str, &'a Node>,
    /// The workloads whose templates a Service selects.
    templates: BTreeMap<&'a ObjectName, Vec<&'a Workload>>,
}

/// The label that ties a slice to its Service.
const SERVICE_NAME: &str = "kubernetes.io/service-name";

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
        let mut slices: BTreeMap<ObjectName, Vec<_>> = BTreeMap::new();
        for slice in &snapshot.slices {
            if let Some(service) = slice.labels.get(SERVICE_NAME) {
                slices
                    .entry(ObjectName::new(&slice.name.namespace, service))
                    .or_default()
                    .push(slice);
            }
        }
        let observed = snapshot.pods.iter().filter(|pod| pod.was_observed());
        let observed = observed.map(|pod| pod.name.namespace.as_str()).collect();
        let mut pods: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        for pod in &snapshot.pods {
            pods.entry(pod.name.namespace.as_str())
                .or_default()
                .insert(pod.name.name.as_str(), pod);
        }
        let selectors = Selectors::new(&snapshot.services);
        let mut selected: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for pod in pods.values().flat_map(BTreeMap::values) {
            for service in selectors.of(&pod.name.namespace, &pod.labels) {
                let selector = service.selector.as_ref();
                let known = selected
                    .entry((pod.name.namespace.as_str(), selector))
                    .or_default();
                // Several Services may have the same selector.
                if known
                    .last()
                    .is_none_or(|last: &&Pod| !std::ptr::eq(*last, *pod))
                {
                    known.push(*pod);
                }
            }
        }
        let mut templates: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for workload in &snapshot.workloads {
            for service in selectors.of_template(workload) {
                templates.entry(&service.name).or_default().push(workload);
            }
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
            proxies,
            fleet,
            server,
            server_source,
            controllers: Controllers::new(server),
            as_of: assumptions.as_of.or(snapshot.taken_at),
            index: ObjectIndex::new(snapshot),
            disruption: Disruption::new(snapshot),
            other_planes: fleets::other_planes(&proxy_nodes, by_labels),
            sources: BTreeMap::new(),
            slices,
            endpoints: snapshot
                .endpoints
                .iter()
                .map(|each| (&each.name, each))
                .collect(),
            pods,
            observed,
            selected,
            templates,
            pod_cidr_families: nodes
                .iter()
                .flat_map(|node| &node.pod_cidr_families)
                .copied()
                .collect(),
            by_name: snapshot
                .nodes
                .iter()
                .map(|node| (node.name.as_str(), node))
                .collect(),
            node_names: snapshot
                .nodes
                .iter()
                .map(|node| node.name.as_str())
                .collect(),
        }
    }

    /// Looks for who sends to some Services, once for all who will ask: their own checks, and those of the workloads behind them.
    #[must_use]
    pub fn knowing_sources(mut self, services: &[&'a Service]) -> Self {
        for service in services {
            let found = Rc::new(self.look_for_sources(service));
            self.sources.insert(&service.name, found);
        }
        self
    }

    fn look_for_sources(&self, service: &'a Service) -> Detected<'a> {
        detect(&self.index, service, &self.assumptions.sources)
    }

    /// Who sends to a Service.
    #[must_use]
    pub fn sources(&self, service: &'a Service) -> Rc<Detected<'a>> {
        let known = self.sources.get(&service.name).map(Rc::clone);
        known.unwrap_or_else(|| Rc::new(self.look_for_sources(service)))
    }

    /// The nodes as another data plane serves them, in the terms of kube-proxy.
    #[must_use]
    pub const fn other_plane(&self, falls_back: bool) -> &Fleet<'a> {
        let [without, with] = &self.other_planes;
        if falls_back { with } else { without }
    }

    /// Was this resource read?
    #[must_use]
    pub fn has_read(&self, resource: Resource) -> bool {
        !self
            .snapshot
            .gaps
            .iter()
            .any(|gap| gap.resource == resource)
    }

    /// The slices of a Service, whoever writes them.
    #[must_use]
    pub fn slices(&self, service: &ObjectName) -> &[&'a EndpointSlice] {
        self.slices.get(service).map_or(&[], Vec::as_slice)
    }

    /// The Endpoints object of a Service.
    #[must_use]
    pub fn endpoints(&self, service: &ObjectName) -> Option<&'a Endpoints> {
        self.endpoints.get(service).copied()
    }

    /// The pods of a namespace by name.
    #[must_use]
    pub fn pods(&self, namespace: &str) -> Option<&BTreeMap<&'a str, &'a Pod>> {
        self.pods.get(namespace)
    }

    /// The pods that a Service selects; `None` where pods are not known or it has no selector.
    #[must_use]
    pub fn selected(&self, service: &Service) -> Option<Vec<&'a Pod>> {
        let selector = service.selector.as_ref()?;
        if !self.has_read(Resource::Pods) {
            return None;
        }
        let namespace = service.name.namespace.as_str();
        let pods = self.pods.get(namespace);
        let found = if selector.is_empty() {
            // It selects every pod.
            let all = pods.into_iter().flat_map(BTreeMap::values);
            all.copied().collect()
        } else {
            let known = self.selected.get(&(namespace, Some(selector)));
            known.map_or_else(Vec::new, Vec::clone)
        };
        // Files without a pod that some server showed do not say which ones there are.
        let told = self.snapshot.complete || self.observed.contains(namespace);
        (told || !found.is_empty()).then_some(found)
    }

    /// The workloads that were read and whose templates a Service selects.
    #[must_use]
    pub fn templates(&self, service: &Service) -> &[&'a Workload] {
        self.templates.get(&service.name).map_or(&[], Vec::as_slice)
    }

    /// A node that was read.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<&'a Node> {
        self.by_name.get(name).copied()
    }

    /// The names of the nodes that exist, if they are known.
    #[must_use]
    pub fn node_names(&self) -> Option<&BTreeSet<&'a str>> {
        (self.has_read(Resource::Nodes) && !self.node_names.is_empty()).then_some(&self.node_names)
    }

    /// Can kube-proxy tell pods' addresses of this family from others? `None` where nothing tells.
    ///
    /// `pkg/proxy/util/localdetector.go`: by the cluster's CIDR unless `detectLocalMode` says otherwise.
    #[must_use]
    pub fn tells_pods(&self, family: Family) -> Option<bool> {
        if let Some(families) = &self.assumptions.cluster_cidr {
            return Some(families.contains(&family));
        }
        let by_node = || self.pod_cidr_families.contains(&family);
        let proxies = &self.snapshot.kube_proxies;
        let settings = proxies
            .config
            .as_ref()
            .or(proxies.pods.first().map(|pod| &pod.flags));
        match settings.map(|settings| (settings.detect_local.as_deref(), settings)) {
            Some((Some("BridgeInterface" | "InterfaceNamePrefix"), _)) => Some(true),
            Some((Some("NodeCIDR"), _)) => Some(by_node()),
            Some((_, settings)) if proxies.config.is_some() => {
                Some(settings.cluster_cidr_families.contains(&family))
            }
            Some((_, settings)) if !settings.cluster_cidr_families.is_empty() => {
                Some(settings.cluster_cidr_families.contains(&family))
            }
            _ => by_node().then_some(true),
        }
    }
}
