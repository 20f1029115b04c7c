//! What becomes of one pod: it is made, becomes Ready, is deleted, ends, and is gone.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::state::{Controller, Event, MADE, NOTICED, SimPod, State};
use crate::analysis::declarations::Declarations;
use crate::facts::ObjectName;
use crate::facts::pod::{
    Condition, ContainerState, ContainerStatus, NODE_SHUTS_DOWN, Owner, Phase, Pod,
};
use crate::facts::service::Family;
use crate::facts::version::KubeVersion;
use crate::gates::behaviour::NEWEST_MINOR;
use crate::gates::kubelet::Kubelet;
use crate::gates::state::Overrides;
use crate::shutdown::{self, ContainerKind, Delete, Span};
use crate::timeline::moments::later;

/// From a container's end to what its kubelet says of it, in milliseconds, as measured in real rollouts: 0.3 to 0.5 s.
const REPORTED: i64 = 350;

/// From there until the object is gone: 0.3 to 0.9 s.
const REMOVED: i64 = 600;

/// A kubelet notices a delete a little later.
const LEARNS: i64 = 50;

impl State<'_> {
    /// Makes a pod of a set, on a node, or on the one with the fewest of its pods.
    pub(super) fn create(
        &mut self,
        set: usize,
        node: Option<String>,
        ordinal: Option<i64>,
        revision: u8,
    ) {
        let node = node.or_else(|| self.place(set));
        let owner = self.made_for(set);
        self.started.insert(owner);
        let number = self.number();
        let of = &self.sets[set];
        let name = match ordinal {
            Some(ordinal) => format!("{}-{ordinal}", of.name.name),
            None => format!("{}-new{number}", of.name.name),
        };
        let families: Vec<_> = self.families(&of.name.namespace);
        let at = self.at();
        let scheduled = node.is_some();
        let message = if scheduled {
            String::new()
        } else {
            self.unschedulable(set)
        };
        let pod = Pod {
            name: ObjectName::new(&of.name.namespace, name),
            uid: Some(format!("{MADE}{number}")),
            labels: of.labels.clone(),
            annotations: of.annotations.clone(),
            owner: Some(Owner {
                kind: of.owner_kind.to_owned(),
                name: of.name.name.clone(),
                controller: true,
            }),
            created: Some(at),
            node,
            spec: Arc::clone(&of.spec),
            ips: families
                .into_iter()
                .map(|family| address(number, family))
                .collect(),
            conditions: vec![Condition {
                kind: "PodScheduled".to_owned(),
                is_true: scheduled,
                reason: if scheduled { "" } else { "Unschedulable" }.to_owned(),
                message,
                changed: Some(at),
            }],
            ..Pod::default()
        };
        let ready_after = of.ready_after;
        let pod = self.add(SimPod {
            pod,
            set: Some(set),
            revision,
            ordinal,
            ready: None,
            deleted: false,
            ends: None,
            shut_down: false,
            ended: false,
            gone: false,
        });
        self.say(pod);
        if scheduled {
            self.after(ready_after, Event::Ready(pod));
        } else {
            self.pending.insert(pod);
        }
        self.wake_owners(pod);
    }

    /// Something changed that may let a node take pods which none took before.
    pub(super) fn schedule_pending(&mut self) {
        for at in std::mem::take(&mut self.pending) {
            let pod = &self.pods[at];
            let Some(set) = pod.set.filter(|_| pod.is_active()) else {
                continue;
            };
            let Some(node) = self.place(set) else {
                self.pending.insert(at);
                continue;
            };
            let moment = self.at();
            let pod = &mut self.pods[at].pod;
            pod.node = Some(node);
            for condition in &mut pod.conditions {
                condition.is_true = true;
                condition.reason.clear();
                condition.message.clear();
                condition.changed = Some(moment);
            }
            self.ask(at, 1);
            self.say(at);
            let ready_after = self.sets[set].ready_after;
            self.after(ready_after, Event::Ready(at));
        }
    }

    /// The families of the addresses that pods have here.
    fn families(&self, namespace: &str) -> Vec<Family> {
        let places = self.by_namespace.get(namespace).into_iter().flatten();
        let mut pods = places.map(|at| &self.pods[*at].pod);
        let known = pods.find(|pod| !pod.ips.is_empty());
        known.map_or_else(
            || vec![Family::V4],
            |pod| pod.ips.iter().map(|ip| Family::of(*ip)).collect(),
        )
    }

    /// A pod is Ready.
    pub(super) fn ready(&mut self, at: usize) {
        if !self.pods[at].is_active() {
            return;
        }
        let moment = self.at();
        let now = self.now;
        let pod = &mut self.pods[at];
        pod.ready = Some(now);
        pod.pod.phase = Phase::Running;
        pod.pod.conditions.push(Condition {
            kind: "Ready".to_owned(),
            is_true: true,
            changed: Some(moment),
            ..Condition::default()
        });
        let containers = &pod.pod.spec.containers;
        let runs = containers.iter().map(|container| ContainerStatus {
            name: container.name.clone(),
            ready: true,
            started: true,
            state: ContainerState::Running,
            ..ContainerStatus::default()
        });
        pod.pod.statuses = runs.collect();
        self.say(at);
        self.wake_owners(at);
        let Some(set) = self.pods[at].set else { return };
        let min_ready = self.sets[set].min_ready;
        if min_ready > 0 {
            let controllers = [
                Some(Controller::Set(set)),
                self.sets[set].deployment.map(Controller::Deployment),
            ];
            for controller in controllers.into_iter().flatten() {
                self.surely_after(min_ready + NOTICED, Event::Sync(controller));
            }
        }
    }

    /// Somebody requests a pod's delete, with a grace period in seconds or its own. One that has no node, or has ended, is gone at once
    /// (`pkg/registry/core/pod/strategy.go`, `CheckGracefulDelete`).
    pub(super) fn delete(&mut self, at: usize, grace: Option<i64>) {
        if self.pods[at].deleted || self.pods[at].gone {
            return;
        }
        let moment = self.at();
        let pod = &mut self.pods[at];
        pod.deleted = true;
        let own = pod.pod.spec.grace_seconds.unwrap_or(30);
        let granted = grace.unwrap_or(own).max(0);
        let at_once = pod.pod.node.is_none() || pod.ended || granted == 0;
        pod.pod.deletion = Some(later(moment, granted.saturating_mul(1000)));
        pod.pod.deletion_grace_seconds = Some(granted);
        if at_once {
            self.pods[at].pod.deletion_grace_seconds = Some(0);
            self.gone(at);
            return;
        }
        self.say(at);
        self.wake_owners(at);
        let (ended, gone) = self.end(at, granted);
        self.after(ended, Event::Ended(at));
        self.after(gone, Event::Gone(at));
    }

    /// When a pod that is deleted now has ended and is gone, in milliseconds from now.
    pub(super) fn end(&mut self, at: usize, granted: i64) -> (i64, i64) {
        if let Some(gone) = self.settings.gone_after {
            return (gone, gone);
        }
        let pod = &self.pods[at].pod;
        let node = pod.node.as_deref();
        let node = node.and_then(|name| self.nodes.get(name).copied());
        let newer = node.and_then(|node| self.upgraded.get(&node.name).copied());
        let version = newer
            .or_else(|| node?.kubelet)
            .unwrap_or(KubeVersion::minor(NEWEST_MINOR));
        let kubelet = Kubelet::new(version, &Overrides::new());
        let durations = Declarations::new(&pod.annotations, self.settings.drain_seconds);
        let delete = Delete {
            grace_seconds: Some(granted),
            ..Delete::default()
        };
        let shutdown = shutdown::shutdown(&pod.spec, &kubelet, delete, &durations);
        // What nobody knows the length of is taken as short, so that the application ends with SIGTERM, or as long.
        let of = |span: Span| {
            if self.settings.end_late {
                span.max()
            } else {
                span.min()
            }
        };
        let mains = shutdown.containers.iter();
        let mains = mains.filter(|end| end.kind == ContainerKind::Main);
        let ends = mains.map(|end| of(end.ended_at));
        let ended = ends.max().unwrap_or(0).max(0) + LEARNS;
        let all = of(shutdown.ends_by).max(0) + LEARNS;
        let reported = ended.max(all) + REPORTED;
        self.pods[at].ends = Some(later(self.at(), ended));
        (reported, reported + REMOVED)
    }

    /// Its containers have ended.
    pub(super) fn ended(&mut self, at: usize) {
        if self.pods[at].gone || self.pods[at].ended {
            return;
        }
        let now = self.at();
        // The scheduler counts no pod that has ended.
        self.ask(at, -1);
        let pod = &mut self.pods[at];
        pod.ended = true;
        pod.pod.phase = Phase::Succeeded;
        if pod.shut_down && !pod.deleted {
            pod.pod.phase = Phase::Failed;
            NODE_SHUTS_DOWN.clone_into(&mut pod.pod.reason);
        }
        for status in &mut pod.pod.statuses {
            status.ready = false;
            status.state = ContainerState::Terminated {
                exit_code: 0,
                signal: 0,
                reason: "Completed".to_owned(),
                finished: pod.ends.or(Some(now)),
            };
        }
        not_ready(&mut pod.pod, now);
        self.say(at);
        self.wake_owners(at);
    }

    /// The node controller says that it is not Ready; its containers may run.
    pub(super) fn mark_not_ready(&mut self, at: usize) {
        let now = self.at();
        let pod = &mut self.pods[at];
        pod.ready = None;
        not_ready(&mut pod.pod, now);
        self.say(at);
        self.wake_owners(at);
    }

    /// The object is gone.
    pub(super) fn gone(&mut self, at: usize) {
        if self.pods[at].gone {
            return;
        }
        self.ask(at, -1);
        self.pods[at].gone = true;
        self.say(at);
        self.wake_owners(at);
        if let Some(set) = self.pods[at].set {
            self.of_set[set].remove(&at);
        }
        self.schedule_pending();
    }
}

/// Its condition Ready holds no longer.
fn not_ready(pod: &mut Pod, now: DateTime<Utc>) {
    for condition in &mut pod.conditions {
        if condition.kind == "Ready" {
            condition.is_true = false;
            condition.changed = Some(now);
        }
    }
}

/// An address that no pod has: from the ranges for benchmarks (RFC 2544) and documentation (RFC 3849).
fn address(number: u32, family: Family) -> IpAddr {
    match family {
        Family::V4 => IpAddr::V4(Ipv4Addr::from(0xC612_0000_u32 + (number & 0x1_FFFF))),
        Family::V6 => {
            let base = 0x2001_0db8_0000_0000_0000_0000_0000_0000_u128;
            IpAddr::V6(Ipv6Addr::from(base + u128::from(number)))
        }
    }
}
