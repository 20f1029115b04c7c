//! Which node takes a new pod? As far as objects tell for certain: cordons, taints and tolerations, node selectors, ports of the node,
//! required anti-affinity, and what the pods that are known ask of its CPU and memory (`pkg/scheduler/framework/plugins`).

use std::collections::{BTreeMap, BTreeSet};

use super::state::{SimPod, State};
use crate::facts::node::{NOT_READY, Node, UNREACHABLE};

/// Why a node takes no pod of a set, in the order in which the scheduler asks (`pkg/scheduler/framework/plugins`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Refusal {
    Cordoned,
    Tainted,
    Selector,
    Ports,
    Cpu,
    Memory,
    Pods,
    Apart,
}

impl Refusal {
    /// In the words of the scheduler's own plugins, which people know from `kubectl describe pod`.
    const fn words(self) -> &'static str {
        match self {
            Self::Cordoned => "node(s) were unschedulable",
            Self::Tainted => "node(s) had untolerated taints",
            Self::Selector => "node(s) didn't match Pod's node affinity/selector",
            Self::Ports => "node(s) didn't have free ports for the requested pod ports",
            Self::Cpu => "Insufficient cpu",
            Self::Memory => "Insufficient memory",
            Self::Pods => "Too many pods",
            Self::Apart => "node(s) didn't match pod anti-affinity rules",
        }
    }
}

impl State<'_> {
    /// The node with the fewest pods of a set that takes new ones; `None` where none does.
    pub(super) fn place(&self, set: usize) -> Option<String> {
        if self.facts.nodes.is_empty() {
            // Nodes that nobody read: any that its pods run on and that is not drained.
            let known = self.pods.iter().filter_map(|pod| pod.pod.node.as_deref());
            let mut known = known.filter(|name| !self.cordoned.contains(*name));
            return Some(known.next().unwrap_or("another node").to_owned());
        }
        let on = |name: &str| {
            let here = |pod: &SimPod| pod.pod.node.as_deref() == Some(name);
            self.active(set).filter(|(_, pod)| here(pod)).count()
        };
        let taken = self.taken(set);
        let fits = |node: &&Node| self.refusal(set, node, &taken).is_none();
        let fewest = |node: &&Node| (on(&node.name), node.name.clone());
        let nodes = || self.facts.nodes.iter().filter(fits);
        let reports = |node: &&Node| !node.taints.iter().any(|taint| is_silence(&taint.key));
        let best = nodes().filter(reports).min_by_key(fewest);
        // Where every node is said not to report, what runs there tells better.
        let best = best.or_else(|| nodes().min_by_key(fewest));
        best.map(|node| node.name.clone())
    }

    /// What the scheduler would say of a set's pods where no node takes them: `0/3 nodes are available: 1 Too many pods, ...`.
    pub(super) fn unschedulable(&self, set: usize) -> String {
        let taken = self.taken(set);
        let nodes = self.facts.nodes.iter();
        let mut why: BTreeMap<Refusal, usize> = BTreeMap::new();
        for refusal in nodes.filter_map(|node| self.refusal(set, node, &taken)) {
            *why.entry(refusal).or_default() += 1;
        }
        let why = why
            .iter()
            .map(|(refusal, nodes)| format!("{nodes} {}", refusal.words()));
        let why: Vec<_> = why.collect();
        let nodes = self.facts.nodes.len();
        format!("0/{nodes} nodes are available: {}.", why.join(", "))
    }

    /// Why pods of a set may not run on a node; nothing where they may.
    fn refusal(&self, set: usize, node: &Node, taken: &BTreeMap<&str, Refusal>) -> Option<Refusal> {
        if self.cordoned.contains(&node.name) {
            return Some(Refusal::Cordoned);
        }
        let spec = &self.sets[set].spec;
        let refuses = |effect: &str| effect == "NoSchedule" || effect == "NoExecute";
        let stood = |taint: &&crate::facts::node::Taint| {
            is_silence(&taint.key) || spec.tolerations.iter().any(|one| one.stands(taint))
        };
        let mut taints = node.taints.iter().filter(|taint| refuses(&taint.effect));
        if !taints.all(|taint| stood(&taint)) {
            return Some(Refusal::Tainted);
        }
        let mut selector = spec.node_selector.iter();
        if !selector.all(|(key, value)| node.labels.get(key) == Some(value)) {
            return Some(Refusal::Selector);
        }
        let taken = taken.get(node.name.as_str()).copied();
        taken.into_iter().chain(self.lacks(set, node)).min()
    }

    /// What a node lacks, as far as it is told. Who has a priority may push others out.
    fn lacks(&self, set: usize, node: &Node) -> Option<Refusal> {
        let spec = &self.sets[set].spec;
        if spec.priority_class.is_some() {
            return None;
        }
        let (asked, pods) = self.asked.get(&node.name).copied().unwrap_or_default();
        let fits = |asks: i64, asked: i64, has: Option<i64>| {
            has.is_none_or(|has| asks == 0 || asked.saturating_add(asks) <= has)
        };
        let (asks, has) = (spec.requests, node.allocatable);
        match () {
            () if !fits(asks.cpu, asked.cpu, has.cpu) => Some(Refusal::Cpu),
            () if !fits(asks.memory, asked.memory, has.memory) => Some(Refusal::Memory),
            () if !fits(1, pods, has.pods) => Some(Refusal::Pods),
            () => None,
        }
    }

    /// The nodes that another pod keeps a set's pods away from.
    fn taken(&self, set: usize) -> BTreeMap<&str, Refusal> {
        let of = &self.sets[set];
        let mut taken = BTreeMap::new();
        if of.placement.takes_node_ports {
            let mine = self.pods_of(set);
            let nodes = mine.filter_map(|(_, pod)| pod.pod.node.as_deref());
            taken.extend(nodes.map(|node| (node, Refusal::Ports)));
        }
        for apart in of.placement.apart.iter().filter(|apart| apart.required) {
            let Some(from) = &apart.from else { continue };
            let others = self.pods_with(&of.name.namespace, &from.labels);
            let others = others.filter(|pod| from.matches(&pod.pod.labels));
            let nodes: BTreeSet<_> = others.filter_map(|pod| pod.pod.node.as_deref()).collect();
            let there = self.facts.nodes.iter();
            let there = there.filter(|node| nodes.contains(node.name.as_str()));
            let domains: BTreeSet<_> = there
                .filter_map(|node| node.labels.get(&apart.key))
                .collect();
            let closed = self.facts.nodes.iter().filter(|node| {
                let domain = node.labels.get(&apart.key);
                domain.is_some_and(|domain| domains.contains(domain))
            });
            for node in closed {
                taken.entry(node.name.as_str()).or_insert(Refusal::Apart);
            }
        }
        taken
    }
}

/// A taint that says that a node does not report.
fn is_silence(key: &str) -> bool {
    key == NOT_READY || key == UNREACHABLE
}
