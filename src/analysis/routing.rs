//! What becomes of new connections to a Service with these slices, and nothing else about it? What is asked again at each change of a rollout.

use super::cluster::Cluster;
use super::data_plane::{self, DataPlane, Selects};
use super::not_proxied::{WhyNotProxied, routed, why_not_proxied};
use super::paths::{self, PortPaths, Question};
use super::reading::Read;
use super::state::State;
use super::traffic_summary::TrafficSummary;
use crate::facts::endpoints::Endpoints;
use crate::facts::service::Service;
use crate::facts::slice::EndpointSlice;
use crate::proxy::classes::Fleet;
use crate::sources::DetectedSources;

/// What becomes of new connections.
#[derive(Debug, Clone)]
pub struct Routing<'a> {
    /// The Service's ports with their paths; empty where slices are not known, and where nothing routes it.
    pub ports: Vec<PortPaths<'a>>,
    /// The same in a few words; `None` likewise.
    pub traffic: Option<TrafficSummary>,
    /// The worst that is true.
    pub state: State,
}

/// What routes a Service, and the nodes in its terms; no nodes where its rules are not known.
pub(super) fn plane<'c, 'a>(
    sources: &DetectedSources<'a>,
    cluster: &'c Cluster<'a>,
    falls_back: impl FnOnce(Selects) -> Option<bool>,
) -> (Option<DataPlane>, Option<&'c Fleet<'a>>) {
    let plane = data_plane::data_plane(sources, cluster.assumptions);
    let fleet = match &plane {
        None => Some(&cluster.fleet),
        Some(plane) => falls_back(plane.selects).map(|falls_back| cluster.other_plane(falls_back)),
    };
    (plane, fleet)
}

/// Why nothing is said of a Service that kube-proxy, or what stands in its place, does not route.
pub(super) fn why(service: &Service, plane: Option<&DataPlane>) -> WhyNotProxied {
    match plane.map(|plane| plane.selects.ever_falls_back()) {
        Some(None) if routed(service) => WhyNotProxied::OtherDataPlane,
        _ => why_not_proxied(service),
    }
}

/// Asks the nodes of a cluster. `known` says that these are all slices that there are.
#[must_use]
pub fn routing<'a>(
    service: &'a Service,
    slices: &[&EndpointSlice],
    endpoints: Option<&Endpoints>,
    known: bool,
    cluster: &Cluster<'a>,
) -> Routing<'a> {
    let sources = cluster.sources(service);
    // From one change to the next it is told as one: what only some slices let say is left out.
    let (plane, fleet) = plane(&sources, cluster, Selects::ever_falls_back);
    let from_endpoints = endpoints
        .map(|object| paths::as_slices(service, object))
        .unwrap_or_default();
    let read = Read::new(service, slices, &from_endpoints);
    let ask = |fleet| {
        paths::ports(Question {
            service,
            read: &read,
            fleet,
            addresses: cluster.addresses(),
        })
    };
    let ports = fleet.map(ask).unwrap_or_default();
    match TrafficSummary::of(&ports) {
        Some(_) if !known => Routing {
            ports: Vec::new(),
            traffic: None,
            state: State::Unknown,
        },
        Some(traffic) => Routing {
            ports,
            traffic: Some(traffic),
            state: traffic.state(),
        },
        None => Routing {
            ports,
            traffic: None,
            state: State::NotProxied(why(service, plane.as_ref())),
        },
    }
}
