//! What is the state of one Service, and what follows from what?

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::by_version::{self, VersionRange};
use super::cluster::{Cluster, KubeProxy, ModeSource, VersionSource};
use super::data_plane::{self, DataPlane};
use super::doubt::Doubt;
use super::endpoints::{self, EndpointCheck};
use super::hints;
pub use super::not_proxied::WhyNotProxied;
use super::not_proxied::{routed, why_not_proxied};
use super::paths::{self, Outcome, PortCheck, Question};
use super::story::{Story, outcomes};
use crate::consumers::Detected;
use crate::controllers::compare::{self, Comparison, Known};
use crate::facts::Resource;
use crate::facts::endpoints::Endpoints;
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::pod::Pod;
use crate::facts::service::{Family, Service};
use crate::facts::slice::EndpointSlice;
use crate::facts::version::KubeVersion;
use crate::gates::behaviour::{Behaviour, NEWEST_MINOR};
use crate::proxy::classes::Fleet;
use crate::proxy::health;
use crate::proxy::topology::HintsRefused;

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
    pub nodes: BTreeMap<usize, Vec<String>>,
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
    pub story: Option<Story>,
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
    pub senders: Rc<Detected<'a>>,
    /// The nodes that ignore topology hints, by why they do.
    pub hints_refused: BTreeMap<HintsRefused, BTreeSet<String>>,
}

impl ServiceCheck<'_> {
    /// Every outcome of every port, path and source.
    pub fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        outcomes(&self.ports)
    }

    /// Is this true of what becomes of new connections, whatever there is among what could not be read?
    pub fn certainly(&self, wanted: impl FnMut(&Story) -> bool) -> bool {
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
    let holds: BTreeSet<_> = slices
        .iter()
        .flat_map(|slice| &slice.endpoints)
        .flat_map(|endpoint| {
            endpoint
                .node
                .iter()
                .chain(endpoint.topology.get(crate::facts::node::HOSTNAME_LABEL))
        })
        .map(String::as_str)
        .collect();
    let mut nodes: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (node, behaviour) in cluster.fleet.members() {
        // Most nodes of a large cluster hold none of the Service's endpoints.
        let slices = if holds.contains(node) { slices } else { &[] };
        let count = health::local_ready_endpoints(service, family, slices, node, behaviour)?;
        nodes.entry(count).or_default().push(node.to_owned());
    }
    for names in nodes.values_mut() {
        names.sort();
    }
    Some(HealthCheck { port, nodes })
}

/// The kube-proxies of this cluster that decide differently about the same endpoints.
fn disagreeing<'a>(
    cluster: &Cluster<'a>,
    ask: &impl Fn(&Fleet<'a>, KubeProxy) -> Vec<PortCheck<'a>>,
) -> Vec<KubeProxy> {
    let mut kinds: Vec<(Behaviour, KubeProxy)> = Vec::new();
    for (behaviour, members) in cluster.fleet.groups() {
        let first = members.first().map(|node| node.name.as_str());
        if let Some(proxy) = first.and_then(|node| cluster.proxies.get(node))
            && !kinds.iter().any(|(known, _)| known == behaviour)
        {
            kinds.push((*behaviour, *proxy));
        }
    }
    if kinds.len() < 2 {
        return Vec::new();
    }
    let neutral = KubeProxy {
        version: KubeVersion::minor(NEWEST_MINOR),
        version_source: VersionSource::Assumed,
        mode: ProxyMode::Iptables,
        mode_source: ModeSource::Assumed,
    };
    let answers: Vec<_> = kinds
        .iter()
        .map(|(behaviour, _)| ask(&cluster.fleet_of(*behaviour), neutral))
        .collect();
    if answers.iter().all(|answer| same_story(answer, &answers[0])) {
        return Vec::new();
    }
    kinds.into_iter().map(|(_, proxy)| proxy).collect()
}

/// Do two fleets send connections to the same endpoints? Reasons may differ in their words.
fn same_story(one: &[PortCheck<'_>], other: &[PortCheck<'_>]) -> bool {
    let story = |ports: &[PortCheck<'_>]| -> Vec<_> {
        ports
            .iter()
            .flat_map(|port| &port.paths)
            .flat_map(|path| {
                path.outcomes.iter().flat_map(|outcome| {
                    outcome.nodes.iter().map(|node| {
                        let backends: Vec<_> = outcome.backends().map(str::to_owned).collect();
                        (
                            path.path,
                            path.from,
                            node.clone(),
                            outcome.verdict,
                            backends,
                        )
                    })
                })
            })
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    };
    story(one) == story(other)
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
    let ask = |fleet: &Fleet<'a>, proxy: Option<KubeProxy>, names: bool| {
        let question = Question {
            service,
            slices: &slices,
            from_endpoints: &from_endpoints,
            fleet,
            names,
        };
        let observed = |node: &str| cluster.proxies.get(node).copied();
        let unknown = by_version::Era {
            from: KubeVersion::minor(NEWEST_MINOR),
            to: None,
        };
        paths::ports(cluster, question, |node| {
            proxy.or(observed(node)).unwrap_or(unknown.kube_proxy())
        })
    };
    let senders = cluster.senders(service);
    let data_plane = data_plane::data_plane(&senders, cluster);
    let other = data_plane.as_ref().map(DataPlane::behaviour);
    let ports = match other {
        None => ask(&cluster.fleet, None, true),
        Some(Some(behaviour)) => ask(&cluster.fleet_of(behaviour), None, true),
        Some(None) => Vec::new(),
    };
    let story = Story::of(&ports);
    let known = slices_known(service, &slices, cluster) || story.is_none();
    let ask_fleet = |fleet: &Fleet<'a>| ask(fleet, None, false);
    let doubt = known
        .then(|| (cluster.alternatives).doubt(&ports, other.is_some(), ask_fleet))
        .flatten();
    let (state, by_version, disagreeing_proxies) = if known {
        let why = match other {
            Some(None) if routed(service) => WhyNotProxied::OtherDataPlane,
            _ => why_not_proxied(service),
        };
        let state = match (story, &doubt) {
            (_, Some(_)) => State::Unknown,
            (Some(story), None) => story.state(),
            (None, None) => State::NotProxied(why),
        };
        // Other versions of kube-proxy say nothing about another data plane.
        let eras = cluster.eras.iter().filter(|_| other.is_none());
        let answers = eras.filter_map(|(era, fleet)| {
            let ports = ask(fleet, Some(era.kube_proxy()), false);
            Some(VersionRange::new(*era, Story::of(&ports)?))
        });
        let by_version = by_version::join(answers);
        let ask_all = |fleet: &Fleet<'a>, proxy| ask(fleet, Some(proxy), true);
        let disagreeing = if other.is_none() {
            disagreeing(cluster, &ask_all)
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
        hints::refused(service, &slices, cluster)
    } else {
        BTreeMap::new()
    };
    ServiceCheck {
        service,
        data_plane,
        senders,
        hints_refused,
        // Without slices no verdict is worth showing.
        ports: if known { ports } else { Vec::new() },
        doubt,
        slices,
        endpoints_object,
        pods,
        state,
        story: story.filter(|_| known),
        endpoints,
        comparison,
        health,
        by_version,
        disagreeing_proxies,
    }
}
