//! Which nodes must give the same answer? Each answer is worked out once: cost grows with classes, not with nodes.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::ingest::Claims;
use crate::facts::kube_proxy::KubeProxy;
use crate::facts::names::Names;
use crate::facts::node::Node;
use crate::facts::service::{Service, TrafficPolicy};
use crate::facts::slice::EndpointSlice;
use crate::gates::behaviour::Behaviour;

/// A node with its kube-proxy.
#[derive(Debug, Clone, Copy)]
pub struct ProxyNode<'a> {
    /// The node.
    pub node: &'a Node,
    /// Its kube-proxy: version and mode.
    pub proxy: KubeProxy,
    /// What that kube-proxy does.
    pub behaviour: Behaviour,
}

/// Nodes that decide alike for every Service that treats no node specially: same kube-proxy, same zone.
#[derive(Debug, Clone)]
struct Group<'a> {
    behaviour: Behaviour,
    members: Vec<&'a Node>,
    /// Kube-proxies that decide alike may still differ in how their version is known.
    proxies: Vec<KubeProxy>,
    /// Which of them each member has; empty where all have the first.
    which: Vec<usize>,
}

impl<'a> Group<'a> {
    /// Which of the kube-proxies a member has.
    fn proxy_of(&self, member: usize) -> usize {
        self.which.get(member).copied().unwrap_or_default()
    }

    fn push(&mut self, node: &'a Node, proxy: KubeProxy) {
        let known = self.proxies.iter().position(|known| *known == proxy);
        let part = known.unwrap_or_else(|| {
            self.proxies.push(proxy);
            self.proxies.len() - 1
        });
        if part > 0 && self.which.is_empty() {
            self.which = vec![0; self.members.len()];
        }
        if part > 0 || !self.which.is_empty() {
            self.which.push(part);
        }
        self.members.push(node);
    }

    /// The members that have this one of the kube-proxies.
    fn part(&self, part: usize) -> impl Iterator<Item = &'a Node> + '_ {
        let members = self.members.iter().enumerate();
        let of_it = members.filter(move |(member, _)| self.proxy_of(*member) == part);
        of_it.map(|(_, node)| *node)
    }
}

/// The nodes of a group that have one kube-proxy: the places of both.
type Part = (usize, usize);

/// All nodes of a cluster, grouped once for all Services.
#[derive(Debug, Clone, Default)]
pub struct Fleet<'a> {
    groups: Vec<Group<'a>>,
    /// Groups that differ in their zone only.
    alike: Vec<Vec<usize>>,
    /// The place of each group.
    places: Vec<usize>,
    /// Lists of names that were made before: most Services need the same.
    made: RefCell<Vec<(Vec<Part>, Names)>>,
}

/// Some nodes, not named yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Members {
    /// All of these, but those that are special.
    parts: Vec<Part>,
    /// These as well, by their group and place in it.
    alone: Vec<(usize, usize)>,
}

impl Members {
    /// Takes other nodes in.
    pub fn extend(&mut self, more: Self) {
        self.parts.extend(more.parts);
        self.alone.extend(more.alone);
        for places in [&mut self.parts, &mut self.alone] {
            places.sort_unstable();
            places.dedup();
        }
    }
}

/// What distinguishes nodes for one Service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Special<'a> {
    /// The nodes whose name matters.
    pub nodes: BTreeSet<&'a str>,
    /// The zone matters, or another label.
    pub zones: bool,
}

/// Nodes that decide alike for one Service.
#[derive(Debug, Clone)]
pub struct NodeClass<'f, 'a> {
    /// What their kube-proxy does.
    pub behaviour: Behaviour,
    /// One of them, which speaks for all.
    pub speaker: &'a Node,
    fleet: &'f Fleet<'a>,
    /// The groups that they are of.
    groups: &'f [usize],
    /// The one at this place in its group; else all that are not special.
    alone: Option<usize>,
    special: &'f BTreeSet<&'f str>,
}

impl NodeClass<'_, '_> {
    /// The names of the nodes in the class, sorted.
    #[must_use]
    pub fn names(&self) -> Names {
        let mut all = Members::default();
        for (_, members) in self.members() {
            all.extend(members);
        }
        self.fleet.names(&all, self.special)
    }

    /// The nodes in the class by their kube-proxy.
    #[must_use]
    pub fn members(&self) -> Vec<(KubeProxy, Members)> {
        let mut by_proxy: Vec<(KubeProxy, Members)> = Vec::new();
        for place in self.groups {
            let group = &self.fleet.groups[*place];
            for (part, proxy) in group.proxies.iter().enumerate() {
                let mut some = Members::default();
                if let Some(one) = self.alone {
                    if group.proxy_of(one) == part {
                        some.alone.push((*place, one));
                    }
                } else if group
                    .part(part)
                    .any(|node| !self.special.contains(node.name.as_str()))
                {
                    some.parts.push((*place, part));
                }
                if some == Members::default() {
                    continue;
                }
                match by_proxy.iter_mut().find(|(known, _)| known == proxy) {
                    Some((_, known)) => known.extend(some),
                    None => by_proxy.push((*proxy, some)),
                }
            }
        }
        by_proxy
    }
}

impl<'a> Fleet<'a> {
    /// Groups nodes by kube-proxy and zone, and by all labels where topology keys read them: `by_labels` says whether any Service
    /// has such keys.
    #[must_use]
    pub fn new(nodes: impl IntoIterator<Item = ProxyNode<'a>>, by_labels: bool) -> Self {
        let mut fleet = Self::default();
        let mut sorted: Vec<_> = nodes.into_iter().collect();
        sorted.sort_by(|a, b| a.node.name.cmp(&b.node.name));
        for ProxyNode {
            node,
            proxy,
            behaviour,
        } in sorted
        {
            let found = fleet.groups.iter().position(|group| {
                let other = group.members[0];
                group.behaviour == behaviour
                    && other.zone() == node.zone()
                    && (!by_labels || !behaviour.topology_keys || other.labels == node.labels)
            });
            let index = found.unwrap_or_else(|| {
                fleet.groups.push(Group {
                    behaviour,
                    members: Vec::new(),
                    proxies: Vec::new(),
                    which: Vec::new(),
                });
                fleet.groups.len() - 1
            });
            fleet.groups[index].push(node, proxy);
        }
        for group in &mut fleet.groups {
            // There is a fleet for each version.
            group.members.shrink_to_fit();
        }
        fleet.places = (0..fleet.groups.len()).collect();
        for (index, group) in fleet.groups.iter().enumerate() {
            let same = fleet.alike.iter_mut().find(|others| {
                let other = others.first().map(|other| &fleet.groups[*other]);
                other.is_some_and(|other| other.behaviour == group.behaviour)
            });
            match same {
                Some(others) => others.push(index),
                None => fleet.alike.push(vec![index]),
            }
        }
        fleet
    }

    /// What the kube-proxies do, each thing once, with the first node on which one does it.
    pub fn behaviours(&self) -> impl Iterator<Item = (&Behaviour, &'a Node)> {
        let first = self.alike.iter().filter_map(|groups| groups.first());
        let groups = first.map(|place| &self.groups[*place]);
        groups.filter_map(|group| Some((&group.behaviour, *group.members.first()?)))
    }

    /// Every node whose kube-proxy does such a thing.
    pub fn that(&self, does: impl Fn(&Behaviour) -> bool) -> Members {
        let groups = self.groups.iter().enumerate();
        let parts = groups
            .filter(|(_, group)| does(&group.behaviour))
            .flat_map(|(place, group)| (0..group.proxies.len()).map(move |part| (place, part)));
        Members {
            parts: parts.collect(),
            alone: Vec::new(),
        }
    }

    /// The kube-proxies of some nodes.
    pub fn proxies(&self, members: &Members) -> impl Iterator<Item = KubeProxy> {
        let parts = members.parts.iter();
        parts.map(|(group, part)| self.groups[*group].proxies[*part])
    }

    /// The names of some nodes, sorted, where these are special.
    #[must_use]
    pub fn names(&self, members: &Members, special: &BTreeSet<&str>) -> Names {
        let alone = members.alone.iter();
        let alone = alone.map(|(group, member)| self.groups[*group].members[*member]);
        let mut names: Vec<Arc<str>> = alone.map(|node| Arc::from(node.name.as_str())).collect();
        if members.parts.is_empty() {
            return names.into();
        }
        let mut made = self.made.borrow_mut();
        let place = made.iter().position(|(parts, _)| *parts == members.parts);
        let place = place.unwrap_or_else(|| {
            let parts = members.parts.iter();
            let nodes = parts.flat_map(|(group, part)| self.groups[*group].part(*part));
            let names: Vec<Arc<str>> = nodes.map(|node| Arc::from(node.name.as_str())).collect();
            made.push((members.parts.clone(), names.into()));
            made.len() - 1
        });
        let known = &made[place].1;
        let places = special
            .iter()
            .filter_map(|name| known.binary_search_by(|other| (**other).cmp(name)).ok());
        let mut next = 0;
        for place in places {
            names.extend_from_slice(&known[next..place]);
            next = place + 1;
        }
        if next == 0 && names.is_empty() {
            return known.clone();
        }
        names.extend_from_slice(&known[next..]);
        names.into()
    }

    /// The classes of nodes for a Service, where special nodes are each a class of their own.
    #[must_use]
    pub fn classes<'f>(&'f self, special: &'f Special<'f>) -> Vec<NodeClass<'f, 'a>> {
        let names = &special.nodes;
        let mut classes = Vec::new();
        let mut add = |groups: &'f [usize]| {
            let members = groups.iter().flat_map(|group| &self.groups[*group].members);
            let mut rest = members.filter(|node| !names.contains(node.name.as_str()));
            if let (Some(speaker), Some(first)) = (rest.next(), groups.first()) {
                classes.push(NodeClass {
                    behaviour: self.groups[*first].behaviour,
                    speaker,
                    fleet: self,
                    groups,
                    alone: None,
                    special: names,
                });
            }
        };
        for groups in &self.alike {
            if special.zones {
                groups.chunks(1).for_each(&mut add);
            } else {
                add(groups);
            }
        }
        for name in names {
            // Members are sorted by name.
            let member = |place: usize| {
                let members = &self.groups[place].members;
                let found = members.binary_search_by(|node| node.name.as_str().cmp(name));
                found.ok().map(|member| (place, member))
            };
            let Some((place, member)) = (0..self.groups.len()).find_map(member) else {
                continue;
            };
            let group = &self.groups[place];
            classes.push(NodeClass {
                behaviour: group.behaviour,
                speaker: group.members[member],
                fleet: self,
                groups: std::slice::from_ref(&self.places[place]),
                alone: Some(member),
                special: names,
            });
        }
        classes
    }
}

/// What distinguishes nodes for a Service. By name: nodes with endpoints under a Local policy, nodes that hints name, and nodes that one of
/// several entries for the same endpoint is local to. By zone and labels: where hints or topology keys are used.
#[must_use]
pub fn special<'a>(
    service: &Service,
    slices: &[&EndpointSlice],
    candidates: &[Claims<'a>],
) -> Special<'a> {
    let local = service.internal_local
        || service.external_traffic_policy == Some(TrafficPolicy::Local)
        || service.health_check_node_port.is_some();
    let mut endpoints = slices.iter().flat_map(|slice| &slice.endpoints);
    let mut special = Special {
        nodes: BTreeSet::new(),
        zones: !service.topology_keys.is_empty()
            || endpoints.any(|endpoint| !endpoint.zone_hints.is_empty()),
    };
    for claims in candidates {
        if local || claims.ambiguous() {
            special.nodes.extend(claims.nodes());
        }
        for entry in claims.entries() {
            let hints = entry.written.node_hints.iter().map(String::as_str);
            special.nodes.extend(hints);
        }
    }
    special
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::facts::kube_proxy::{ModeSource, ProxyMode, VersionSource};
    use crate::facts::node::ZONE_LABEL;
    use crate::facts::version::KubeVersion;
    use crate::gates::state::Overrides;

    fn node(name: &str, zone: &str) -> Node {
        Node {
            name: name.to_owned(),
            labels: BTreeMap::from([(ZONE_LABEL.to_owned(), zone.to_owned())]),
            ..Node::default()
        }
    }

    #[test]
    fn every_node_is_in_exactly_one_class_and_only_special_ones_stand_alone() {
        let nodes = [
            node("a", "1"),
            node("b", "1"),
            node("c", "2"),
            node("d", "1"),
        ];
        let behaviour = Behaviour::new(
            KubeVersion::minor(36),
            ProxyMode::Iptables,
            &Overrides::new(),
        );
        let proxy = KubeProxy {
            version: KubeVersion::minor(36),
            version_source: VersionSource::Image,
            mode: ProxyMode::Iptables,
            mode_source: ModeSource::Default,
        };
        let fleet = Fleet::new(
            nodes.iter().map(|node| ProxyNode {
                node,
                proxy,
                behaviour,
            }),
            false,
        );
        let classes = |zones: bool| {
            let special = Special {
                nodes: BTreeSet::from(["b", "not-a-node"]),
                zones,
            };
            let classes = fleet.classes(&special);
            let mut names: Vec<String> = classes
                .iter()
                .map(|class| class.names().join(" "))
                .collect();
            names.sort();
            names
        };
        assert_eq!(classes(true), ["a d", "b", "c"]);
        assert_eq!(classes(false), ["a c d", "b"]);
    }
}
