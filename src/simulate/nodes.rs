//! What becomes of a machine that goes away: lost without a word, or after a notice that its kubelet or a drain makes use of?
//!
//! Nobody reports a lost machine: its endpoints stay ready until the node controller has missed its kubelet for long enough
//! (`pkg/controller/nodelifecycle/node_lifecycle_controller.go`), and its pods are deleted only when what they tolerate is over
//! (`pkg/controller/tainteviction`).

use std::collections::BTreeMap;

use super::drains::{Drains, Filter, filter, is_mirror};
use super::scenario::{DrainFlags, Lost, Notified, Warned};
use super::state::{Event, Keeps, State, count};
use crate::facts::Snapshot;
use crate::facts::kube_proxy::KubeProxyPod;
use crate::facts::node::{NOT_READY, Node, NodeReady, ReadyStatus, Taint, UNREACHABLE};
use crate::facts::pod::Pod;
use crate::facts::version::KubeVersion;
use crate::timeline::change::{Change, What};

/// A kubelet renews its lease every ten seconds, and the controller looks every five: it misses a kubelet so much earlier, on average,
/// than so long after the machine went off, in milliseconds (`nodeLeaseDurationSeconds`, `--node-monitor-period`).
const RENEWED: i64 = 2_500;

/// Between two nodes of a zone whose pods are evicted, in milliseconds (`--node-eviction-rate` 0.1).
const NEXT_NODE: i64 = 10_000;

/// The same in a large zone that is lost in part (`--secondary-node-eviction-rate` 0.01).
const NEXT_NODE_OF_MOST: i64 = 100_000;

/// A zone of more nodes is a large one (`--large-cluster-size-threshold`).
const LARGE: i64 = 50;

/// From the end of a node's object until its pods' objects are removed, in milliseconds: 40 to 80 s (`pkg/controller/podgc`, quarantine
/// and loop).
const COLLECTED: i64 = 60_000;

/// How long a pod stays on a node that does not report, in seconds, where it says nothing of it (`DefaultTolerationSeconds`).
const TOLERATED: i64 = 300;

/// A machine stops so long after its kubelet's time is up, in milliseconds: what ends with the notice has been reported by then.
const STOPS: i64 = 2_000;

/// How long a pod stays on a node that does not report, in seconds; `None` is for ever. The shortest of what fits counts.
pub(super) fn stays(pod: &Pod) -> Option<i64> {
    let taint = taint(UNREACHABLE, "NoExecute");
    let fits = pod.spec.tolerations.iter();
    let fits: Vec<_> = fits.filter(|one| one.stands(&taint)).collect();
    if fits.is_empty() {
        return Some(TOLERATED);
    }
    fits.iter().filter_map(|one| one.seconds).min()
}

fn taint(key: &str, effect: &str) -> Taint {
    Taint {
        key: key.to_owned(),
        value: String::new(),
        effect: effect.to_owned(),
    }
}

/// What the node controller calls a zone.
fn zone(node: &Node) -> (Option<&str>, Option<&str>) {
    let region = node.labels.get("topology.kubernetes.io/region");
    (region.map(String::as_str), node.zone())
}

/// How far apart the nodes of a zone lose their pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    Every(i64),
    /// No pod of the zone is evicted.
    Never,
}

/// The pace of a zone (`ComputeZoneState`, `handleDisruption`): so many of its nodes report, so many do not.
const fn pace(ready: i64, silent: i64) -> Pace {
    let all = ready + silent;
    let partial = ready > 0 && silent > 2 && silent * 100 >= all * 55;
    match partial {
        true if all > LARGE => Pace::Every(NEXT_NODE_OF_MOST),
        true => Pace::Never,
        false => Pace::Every(NEXT_NODE),
    }
}

impl State<'_> {
    /// Machines go off without a word.
    pub(super) fn lose(&mut self, lost: &Lost) {
        self.removed_after = lost.removed_after;
        for node in &lost.nodes {
            self.go_off_after(node, 0);
        }
    }

    /// A machine goes off so many milliseconds from now.
    fn go_off_after(&mut self, node: &str, millis: i64) {
        self.lost.push(node.to_owned());
        let place = self.lost.len() - 1;
        self.after(millis, Event::Off(place));
    }

    /// A machine is off.
    pub(super) fn turn_off(&mut self, drains: &mut Drains, place: usize) {
        let node = self.lost[place].clone();
        self.off.insert(node.clone());
        self.cordoned.insert(node.clone());
        let open = std::mem::take(&mut drains.open);
        let is_there = |record: &usize| drains.records[*record].node != node;
        drains.open = open.into_iter().filter(is_there).collect();
        self.changes.push(Change {
            at: self.at(),
            what: What::Silent { node },
        });
        let grace = self.controllers.node_monitor_grace_seconds * 1000;
        self.after(grace - RENEWED, Event::Unknown(place));
        if let Some(removed) = self.removed_after {
            self.after(removed, Event::Removed(place));
        }
    }

    /// Does nobody answer for a pod's node any more? What its kubelet would have said is not said.
    pub(super) fn is_off(&self, pod: usize) -> bool {
        let node = self.pods[pod].pod.node.as_ref();
        node.is_some_and(|node| self.off.contains(node))
    }

    /// The pods of a node that are there, by their places.
    pub(super) fn on_node(&self, node: &str) -> Vec<usize> {
        let pods = self.pods.iter().enumerate();
        let here = pods.filter(|(_, pod)| !pod.gone && pod.pod.node.as_deref() == Some(node));
        here.map(|(at, _)| at).collect()
    }

    /// The node controller has missed a kubelet for long enough: the node's status is `Unknown`, and its pods are not Ready
    /// (`MarkPodsNotReady`). It does so only for a node that was Ready until then.
    pub(super) fn miss(&mut self, place: usize) {
        let name = self.lost[place].clone();
        if self.removed.contains(&name) {
            return;
        }
        let was_ready = !self.shutting_down.contains(&name);
        let taints = [
            taint(UNREACHABLE, "NoSchedule"),
            taint(UNREACHABLE, "NoExecute"),
        ];
        self.say_node(&name, ReadyStatus::Unknown, "NodeStatusUnknown", &taints);
        for at in self.on_node(&name) {
            if was_ready && self.pods[at].pod.is_ready() {
                self.mark_not_ready(at);
            }
        }
        match self.evicted_after(place) {
            Some(millis) => self.after(millis, Event::Taint(place)),
            None => self.kept.push(name),
        }
    }

    /// When the pods of a lost node begin to count what they tolerate: nodes of a zone come one after the other, and none where all of the
    /// cluster is lost, or most of a small zone.
    fn evicted_after(&self, place: usize) -> Option<i64> {
        let nodes = self.facts.nodes.iter();
        let name = &self.lost[place];
        let Some(&node) = self.nodes.get(name.as_str()) else {
            return Some(0);
        };
        let reports = |node: &Node| {
            let ready = node.ready.as_ref();
            !self.off.contains(&node.name)
                && ready.is_none_or(|ready| ready.status == ReadyStatus::True)
        };
        if !nodes.clone().any(reports) {
            return None;
        }
        let of_zone: Vec<_> = nodes.filter(|one| zone(one) == zone(node)).collect();
        let ready = count(of_zone.iter().filter(|one| reports(one)).count());
        let before = self.lost[..place].iter();
        let before = before.filter(|other| of_zone.iter().any(|one| one.name == **other));
        match pace(ready, count(of_zone.len()) - ready) {
            Pace::Every(millis) => Some(millis * count(before.count())),
            Pace::Never => None,
        }
    }

    /// The pods of a lost node are deleted, each once what it tolerates is over.
    pub(super) fn taint(&mut self, place: usize) {
        let node = self.lost[place].clone();
        for at in self.on_node(&node) {
            let pod = &self.pods[at];
            if let Some(seconds) = stays(&pod.pod).filter(|_| !pod.ended) {
                self.after(seconds.max(0).saturating_mul(1000), Event::Expire(at));
            }
        }
    }

    /// The object of a lost node is removed, and a while later its pods' objects (`pkg/controller/podgc`).
    pub(super) fn remove_node(&mut self, place: usize) {
        let name = self.lost[place].clone();
        let nodes = self.nodes.get(name.as_str()).into_iter();
        let nodes = nodes.map(|&node| node.clone()).collect();
        self.changes.push(Change {
            at: self.at(),
            what: What::Deleted(Box::new(Snapshot {
                nodes,
                ..Snapshot::default()
            })),
        });
        for set in &mut self.sets {
            set.nodes.retain(|node| *node != name);
            if matches!(set.keeps, Keeps::Nodes { .. }) {
                set.replicas = count(set.nodes.len());
            }
        }
        for at in self.on_node(&name) {
            self.after(COLLECTED, Event::Collected(at));
        }
        self.node_names.remove(name.as_str());
        self.removed.insert(name);
    }

    /// Machines go away after a notice.
    pub(super) fn warn(&mut self, warned: &Warned, drains: &mut Drains) {
        for node in &warned.nodes {
            match warned.by {
                Notified::Kubelet => self.shut_down(node, warned.notice),
                Notified::Drain => self.empty(node, drains),
                Notified::Nobody => {}
            }
            let stops = match warned.by {
                Notified::Kubelet => STOPS,
                Notified::Drain | Notified::Nobody => 0,
            };
            self.go_off_after(node, warned.notice + stops);
        }
    }

    /// Its kubelet ends all pods at once, without a delete: their endpoints stay ready until the containers have ended
    /// (`pkg/kubelet/nodeshutdown`; `pkg/kubelet/prober/worker.go` stops probing).
    fn shut_down(&mut self, node: &str, notice: i64) {
        self.cordoned.insert(node.to_owned());
        self.shutting_down.insert(node.to_owned());
        let taints = [
            taint(NOT_READY, "NoSchedule"),
            taint(NOT_READY, "NoExecute"),
        ];
        self.say_node(node, ReadyStatus::False, "KubeletNotReady", &taints);
        for set in &mut self.sets {
            set.nodes.retain(|one| one != node);
        }
        for at in self.on_node(node) {
            let pod = &self.pods[at];
            if !pod.is_active() || is_mirror(&pod.pod) {
                continue;
            }
            let own = pod.pod.spec.grace_seconds.unwrap_or(30).max(0);
            self.pods[at].shut_down = true;
            let (ended, _) = self.end(at, own.min(notice / 1000));
            self.after(ended, Event::Ended(at));
        }
    }

    /// Something that heard of the notice evicts all pods, and takes what it meets: no flag is asked for.
    fn empty(&mut self, node: &str, drains: &mut Drains) {
        self.cordoned.insert(node.to_owned());
        let flags = DrainFlags {
            delete_emptydir_data: true,
            force: true,
            ..DrainFlags::default()
        };
        for at in self.on_node(node) {
            let pod = &self.pods[at];
            if matches!(filter(&pod.pod, pod.ended, &flags), Filter::Evict) {
                self.evict(drains, at, node);
            }
        }
    }

    /// Says how a node looks now.
    pub(super) fn say_node(
        &mut self,
        name: &str,
        status: ReadyStatus,
        reason: &str,
        taints: &[Taint],
    ) {
        let Some(&node) = self.nodes.get(name) else {
            return;
        };
        let mut node = node.clone();
        node.ready = Some(NodeReady {
            status,
            reason: reason.to_owned(),
            changed: Some(self.at()),
        });
        node.taints.extend_from_slice(taints);
        self.changes.push(Change {
            at: self.at(),
            what: What::Applied(Box::new(Snapshot {
                nodes: vec![node],
                ..Snapshot::default()
            })),
        });
    }

    /// What a pod tolerates is over.
    pub(super) fn expire(&mut self, at: usize) {
        if self.is_off(at) {
            self.delete(at, None);
        }
    }

    /// The next turn of nodes that are drained one by one: the last one takes pods again, in an upgrade with its new version, and this one
    /// takes none.
    pub(super) fn take_turns(&mut self, drains: &Drains, place: usize) {
        let done = place.checked_sub(1).and_then(|last| drains.nodes.get(last));
        if let Some(done) = done {
            self.cordoned.remove(done);
            if let Some(version) = self.upgrade_to {
                self.upgraded.insert(done.clone(), version);
                self.say_version(done, version);
            }
        }
        if let Some(node) = drains.nodes.get(place) {
            self.cordoned.insert(node.clone());
        }
        self.schedule_pending();
    }

    /// Says that a node's kubelet and kube-proxy have a version.
    fn say_version(&mut self, name: &str, version: KubeVersion) {
        let nodes = self.nodes.get(name).into_iter();
        let nodes = nodes.map(|&node| Node {
            kubelet: Some(version),
            ..node.clone()
        });
        let proxies = self.facts.kube_proxies.pods.iter();
        let proxies = proxies.filter(|proxy| proxy.node == name);
        let proxies = proxies.map(|proxy| KubeProxyPod {
            version: Some(version),
            ..proxy.clone()
        });
        let mut facts = Snapshot {
            nodes: nodes.collect(),
            ..Snapshot::default()
        };
        facts.kube_proxies.pods = proxies.collect();
        self.changes.push(Change {
            at: self.at(),
            what: What::Applied(Box::new(facts)),
        });
    }
}

/// The nodes of each zone, by name.
#[must_use]
pub fn zones(nodes: &[Node]) -> BTreeMap<&str, Vec<&str>> {
    let mut zones: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for node in nodes {
        if let Some(zone) = node.zone() {
            zones.entry(zone).or_default().push(&node.name);
        }
    }
    zones
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::pod_spec::Toleration;
    use std::sync::Arc;

    /// `ComputeZoneState` and `ReducedQPSFunc` of the node controller: more than two nodes and 55 % of a zone that do not report are a
    /// partial disruption, which stops evictions in zones of up to 50 nodes; a zone of which nothing reports is evicted as always.
    #[test]
    fn most_of_a_small_zone_lost_stops_its_evictions_and_all_of_it_does_not() {
        for (ready, silent, expected) in [
            (9, 1, Pace::Every(10_000)),
            (1, 2, Pace::Every(10_000)),
            (2, 3, Pace::Never),
            (1, 9, Pace::Never),
            (0, 10, Pace::Every(10_000)),
            (20, 31, Pace::Every(100_000)),
            (22, 28, Pace::Never),
            (23, 27, Pace::Every(10_000)),
        ] {
            assert_eq!(pace(ready, silent), expected, "{ready} {silent}");
        }
    }

    #[test]
    fn the_shortest_toleration_that_fits_counts_and_none_is_five_minutes() {
        let stays_with = |tolerations: &[(&str, &str, Option<i64>)]| {
            let tolerations = tolerations.iter().map(|(key, effect, seconds)| Toleration {
                key: (*key).to_owned(),
                value: None,
                effect: (*effect).to_owned(),
                seconds: *seconds,
            });
            let spec = crate::facts::pod_spec::PodSpec {
                tolerations: tolerations.collect(),
                ..Default::default()
            };
            stays(&Pod {
                spec: Arc::new(spec),
                ..Pod::default()
            })
        };
        assert_eq!(stays_with(&[]), Some(300));
        assert_eq!(
            stays_with(&[(UNREACHABLE, "NoExecute", Some(20))]),
            Some(20)
        );
        assert_eq!(stays_with(&[(UNREACHABLE, "NoExecute", None)]), None);
        assert_eq!(stays_with(&[("", "", None)]), None);
        let both = [(UNREACHABLE, "NoExecute", Some(60)), ("", "", None)];
        assert_eq!(stays_with(&both), Some(60));
        assert_eq!(stays_with(&[(NOT_READY, "NoExecute", Some(5))]), Some(300));
    }
}
