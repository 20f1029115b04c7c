//! What does it cost to work out where the connections of one Service go? It must grow with endpoints, and not with nodes that
//! decide alike (docs/performance.md).
//!
//! `cargo bench --bench selection`

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use divan::Bencher;
use drain_check::analysis::Assumptions;
use drain_check::analysis::behind::Workloads;
use drain_check::analysis::causes::Causes;
use drain_check::analysis::cluster;
use drain_check::analysis::{Cluster, service};
use drain_check::facts::cidr::Cidr;
use drain_check::facts::node::{Node, ZONE_LABEL};
use drain_check::facts::service::{Protocol, Service, ServicePort, TargetPort};
use drain_check::facts::slice::{AddressType, Conditions, Endpoint, EndpointSlice, SlicePort};
use drain_check::facts::version::KubeVersion;
use drain_check::facts::{ObjectName, Snapshot};

/// How the endpoints are: plain, or hinted to zones.
#[derive(Clone, Copy, PartialEq)]
enum Hints {
    None,
    Zones,
}

fn zone(number: usize) -> String {
    format!("zone-{}", number % 3)
}

fn node(number: usize) -> Node {
    Node {
        name: format!("node-{number:05}"),
        labels: BTreeMap::from([(ZONE_LABEL.to_owned(), zone(number))]),
        pod_cidrs: vec![Cidr::one(IpAddr::V4(Ipv4Addr::new(10, 244, 0, 0)))],
        kubelet: Some(KubeVersion::minor(36)),
        ..Node::default()
    }
}

fn endpoint(number: usize, nodes: usize, hints: Hints) -> Endpoint {
    let on = number * 7 % nodes;
    Endpoint {
        addresses: vec![format!(
            "10.{}.{}.{}",
            number >> 16,
            (number >> 8) & 255,
            number & 255
        )],
        conditions: Conditions {
            ready: Some(number % 50 != 1),
            serving: Some(true),
            terminating: Some(number % 50 == 1),
        },
        node: Some(format!("node-{on:05}")),
        zone: Some(zone(on)),
        zone_hints: match hints {
            Hints::None => Vec::new(),
            Hints::Zones => vec![zone(on)],
        },
        ..Endpoint::default()
    }
}

/// One Service with so many endpoints in slices of a hundred, on so many nodes of one kube-proxy in three zones.
fn snapshot(endpoints: usize, nodes: usize, hints: Hints) -> Snapshot {
    let port = ServicePort {
        name: "http".to_owned(),
        port: 80,
        protocol: Protocol::Tcp,
        target: TargetPort::Number(8080),
        node_port: None,
    };
    let all: Vec<_> = (0..endpoints)
        .map(|number| endpoint(number, nodes, hints))
        .collect();
    let slices = all
        .chunks(100)
        .enumerate()
        .map(|(number, part)| EndpointSlice {
            changed: None,
            name: ObjectName::new("shop", format!("web-{number}")),
            labels: BTreeMap::from([("kubernetes.io/service-name".to_owned(), "web".to_owned())]),
            address_type: AddressType::V4,
            endpoints: part.to_vec(),
            ports: vec![SlicePort {
                name: Some("http".to_owned()),
                port: Some(8080),
                protocol: Protocol::Tcp,
            }],
        });
    Snapshot {
        complete: true,
        services: vec![Service {
            name: ObjectName::new("shop", "web"),
            cluster_ips: vec!["10.96.0.1".parse().expect("an address")],
            ports: vec![port],
            ..Service::default()
        }],
        slices: slices.collect(),
        nodes: (0..nodes).map(node).collect(),
        ..Snapshot::default()
    }
}

/// One Service, all versions, in a cluster that is prepared already, as for each of the many of a scan.
fn one(bencher: Bencher<'_, '_>, endpoints: usize, nodes: usize, hints: Hints) {
    let snapshot = snapshot(endpoints, nodes, hints);
    let assumptions = Assumptions::default();
    let nodes = cluster::nodes(&snapshot, &assumptions);
    let cluster = Cluster::new(&snapshot, &nodes, &assumptions);
    bencher.bench_local(|| {
        service::analyse(
            &snapshot.services[0],
            Workloads::default(),
            &mut Causes::new(&[]),
            &cluster,
        )
        .by_version
        .len()
    });
}

#[divan::bench(args = [10, 100, 1000, 10_000], sample_count = 20)]
fn endpoints_on_1000_nodes(bencher: Bencher<'_, '_>, endpoints: usize) {
    one(bencher, endpoints, 1000, Hints::None);
}

#[divan::bench(args = [10, 100, 1000, 10_000], sample_count = 20)]
fn nodes_with_100_endpoints(bencher: Bencher<'_, '_>, nodes: usize) {
    one(bencher, 100, nodes, Hints::None);
}

#[divan::bench(args = [10, 100, 1000, 10_000], sample_count = 20)]
fn hinted_endpoints_on_1000_nodes(bencher: Bencher<'_, '_>, endpoints: usize) {
    one(bencher, endpoints, 1000, Hints::Zones);
}

#[divan::bench(args = [10, 100, 1000, 10_000], sample_count = 20)]
fn nodes_with_100_hinted_endpoints(bencher: Bencher<'_, '_>, nodes: usize) {
    one(bencher, 100, nodes, Hints::Zones);
}

fn main() {
    divan::main();
}
