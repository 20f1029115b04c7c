//! What is there when it begins: facts → pods, sets and Deployments.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::play::Assumed;
use super::scenario::WorkloadName;
use super::start_up::{ReadyAfter, ready_after};
use super::state::{
    Controller, Deployment, Event, Keeps, NOTICED, Ordinals, Set, SimPod, State, count,
};
use crate::facts::ObjectName;
use crate::facts::node::Node;
use crate::facts::pod::{Condition, Pod};
use crate::facts::workload::{Amount, Kind, Strategy, Workload, WorkloadKind};
use crate::gates::controllers::Controllers;

/// The places of sets, by how their pods name them.
type Places<'f> = BTreeMap<(&'f str, &'f ObjectName), usize>;

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
    /// What there is → pods, sets and Deployments.
    pub(super) fn take_in(&mut self) -> Vec<Assumed> {
        let facts = self.facts;
        let mut assumed = Vec::new();
        let mut places = Places::new();
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
            let set = Self::set(workload, kind, pods, took, self.controllers);
            self.sets.push(Set { owner_kind, ..set });
        }
        let mut replica_sets: BTreeMap<ObjectName, Vec<&Workload>> = BTreeMap::new();
        for workload in &facts.workloads {
            let owner = workload.owner.as_ref();
            if let Some(owner) = owner.filter(|owner| owner.kind == "Deployment")
                && workload.kind == WorkloadKind::ReplicaSet
            {
                let name = ObjectName::new(&workload.name.namespace, &owner.name);
                replica_sets.entry(name).or_default().push(workload);
            }
        }
        for workload in &facts.workloads {
            if workload.kind == WorkloadKind::Deployment {
                let sets = replica_sets
                    .get(&workload.name)
                    .map_or(&[][..], Vec::as_slice);
                self.deployment(workload, sets, &places, &mut assumed);
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

    fn set(
        workload: &Workload,
        kind: WorkloadKind,
        pods: &[&Pod],
        took: ReadyAfter,
        controllers: Controllers,
    ) -> Set {
        let nodes: BTreeSet<_> = pods.iter().filter_map(|pod| pod.node.clone()).collect();
        let (keeps, replicas) = match kind {
            WorkloadKind::StatefulSet => {
                let partition = match workload.strategy {
                    Strategy::RollingUpdate { partition, .. } => partition,
                    Strategy::Recreate => 0,
                    // Nothing is replaced by itself.
                    Strategy::OnDelete | Strategy::None => i64::MAX,
                };
                let replicas = workload.replicas.unwrap_or(1);
                let unavailable = match workload.strategy {
                    Strategy::RollingUpdate {
                        max_unavailable: Some(amount),
                        ..
                    } if controllers.stateful_sets_go_by_max_unavailable => {
                        // The code rounds down, with one at least (`getStatefulSetMaxUnavailable`).
                        amount.rounded_down(replicas).max(1)
                    }
                    _ => 1,
                };
                let keeps = Keeps::Ordinals(Ordinals {
                    one_by_one: workload.one_by_one,
                    partition,
                    unavailable,
                    recreate: workload.strategy == Strategy::Recreate,
                });
                (keeps, replicas)
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
            placement: workload.placement.clone(),
            nodes: nodes.into_iter().collect(),
        }
    }

    fn deployment(
        &mut self,
        workload: &Workload,
        sets: &[&Workload],
        places: &Places<'_>,
        assumed: &mut Vec<Assumed>,
    ) {
        let place = self.deployments.len();
        let at = |name: &ObjectName| places.get(&("ReplicaSet", name)).copied();
        let mut mine: Vec<usize> = sets.iter().filter_map(|one| at(&one.name)).collect();
        let same = |one: &&&Workload| one.template.spec == workload.template.spec;
        let active = |one: &&&Workload| one.replicas.unwrap_or(1) > 0;
        let newest = sets.iter().filter(same).find(active);
        let newest = newest.or_else(|| sets.iter().find(active));
        let newest = newest.and_then(|one| at(&one.name));
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
            let mut set = Self::set(
                workload,
                WorkloadKind::ReplicaSet,
                &[],
                took,
                self.controllers,
            );
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
            Some(Keeps::Ordinals(_)) => ordinal(pod),
            _ => None,
        };
        let taken = SimPod {
            set,
            revision: 0,
            ordinal,
            ready: ready.map(since),
            deleted: pod.deletion.is_some(),
            ends: None,
            shut_down: false,
            ended: pod.is_terminal(),
            gone: false,
            pod: pod.clone(),
        };
        let at = self.add(taken);
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
                Keeps::Ordinals(_) => {
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
}
