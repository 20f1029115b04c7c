//! Which packets ask a dump for a path? An address for each kind of source and each address of the path.

use std::net::IpAddr;

use crate::analysis::paths::{PathOutcomes, Source};
use crate::facts::cidr::Cidr;
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::node::Node;
use crate::facts::service::{Family, Protocol, Service};
use crate::node_rules::{From, Packet, Rules};
use crate::proxy::answer::{Path, Ranges};

/// Addresses that stand for everybody off the cluster: kept for documentation and tests (RFC 5737, RFC 2544, RFC 3849), else anybody's.
const OUTSIDERS: [&str; 8] = [
    "192.0.2.77",
    "198.51.100.77",
    "203.0.113.77",
    "198.18.0.77",
    "100.127.255.77",
    "2001:db8:ffff::77",
    "2001:db8:7777::77",
    "3fff:fff::77",
];

/// How many addresses of a range are tried.
const TRIED: u16 = 64;

/// A packet that asks for a decision.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) packet: Packet,
}

/// What is known of a node and of a Service when a packet is made.
pub(super) struct Place<'p> {
    pub(super) service: &'p Service,
    pub(super) node: &'p Node,
    pub(super) pods: &'p [Cidr],
    pub(super) rules: &'p Rules,
}

impl Place<'_> {
    fn is_pods(&self, address: IpAddr) -> bool {
        self.pods.iter().any(|range| range.contains(address))
    }

    fn in_ranges(&self, address: IpAddr) -> bool {
        let mut ranges = self.service.source_ranges.iter();
        ranges.any(|range| range.contains(address))
    }

    /// Does an address stand to the source ranges as it should?
    fn stands(&self, address: IpAddr, ranges: Ranges) -> bool {
        match ranges {
            Ranges::None => true,
            Ranges::In => self.in_ranges(address),
            Ranges::Out => !self.in_ranges(address),
        }
    }

    fn own(&self, family: Family) -> Option<IpAddr> {
        let listed = self.rules.node_addresses().into_iter().next();
        self.node.address(family).or(listed)
    }

    fn outside(&self, family: Family, ranges: Ranges) -> Option<IpAddr> {
        if ranges == Ranges::In {
            let of_family = |range: &&Cidr| range.family() == family;
            let these = self.service.source_ranges.iter().filter(of_family);
            let mut candidates = these.flat_map(|range| {
                let all = (0..TRIED).map(|number| range.nth(number));
                all.filter(|address| range.contains(*address))
            });
            return candidates
                .find(|address| !self.is_pods(*address) && self.own(family) != Some(*address));
        }
        let addresses = OUTSIDERS.iter().filter_map(|text| text.parse().ok());
        let mut addresses = addresses.filter(|address| Family::of(*address) == family);
        addresses.find(|address| {
            !self.is_pods(*address)
                && !self.in_ranges(*address)
                && !self.rules.tells_apart(*address)
        })
    }

    /// An address of a pod that is none of the Service's endpoints, as far as a high number in the node's own range tells.
    fn pod(&self, family: Family, ranges: Ranges) -> Option<IpAddr> {
        let of_family = |range: &&Cidr| range.family() == family;
        let ranges_of = self
            .node
            .pod_cidrs
            .iter()
            .chain(self.pods)
            .filter(of_family);
        let mut candidates = ranges_of.flat_map(|range| {
            let all = (0..TRIED).map(|number| range.nth(250 - number));
            all.filter(|address| range.contains(*address))
        });
        candidates.find(|address| self.stands(*address, ranges))
    }

    /// The addresses of a path.
    fn addresses(&self, path: Path, family: Family) -> Vec<IpAddr> {
        let of_family = |address: &IpAddr| Family::of(*address) == family;
        let service = self.service;
        let all: Vec<IpAddr> = match path {
            Path::ClusterIp => service.cluster_ips.clone(),
            Path::LoadBalancer => {
                let captured = service.load_balancer_ingress.iter();
                let captured = captured.filter(|ingress| !ingress.proxy_mode);
                captured.map(|ingress| ingress.ip).collect()
            }
            Path::ExternalIp => service.external_ips.clone(),
            Path::NodePort => {
                let stand_in = || {
                    // iptables asks whether it is the node's, and for no address.
                    let any = self.rules.mode() == ProxyMode::Iptables;
                    let texts = OUTSIDERS.iter().rev().filter_map(|text| text.parse().ok());
                    let mut texts = texts.filter(of_family);
                    any.then(|| texts.next()).flatten()
                };
                self.own(family).or_else(stand_in).into_iter().collect()
            }
        };
        all.into_iter().filter(of_family).collect()
    }

    /// One packet for each address and each kind of source, as far as an address for it is known.
    pub(super) fn packets(&self, path: &PathOutcomes, port: u16, protocol: Protocol) -> Vec<Asked> {
        let family = path.family;
        let sources: &[From] = match path.from {
            Source::Anywhere => &[From::Outside, From::Pod, From::Node],
            Source::Outside => &[From::Outside],
            Source::Inside => &[From::Pod, From::Node],
            Source::Pods => &[From::Pod],
            Source::Node => &[From::Node],
        };
        let source = |from: From| match from {
            From::Outside => self.outside(family, path.ranges),
            From::Pod => self.pod(family, path.ranges),
            From::Node => {
                let own = self.own(family);
                own.filter(|address| self.stands(*address, path.ranges))
            }
        };
        let sources: Vec<_> = sources
            .iter()
            .filter_map(|from| Some((*from, source(*from)?)))
            .collect();
        let addresses = self.addresses(path.path, family).into_iter();
        addresses
            .flat_map(|destination| {
                sources.iter().map(move |(from, source)| Asked {
                    packet: Packet {
                        from: *from,
                        source: *source,
                        destination,
                        port,
                        protocol,
                        local: path.path == Path::NodePort,
                    },
                })
            })
            .collect()
    }
}
