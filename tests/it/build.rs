//! Small Services and slices for tests of the model.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use drain_check::facts::ObjectName;
use drain_check::facts::kube_proxy::ProxyMode;
use drain_check::facts::node::{Node, ZONE_LABEL};
use drain_check::facts::service::{
    Family, LoadBalancerIngress, Protocol, Service, ServicePort, ServiceType, TargetPort,
    TrafficPolicy,
};
use drain_check::facts::slice::{AddressType, Conditions, Endpoint, EndpointSlice, SlicePort};
use drain_check::gates::behaviour::Behaviour;
use drain_check::gates::state::Overrides;
use drain_check::proxy::answer::{Answer, Clients};
use drain_check::proxy::ingest;
use drain_check::proxy::lists::NodeView;
use drain_check::proxy::paths;

/// Ready, serving, terminating.
pub(crate) type State = (bool, bool, bool);

pub(crate) const READY: State = (true, true, false);
pub(crate) const DRAINING: State = (false, true, true);
pub(crate) const GONE_SILENT: State = (false, false, true);
pub(crate) const UNREADY: State = (false, false, false);

/// A LoadBalancer Service `shop/web` with every path, both policies Cluster.
pub(crate) fn service() -> Service {
    Service {
        name: ObjectName::new("shop", "web"),
        kind: ServiceType::LoadBalancer,
        cluster_ips: vec![IpAddr::V4(Ipv4Addr::new(10, 96, 0, 1))],
        ports: vec![ServicePort {
            name: "http".to_owned(),
            port: 80,
            protocol: Protocol::Tcp,
            target: TargetPort::Number(8080),
            node_port: Some(30080),
        }],
        external_ips: vec![IpAddr::V4(Ipv4Addr::new(203, 0, 113, 1))],
        load_balancer_ingress: vec![LoadBalancerIngress {
            ip: IpAddr::V4(Ipv4Addr::new(198, 51, 100, 1)),
            proxy_mode: false,
        }],
        external_traffic_policy: Some(TrafficPolicy::Cluster),
        ..Service::default()
    }
}

/// A slice with one endpoint per (node, state): 10.0.0.1, 10.0.0.2 and so on.
pub(crate) fn slice(endpoints: &[(&str, State)]) -> EndpointSlice {
    EndpointSlice {
        name: ObjectName::new("shop", "web-1"),
        changed: None,
        labels: BTreeMap::from([("kubernetes.io/service-name".to_owned(), "web".to_owned())]),
        address_type: AddressType::V4,
        endpoints: endpoints
            .iter()
            .zip(1u8..)
            .map(|((node, (ready, serving, terminating)), last)| Endpoint {
                addresses: vec![Ipv4Addr::new(10, 0, 0, last).to_string()],
                conditions: Conditions {
                    ready: Some(*ready),
                    serving: Some(*serving),
                    terminating: Some(*terminating),
                },
                node: Some((*node).to_owned()),
                ..Endpoint::default()
            })
            .collect(),
        ports: vec![SlicePort {
            name: Some("http".to_owned()),
            port: Some(8080),
            protocol: Protocol::Tcp,
        }],
    }
}

pub(crate) fn node(name: &str, zone: &str) -> Node {
    Node {
        name: name.to_owned(),
        labels: BTreeMap::from([(ZONE_LABEL.to_owned(), zone.to_owned())]),
        ..Node::default()
    }
}

pub(crate) fn behaviour(version: &str, mode: ProxyMode) -> Behaviour {
    Behaviour::new(version.parse().expect("a version"), mode, &Overrides::new())
}

/// What a kube-proxy tells of clients that knows which addresses are pods'.
pub(crate) fn telling_pods() -> Clients {
    Clients {
        pods_known: true,
        ..Clients::default()
    }
}

/// Every answer of one node for the Service's first port.
pub(crate) fn answers(
    service: &Service,
    slices: &[EndpointSlice],
    node: &Node,
    behaviour: &Behaviour,
) -> (Vec<String>, Vec<Answer>) {
    let view = NodeView::from(node);
    let slices: Vec<_> = slices.iter().collect();
    let port = &service.ports[0];
    let claims = ingest::candidates(service, port, Family::V4, &slices, behaviour.into());
    let endpoints = claims
        .iter()
        .map(|claim| claim.on_node(&node.name, behaviour).endpoint.to_string())
        .collect();
    let answers = paths::answers(
        service,
        port,
        Family::V4,
        &claims,
        &view,
        telling_pods(),
        behaviour,
    );
    (endpoints, answers)
}
