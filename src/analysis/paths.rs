//! What does every node do with a new connection on each path of a Service, equal answers folded together?

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use super::clients::Addresses;
use super::reading::Read;
use crate::facts::endpoints::Endpoints;
use crate::facts::kube_proxy::KubeProxy;
use crate::facts::names::Names;
use crate::facts::service::{Family, Service, ServicePort, TrafficPolicy};
use crate::facts::slice::{
    AddressType, Conditions, Endpoint, EndpointSlice, SERVICE_NAME, SlicePort,
};
use crate::proxy::answer::{Answer, From, Path, Ranges};
use crate::proxy::classes::{Fleet, Members, NodeClass};
use crate::proxy::ingest::Claims;
use crate::proxy::lists::{NodeView, Using};
use crate::proxy::paths;
use crate::proxy::reason::{Reason, Verdict};
use crate::proxy::topology::Topology;

/// One port of the Service with its paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortPaths<'a> {
    /// The port.
    pub port: &'a ServicePort,
    /// Its paths; only those that it has.
    pub paths: Vec<PathOutcomes>,
    /// The same for those who are out of the source ranges: dropped, as the Service asks for.
    pub barred: Vec<PathOutcomes>,
}

/// One path, from one kind of place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathOutcomes {
    /// The address that connections are made to.
    pub path: Path,
    /// The family of that address.
    pub family: Family,
    /// Where connections come from.
    pub from: Source,
    /// How they stand to the source ranges.
    pub ranges: Ranges,
    /// A Local policy decides for this path.
    pub local: bool,
    /// Nodes with the same answer together, sorted by the first node of each; every node is in exactly one.
    pub outcomes: Vec<Outcome>,
}

impl PathOutcomes {
    /// The path with where connections come from, where that matters: `nodePort from outside`.
    #[must_use]
    pub fn described(&self) -> String {
        described(self.path, self.from)
    }
}

/// A path with where connections come from.
pub(super) fn described(path: Path, from: Source) -> String {
    let path = path.name();
    match from {
        Source::Anywhere => path.to_owned(),
        Source::Outside => format!("{path} from outside"),
        Source::Inside => format!("{path} from inside"),
        Source::Pods => format!("{path} from pods"),
        Source::Node => format!("{path} from the node itself"),
    }
}

/// Where connections come from; pods and the node itself together where they get the same answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Anywhere: the cluster IP.
    Anywhere,
    /// Off the cluster.
    Outside,
    /// Pods and nodes.
    Inside,
    /// Pods.
    Pods,
    /// The node itself, and pods on its network.
    Node,
}

/// What some nodes do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Their names, sorted.
    pub nodes: Names,
    /// The kube-proxy that decides.
    pub proxy: KubeProxy,
    /// What happens to a new connection.
    pub verdict: Verdict,
    /// Which kind of endpoints it goes to.
    pub using: Option<Using>,
    /// How topology narrowed them.
    pub topology: Option<Topology>,
    /// Each endpoint, `ip:port`, with the reason why it is used or not.
    pub reasons: Vec<(Arc<str>, Reason)>,
}

impl Outcome {
    /// The endpoints that new connections go to.
    pub fn backends(&self) -> impl Iterator<Item = &str> {
        self.reasons
            .iter()
            .filter(|(_, reason)| self.verdict == Verdict::Forward && reason.selected())
            .map(|(endpoint, _)| &**endpoint)
    }

    fn same_answer(&self, other: &Self) -> bool {
        self.proxy == other.proxy
            && self.verdict == other.verdict
            && self.using == other.using
            && self.topology == other.topology
            && self.reasons == other.reasons
    }
}

fn outcome(answer: &Answer, endpoints: &[Arc<str>], proxy: KubeProxy) -> Outcome {
    let forwards = answer.verdict == Verdict::Forward;
    Outcome {
        nodes: Names::default(),
        proxy,
        verdict: answer.verdict,
        using: answer.list.using.filter(|_| forwards),
        topology: answer.list.topology.filter(|_| forwards),
        reasons: endpoints
            .iter()
            .cloned()
            .zip(answer.list.reasons.iter().copied())
            .collect(),
    }
}

/// Endpoints objects as slices, for a kube-proxy that reads those: ready addresses only count.
#[must_use]
pub fn as_slices(service: &Service, endpoints: &Endpoints) -> Vec<EndpointSlice> {
    let mut slices = Vec::new();
    for subset in &endpoints.subsets {
        for (family, address_type) in [(Family::V4, AddressType::V4), (Family::V6, AddressType::V6)]
        {
            let ready = subset.ready.iter().map(|address| (address, true));
            let not_ready = subset.not_ready.iter().map(|address| (address, false));
            slices.push(EndpointSlice {
                name: endpoints.name.clone(),
                changed: None,
                labels: BTreeMap::from([(SERVICE_NAME.to_owned(), service.name.name.clone())]),
                address_type,
                endpoints: ready
                    .chain(not_ready)
                    .filter(|(address, _)| Family::of(address.ip) == family)
                    .map(|(address, ready)| Endpoint {
                        addresses: vec![address.ip.to_string()],
                        conditions: Conditions {
                            ready: Some(ready),
                            ..Conditions::default()
                        },
                        node: address.node.clone(),
                        pod: address.pod.clone(),
                        ..Endpoint::default()
                    })
                    .collect(),
                ports: subset
                    .ports
                    .iter()
                    .map(|port| SlicePort {
                        name: Some(port.name.clone()),
                        port: Some(port.number),
                        protocol: port.protocol,
                    })
                    .collect(),
            });
        }
    }
    slices
}

/// A question to a fleet of kube-proxies about one Service.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q, 'a> {
    /// The Service.
    pub service: &'a Service,
    /// What kube-proxies read of its endpoints.
    pub read: &'q Read<'q>,
    /// The nodes, grouped.
    pub fleet: &'q Fleet<'a>,
    /// The addresses that connections come from.
    pub addresses: Addresses<'q>,
}

/// Every port of a Service, with its place, for each family that the Service has.
pub(super) fn families(service: &Service) -> BTreeSet<Family> {
    let ips = service.cluster_ips.iter();
    ips.map(|ip| Family::of(*ip)).collect()
}

/// The answers of every class of nodes for one port and family, class by class.
pub(super) fn ask(
    question: Question<'_, '_>,
    (at, port): (usize, &ServicePort),
    family: Family,
    mut take: impl FnMut(&NodeClass<'_, '_>, &[Claims<'_>], Vec<Answer>),
) {
    let Question {
        service,
        read,
        fleet,
        addresses,
    } = question;
    let clients = addresses.of(service, family);
    for class in fleet.classes(&read.special((at, port), family)) {
        let NodeClass {
            behaviour, speaker, ..
        } = &class;
        let claims = read.claims((at, port), family, behaviour);
        let view = NodeView::from(*speaker);
        let answers = paths::answers(service, port, family, &claims, &view, clients, behaviour);
        take(&class, &claims, answers);
    }
}

/// A path, a source, and how that stands to the source ranges.
type Key = (Path, From, Ranges);

/// Outcomes by path and source.
type Folded = BTreeMap<Key, Vec<Outcome>>;

/// The same by path and source, equal answers folded together.
fn fold(question: Question<'_, '_>, port: (usize, &ServicePort), family: Family) -> Folded {
    let mut folded: BTreeMap<Key, Vec<(Outcome, Members)>> = BTreeMap::new();
    let special = question.read.special(port, family);
    ask(question, port, family, |class, claims, answers| {
        let endpoints: Vec<_> = claims
            .iter()
            .map(|claim| {
                claim
                    .on_node(&class.speaker.name, &class.behaviour)
                    .endpoint
                    .clone()
            })
            .collect();
        let members = class.members();
        for answer in answers {
            let known = folded
                .entry((answer.path, answer.from, answer.ranges))
                .or_default();
            for (proxy, members) in &members {
                let outcome = outcome(&answer, &endpoints, *proxy);
                let same = known
                    .iter_mut()
                    .find(|(other, _)| other.same_answer(&outcome));
                match same {
                    Some((_, known)) => known.extend(members.clone()),
                    None => known.push((outcome, members.clone())),
                }
            }
        }
    });
    // Several paths mostly have the same nodes together.
    let mut known: Vec<(Members, Names)> = Vec::new();
    let mut named = |(mut outcome, members): (Outcome, Members)| {
        if let Some((_, names)) = known.iter().find(|(same, _)| *same == members) {
            outcome.nodes = names.clone();
        } else {
            outcome.nodes = question.fleet.names(&members, &special.nodes);
            known.push((members, outcome.nodes.clone()));
        }
        outcome
    };
    let folded = folded.into_iter().map(|(way, outcomes)| {
        let mut outcomes: Vec<_> = outcomes.into_iter().map(&mut named).collect();
        outcomes.sort_by(|a, b| a.nodes.cmp(&b.nodes));
        (way, outcomes)
    });
    folded.collect()
}

fn family_paths(
    service: &Service,
    family: Family,
    ranges: Ranges,
    folded: &mut Folded,
) -> Vec<PathOutcomes> {
    let external_local = service.external_traffic_policy == Some(TrafficPolicy::Local);
    let mut all = Vec::new();
    for path in [
        Path::ClusterIp,
        Path::NodePort,
        Path::LoadBalancer,
        Path::ExternalIp,
    ] {
        let mut take = |from| folded.remove(&(path, from, ranges));
        let pods = take(From::Pod);
        let node = take(From::Node);
        let mut sources = vec![
            (Source::Anywhere, take(From::Anywhere)),
            (Source::Outside, take(From::Outside)),
        ];
        if pods == node {
            sources.push((Source::Inside, pods));
        } else {
            sources.push((Source::Pods, pods));
            sources.push((Source::Node, node));
        }
        for (from, outcomes) in sources {
            let Some(outcomes) = outcomes else { continue };
            all.push(PathOutcomes {
                path,
                family,
                from,
                ranges,
                local: if path == Path::ClusterIp {
                    service.internal_local
                } else {
                    external_local
                },
                outcomes,
            });
        }
    }
    all
}

/// Every port of the Service, asked of the question's nodes.
#[must_use]
pub fn ports<'a>(question: Question<'_, 'a>) -> Vec<PortPaths<'a>> {
    let service = question.service;
    let families = families(service);
    let of = |(at, port): (usize, &'a ServicePort)| {
        let mut all = PortPaths {
            port,
            paths: Vec::new(),
            barred: Vec::new(),
        };
        for family in &families {
            let mut folded = fold(question, (at, port), *family);
            for ranges in [Ranges::None, Ranges::In] {
                let paths = family_paths(service, *family, ranges, &mut folded);
                all.paths.extend(paths);
            }
            let barred = family_paths(service, *family, Ranges::Out, &mut folded);
            all.barred.extend(barred);
        }
        all
    };
    service.ports.iter().enumerate().map(of).collect()
}
