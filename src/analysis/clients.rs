//! What can kube-proxies tell of the addresses that connections come from?

use crate::facts::cidr::Cidr;
use crate::facts::node::Node;
use crate::facts::service::{Family, Service};
use crate::facts::{Snapshot, kube_proxy::KubeProxySettings};
use crate::proxy::answer::Clients;

use super::assumptions::Assumptions;

/// Can kube-proxy tell pods' addresses from others? By family; `None` where nothing tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TellsPods {
    /// IPv4 addresses.
    pub v4: Option<bool>,
    /// IPv6 addresses.
    pub v6: Option<bool>,
}

impl TellsPods {
    /// The answer for a family.
    #[must_use]
    pub const fn of(self, family: Family) -> Option<bool> {
        match family {
            Family::V4 => self.v4,
            Family::V6 => self.v6,
        }
    }
}

/// The addresses of pods and nodes, as far as they are known.
#[derive(Debug, Clone, Copy)]
pub struct Addresses<'q> {
    /// Can kube-proxy tell pods' connections from others?
    pub tells_pods: TellsPods,
    /// Pods' addresses; empty where they are not known.
    pub pods: &'q [Cidr],
    /// The nodes.
    pub nodes: &'q [Node],
}

impl Addresses<'_> {
    /// What kube-proxies can tell of those who connect to a Service.
    #[must_use]
    pub fn of(&self, service: &Service, family: Family) -> Clients {
        let of_family = |range: &&Cidr| range.family() == family;
        let ranges: Vec<_> = service.source_ranges.iter().filter(of_family).collect();
        let clients = Clients {
            pods_known: self.tells_pods.of(family).unwrap_or(true),
            ..Clients::default()
        };
        if ranges.is_empty() {
            return clients;
        }
        let pods = self.pods.iter().filter(of_family);
        let nodes = self.nodes.iter().map(|node| {
            let address = node.address(family)?;
            Some(ranges.iter().any(|range| range.contains(address)))
        });
        Clients {
            pods_in_ranges: agreed(pods.map(|pods| {
                if ranges.iter().any(|range| range.covers(*pods)) {
                    Some(true)
                } else {
                    (!ranges.iter().any(|range| range.overlaps(*pods))).then_some(false)
                }
            })),
            nodes_in_ranges: agreed(nodes),
            ..clients
        }
    }
}

/// What all say; `None` where they differ, where one does not know, and where there is nobody.
fn agreed(mut all: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let first = all.next()??;
    all.all(|one| one == Some(first)).then_some(first)
}

/// kube-proxies' settings: those of their configuration, else of the first one's command line.
fn settings(snapshot: &Snapshot) -> Option<&KubeProxySettings> {
    let proxies = &snapshot.kube_proxies;
    let flags = proxies.pods.first().map(|pod| &pod.flags);
    proxies.config.as_ref().or(flags)
}

/// Can kube-proxy tell pods' addresses of a family from others? `None` where nothing tells.
///
/// `pkg/proxy/util/localdetector.go`: by the cluster's CIDR unless `detectLocalMode` says otherwise.
pub(super) fn tells_pods(
    family: Family,
    snapshot: &Snapshot,
    nodes: &[Node],
    assumptions: &Assumptions,
) -> Option<bool> {
    let any = |ranges: &[Cidr]| ranges.iter().any(|range| range.family() == family);
    if let Some(ranges) = &assumptions.cluster_cidr {
        return Some(any(ranges));
    }
    let by_node = || nodes.iter().any(|node| any(&node.pod_cidrs));
    let settings = settings(snapshot);
    match settings.map(|settings| (settings.detect_local.as_deref(), settings)) {
        Some((Some("BridgeInterface" | "InterfaceNamePrefix"), _)) => Some(true),
        Some((Some("NodeCIDR"), _)) => Some(by_node()),
        Some((_, settings)) if snapshot.kube_proxies.config.is_some() => {
            Some(any(&settings.cluster_cidrs))
        }
        Some((_, settings)) if !settings.cluster_cidrs.is_empty() => {
            Some(any(&settings.cluster_cidrs))
        }
        _ => by_node().then_some(true),
    }
}

/// Pods' addresses: `--cluster-cidr`, kube-proxy's `clusterCIDR`, else the nodes' `podCIDRs`. Empty where nothing tells.
pub(super) fn pods(snapshot: &Snapshot, nodes: &[Node], assumptions: &Assumptions) -> Vec<Cidr> {
    let said = assumptions.cluster_cidr.as_ref();
    let set = settings(snapshot).map(|settings| &settings.cluster_cidrs);
    match said.or(set).filter(|ranges| !ranges.is_empty()) {
        Some(ranges) => ranges.clone(),
        None => nodes
            .iter()
            .flat_map(|node| node.pod_cidrs.clone())
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges<const N: usize>(texts: [&str; N]) -> Vec<Cidr> {
        texts.map(|text| text.parse().expect("a range")).to_vec()
    }

    #[test]
    fn pods_and_nodes_are_in_the_ranges_out_of_them_or_nobody_can_tell() {
        let node = |address: &str| Node {
            addresses: vec![address.parse().expect("an address")],
            ..Node::default()
        };
        let nodes = [node("192.168.77.11"), node("192.168.77.12")];
        let pods = ranges(["10.128.0.0/9"]);
        let of = |written: Vec<Cidr>| {
            let service = Service {
                source_ranges: written,
                ..Service::default()
            };
            let addresses = Addresses {
                tells_pods: TellsPods::default(),
                pods: &pods,
                nodes: &nodes,
            };
            let clients = addresses.of(&service, Family::V4);
            (clients.pods_in_ranges, clients.nodes_in_ranges)
        };
        assert_eq!(of(ranges(["203.0.113.0/24"])), (Some(false), Some(false)));
        assert_eq!(of(ranges(["10.0.0.0/8"])), (Some(true), Some(false)));
        assert_eq!(of(ranges(["10.244.0.0/16"])), (None, Some(false)));
        assert_eq!(of(ranges(["192.168.77.11/32"])), (Some(false), None));
        assert_eq!(of(ranges(["192.168.0.0/16"])), (Some(false), Some(true)));
        assert_eq!(of(ranges(["fd00::/8"])), (None, None));
    }
}
