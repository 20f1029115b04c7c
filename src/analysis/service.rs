//! What is the state of one Service, and what follows from what?

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::by_version;
use super::by_version::VersionRange;
use super::cluster::{Cluster, KubeProxy};
use super::data_plane;
use super::data_plane::DataPlane;
use super::doubt::Doubt;
use super::endpoints;
use super::endpoints::EndpointCheck;
use super::hints;
pub use super::not_proxied::WhyNotProxied;
use super::not_proxied::{routed, why_not_proxied};
use super::paths;
use super::paths::{Outcome, PathCheck, PortCheck, Question};
use super::reading::Read;
use super::traffic_summary::{TrafficSummary, outcomes};
use crate::controllers::compare;
use crate::controllers::compare::{Comparison, Known};
use crate::facts::Resource;
use crate::facts::endpoints::Endpoints;
use crate::facts::names::Names;
use crate::facts::pod::Pod;
use crate::facts::service::{Family, Service};
use crate::facts::slice::EndpointSlice;
use crate::proxy::classes::Fleet;
use crate::proxy::health;
use crate::proxy::reason::Verdict;
use crate::proxy::topology::HintsRefused;
use crate::sources::Detected;

/// The worst that is true of a Service, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// All paths on all nodes use ready endpoints.
    Healthy,
    /// Some node or path drops, rejects or uses terminating endpoints while others use ready ones.
    Degraded,
    /// Everything that forwards uses terminating endpoints, because none is ready.
    TerminatingOnly,
    /// No path on any node forwards.
    NoBackends,
    /// kube-proxy does not handle the Service.
    NotProxied(WhyNotProxied),
    /// Its EndpointSlices could not be read, or something else that could not be read may make it another one.
    Unknown,
}

/// What each node answers on the health check port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthCheck {
    /// The port.
    pub port: u16,
    /// Nodes by the number of ready endpoints that they have; 0 answers 503, more 200.
    pub nodes: BTreeMap<usize, Names>,
}

/// Everything that was found out about one Service.
#[derive(Debug)]
pub struct ServiceCheck<'a> {
    /// The Service.
    pub service: &'a Service,
    /// Its slices, whoever writes them.
    pub slices: Vec<&'a EndpointSlice>,
    /// Its Endpoints object.
    pub endpoints_object: Option<&'a Endpoints>,
    /// The pods that it selects; `None` where pods are not known or it has no selector.
    pub pods: Option<Vec<&'a Pod>>,
    /// The worst that is true.
    pub state: State,
    /// What leaves the state open although the slices are known.
    pub doubt: Option<Doubt>,
    /// What becomes of new connections, as far as could be read; `None` where no verdict is known or kube-proxy has none.
    pub traffic: Option<TrafficSummary>,
    /// Its ports with their paths.
    pub ports: Vec<PortCheck<'a>>,
    /// Its endpoints in all three views.
    pub endpoints: Vec<EndpointCheck<'a>>,
    /// Where the three views should agree and do not.
    pub comparison: Comparison,
    /// The health check port.
    pub health: Option<HealthCheck>,
    /// What other versions do.
    pub by_version: Vec<VersionRange>,
    /// The kube-proxies whose answers differ from one another's, if every node had each of them in turn.
    pub disagreeing_proxies: Vec<KubeProxy>,
    /// What routes it in kube-proxy's place.
    pub data_plane: Option<DataPlane>,
    /// Who sends traffic besides kube-proxy.
    pub sources: Rc<Detected<'a>>,
    /// The nodes that ignore topology hints, by why they do.
    pub hints_refused: BTreeMap<HintsRefused, Names>,
}

impl ServiceCheck<'_> {
    /// Every outcome of every port, path and source.
    pub fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        outcomes(&self.ports)
    }

    /// Is this true of what becomes of new connections, whatever there is among what could not be read?
    pub fn certainly(&self, wanted: impl FnMut(&TrafficSummary) -> bool) -> bool {
        let doubts = self.doubt.iter();
        doubts.flat_map(|doubt| &doubt.stories).all(wanted)
    }

    /// The endpoints that get new connections on some path and node.
    #[must_use]
    pub fn backends(&self) -> BTreeSet<&str> {
        self.outcomes().flat_map(Outcome::backends).collect()
    }
}

/// Are the Service's slices known? A cluster may refuse them, and files may hold none. The controller keeps at least an empty one for
/// each Service with a selector, so where files hold none for such a Service they were left out.
fn slices_known(service: &Service, slices: &[&EndpointSlice], cluster: &Cluster<'_>) -> bool {
    let left_out = !cluster.snapshot.complete && service.selector.is_some() && slices.is_empty();
    cluster.has_read(Resource::EndpointSlices) && !left_out
}

fn health_check(
    service: &Service,
    slices: &[&EndpointSlice],
    cluster: &Cluster<'_>,
) -> Option<HealthCheck> {
    let port = service.health_check_node_port?;
    let family = Family::of(*service.cluster_ips.first()?);
    let fleet = &cluster.fleet;
    let mut nodes: BTreeMap<usize, Vec<Arc<str>>> = BTreeMap::new();
    for (behaviour, _) in fleet.behaviours() {
        let ready = health::local_ready_endpoints(service, family, slices, behaviour)?;
        let members = fleet.that(|does| does == behaviour);
        for name in &fleet.names(&members, &BTreeSet::new()) {
            let count = ready.get(&**name).copied().unwrap_or_default();
            nodes.entry(count).or_default().push(Arc::clone(name));
        }
    }
    let nodes = nodes
        .into_iter()
        .map(|(count, names)| (count, names.into()));
    let nodes = nodes.collect();
    Some(HealthCheck { port, nodes })
}

/// The kube-proxies of this cluster that decide differently about the same endpoints.
fn disagreeing<'c, 'a>(
    cluster: &'c Cluster<'a>,
    ask: impl Fn(&'c Fleet<'a>) -> Vec<PortCheck<'a>>,
) -> Vec<KubeProxy> {
    let rivals = &cluster.rivals;
    let answers: Vec<_> = rivals.iter().map(|(_, fleet)| ask(fleet)).collect();
    if answers
        .iter()
        .all(|answer| same_traffic(answer, &answers[0]))
    {
        return Vec::new();
    }
    rivals.iter().map(|(proxy, _)| *proxy).collect()
}

/// To which endpoints do the nodes send connections on a path? Where all do the same, they need not be named.
fn traffic(path: &PathCheck) -> BTreeMap<(Verdict, Vec<&str>), Vec<&str>> {
    let mut traffic: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for outcome in &path.outcomes {
        let does = (outcome.verdict, outcome.backends().collect());
        let nodes = outcome.nodes.iter().map(|name| &**name);
        traffic.entry(does).or_default().extend(nodes);
    }
    if traffic.len() == 1 {
        traffic.values_mut().for_each(Vec::clear);
    }
    for nodes in traffic.values_mut() {
        nodes.sort_unstable();
    }
    traffic
}

/// Do two fleets send connections to the same endpoints? Reasons may differ in their words.
fn same_traffic(one: &[PortCheck<'_>], other: &[PortCheck<'_>]) -> bool {
    let paths = |ports: &[PortCheck<'_>]| -> Vec<_> {
        let paths = ports.iter().flat_map(|port| &port.paths);
        paths.map(|path| (path.path, path.from)).collect()
    };
    let stories = one.iter().flat_map(|port| &port.paths).map(traffic);
    let others = other.iter().flat_map(|port| &port.paths).map(traffic);
    paths(one) == paths(other) && stories.eq(others)
}

/// Works out one Service.
#[must_use]
pub fn check<'a>(service: &'a Service, cluster: &Cluster<'a>) -> ServiceCheck<'a> {
    let slices = cluster.slices(&service.name).to_vec();
    let endpoints_object = cluster.endpoints(&service.name);
    let pods = cluster.selected(service);
    let none = BTreeMap::new();
    let all_pods = cluster.pods(&service.name.namespace).unwrap_or(&none);
    let comparison = compare::compare(
        &Known {
            service,
            slices: &slices,
            endpoints: endpoints_object,
            endpoints_were_read: cluster.has_read(Resource::Endpoints),
            pods: pods.as_deref(),
            nodes: cluster.node_names(),
            controllers: cluster.controllers,
        },
        all_pods,
    );
    let from_endpoints = endpoints_object
        .map(|object| paths::as_slices(service, object))
        .unwrap_or_default();
    let endpoints = endpoints::endpoints(service, &slices, endpoints_object, cluster, &comparison);
    let read = Read::new(service, &slices, &from_endpoints);
    let question = |fleet| Question {
        service,
        read: &read,
        fleet,
    };
    let ask = |fleet| paths::ports(cluster, question(fleet));
    let sources = cluster.sources(service);
    let data_plane = data_plane::data_plane(&sources, cluster);
    let other = data_plane.as_ref().map(|plane| plane.falls_back);
    let ports = match other {
        None => ask(&cluster.fleet),
        Some(Some(falls_back)) => ask(cluster.other_plane(falls_back)),
        Some(None) => Vec::new(),
    };
    let traffic = TrafficSummary::of(&ports);
    let known = slices_known(service, &slices, cluster) || traffic.is_none();
    let told = |fleet| TrafficSummary::told(cluster, question(fleet));
    let doubt = known
        .then(|| (cluster.alternatives).doubt(&ports, other.is_some(), told))
        .flatten();
    let (state, by_version, disagreeing_proxies) = if known {
        let why = match other {
            Some(None) if routed(service) => WhyNotProxied::OtherDataPlane,
            _ => why_not_proxied(service),
        };
        let state = match (traffic, &doubt) {
            (_, Some(_)) => State::Unknown,
            (Some(traffic), None) => traffic.state(),
            (None, None) => State::NotProxied(why),
        };
        // Other versions of kube-proxy say nothing about another data plane.
        let eras = cluster.eras.iter().filter(|_| other.is_none());
        let answers = eras.filter_map(|(era, fleet)| {
            let traffic = TrafficSummary::told(cluster, question(fleet))?;
            Some(VersionRange::new(*era, traffic))
        });
        let by_version = by_version::join(answers);
        let disagreeing = if other.is_none() {
            disagreeing(cluster, ask)
        } else {
            Vec::new()
        };
        (state, by_version, disagreeing)
    } else {
        (State::Unknown, Vec::new(), Vec::new())
    };
    let health = if known {
        health_check(service, &slices, cluster)
    } else {
        None
    };
    let hints_refused = if other.is_none() {
        hints::refused(service, &slices, &read, cluster)
    } else {
        BTreeMap::new()
    };
    ServiceCheck {
        service,
        data_plane,
        sources,
        hints_refused,
        // Without slices no verdict is worth showing.
        ports: if known { ports } else { Vec::new() },
        doubt,
        slices,
        endpoints_object,
        pods,
        state,
        traffic: traffic.filter(|_| known),
        endpoints,
        comparison,
        health,
        by_version,
        disagreeing_proxies,
    }
}
