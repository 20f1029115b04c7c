//! Which node takes a new pod? As far as objects tell for certain: cordons, taints and tolerations, node selectors, ports of the node,
//! required anti-affinity, and what the pods that are known ask of its CPU and memory (`pkg/scheduler/framework/plugins`).

use std::collections::BTreeSet;

use super::state::{SimPod, State};
use crate::facts::node::{NOT_READY, Node, UNREACHABLE};

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
        let fits = |node: &&Node| self.fits(set, node) && !taken.contains(node.name.as_str());
        let fewest = |node: &&Node| (on(&node.name), node.name.clone());
        let nodes = || self.facts.nodes.iter().filter(fits);
        let reports = |node: &&Node| !node.taints.iter().any(|taint| is_silence(&taint.key));
        let best = nodes().filter(reports).min_by_key(fewest);
        // Where every node is said not to report, what runs there tells better.
        let best = best.or_else(|| nodes().min_by_key(fewest));
        best.map(|node| node.name.clone())
    }

    /// May pods of a set run on a node, whatever else runs there?
    fn fits(&self, set: usize, node: &Node) -> bool {
        let spec = &self.sets[set].spec;
        let refuses = |effect: &str| effect == "NoSchedule" || effect == "NoExecute";
        let stood = |taint: &&crate::facts::node::Taint| {
            is_silence(&taint.key) || spec.tolerations.iter().any(|one| one.stands(taint))
        };
        let mut taints = node.taints.iter().filter(|taint| refuses(&taint.effect));
        !self.cordoned.contains(&node.name)
            && self.has_room(set, node)
            && taints.all(|taint| stood(&taint))
            && spec
                .node_selector
                .iter()
                .all(|(key, value)| node.labels.get(key) == Some(value))
    }

    /// Is there room on a node, as far as it is told? Who has a priority may push others out.
    fn has_room(&self, set: usize, node: &Node) -> bool {
        let spec = &self.sets[set].spec;
        if spec.priority_class.is_some() {
            return true;
        }
        let (asked, pods) = self.asked.get(&node.name).copied().unwrap_or_default();
        let fits = |asks: i64, asked: i64, has: Option<i64>| {
            has.is_none_or(|has| asks == 0 || asked.saturating_add(asks) <= has)
        };
        let asks = spec.requests;
        fits(asks.cpu, asked.cpu, node.allocatable.cpu)
            && fits(asks.memory, asked.memory, node.allocatable.memory)
            && fits(1, pods, node.allocatable.pods)
    }

    /// The nodes that another pod keeps a set's pods away from.
    fn taken(&self, set: usize) -> BTreeSet<&str> {
        let of = &self.sets[set];
        let mut taken = BTreeSet::new();
        if of.placement.takes_node_ports {
            let mine = self.pods_of(set);
            taken.extend(mine.filter_map(|(_, pod)| pod.pod.node.as_deref()));
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
            taken.extend(closed.map(|node| node.name.as_str()));
        }
        taken
    }
}

/// A taint that says that a node does not report.
fn is_silence(key: &str) -> bool {
    key == NOT_READY || key == UNREACHABLE
}
