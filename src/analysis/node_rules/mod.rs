//! Does a node's kernel do what its kube-proxy should have told it? Each path of a Service is asked of the node's own rules.

mod packets;
mod sync;

pub use sync::{LongestSync, SyncSource};

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::cluster::Cluster;
use super::paths::{Outcome, PathOutcomes, PortPaths};
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::pod::Pod;
use crate::facts::service::{Family, Protocol, Service};
use crate::facts::slice::EndpointSlice;
use crate::node_rules::{Decision, From, Rules, Verdict as Does};
use crate::proxy::answer::{Path, Ranges};
use crate::proxy::reason::Verdict;

/// How the node differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// It still sends to endpoints that should get nothing.
    Stale,
    /// It lacks endpoints.
    Missing,
    /// It refuses, drops or lets pass what it should not, or the other way round.
    Different,
    /// Its rules hold something that is not known.
    NotUnderstood,
}

/// One decision in which the node differs from what its kube-proxy should have told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The Service port's name.
    pub port_name: String,
    /// The port that connections are made to.
    pub port: u16,
    /// Its protocol.
    pub protocol: Protocol,
    /// The family of the address.
    pub family: Family,
    /// The path.
    pub path: Path,
    /// The address; the node's own for a node port.
    pub address: IpAddr,
    /// Where connections come from.
    pub from: From,
    /// How they stand to the source ranges.
    pub ranges: Ranges,
    /// How it differs.
    pub kind: Kind,
    /// What the node does.
    pub node: Decision,
    /// What it should do.
    pub model: (Verdict, BTreeSet<SocketAddr>),
    /// Endpoints of the node's that are in no slice of the Service any more.
    pub gone: BTreeSet<SocketAddr>,
    /// Both of two dumps show it.
    pub twice: bool,
}

impl Difference {
    /// Endpoints that the node lacks.
    pub fn lacks(&self) -> impl Iterator<Item = &SocketAddr> {
        self.model.1.difference(&self.node.backends)
    }

    /// Endpoints of the node's that should get nothing.
    pub fn extra(&self) -> impl Iterator<Item = &SocketAddr> {
        self.node.backends.difference(&self.model.1)
    }
}

/// How old what the slices say is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// So old that every kube-proxy has synced since: the last change, where it is known.
    Settled(DateTime<Utc>),
    /// A sync may be under way since this change.
    InFlight(DateTime<Utc>),
    /// Nothing tells.
    NotKnown,
}

/// What one node does with connections to one Service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeAnswers {
    /// The node.
    pub node: String,
    /// How many decisions were asked for.
    pub decisions: usize,
    /// In how many it does as it should.
    pub agree: usize,
    /// The others.
    pub differences: Vec<Difference>,
    /// Real servers with weight 0 (ipvs).
    pub draining: BTreeSet<SocketAddr>,
    /// How long its rules may lag behind the slices.
    pub sync: LongestSync,
    /// The last change of what the slices say.
    pub age: Age,
    /// Other nodes that should do, in every decision in which this one differs, what it does; `None` where it differs in none.
    pub does_as: Option<BTreeSet<Arc<str>>>,
}

/// Does the node do as it should?
fn agrees(
    node: &Decision,
    model: &(Verdict, BTreeSet<SocketAddr>),
    open: &BTreeSet<SocketAddr>,
) -> bool {
    match (&node.verdict, model.0) {
        // What contradictory slices leave open may be either.
        (Does::Forward, Verdict::Forward) => {
            let mut differ = node.backends.symmetric_difference(&model.1);
            differ.all(|endpoint| open.contains(endpoint))
        }
        (Does::Reject, Verdict::Reject)
        | (Does::Drop, Verdict::Drop)
        | (Does::NotProgrammed, Verdict::Pass)
        | (Does::NotForwarded, Verdict::Reject | Verdict::Drop | Verdict::Pass) => true,
        _ => false,
    }
}

fn kind(node: &Decision, model: &(Verdict, BTreeSet<SocketAddr>)) -> Kind {
    let forwards = node.verdict == Does::Forward;
    let should = model.0 == Verdict::Forward;
    match (forwards, should) {
        _ if matches!(node.verdict, Does::NotUnderstood(_)) => Kind::NotUnderstood,
        (true, _) if !node.backends.is_subset(&model.1) => Kind::Stale,
        (_, true) if node.verdict != Does::Mixed => Kind::Missing,
        _ => Kind::Different,
    }
}

fn backends(outcome: &Outcome) -> BTreeSet<SocketAddr> {
    let backends = outcome.backends();
    backends
        .filter_map(|backend| backend.parse().ok())
        .collect()
}

/// What a Service's analysis knows by the time nodes are asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'s, 'a> {
    pub(super) service: &'a Service,
    pub(super) slices: &'s [&'a EndpointSlice],
    pub(super) ports: &'s [PortPaths<'a>],
    pub(super) pods: Option<&'s [&'a Pod]>,
    /// Endpoints about which slices contradict each other.
    pub(super) open: &'s BTreeSet<SocketAddr>,
}

impl Subject<'_, '_> {
    /// Is an endpoint in some slice, whatever its conditions?
    fn lists(&self, endpoint: &SocketAddr) -> bool {
        let all = self.slices.iter().flat_map(|slice| &slice.endpoints);
        let addresses = all.filter_map(|endpoint| endpoint.addresses.first());
        let mut addresses = addresses.filter_map(|text| crate::facts::cidr::address(text));
        addresses.any(|address| address == endpoint.ip())
    }

    /// When what the slices say last changed, as they and the pods tell.
    fn age(&self, cluster: &Cluster<'_>, sync: LongestSync) -> Age {
        let slices = self.slices.iter().filter_map(|slice| slice.changed);
        let pods = self.pods.unwrap_or_default().iter();
        let pods = pods.flat_map(|pod| {
            let ready = pod.condition("Ready").and_then(|ready| ready.changed);
            [pod.requested_at(), ready]
        });
        match (slices.chain(pods.flatten()).max(), cluster.as_of) {
            (Some(last), Some(now)) if now - last >= sync.time => Age::Settled(last),
            (Some(last), Some(_)) => Age::InFlight(last),
            _ => Age::NotKnown,
        }
    }
}

/// A path as it is asked of a dump.
struct Question<'q> {
    path: &'q PathOutcomes,
    port_name: &'q str,
    port: u16,
    protocol: Protocol,
}

impl NodeAnswers {
    fn judge(
        &mut self,
        question: &Question<'_>,
        asked: &packets::Asked,
        rules: &[&Rules],
        subject: &Subject<'_, '_>,
    ) {
        let outcomes = &question.path.outcomes;
        let of = |outcome: &&Outcome| outcome.nodes.iter().any(|name| **name == *self.node);
        let Some(own) = outcomes.iter().find(of) else {
            return;
        };
        let model = (own.verdict, backends(own));
        let decisions: Vec<_> = rules
            .iter()
            .map(|rules| rules.decide(&asked.packet))
            .collect();
        let Some(last) = decisions.last() else { return };
        // ipvs routes these, and the client discards the reply: the rules look like a forward.
        let unseen =
            rules.iter().any(|rules| rules.mode() == ProxyMode::Ipvs) && model.0 == Verdict::Drop;
        if unseen {
            return;
        }
        self.decisions += 1;
        for rules in rules {
            self.draining.extend(rules.draining(&asked.packet));
        }
        // Of two dumps the later one counts, and what only one of them shows was under way.
        if decisions
            .iter()
            .any(|decision| agrees(decision, &model, subject.open))
        {
            self.agree += 1;
            return;
        }
        let fits =
            |outcome: &&Outcome| agrees(last, &(outcome.verdict, backends(outcome)), subject.open);
        let as_others: BTreeSet<Arc<str>> = outcomes
            .iter()
            .filter(fits)
            .flat_map(|outcome| outcome.nodes.iter().cloned())
            .collect();
        self.does_as = Some(match self.does_as.take() {
            Some(known) => known.intersection(&as_others).cloned().collect(),
            None => as_others,
        });
        let gone = last
            .backends
            .iter()
            .filter(|endpoint| !subject.lists(endpoint));
        self.differences.push(Difference {
            port_name: question.port_name.to_owned(),
            port: question.port,
            protocol: question.protocol,
            family: question.path.family,
            path: question.path.path,
            address: asked.packet.destination,
            from: asked.packet.from,
            ranges: question.path.ranges,
            kind: kind(last, &model),
            gone: gone.copied().collect(),
            twice: decisions.len() > 1 && decisions.iter().all(|decision| decision == last),
            node: last.clone(),
            model,
        });
    }
}

/// What each dumped node does with connections to a Service.
pub(super) fn answers(subject: &Subject<'_, '_>, cluster: &Cluster<'_>) -> Vec<NodeAnswers> {
    let dumps = cluster.node_dumps.iter();
    let known = dumps.filter_map(|dump| {
        let node = cluster.nodes.iter().find(|node| node.name == dump.node)?;
        Some((dump, node))
    });
    known
        .map(|(dump, node)| {
            let mode = dump.mode().unwrap_or(ProxyMode::Iptables);
            let config = cluster.snapshot.kube_proxies.config.as_ref();
            let sync = LongestSync::of(config, mode);
            let mut answers = NodeAnswers {
                node: dump.node.clone(),
                decisions: 0,
                agree: 0,
                differences: Vec::new(),
                draining: BTreeSet::new(),
                sync,
                age: subject.age(cluster, sync),
                does_as: None,
            };
            for port in subject.ports {
                for path in port.paths.iter().chain(&port.barred) {
                    let of_family = |rules: &&Rules| rules.family == path.family;
                    let rules: Vec<_> = dump.rules.iter().filter(of_family).collect();
                    let Some(first) = rules.first() else { continue };
                    let node_port = (path.path == Path::NodePort).then_some(port.port.node_port);
                    let question = Question {
                        path,
                        port_name: &port.port.name,
                        port: node_port.flatten().unwrap_or(port.port.port),
                        protocol: port.port.protocol,
                    };
                    let place = packets::Place {
                        service: subject.service,
                        node,
                        pods: &cluster.pod_cidrs,
                        rules: first,
                    };
                    for asked in place.packets(path, question.port, question.protocol) {
                        answers.judge(&question, &asked, &rules, subject);
                    }
                }
            }
            answers
        })
        .collect()
}
