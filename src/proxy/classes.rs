//! Which nodes must give the same answer, so that each answer is worked out once: cost grows with classes, not with nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::ingest::Claims;
use crate::facts::node::Node;
use crate::facts::service::{Service, TrafficPolicy};
use crate::gates::behaviour::Behaviour;

/// A node with what its kube-proxy does.
#[derive(Debug, Clone, Copy)]
pub struct ProxyNode<'a> {
    /// The node.
    pub node: &'a Node,
    /// What its kube-proxy does.
    pub behaviour: Behaviour,
}

/// Nodes that decide alike for every Service that treats no node specially: same kube-proxy, same zone.
#[derive(Debug, Clone)]
struct Group<'a> {
    behaviour: Behaviour,
    members: Vec<&'a Node>,
}

/// All nodes of a cluster, grouped once for all Services.
#[derive(Debug, Clone, Default)]
pub struct Fleet<'a> {
    groups: Vec<Group<'a>>,
    /// Where each node is: group and place in it.
    places: BTreeMap<&'a str, usize>,
}

/// Nodes that decide alike for one Service.
#[derive(Debug, Clone)]
pub struct NodeClass<'f, 'a> {
    /// What their kube-proxy does.
    pub behaviour: Behaviour,
    /// One of them, which speaks for all.
    pub speaker: &'a Node,
    group: &'f Group<'a>,
    except: Option<&'f BTreeSet<&'f str>>,
}

impl<'a> NodeClass<'_, 'a> {
    /// The names of the nodes in the class, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<&'a str> {
        match self.except {
            None => vec![self.speaker.name.as_str()],
            Some(special) => self
                .group
                .members
                .iter()
                .map(|node| node.name.as_str())
                .filter(|name| !special.contains(name))
                .collect(),
        }
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
        for ProxyNode { node, behaviour } in sorted {
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
                });
                fleet.groups.len() - 1
            });
            fleet.groups[index].members.push(node);
            fleet.places.insert(&node.name, index);
        }
        fleet
    }

    /// Every node's name with what its kube-proxy does.
    pub fn members(&self) -> impl Iterator<Item = (&'a str, &Behaviour)> {
        self.groups.iter().flat_map(|group| {
            group
                .members
                .iter()
                .map(|node| (node.name.as_str(), &group.behaviour))
        })
    }

    /// What the kube-proxies do, each with the nodes on which they do it; the same may come more than once.
    pub fn groups(&self) -> impl Iterator<Item = (&Behaviour, &[&'a Node])> {
        self.groups
            .iter()
            .map(|group| (&group.behaviour, group.members.as_slice()))
    }

    /// The classes of nodes for a Service, where `special` nodes are each a class of their own.
    #[must_use]
    pub fn classes<'f>(&'f self, special: &'f BTreeSet<&'f str>) -> Vec<NodeClass<'f, 'a>> {
        let mut classes = Vec::new();
        for group in &self.groups {
            let rest = group
                .members
                .iter()
                .find(|node| !special.contains(node.name.as_str()));
            if let Some(speaker) = rest {
                classes.push(NodeClass {
                    behaviour: group.behaviour,
                    speaker,
                    group,
                    except: Some(special),
                });
            }
        }
        for name in special {
            let Some(group) = self.places.get(name).map(|index| &self.groups[*index]) else {
                continue;
            };
            // Members are sorted by name.
            let place = group
                .members
                .binary_search_by(|node| node.name.as_str().cmp(name));
            if let Ok(place) = place {
                classes.push(NodeClass {
                    behaviour: group.behaviour,
                    speaker: group.members[place],
                    group,
                    except: None,
                });
            }
        }
        classes
    }
}

/// The nodes whose name matters to a Service: those with endpoints under a Local policy, those that hints name, and those that
/// one of several entries for the same endpoint is local to.
#[must_use]
pub fn special_nodes<'a>(service: &Service, candidates: &[Claims<'a>]) -> BTreeSet<&'a str> {
    let local = service.internal_local
        || service.external_traffic_policy == Some(TrafficPolicy::Local)
        || service.health_check_node_port.is_some();
    let mut names = BTreeSet::new();
    for claims in candidates {
        if local || claims.ambiguous() {
            names.extend(claims.nodes());
        }
        for entry in claims.entries() {
            names.extend(entry.written.node_hints.iter().map(String::as_str));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::kube_proxy::ProxyMode;
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
        let fleet = Fleet::new(
            nodes.iter().map(|node| ProxyNode { node, behaviour }),
            false,
        );
        let special = BTreeSet::from(["b", "not-a-node"]);
        let mut classes: Vec<_> = fleet
            .classes(&special)
            .iter()
            .map(NodeClass::names)
            .collect();
        classes.sort();
        assert_eq!(classes, [vec!["a", "d"], vec!["b"], vec!["c"]]);
    }
}
