//! Which endpoints of a Service does no kube-proxy tell apart? A rollout of a thousand pods changes a few of them at a time, and what becomes
//! of connections depends on which sorts of endpoints there are, not on how many: one of each is asked for all of them, once for the same sorts.
//!
//! Nothing of how a kube-proxy selects is known here: endpoints are of one sort where all that one reads of them is the same.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::track::{Fate, Flow, Way, ways};
use crate::analysis::paths::Outcome;
use crate::analysis::routing::Routing;
use crate::analysis::state::State;
use crate::analysis::traffic_summary::outcomes;
use crate::facts::ObjectName;
use crate::facts::cidr;
use crate::facts::names::Names;
use crate::facts::service::{Family, Service, TrafficPolicy};
use crate::facts::slice::{AddressType, Conditions, Endpoint, EndpointSlice, SlicePort};
use crate::proxy::lists::Using;
use crate::words::address;

/// So many sorts are known at once; more are those of endpoints that are long gone.
const MOST_SORTS: usize = 4_000;

/// So many answers are kept.
const MOST_ANSWERS: usize = 64;

/// What is read of a slice besides its endpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Form {
    address_type: AddressType,
    labels: BTreeMap<String, String>,
    ports: Vec<SlicePort>,
}

impl Form {
    fn is_of(&self, slice: &EndpointSlice) -> bool {
        self.address_type == slice.address_type
            && self.ports == slice.ports
            && self.labels == slice.labels
    }
}

/// What is read of an endpoint besides its address.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sort {
    /// The place of its slice's form.
    form: usize,
    /// Of its address, where it has one that can be read.
    family: Option<Family>,
    conditions: Conditions,
    zone_hints: Vec<String>,
    node_hints: Vec<String>,
    topology: BTreeMap<String, String>,
    /// Where nodes are told apart by their endpoints.
    node: Option<String>,
}

/// The entry of a slice: its address, and the place of its sort.
type Entry = (Option<IpAddr>, usize);

/// What became of connections with the same sorts of endpoints.
#[derive(Debug, Clone)]
struct Answer {
    state: State,
    ways: BTreeMap<(Way, Fate), Names>,
    /// The places of the sorts that get connections because they are ready.
    ready: BTreeSet<usize>,
    /// Of those that get them although they are terminating.
    terminating: BTreeSet<usize>,
}

/// The endpoints of one Service by their sorts, and what is known of such.
#[derive(Debug, Default)]
pub(super) struct Alike {
    /// Nodes are told apart by their endpoints.
    by_node: bool,
    forms: Vec<Form>,
    sorts: Vec<Sort>,
    /// The entries of each slice, with its number.
    slices: BTreeMap<ObjectName, (u64, Vec<Entry>)>,
    answers: BTreeMap<Vec<usize>, Answer>,
}

/// Does a policy tell nodes apart by their endpoints?
fn by_node(service: &Service) -> bool {
    service.internal_local
        || service.external_traffic_policy == Some(TrafficPolicy::Local)
        || service.health_check_node_port.is_some()
}

impl Alike {
    /// Nodes, versions or settings are others, or the Service is.
    pub(super) fn forget_answers(&mut self) {
        self.answers.clear();
    }

    fn form(&mut self, slice: &EndpointSlice) -> usize {
        let known = self.forms.iter().position(|form| form.is_of(slice));
        known.unwrap_or_else(|| {
            self.forms.push(Form {
                address_type: slice.address_type,
                labels: slice.labels.clone(),
                ports: slice.ports.clone(),
            });
            self.forms.len() - 1
        })
    }

    fn sort(&mut self, form: usize, family: Option<Family>, endpoint: &Endpoint) -> usize {
        let node = endpoint.node.as_ref().filter(|_| self.by_node);
        let known = self.sorts.iter().position(|sort| {
            sort.form == form
                && sort.family == family
                && sort.conditions == endpoint.conditions
                && sort.node.as_ref() == node
                && sort.zone_hints == endpoint.zone_hints
                && sort.node_hints == endpoint.node_hints
                && sort.topology == endpoint.topology
        });
        known.unwrap_or_else(|| {
            self.sorts.push(Sort {
                form,
                family,
                conditions: endpoint.conditions,
                zone_hints: endpoint.zone_hints.clone(),
                node_hints: endpoint.node_hints.clone(),
                topology: endpoint.topology.clone(),
                node: node.cloned(),
            });
            self.sorts.len() - 1
        })
    }

    fn entries(&mut self, slice: &EndpointSlice) -> Vec<Entry> {
        let form = self.form(slice);
        let endpoints = slice.endpoints.iter();
        let entries = endpoints.map(|endpoint| {
            let first = endpoint.addresses.first();
            let address = first.and_then(|text| cidr::address(text));
            (address, self.sort(form, address.map(Family::of), endpoint))
        });
        entries.collect()
    }

    /// Takes in how the slices are now. One with the number that it had before is as it was.
    fn see(&mut self, service: &Service, slices: &[(&EndpointSlice, u64)]) {
        if self.by_node != by_node(service) || self.sorts.len() > MOST_SORTS {
            *self = Self {
                by_node: by_node(service),
                ..Self::default()
            };
        }
        let mut before = std::mem::take(&mut self.slices);
        for (slice, number) in slices {
            let known = before.remove_entry(&slice.name);
            let known = known.filter(|(_, (known, _))| known == number);
            let (name, entries) =
                known.unwrap_or_else(|| (slice.name.clone(), (*number, self.entries(slice))));
            self.slices.insert(name, entries);
        }
    }

    /// Slices with the first endpoint of each sort, and with no other.
    fn one_of_each(&self, slices: &[(&EndpointSlice, u64)]) -> Vec<EndpointSlice> {
        let mut seen = vec![false; self.sorts.len()];
        let mut all = Vec::new();
        for (slice, _) in slices {
            let entries = self.slices.get(&slice.name).map(|(_, entries)| entries);
            let mut endpoints = Vec::new();
            for (endpoint, (_, sort)) in slice.endpoints.iter().zip(entries.into_iter().flatten()) {
                if !std::mem::replace(&mut seen[*sort], true) {
                    endpoints.push(endpoint.clone());
                }
            }
            if !endpoints.is_empty() {
                all.push(EndpointSlice {
                    name: slice.name.clone(),
                    changed: slice.changed,
                    labels: slice.labels.clone(),
                    address_type: slice.address_type,
                    endpoints,
                    ports: slice.ports.clone(),
                });
            }
        }
        all
    }

    /// What becomes of connections to a Service with these slices, each with a number that is another one once it has changed. `ask` tells it
    /// of whatever slices it is given.
    pub(super) fn flow(
        &mut self,
        service: &Service,
        slices: &[(&EndpointSlice, u64)],
        ask: impl FnOnce(&[&EndpointSlice], &mut dyn FnMut(&Routing<'_>)),
    ) -> Flow {
        self.see(service, slices);
        let entries = || self.slices.values().flat_map(|(_, entries)| entries);
        let addresses = entries().filter_map(|(address, sort)| Some(((*address)?, *sort)));
        let mut addresses: Vec<(IpAddr, usize)> = addresses.collect();
        addresses.sort_unstable();
        if addresses.windows(2).any(|two| two[0].0 == two[1].0) {
            // Which of several entries for one address counts is not a matter of its sort.
            let mut flow = Flow::default();
            let slices: Vec<_> = slices.iter().map(|(slice, _)| *slice).collect();
            ask(&slices, &mut |routing| flow = Flow::from(routing));
            return flow;
        }
        let mut is_there = vec![false; self.sorts.len()];
        for (_, sort) in entries() {
            is_there[*sort] = true;
        }
        let sorts: Vec<usize> = (0..is_there.len()).filter(|sort| is_there[*sort]).collect();
        if !self.answers.contains_key(&sorts) {
            if self.answers.len() >= MOST_ANSWERS {
                self.answers.clear();
            }
            let some = self.one_of_each(slices);
            let some: Vec<_> = some.iter().collect();
            let mut answer = None;
            ask(&some, &mut |routing| {
                answer = Some(Answer::of(routing, &addresses));
            });
            self.answers
                .extend(answer.map(|answer| (sorts.clone(), answer)));
        }
        let Some(answer) = self.answers.get(&sorts) else {
            return Flow::default();
        };
        let mut counts = vec![0; self.sorts.len()];
        let mut is_used = vec![false; self.sorts.len()];
        for sort in answer.ready.iter().chain(&answer.terminating) {
            is_used[*sort] = true;
        }
        let mut used = Vec::with_capacity(addresses.len());
        for (address, sort) in addresses {
            counts[sort] += 1;
            if is_used[sort] {
                used.push(address);
            }
        }
        let count = |sorts: &BTreeSet<usize>| sorts.iter().map(|sort| counts[*sort]).sum();
        Flow {
            state: answer.state,
            ready: count(&answer.ready),
            terminating: count(&answer.terminating),
            used,
            ways: answer.ways.clone(),
        }
    }
}

impl Answer {
    /// What was said of one endpoint of each sort; all addresses are given with their sorts, sorted.
    fn of(routing: &Routing<'_>, addresses: &[(IpAddr, usize)]) -> Self {
        let sorts = |outcome: &Outcome| -> Vec<usize> {
            let backends = outcome.backends();
            let used = backends.filter_map(|backend| address(backend).parse().ok());
            let sorts = used.filter_map(|used: IpAddr| {
                let place = addresses.binary_search_by(|(address, _)| address.cmp(&used));
                place.ok().map(|place| addresses[place].1)
            });
            sorts.collect()
        };
        let (mut ready, mut terminating) = (BTreeSet::new(), BTreeSet::new());
        for outcome in outcomes(&routing.ports) {
            if outcome.using == Some(Using::Terminating) {
                terminating.extend(sorts(outcome));
            } else {
                ready.extend(sorts(outcome));
            }
        }
        Self {
            state: routing.state,
            ways: ways(routing),
            ready,
            terminating,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::analysis::{Assumptions, Cluster, routing};
    use crate::facts::Snapshot;
    use crate::facts::node::{Node, ZONE_LABEL};
    use crate::facts::service::{Protocol, ServicePort, TargetPort};
    use crate::facts::slice::SERVICE_NAME;

    /// An address, the three conditions, a node, and a zone that is hinted to.
    type Written = (u8, [Option<bool>; 3], u8, u8);

    fn written() -> impl Strategy<Value = Written> {
        let one = || prop_oneof![Just(None), Just(Some(true)), Just(Some(false))];
        let conditions = [one(), one(), one()];
        (0..40_u8, conditions, 0..3_u8, 0..3_u8)
    }

    fn slice(name: &str, endpoints: &[Written], hints: bool) -> EndpointSlice {
        let endpoints = endpoints.iter().map(|(ip, conditions, node, zone)| {
            let [ready, serving, terminating] = *conditions;
            Endpoint {
                addresses: vec![format!("10.0.0.{ip}")],
                conditions: Conditions {
                    ready,
                    serving,
                    terminating,
                },
                node: Some(format!("n{node}")),
                zone_hints: Vec::from_iter((hints && *zone > 0).then(|| format!("z{zone}"))),
                ..Endpoint::default()
            }
        });
        EndpointSlice {
            name: ObjectName::new("shop", name),
            labels: BTreeMap::from([(SERVICE_NAME.to_owned(), "web".to_owned())]),
            changed: None,
            address_type: AddressType::V4,
            endpoints: endpoints.collect(),
            ports: vec![SlicePort {
                name: Some(String::new()),
                port: Some(80),
                protocol: Protocol::Tcp,
            }],
        }
    }

    fn service(local: bool) -> Service {
        Service {
            name: ObjectName::new("shop", "web"),
            cluster_ips: vec![IpAddr::from([10, 1, 0, 1])],
            internal_local: local,
            ports: vec![ServicePort {
                name: String::new(),
                port: 80,
                protocol: Protocol::Tcp,
                target: TargetPort::Number(80),
                node_port: None,
            }],
            ..Service::default()
        }
    }

    proptest! {
        /// One of each sort is asked, also where an answer is known already; and it is what all of them come to.
        #[test]
        fn one_of_each_sort_speaks_for_all(
            first in prop::collection::vec(written(), 0..12),
            seconds in prop::collection::vec(prop::collection::vec(written(), 0..12), 1..6),
            local in any::<bool>(),
            hints in any::<bool>(),
        ) {
            let service = service(local);
            let nodes = [("n0", "z1"), ("n1", "z2"), ("n2", "z2")].map(|(name, zone)| Node {
                name: name.to_owned(),
                labels: BTreeMap::from([(ZONE_LABEL.to_owned(), zone.to_owned())]),
                ..Node::default()
            });
            let snapshot = Snapshot {
                services: vec![service.clone()],
                nodes: nodes.to_vec(),
                ..Snapshot::default()
            };
            let assumptions = Assumptions::default();
            let cluster = Cluster::new(&snapshot, &nodes, &assumptions);
            let first = slice("web-a", &first, hints);
            let mut alike = Alike::default();
            for (number, second) in (1..).zip(&seconds) {
                let second = slice("web-b", second, hints);
                let flow = alike.flow(&service, &[(&first, 0), (&second, number)], |some, take| {
                    take(&routing::routing(&service, some, None, true, &cluster));
                });
                let slices = [&first, &second];
                let whole = routing::routing(&service, &slices, None, true, &cluster);
                let mut whole = Flow::from(&whole);
                whole.used.dedup();
                let mut flow = flow;
                flow.used.dedup();
                prop_assert_eq!(flow, whole);
            }
        }
    }
}
