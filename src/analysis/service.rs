//! What is the state of one Service, and what follows from what?

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::affinity::{self, Affinity};
use super::behind::Workloads;
use super::by_version::{self, VersionRange};
use super::causes::{Cause, Causes};
use super::cluster::Cluster;
use super::data_plane::DataPlane;
use super::dns::{self, DnsAnswer};
use super::doubt::{self, Doubt};
use super::endpoints::{self, EndpointViews};
use super::forecast::{self, Change, Fallback, Subject};
use super::health_check::{HealthCheck, health_check};
use super::hints;
use super::left_out;
use super::node_rules::{self, NodeAnswers};
use super::notes::{self, Note};
use super::paths::{self, Outcome, PathOutcomes, PortPaths, Question};
use super::reading::Read;
use super::routing;
use super::shutdown;
use super::state::State;
use super::traffic_summary::{TrafficSummary, outcomes};
use crate::controllers::compare::{self, Comparison, Observed};
use crate::facts::endpoints::Endpoints;
use crate::facts::kube_proxy::KubeProxy;
use crate::facts::names::Names;
use crate::facts::pod::Pod;
use crate::facts::service::Service;
use crate::facts::slice::EndpointSlice;
use crate::facts::{ObjectName, Resource};
use crate::proxy::classes::Fleet;
use crate::proxy::reason::Verdict;
use crate::proxy::topology::HintsRefused;
use crate::shutdown::phase::Terminating;
use crate::sources::{Budget, DetectedSources, PodTiming, budget};

/// Everything that was found out about one Service.
#[derive(Debug)]
pub struct ServiceAnalysis<'a> {
    /// The Service.
    pub service: &'a Service,
    /// Its slices, whoever writes them.
    pub slices: Vec<&'a EndpointSlice>,
    /// Its Endpoints object.
    pub endpoints_object: Option<&'a Endpoints>,
    /// The pods that it selects; `None` where pods are not known or it has no selector.
    pub pods: Option<Vec<&'a Pod>>,
    /// The worst that is true of it.
    pub state: State,
    /// Its `sessionAffinity`; `None` without one.
    pub affinity: Option<Affinity>,
    /// Terminating pods that its slices leave out, by name: they get no new connections.
    pub left_out: Vec<&'a Pod>,
    /// What leaves the state open although the slices are known.
    pub doubt: Option<Doubt>,
    /// What becomes of new connections, as far as could be read; `None` where no verdict is known or kube-proxy has none.
    pub traffic: Option<TrafficSummary>,
    /// Its ports with their paths.
    pub ports: Vec<PortPaths<'a>>,
    /// Its endpoints in all three views.
    pub endpoints: Vec<EndpointViews<'a>>,
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
    /// The traffic sources that were found besides kube-proxy.
    pub sources: Rc<DetectedSources<'a>>,
    /// What they ask for, whatever pods are behind the Service.
    pub budget: Budget,
    /// The nodes that ignore topology hints, by why they do.
    pub hints_refused: BTreeMap<HintsRefused, Names>,
    /// What each dumped node does with connections to it.
    pub node_rules: Vec<NodeAnswers>,
    /// What to know about the answer.
    pub notes: Vec<Note>,
    /// What DNS answers; `None` where it answers with the cluster IP, and where that is not known.
    pub dns: Option<DnsAnswer>,
    /// Where its pods stand that are being deleted, by name; without those of which no moment to judge by is known.
    pub terminating: BTreeMap<&'a ObjectName, Terminating>,
    /// The workloads behind it; `None` where pods could not be read.
    pub workloads: Option<Workloads<'a>>,
    /// Why it has no ready pod, or fewer than wanted; what holds back most first.
    pub causes: Rc<[Cause]>,
    /// What happens next to new connections if nothing changes, in order.
    pub forecast: Vec<Change>,
    /// Until when terminating pods go on getting new connections; `None` where none does.
    pub fallback: Option<Fallback>,
    /// How many nodes were asked.
    pub nodes: usize,
    /// The snapshot is of a cluster: what it does not hold could not be read, or is not there.
    pub of_cluster: bool,
}

impl ServiceAnalysis<'_> {
    /// What its traffic sources ask of the first workload behind it; without one, of any pods.
    #[must_use]
    pub fn shown_budget(&self) -> &Budget {
        let workload = self.workloads.as_ref().and_then(|behind| behind.first());
        let budget = workload.and_then(|workload| workload.budget_for(&self.service.name));
        budget.unwrap_or(&self.budget)
    }

    /// What its endpoints are: `pod` if all of them name one, else `endpoint`.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        let mut endpoints = self.endpoints.iter();
        if endpoints.all(|endpoint| endpoint.pod_ref.is_some()) {
            "pod"
        } else {
            "endpoint"
        }
    }

    /// Every outcome of every port, path and source.
    pub fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        outcomes(&self.ports)
    }

    /// Is this true of what becomes of new connections, whatever there is among what could not be read?
    pub fn certainly(&self, wanted: impl FnMut(&TrafficSummary) -> bool) -> bool {
        let doubts = self.doubt.iter();
        doubts.flat_map(|doubt| &doubt.possible).all(wanted)
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
    cluster.index.has_read(Resource::EndpointSlices) && !left_out
}

/// The kube-proxies of this cluster that decide differently about the same endpoints.
fn disagreeing<'c, 'a>(
    cluster: &'c Cluster<'a>,
    ask: impl Fn(&'c Fleet<'a>) -> Vec<PortPaths<'a>>,
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
fn traffic(path: &PathOutcomes) -> BTreeMap<(Verdict, Vec<&str>), Vec<&str>> {
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
fn same_traffic(one: &[PortPaths<'_>], other: &[PortPaths<'_>]) -> bool {
    let paths = |ports: &[PortPaths<'_>]| -> Vec<_> {
        let paths = ports.iter().flat_map(|port| &port.paths);
        paths.map(|path| (path.path, path.from)).collect()
    };
    let stories = one.iter().flat_map(|port| &port.paths).map(traffic);
    let others = other.iter().flat_map(|port| &port.paths).map(traffic);
    paths(one) == paths(other) && stories.eq(others)
}

/// Where the pods stand that are being deleted: those that the Service selects, and those that its slices name.
fn terminating<'a>(
    selected: Option<&[&'a Pod]>,
    endpoints: &[EndpointViews<'a>],
    cluster: &Cluster<'a>,
) -> BTreeMap<&'a ObjectName, Terminating> {
    let selected = selected.into_iter().flatten().copied();
    let named = endpoints.iter().filter_map(|endpoint| endpoint.pod);
    let mut all = BTreeMap::new();
    for pod in selected.chain(named) {
        if !all.contains_key(&pod.name)
            && let Some(stands) = shutdown::terminating(pod, cluster)
        {
            all.insert(&pod.name, stands);
        }
    }
    all
}

/// Works out one Service, with the workloads behind it.
#[must_use]
pub fn analyse<'a>(
    service: &'a Service,
    behind: Workloads<'a>,
    causes: &mut Causes<'a>,
    cluster: &Cluster<'a>,
) -> ServiceAnalysis<'a> {
    let index = &cluster.index;
    let slices = index.slices(&service.name).to_vec();
    let endpoints_object = index.endpoints(&service.name);
    let pods = index.selected(service);
    let none = BTreeMap::new();
    let all_pods = index.pods(&service.name.namespace).unwrap_or(&none);
    let comparison = compare::compare(
        &Observed {
            service,
            slices: &slices,
            endpoints: endpoints_object,
            endpoints_were_read: index.has_read(Resource::Endpoints),
            pods: pods.as_deref(),
            nodes: index.node_names(),
            controllers: cluster.controllers,
        },
        all_pods,
    );
    let from_endpoints = endpoints_object
        .map(|object| paths::as_slices(service, object))
        .unwrap_or_default();
    let endpoints = endpoints::endpoints(
        &slices,
        endpoints_object,
        all_pods,
        &comparison,
        cluster.server,
    );
    let read = Read::new(service, &slices, &from_endpoints);
    let question = |fleet| Question {
        service,
        read: &read,
        fleet,
        addresses: cluster.addresses(),
    };
    let ask = |fleet| paths::ports(question(fleet));
    let sources = cluster.sources(service);
    let (data_plane, fleet) = routing::plane(&sources, cluster, |selects| {
        selects.falls_back(service, &slices)
    });
    let other = data_plane.is_some();
    let ports = fleet.map(ask).unwrap_or_default();
    let traffic = TrafficSummary::of(&ports);
    let known = slices_known(service, &slices, cluster) || traffic.is_none();
    // Without slices no verdict is worth showing.
    let (ports, traffic) = if known {
        (ports, traffic)
    } else {
        (Vec::new(), None)
    };
    let asked = |fleet| TrafficSummary::asked(question(fleet));
    let doubt = doubt::doubt(&cluster.alternatives, traffic, &ports, other, asked);
    let (state, by_version, disagreeing_proxies) = if known {
        let state = match (traffic, &doubt) {
            (_, Some(_)) => State::Unknown,
            (Some(traffic), None) => traffic.state(),
            (None, None) => State::NotProxied(routing::why(service, data_plane.as_ref())),
        };
        // Other versions of kube-proxy say nothing about another data plane.
        let eras = cluster.eras.iter().filter(|_| !other);
        let answers = eras.filter_map(|(era, fleet)| Some(VersionRange::new(*era, asked(fleet)?)));
        let here = |range: &VersionRange| {
            let mut proxies = cluster.kinds.iter();
            proxies.any(|proxy| range.contains(proxy.version))
        };
        let by_version = by_version::join(answers, here);
        let disagreeing = if other {
            Vec::new()
        } else {
            disagreeing(cluster, ask)
        };
        (state, by_version, disagreeing)
    } else {
        (State::Unknown, Vec::new(), Vec::new())
    };
    let stands = terminating(pods.as_deref(), &endpoints, cluster);
    let forecast = match fleet.filter(|_| doubt.is_none()) {
        Some(fleet) => forecast::forecast(
            &Subject {
                service,
                slices: &slices,
                from_endpoints: &from_endpoints,
                fleet,
                ports: &ports,
                endpoints: &endpoints,
                terminating: &stands,
            },
            cluster,
        ),
        None => Vec::new(),
    };
    let health = if known {
        health_check(service, &slices, cluster)
    } else {
        None
    };
    let hints_refused = if other {
        BTreeMap::new()
    } else {
        hints::refused(service, &slices, &read, &cluster.fleet)
    };
    let behaviours = cluster.fleet.behaviours().map(|(behaviour, _)| behaviour);
    let affinity = affinity::affinity(service, state, behaviours, data_plane.as_ref());
    let left_out = if known {
        left_out::left_out(
            service,
            pods.as_deref(),
            (&slices, comparison.gate_off),
            cluster.controllers,
        )
    } else {
        Vec::new()
    };
    let answer = notes::Answer {
        service,
        slices: &slices,
        read: &read,
        endpoints_object,
        ports: &ports,
        traffic,
        data_plane: data_plane.as_ref(),
        affinity: affinity.as_ref(),
        gate_off: comparison.gate_off,
        health: health.as_ref(),
    };
    let notes = notes::notes(&answer, cluster);
    let node_rules = if cluster.node_dumps.is_empty() || data_plane.is_some() {
        Vec::new()
    } else {
        let open = notes::contradicted(&notes);
        node_rules::answers(
            &node_rules::Subject {
                service,
                slices: &slices,
                ports: &ports,
                pods: pods.as_deref(),
                open: &open,
            },
            cluster,
        )
    };
    ServiceAnalysis {
        affinity,
        left_out,
        notes,
        node_rules,
        dns: dns::answer(
            service,
            &endpoints,
            index.has_read(Resource::EndpointSlices),
        ),
        fallback: forecast::fallback(&ports, &endpoints, &stands),
        terminating: stands,
        workloads: (!behind.is_empty() || index.has_read(Resource::Pods)).then_some(behind),
        causes: causes.of(service, pods.as_deref(), cluster),
        forecast,
        budget: budget(&sources, PodTiming::default()),
        nodes: cluster.nodes.len(),
        of_cluster: cluster.snapshot.complete,
        service,
        data_plane,
        sources,
        hints_refused,
        ports,
        doubt,
        slices,
        endpoints_object,
        pods,
        state,
        traffic,
        endpoints,
        comparison,
        health,
        by_version,
        disagreeing_proxies,
    }
}
