//! Plays a scenario forward.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::drains::{Drains, Eviction};
use super::scenario::{Action, Scenario, WorkloadName};
use super::start_up::{ReadyAfter, Settings, find, ready_after};
use super::state::{Controller, Deployment, Event, Keeps, NOTICED, Set, SimPod, State, count};
use crate::facts::node::Node;
use crate::facts::pod::{Condition, Pod};
use crate::facts::workload::{Amount, Kind, Strategy, Workload, WorkloadKind};
use crate::facts::{ObjectName, Snapshot};
use crate::gates::controllers::Controllers;
use crate::timeline::change::{Change, What};

/// So long is played at most, in milliseconds: two days.
const HORIZON: i64 = 172_800_000;

/// So many events are played at most.
const MOST_EVENTS: usize = 20_000_000;

/// What follows from a scenario.
#[derive(Debug, Clone, Default)]
pub struct Played {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// What becomes of each eviction; empty without any.
    pub evictions: Vec<Eviction>,
    /// It comes to an end: nothing waits for what never comes.
    pub ends: bool,
    /// How long new pods are taken to need, by workload.
    pub start_up: Vec<Assumed>,
}

/// How long new pods of a workload are taken to need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumed {
    /// The workload.
    pub of: String,
    /// How long, and how that is known.
    pub ready_after: ReadyAfter,
}

/// Plays a scenario forward from what there is.
///
/// # Errors
///
/// Says what the scenario names that is not there.
pub fn play(
    facts: &Snapshot,
    scenario: &Scenario,
    settings: &Settings,
    controllers: Controllers,
) -> Result<Played, String> {
    let mut state = State::new(facts, settings);
    let start_up = state.take_in();
    state.begin(facts);
    let mut drains = Drains {
        flags: scenario.drain.clone(),
        ..Drains::default()
    };
    state.act(&scenario.action, &mut drains)?;
    let mut events = 0;
    let mut ends = true;
    while let Some(at) = state.next_at() {
        events += 1;
        if at > HORIZON || events > MOST_EVENTS || state.waits_in_vain(&drains) {
            ends = false;
            break;
        }
        let Some(event) = state.next() else { break };
        if !matches!(event, Event::Evict(_) | Event::Timeout(_)) {
            // What was refused before may be allowed now.
            drains.refused.clear();
        }
        match event {
            Event::Sync(Controller::Deployment(deployment)) => state.sync_deployment(deployment),
            Event::Sync(Controller::Set(set)) => match state.sets[set].keeps {
                Keeps::Replicas => state.sync_replicas(set),
                Keeps::Ordinals {
                    one_by_one,
                    partition,
                } => state.sync_ordinals(set, one_by_one, partition),
                Keeps::Nodes { unavailable, surge } => state.sync_nodes(set, unavailable, surge),
            },
            Event::Ready(pod) => state.ready(pod),
            Event::Ended(pod) => state.ended(pod),
            Event::Gone(pod) => {
                state.gone(pod);
                state.look_whether_drained(&mut drains);
            }
            Event::Slices(service) => state.slices(service, controllers),
            Event::Drain(place) => state.drain(&mut drains, place),
            Event::Evict(record) => state.try_eviction(&mut drains, record),
            Event::Timeout(place) => state.give_up(&mut drains, place),
        }
    }
    Ok(Played {
        changes: state.changes,
        evictions: drains.records,
        ends,
        start_up,
    })
}

/// What keeps pods at their number, as which kind it does so, and how its pods name it.
fn keeper(kind: &Kind) -> Option<(WorkloadKind, &'static str)> {
    match kind {
        // Its pods are its ReplicaSets'.
        Kind::Apps(WorkloadKind::Deployment) => None,
        Kind::Apps(kind) => Some((*kind, kind.name())),
        // Its controller is that of ReplicaSets (`pkg/controller/replication/replication_controller.go`).
        Kind::Other { api_version, kind }
            if api_version == "v1" && kind == "ReplicationController" =>
        {
            Some((WorkloadKind::ReplicaSet, "ReplicationController"))
        }
        Kind::Other { .. } => None,
    }
}

/// The number behind a pod's name in its `StatefulSet`.
fn ordinal(pod: &Pod) -> Option<i64> {
    let (_, number) = pod.name.name.rsplit_once('-')?;
    number.parse().ok()
}

fn fits(amount: Option<Amount>, of: i64, none: i64) -> i64 {
    amount.map_or(none, |amount| amount.rounded_up(of))
}

impl State<'_> {
    /// Is there nothing to come but tries of evictions that were refused since anything changed, so that none can be allowed?
    fn waits_in_vain(&self, drains: &Drains) -> bool {
        !drains.open.is_empty()
            && self.only_evictions_to_come()
            && drains.open.is_subset(&drains.refused)
    }

    /// What there is → pods, sets and Deployments.
    fn take_in(&mut self) -> Vec<Assumed> {
        let facts = self.facts;
        let mut assumed = Vec::new();
        let mut places: BTreeMap<(&str, &ObjectName), usize> = BTreeMap::new();
        let mut by_owner: BTreeMap<(&str, ObjectName), Vec<&Pod>> = BTreeMap::new();
        for pod in &facts.pods {
            if let Some(owner) = pod.owner.as_ref().filter(|owner| owner.controller) {
                let name = ObjectName::new(&pod.name.namespace, &owner.name);
                by_owner.entry((&owner.kind, name)).or_default().push(pod);
            }
        }
        let none: Vec<&Pod> = Vec::new();
        for workload in &facts.workloads {
            let Some((kind, owner_kind)) = keeper(&workload.kind) else {
                continue;
            };
            let pods = by_owner.get(&(owner_kind, workload.name.clone()));
            let pods = pods.unwrap_or(&none);
            let owner = workload.owner.as_ref();
            let deployment = owner.filter(|owner| owner.kind == "Deployment");
            let named: Option<WorkloadName> = match (deployment, &workload.kind) {
                (Some(owner), _) => Some((
                    WorkloadKind::Deployment,
                    ObjectName::new(&workload.name.namespace, &owner.name),
                )),
                (None, Kind::Apps(kind)) => Some((*kind, workload.name.clone())),
                (None, Kind::Other { .. }) => None,
            };
            let took = ready_after(
                named.as_ref(),
                pods.iter().copied(),
                Some(workload),
                self.settings,
            );
            assumed.push(Assumed {
                of: match &named {
                    Some((kind, name)) => format!("{} {name}", kind.name()),
                    None => format!("{owner_kind} {}", workload.name),
                },
                ready_after: took,
            });
            places.insert((owner_kind, &workload.name), self.sets.len());
            let set = Self::set(workload, kind, pods, took);
            self.sets.push(Set { owner_kind, ..set });
        }
        for workload in &facts.workloads {
            if workload.kind == WorkloadKind::Deployment {
                self.deployment(workload, &mut assumed);
            }
        }
        self.of_set = vec![BTreeSet::new(); self.sets.len()];
        for pod in &facts.pods {
            let owner = pod.owner.as_ref().filter(|owner| owner.controller);
            let set = owner.and_then(|owner| {
                let name = ObjectName::new(&pod.name.namespace, &owner.name);
                places.get(&(owner.kind.as_str(), &name)).copied()
            });
            self.take_pod(pod, set);
        }
        if facts.pods.is_empty() {
            self.make_pods();
        }
        assumed.sort_by(|one, other| one.of.cmp(&other.of));
        assumed.dedup_by(|one, other| one.of == other.of);
        assumed
    }

    fn set(workload: &Workload, kind: WorkloadKind, pods: &[&Pod], took: ReadyAfter) -> Set {
        let nodes: BTreeSet<_> = pods.iter().filter_map(|pod| pod.node.clone()).collect();
        let (keeps, replicas) = match kind {
            WorkloadKind::StatefulSet => {
                let partition = match workload.strategy {
                    Strategy::RollingUpdate { partition, .. } => partition,
                    Strategy::Recreate => 0,
                    // Nothing is replaced by itself.
                    Strategy::OnDelete | Strategy::None => i64::MAX,
                };
                let keeps = Keeps::Ordinals {
                    one_by_one: workload.one_by_one,
                    partition,
                };
                (keeps, workload.replicas.unwrap_or(1))
            }
            WorkloadKind::DaemonSet => {
                let wanted = count(nodes.len());
                let keeps = match workload.strategy {
                    Strategy::RollingUpdate {
                        max_unavailable,
                        max_surge,
                        ..
                    } => Keeps::Nodes {
                        unavailable: fits(max_unavailable, wanted, 1),
                        surge: fits(max_surge, wanted, 0),
                    },
                    _ => Keeps::Nodes {
                        unavailable: 0,
                        surge: 0,
                    },
                };
                (keeps, wanted)
            }
            _ => (Keeps::Replicas, workload.replicas.unwrap_or(1)),
        };
        let like = pods.first();
        Set {
            name: workload.name.clone(),
            owner_kind: kind.name(),
            keeps,
            replicas,
            deployment: None,
            min_ready: workload.min_ready_seconds.saturating_mul(1000),
            revision: 0,
            ready_after: took.millis(),
            labels: like.map_or_else(|| workload.pod_labels.clone(), |pod| pod.labels.clone()),
            annotations: workload.template.annotations.clone(),
            spec: like.map_or_else(
                || Arc::new(workload.template.spec.clone()),
                |pod| Arc::clone(&pod.spec),
            ),
            nodes: nodes.into_iter().collect(),
        }
    }

    fn deployment(&mut self, workload: &Workload, assumed: &mut Vec<Assumed>) {
        let place = self.deployments.len();
        let owns = |one: &&Workload| {
            let owner = one.owner.as_ref();
            one.kind == WorkloadKind::ReplicaSet
                && one.name.namespace == workload.name.namespace
                && owner.is_some_and(|owner| {
                    owner.kind == "Deployment" && owner.name == workload.name.name
                })
        };
        let sets: Vec<_> = self.facts.workloads.iter().filter(owns).collect();
        let at = |name: &ObjectName, state: &Self| {
            let mut all = state.sets.iter();
            all.position(|set| set.owner_kind == "ReplicaSet" && set.name == *name)
        };
        let mut mine: Vec<usize> = sets.iter().filter_map(|one| at(&one.name, self)).collect();
        let same = |one: &&&Workload| one.template.spec == workload.template.spec;
        let active = |one: &&&Workload| one.replicas.unwrap_or(1) > 0;
        let newest = sets.iter().filter(same).find(active);
        let newest = newest.or_else(|| sets.iter().find(active));
        let newest = newest.and_then(|one| at(&one.name, self));
        // None of its sets was read, or a manifest has none.
        let newest = newest.unwrap_or_else(|| {
            let named = (WorkloadKind::Deployment, workload.name.clone());
            let took = ready_after(
                Some(&named),
                std::iter::empty(),
                Some(workload),
                self.settings,
            );
            assumed.push(Assumed {
                of: format!("Deployment {}", workload.name),
                ready_after: took,
            });
            let mut set = Self::set(workload, WorkloadKind::ReplicaSet, &[], took);
            set.name.name = format!("{}-0", set.name.name);
            self.sets.push(set);
            mine.push(self.sets.len() - 1);
            self.sets.len() - 1
        });
        // The one of the template is the youngest.
        mine.retain(|set| *set != newest);
        mine.push(newest);
        for set in &mine {
            self.sets[*set].deployment = Some(place);
            self.sets[*set].min_ready = workload.min_ready_seconds.saturating_mul(1000);
        }
        let (surge, unavailable) = match workload.strategy {
            Strategy::RollingUpdate {
                max_surge,
                max_unavailable,
                ..
            } => (max_surge, max_unavailable),
            _ => (None, None),
        };
        self.deployments.push(Deployment {
            name: workload.name.clone(),
            replicas: workload.replicas.unwrap_or(1),
            surge,
            unavailable,
            recreate: workload.strategy == Strategy::Recreate,
            paused: workload.paused,
            sets: mine,
            newest: Some(newest),
        });
    }

    fn take_pod(&mut self, pod: &Pod, set: Option<usize>) {
        let ready = pod.condition("Ready").filter(|ready| ready.is_true);
        let min_ready = set.map_or(0, |set| self.sets[set].min_ready);
        let since = |ready: &Condition| {
            let changed = ready.changed.unwrap_or(self.start);
            let since = (changed - self.start).num_milliseconds().min(0);
            // Files tell only of their newest moment: what they hold as Ready is taken to have been so for long enough.
            if self.facts.complete {
                since
            } else {
                since.min(-min_ready)
            }
        };
        let keeps = set.map(|set| self.sets[set].keeps);
        let ordinal = match keeps {
            Some(Keeps::Ordinals { .. }) => ordinal(pod),
            _ => None,
        };
        let taken = SimPod {
            set,
            revision: 0,
            ordinal,
            ready: ready.map(since),
            deleted: pod.deletion.is_some(),
            ends: None,
            ended: pod.is_terminal(),
            gone: false,
            pod: pod.clone(),
        };
        self.pods.push(taken);
        let at = self.pods.len() - 1;
        if let Some(set) = set {
            self.of_set[set].insert(at);
        }
        if let Some(ready) = self.pods[at].ready
            && ready + min_ready > 0
            && let Some(set) = set
        {
            let deployment = self.sets[set].deployment.map(Controller::Deployment);
            for controller in [Some(Controller::Set(set)), deployment]
                .into_iter()
                .flatten()
            {
                self.surely_after(ready + min_ready + NOTICED, Event::Sync(controller));
            }
        }
        if let Some(deadline) = pod.deletion {
            // Who goes is gone once its grace period is over at the latest.
            let left = (deadline - self.start).num_milliseconds().max(0);
            self.after(left, Event::Ended(at));
            self.after(left + 1000, Event::Gone(at));
        } else if ready.is_none() && !pod.is_terminal() && pod.node.is_some() {
            // One that is starting becomes Ready as its template's pods do; one that has been unready for longer stays so.
            let created = pod.created.unwrap_or(self.start);
            let age = (self.start - created).num_milliseconds();
            let after = set.map_or(0, |set| self.sets[set].ready_after);
            if age < after {
                self.after(after - age, Event::Ready(at));
            }
        }
    }

    /// Manifests hold no pods: those that they ask for are there, and have been Ready for long.
    fn make_pods(&mut self) {
        let nodes: Vec<_> = self
            .facts
            .nodes
            .iter()
            .map(|node: &Node| node.name.clone())
            .collect();
        for set in 0..self.sets.len() {
            let (keeps, replicas) = (self.sets[set].keeps, self.sets[set].replicas);
            match keeps {
                Keeps::Replicas => {
                    for _ in 0..replicas.clamp(0, 10_000) {
                        self.create(set, None, None, 0);
                    }
                }
                Keeps::Ordinals { .. } => {
                    for ordinal in 0..replicas.clamp(0, 10_000) {
                        self.create(set, None, Some(ordinal), 0);
                    }
                }
                Keeps::Nodes { .. } => {
                    self.sets[set].nodes.clone_from(&nodes);
                    for node in &nodes {
                        self.create(set, Some(node.clone()), None, 0);
                    }
                }
            }
        }
        for at in 0..self.pods.len() {
            self.ready(at);
            self.pods[at].ready = Some(-3_600_000);
        }
        self.forget_what_was_said();
    }

    /// What there is when it begins.
    fn begin(&mut self, facts: &Snapshot) {
        let pods = self.pods.iter().map(|pod| pod.pod.clone()).collect();
        self.changes.push(Change {
            at: self.at(),
            what: What::Listed {
                resource: "pods".to_owned(),
                facts: Box::new(Snapshot {
                    pods,
                    ..Snapshot::default()
                }),
            },
        });
        if facts.slices.is_empty() {
            for service in 0..facts.services.len() {
                self.after(0, Event::Slices(service));
            }
        }
    }

    fn pod_called(&self, name: &ObjectName) -> Result<usize, String> {
        let mut pods = self.pods.iter();
        let found = pods.position(|pod| pod.pod.name == *name);
        found.ok_or_else(|| format!("pod {name} is not there"))
    }

    fn act(&mut self, action: &Action, drains: &mut Drains) -> Result<(), String> {
        match action {
            Action::Drain(nodes) => {
                for node in nodes {
                    let known = self.facts.nodes.iter().any(|one| one.name == *node);
                    let used = self
                        .pods
                        .iter()
                        .any(|pod| pod.pod.node.as_ref() == Some(node));
                    if !known && !used {
                        return Err(format!("node {node} is not there"));
                    }
                    self.cordoned.insert(node.clone());
                }
                drains.nodes.clone_from(nodes);
                self.after(0, Event::Drain(0));
            }
            Action::Rollout(name) => {
                let workload = find(self.facts, name);
                workload.ok_or_else(|| format!("{} {} is not there", name.0.name(), name.1))?;
                self.roll_out(name);
            }
            Action::Scale(name, replicas) => {
                let workload = find(self.facts, name);
                workload.ok_or_else(|| format!("{} {} is not there", name.0.name(), name.1))?;
                self.scale_to(name, *replicas);
            }
            Action::Delete(pods, grace) => {
                for pod in pods {
                    let at = self.pod_called(pod)?;
                    self.delete(at, *grace);
                }
            }
            Action::Evict(pods) => {
                for pod in pods {
                    let at = self.pod_called(pod)?;
                    let node = self.pods[at].pod.node.clone().unwrap_or_default();
                    self.evict(drains, at, &node);
                }
            }
        }
        Ok(())
    }

    fn roll_out(&mut self, (kind, name): &WorkloadName) {
        if *kind == WorkloadKind::Deployment {
            let place = self.deployments.iter().position(|one| one.name == *name);
            if let Some(place) = place {
                self.deployments[place].newest = None;
                self.wake(Controller::Deployment(place));
            }
            return;
        }
        let mut sets = self.sets.iter();
        let set = sets.position(|set| set.owner_kind == kind.name() && set.name == *name);
        if let Some(set) = set {
            self.sets[set].revision = 1;
            self.wake(Controller::Set(set));
        }
    }

    fn scale_to(&mut self, (kind, name): &WorkloadName, replicas: i64) {
        if *kind == WorkloadKind::Deployment {
            if let Some(place) = self.deployments.iter().position(|one| one.name == *name) {
                self.scale_deployment(place, replicas);
            }
            return;
        }
        let mut sets = self.sets.iter();
        let set = sets.position(|set| set.owner_kind == kind.name() && set.name == *name);
        if let Some(set) = set {
            self.sets[set].replicas = replicas;
            self.wake(Controller::Set(set));
        }
    }
}
