//! What does a scenario begin with?

use super::drains::Drains;
use super::scenario::{Action, WorkloadName};
use super::start_up::find;
use super::state::{Controller, Event, State};
use crate::facts::ObjectName;
use crate::facts::workload::WorkloadKind;

/// So many nodes are named at most where one is not there.
const NAMED: usize = 8;

impl State<'_> {
    fn are_there(&self, nodes: &[String]) -> Result<(), String> {
        for node in nodes {
            let known = self.nodes.contains_key(node.as_str());
            let mut pods = self.pods.iter();
            let used = pods.any(|pod| pod.pod.node.as_ref() == Some(node));
            if !known && !used {
                let known: Vec<_> = self.nodes.keys().take(NAMED + 1).copied().collect();
                return Err(match known.len() {
                    0 => format!("node {node} is not there; no node was read"),
                    some if some > NAMED => format!("node {node} is not there"),
                    _ => format!("node {node} is not there; there are: {}", known.join(", ")),
                });
            }
        }
        Ok(())
    }

    fn pod_called(&self, name: &ObjectName) -> Result<usize, String> {
        let mut pods = self.pods.iter();
        let found = pods.position(|pod| pod.pod.name == *name);
        found.ok_or_else(|| format!("pod {name} is not there"))
    }

    pub(super) fn act(&mut self, action: &Action, drains: &mut Drains) -> Result<(), String> {
        match action {
            Action::Drain(nodes) => {
                self.are_there(nodes)?;
                if !drains.flags.one_by_one {
                    self.cordoned.extend(nodes.iter().cloned());
                }
                drains.nodes.clone_from(nodes);
                self.after(0, Event::Drain(0));
            }
            Action::Upgrade { nodes, to } => {
                self.are_there(nodes)?;
                self.upgrade_to = Some(*to);
                drains.flags.one_by_one = true;
                drains.nodes.clone_from(nodes);
                self.after(0, Event::Drain(0));
            }
            Action::Lose(lost) => {
                self.are_there(&lost.nodes)?;
                self.lose(lost);
            }
            Action::Interrupt(warned) => {
                self.are_there(&warned.nodes)?;
                self.warn(warned, drains);
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
