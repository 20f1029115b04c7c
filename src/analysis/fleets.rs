//! The same nodes with other kube-proxies than they have: of each version, of each other, and with another data plane.

use std::collections::BTreeSet;

use crate::facts::kube_proxy::KubeProxy;
use crate::gates::behaviour::Behaviour;
use crate::gates::eras::{self, Era};
use crate::gates::state::Overrides;
use crate::proxy::classes::{Fleet, ProxyNode};

/// Each version with default gates, in each node's own mode, cut where a version changes anything.
pub(super) fn eras<'a>(nodes: &[ProxyNode<'a>], by_labels: bool) -> Vec<(Era, Fleet<'a>)> {
    let modes: BTreeSet<_> = nodes.iter().map(|node| node.proxy.mode).collect();
    let modes: Vec<_> = modes.into_iter().collect();
    let with = |era: Era| {
        let nodes = nodes.iter().map(|node| ProxyNode {
            node: node.node,
            proxy: era.kube_proxy(),
            behaviour: Behaviour::new(era.from, node.proxy.mode, &Overrides::new()),
        });
        (era, Fleet::new(nodes, by_labels))
    };
    eras::eras(&modes).into_iter().map(with).collect()
}

/// The kube-proxies that differ in what they do, by the first node of each, as if all nodes had each of them in turn.
pub(super) fn rivals<'a>(
    fleet: &Fleet<'a>,
    nodes: &[ProxyNode<'a>],
    by_labels: bool,
) -> Vec<(KubeProxy, Fleet<'a>)> {
    let on = |first| nodes.iter().find(|node| std::ptr::eq(node.node, first));
    let kinds: Vec<_> = fleet
        .behaviours()
        .filter_map(|(_, first)| on(first))
        .collect();
    if kinds.len() < 2 {
        return Vec::new();
    }
    // What they are called must not tell their answers apart.
    let proxy = Era::newest().kube_proxy();
    let as_if = |kind: &&ProxyNode<'a>| {
        let behaviour = kind.behaviour;
        let nodes = nodes.iter().map(|node| ProxyNode {
            node: node.node,
            proxy,
            behaviour,
        });
        (kind.proxy, Fleet::new(nodes, by_labels))
    };
    kinds.iter().map(as_if).collect()
}

/// The nodes as other data planes serve them: those that never fall back to terminating endpoints, and those that do.
pub(super) fn other_planes<'a>(nodes: &[ProxyNode<'a>], by_labels: bool) -> [Fleet<'a>; 2] {
    [false, true].map(|falls_back| {
        let behaviour = Behaviour::of_data_plane(falls_back);
        let nodes = nodes.iter().map(|node| ProxyNode { behaviour, ..*node });
        Fleet::new(nodes, by_labels)
    })
}
