//! The objects as they are at a moment of the simulation, a clock, and what is to come.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::start_up::Settings;
use crate::controllers::selectors::Selectors;
use crate::facts::label_index::LabelIndex;
use crate::facts::node::Node;
use crate::facts::pod::Pod;
use crate::facts::pod_spec::PodSpec;
use crate::facts::resources::Amounts;
use crate::facts::slice::EndpointSlice;
use crate::facts::version::KubeVersion;
use crate::facts::workload::{Amount, Placement};
use crate::facts::{ObjectName, Snapshot};
use crate::gates::controllers::Controllers;
use crate::timeline::change::{Change, What};
use crate::timeline::moments::later;

/// A step of a controller, in milliseconds: controllers need a tenth of a second to half a second.
pub(super) const STEP: i64 = 250;

/// A step of the `DaemonSet` controller, which is slower.
pub(super) const DAEMON_STEP: i64 = 500;

/// How late `minReadySeconds` is noticed to be over: up to a second.
pub(super) const NOTICED: i64 = 500;

/// From a pod's change to its slices'.
pub(super) const SLICES: i64 = 50;

/// What controls pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Controller {
    Deployment(usize),
    Set(usize),
}

/// What happens at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// A controller looks.
    Sync(Controller),
    /// A pod is Ready.
    Ready(usize),
    /// All containers of a pod have ended, and its kubelet says so.
    Ended(usize),
    /// A pod is gone.
    Gone(usize),
    /// The slices of a Service follow.
    Slices(usize),
    /// `kubectl drain` begins with a node, by its place.
    Drain(usize),
    /// An eviction is tried, by its place.
    Evict(usize),
    /// The time for a node is up, by its place.
    Timeout(usize),
    /// A machine goes off, by its place among those that are lost.
    Off(usize),
    /// The node controller has missed its kubelet for long enough.
    Unknown(usize),
    /// The pods of a lost node begin to count what they tolerate.
    Taint(usize),
    /// What a pod tolerates is over.
    Expire(usize),
    /// The object of a lost node is removed.
    Removed(usize),
    /// The object of a pod is removed, as its node's was.
    Collected(usize),
}

/// A pod.
#[derive(Debug, Clone)]
pub(super) struct SimPod {
    /// How it looks.
    pub(super) pod: Pod,
    /// What controls it.
    pub(super) set: Option<usize>,
    /// 0 is the template before the scenario, 1 the one after.
    pub(super) revision: u8,
    /// Its number in a `StatefulSet`.
    pub(super) ordinal: Option<i64>,
    /// Since when it is Ready; before the start where it is below 0.
    pub(super) ready: Option<i64>,
    /// Its delete was requested.
    pub(super) deleted: bool,
    /// When the last container that serves ends, once the delete was requested.
    pub(super) ends: Option<DateTime<Utc>>,
    /// Its kubelet ends it because the node shuts down.
    pub(super) shut_down: bool,
    /// Its containers have ended.
    pub(super) ended: bool,
    /// The object is gone.
    pub(super) gone: bool,
}

impl SimPod {
    /// Neither deleted nor at its end.
    pub(super) const fn is_active(&self) -> bool {
        !self.deleted && !self.ended && !self.gone
    }

    /// Has it been Ready for so long?
    pub(super) fn is_available(&self, now: i64, min_ready: i64) -> bool {
        self.is_active() && self.ready.is_some_and(|since| since + min_ready <= now)
    }
}

/// How a `StatefulSet` goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ordinals {
    /// `podManagementPolicy` `OrderedReady`: one pod is made after the other.
    pub(super) one_by_one: bool,
    /// Only pods from this ordinal on are replaced.
    pub(super) partition: i64,
    /// So many may be missing while they are replaced.
    pub(super) unavailable: i64,
    /// All old pods are gone before a new one is made.
    pub(super) recreate: bool,
}

/// How pods are kept at their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeps {
    /// A `ReplicaSet`: so many, whatever their names.
    Replicas,
    /// A `StatefulSet`.
    Ordinals(Ordinals),
    /// A `DaemonSet`: one on each node.
    Nodes { unavailable: i64, surge: i64 },
}

/// What makes pods of one template, or of two for sets that replace their own pods.
#[derive(Debug, Clone)]
pub(super) struct Set {
    pub(super) name: ObjectName,
    /// The kind of the pods' owner.
    pub(super) owner_kind: &'static str,
    pub(super) keeps: Keeps,
    /// `spec.replicas`, or how many nodes it wants.
    pub(super) replicas: i64,
    pub(super) deployment: Option<usize>,
    /// In milliseconds.
    pub(super) min_ready: i64,
    /// What new pods are: 1 once its template was changed.
    pub(super) revision: u8,
    /// From creation to Ready, in milliseconds.
    pub(super) ready_after: i64,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) annotations: BTreeMap<String, String>,
    pub(super) spec: Arc<PodSpec>,
    /// Where its pods may run.
    pub(super) placement: Placement,
    /// The nodes that a `DaemonSet` wants a pod on.
    pub(super) nodes: Vec<String>,
}

/// A Deployment.
#[derive(Debug, Clone)]
pub(super) struct Deployment {
    pub(super) name: ObjectName,
    pub(super) replicas: i64,
    pub(super) surge: Option<Amount>,
    pub(super) unavailable: Option<Amount>,
    pub(super) recreate: bool,
    pub(super) paused: bool,
    /// Its `ReplicaSets`, the oldest first.
    pub(super) sets: Vec<usize>,
    /// The one of its template; `None` where that was changed and none was made yet.
    pub(super) newest: Option<usize>,
}

/// The objects, the clock, what is to come, and what was said.
pub(super) struct State<'f> {
    pub(super) facts: &'f Snapshot,
    pub(super) settings: &'f Settings,
    pub(super) start: DateTime<Utc>,
    pub(super) now: i64,
    pub(super) pods: Vec<SimPod>,
    pub(super) sets: Vec<Set>,
    pub(super) deployments: Vec<Deployment>,
    /// Nodes that take no new pods.
    pub(super) cordoned: BTreeSet<String>,
    /// Nodes whose machines go off, in that order.
    pub(super) lost: Vec<String>,
    /// Those that are off.
    pub(super) off: BTreeSet<String>,
    /// Nodes whose kubelets said that they shut down.
    pub(super) shutting_down: BTreeSet<String>,
    /// Nodes whose objects are removed.
    pub(super) removed: BTreeSet<String>,
    /// So many milliseconds after its machine went off a node's object is removed.
    pub(super) removed_after: Option<i64>,
    /// Lost nodes whose pods are never evicted.
    pub(super) kept: Vec<String>,
    /// Nodes that have got another version.
    pub(super) upgraded: BTreeMap<String, KubeVersion>,
    /// The version that nodes get once they are drained.
    pub(super) upgrade_to: Option<KubeVersion>,
    /// What the controllers do.
    pub(super) controllers: Controllers,
    /// The pods of each set that are there, by their places.
    pub(super) of_set: Vec<BTreeSet<usize>>,
    queue: BTreeSet<(i64, u64, Event)>,
    /// When each controller and each Service's slices are looked at next.
    waiting: BTreeMap<Event, i64>,
    /// Looks that come whatever comes before.
    sure: BTreeSet<(i64, Event)>,
    order: u64,
    pub(super) changes: Vec<Change>,
    /// The Services that select pods.
    selectors: Selectors<'f>,
    /// The place of each Service.
    places: BTreeMap<&'f ObjectName, usize>,
    /// Those of which a pod changed, by their places.
    pub(super) touched: BTreeSet<usize>,
    /// The slices of each Service.
    pub(super) slices_of: BTreeMap<ObjectName, Vec<&'f EndpointSlice>>,
    /// The Services that have an Endpoints object: from 1.33 on a cluster may do without.
    pub(super) with_endpoints: BTreeSet<&'f ObjectName>,
    /// The nodes by name.
    pub(super) nodes: BTreeMap<&'f str, &'f Node>,
    /// The names of those whose objects are there.
    pub(super) node_names: BTreeSet<&'f str>,
    /// The pods of each namespace, by their places.
    pub(super) by_namespace: BTreeMap<String, Vec<usize>>,
    /// And by each of their labels.
    by_label: LabelIndex<usize>,
    made: u32,
    /// What the pods of each node ask of it, and how many they are.
    pub(super) asked: BTreeMap<String, (Amounts, i64)>,
    /// New pods that no node takes yet.
    pub(super) pending: BTreeSet<usize>,
    /// What new pods were made for, as assumptions name it.
    pub(super) started: BTreeSet<String>,
}

impl<'f> State<'f> {
    pub(super) fn new(
        facts: &'f Snapshot,
        settings: &'f Settings,
        controllers: Controllers,
    ) -> Self {
        let services = facts.services.iter().enumerate();
        let mut slices_of: BTreeMap<ObjectName, Vec<&EndpointSlice>> = BTreeMap::new();
        for slice in &facts.slices {
            if let Some(service) = slice.service() {
                slices_of.entry(service).or_default().push(slice);
            }
        }
        let nodes = facts.nodes.iter();
        Self {
            facts,
            settings,
            start: facts.taken_at.unwrap_or_default(),
            now: 0,
            pods: Vec::new(),
            sets: Vec::new(),
            deployments: Vec::new(),
            cordoned: BTreeSet::new(),
            lost: Vec::new(),
            off: BTreeSet::new(),
            shutting_down: BTreeSet::new(),
            removed: BTreeSet::new(),
            removed_after: None,
            kept: Vec::new(),
            upgraded: BTreeMap::new(),
            upgrade_to: None,
            controllers,
            of_set: Vec::new(),
            queue: BTreeSet::new(),
            waiting: BTreeMap::new(),
            sure: BTreeSet::new(),
            order: 0,
            changes: Vec::new(),
            selectors: Selectors::new(&facts.services),
            places: services.map(|(at, service)| (&service.name, at)).collect(),
            touched: BTreeSet::new(),
            slices_of,
            with_endpoints: facts.endpoints.iter().map(|one| &one.name).collect(),
            nodes: nodes
                .clone()
                .map(|node| (node.name.as_str(), node))
                .collect(),
            node_names: nodes.map(|node| node.name.as_str()).collect(),
            by_namespace: BTreeMap::new(),
            by_label: LabelIndex::default(),
            // What an earlier game made keeps its names.
            made: facts.pods.iter().filter_map(simulated).max().unwrap_or(0),
            asked: BTreeMap::new(),
            pending: BTreeSet::new(),
            started: BTreeSet::new(),
        }
    }

    /// The moment that it is now.
    pub(super) fn at(&self) -> DateTime<Utc> {
        later(self.start, self.now)
    }

    /// What happens so many milliseconds from now.
    pub(super) fn after(&mut self, millis: i64, event: Event) {
        let at = self.now + millis.max(0);
        // A look that comes anyway, and not later, is enough.
        if matches!(event, Event::Sync(_) | Event::Slices(_)) {
            match self.waiting.get(&event) {
                Some(known) if *known >= self.now && *known <= at => return,
                _ => {
                    self.waiting.insert(event, at);
                }
            }
        }
        self.order += 1;
        self.queue.insert((at, self.order, event));
    }

    /// The same, whatever is to come before: time itself changes what is seen then. Several who ask for one moment get one look, as a
    /// work queue gives it.
    pub(super) fn surely_after(&mut self, millis: i64, event: Event) {
        let at = self.now + millis;
        if self.sure.insert((at, event)) {
            self.order += 1;
            self.queue.insert((at, self.order, event));
        }
    }

    /// A controller looks a step from now.
    pub(super) fn wake(&mut self, controller: Controller) {
        let step = match controller {
            Controller::Set(set) if matches!(self.sets[set].keeps, Keeps::Nodes { .. }) => {
                DAEMON_STEP
            }
            _ => STEP,
        };
        self.after(step, Event::Sync(controller));
    }

    /// Those that control a pod look a step from now.
    pub(super) fn wake_owners(&mut self, pod: usize) {
        let Some(set) = self.pods[pod].set else {
            return;
        };
        self.wake(Controller::Set(set));
        if let Some(deployment) = self.sets[set].deployment {
            // It learns of it by what the set says.
            self.after(2 * STEP, Event::Sync(Controller::Deployment(deployment)));
        }
    }

    /// Takes the next event out, and moves the clock to it.
    pub(super) fn next(&mut self) -> Option<Event> {
        let (at, _, event) = self.queue.pop_first()?;
        self.now = at;
        self.sure.remove(&(at, event));
        if self.waiting.get(&event) == Some(&at) {
            self.waiting.remove(&event);
        }
        Some(event)
    }

    /// Is nothing to come but tries of evictions, and the end of their time?
    pub(super) fn only_evictions_to_come(&self) -> bool {
        let mut events = self.queue.iter().map(|(_, _, event)| event);
        events.all(|event| matches!(event, Event::Evict(_) | Event::Timeout(_)))
    }

    /// What was said and is to come does not count: it was before the beginning.
    pub(super) fn forget_what_was_said(&mut self) {
        self.changes.clear();
        self.touched.clear();
        self.started.clear();
        self.queue.clear();
        self.sure.clear();
        self.waiting.clear();
    }

    /// When the next event is.
    pub(super) fn next_at(&self) -> Option<i64> {
        self.queue.first().map(|(at, _, _)| *at)
    }

    /// Says how a pod looks now, and has its slices follow.
    pub(super) fn say(&mut self, pod: usize) {
        let facts = Snapshot {
            pods: vec![self.pods[pod].pod.clone()],
            ..Snapshot::default()
        };
        let what = if self.pods[pod].gone {
            What::Deleted(Box::new(facts))
        } else {
            What::Applied(Box::new(facts))
        };
        self.changes.push(Change {
            at: self.at(),
            what,
        });
        let of = &self.pods[pod].pod;
        let services = self.selectors.of(&of.name.namespace, &of.labels);
        let places = services.iter().filter_map(|one| self.places.get(&one.name));
        let touched: Vec<_> = places.copied().collect();
        self.touched.extend(&touched);
        for service in touched {
            self.after(SLICES, Event::Slices(service));
        }
    }

    /// Takes a pod in, and says where it is.
    pub(super) fn add(&mut self, pod: SimPod) -> usize {
        let at = self.pods.len();
        let namespace = pod.pod.name.namespace.clone();
        self.by_label.add(&namespace, &pod.pod.labels, &at);
        self.by_namespace.entry(namespace).or_default().push(at);
        if let Some(set) = pod.set {
            self.of_set[set].insert(at);
        }
        self.pods.push(pod);
        self.ask(at, 1);
        at
    }

    /// A pod asks something of its node from now on (1), or nothing more (-1). One that has ended asks nothing.
    pub(super) fn ask(&mut self, at: usize, sign: i64) {
        let pod = &self.pods[at];
        let Some(node) = pod.pod.node.as_ref().filter(|_| !pod.ended) else {
            return;
        };
        let requests = pod.pod.spec.requests;
        let (asked, pods) = match self.asked.get_mut(node) {
            Some(known) => known,
            None => self.asked.entry(node.clone()).or_default(),
        };
        *pods += sign;
        *asked = if sign > 0 {
            *asked + requests
        } else {
            *asked - requests
        };
    }

    /// The pods of a namespace that are there and may have all of these labels: at least one of them where there are any.
    pub(super) fn pods_with(
        &self,
        namespace: &str,
        labels: &BTreeMap<String, String>,
    ) -> impl Iterator<Item = &SimPod> {
        let places = if labels.is_empty() {
            let all = self.by_namespace.get(namespace);
            all.map_or(&[][..], Vec::as_slice)
        } else {
            self.by_label.rarest(namespace, labels)
        };
        let pods = places.iter().map(|at| &self.pods[*at]);
        pods.filter(|pod| !pod.gone)
    }

    /// What a set belongs to, as assumptions name it.
    pub(super) fn made_for(&self, set: usize) -> String {
        let of = &self.sets[set];
        match of.deployment {
            Some(deployment) => format!("Deployment {}", self.deployments[deployment].name),
            None => format!("{} {}", of.owner_kind, of.name),
        }
    }

    /// A number for a new pod.
    pub(super) const fn number(&mut self) -> u32 {
        self.made += 1;
        self.made
    }

    /// The pods of a set that are there.
    pub(super) fn pods_of(&self, set: usize) -> impl Iterator<Item = (usize, &SimPod)> {
        let places = self.of_set[set].iter();
        places.map(|at| (*at, &self.pods[*at]))
    }

    /// Those that are neither deleted nor at their end.
    pub(super) fn active(&self, set: usize) -> impl Iterator<Item = (usize, &SimPod)> {
        self.pods_of(set).filter(|(_, pod)| pod.is_active())
    }

    /// How many of a set are available.
    pub(super) fn available(&self, set: usize) -> i64 {
        let min_ready = self.sets[set].min_ready;
        let available = |(_, pod): &(usize, &SimPod)| pod.is_available(self.now, min_ready);
        count(self.active(set).filter(available).count())
    }
}

/// What the uid of a pod that was only made here begins with.
pub(super) const MADE: &str = "simulated-";

/// The number of a pod that was only made here.
fn simulated(pod: &Pod) -> Option<u32> {
    pod.uid.as_ref()?.strip_prefix(MADE)?.parse().ok()
}

/// A number of pods.
pub(super) fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
