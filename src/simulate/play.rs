//! Plays a scenario forward.

use std::collections::{BTreeMap, BTreeSet};

use super::drains::{Drains, Eviction};
use super::scenario::Scenario;
use super::start_up::{ReadyAfter, Settings};
use super::state::{Controller, Event, Keeps, SimPod, State};
use crate::controllers::selectors::Selectors;
use crate::facts::pod::Pod;
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
    /// The Services that select a pod of which anything is told.
    pub touched: BTreeSet<ObjectName>,
    /// What becomes of each eviction; empty without any.
    pub evictions: Vec<Eviction>,
    /// It comes to an end: nothing waits for what never comes.
    pub ends: bool,
    /// Lost nodes whose pods nobody evicts: most of their zone is lost, or all of the cluster.
    pub kept: Vec<String>,
    /// What still has new pods that no node takes, and what the scheduler would say of them.
    pub not_scheduled: BTreeMap<String, String>,
    /// How long new pods are taken to need, by workload, of those that were made.
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
    let mut state = State::new(facts, settings, controllers);
    let start_up = state.take_in();
    // Manifests hold none; those that they ask for were made.
    let made: Vec<Pod> = if facts.pods.is_empty() {
        state.pods.iter().map(|pod| pod.pod.clone()).collect()
    } else {
        Vec::new()
    };
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
        state.handle(event, &mut drains);
    }
    let first = if made.is_empty() { &facts.pods } else { &made };
    state.changes.insert(0, state.listed(first));
    if facts.slices.is_empty() {
        // Whoever follows is told that there were none: those of the pods come at once.
        let resource = "endpointslices".to_owned();
        let facts = Box::default();
        let what = What::Listed { resource, facts };
        let at = state.start;
        state.changes.insert(1, Change { at, what });
    }
    let touched = state.touched.iter();
    let touched = touched.map(|at| facts.services[*at].name.clone());
    let pending = state.pending.iter();
    let pending = pending.filter(|at| state.pods[**at].is_active());
    let not_scheduled = pending.filter_map(|at| {
        let SimPod { pod, set, .. } = &state.pods[*at];
        let said = pod.condition("PodScheduled")?.message.clone();
        Some((state.made_for((*set)?), said))
    });
    let not_scheduled = not_scheduled.collect();
    Ok(Played {
        not_scheduled,
        touched: touched.collect(),
        changes: state.changes,
        evictions: drains.records,
        ends,
        kept: state.kept,
        start_up: start_up
            .into_iter()
            .filter(|one| state.started.contains(&one.of))
            .collect(),
    })
}

impl State<'_> {
    /// What happens now.
    fn handle(&mut self, event: Event, drains: &mut Drains) {
        match event {
            Event::Sync(Controller::Deployment(deployment)) => self.sync_deployment(deployment),
            Event::Sync(Controller::Set(set)) => match self.sets[set].keeps {
                Keeps::Replicas => self.sync_replicas(set),
                Keeps::Ordinals(ordinals) => self.sync_ordinals(set, ordinals),
                Keeps::Nodes { unavailable, surge } => self.sync_nodes(set, unavailable, surge),
            },
            // Whoever would report it is gone.
            Event::Ready(pod) | Event::Ended(pod) | Event::Gone(pod) if self.is_off(pod) => {}
            Event::Ready(pod) => self.ready(pod),
            Event::Ended(pod) => self.ended(pod),
            Event::Gone(pod) => {
                self.gone(pod);
                self.look_whether_drained(drains);
            }
            Event::Slices(service) => self.slices(service),
            Event::Drain(place) => self.drain(drains, place),
            Event::Evict(record) => self.try_eviction(drains, record),
            Event::Timeout(place) => self.give_up(drains, place),
            Event::Off(place) => self.turn_off(drains, place),
            Event::Unknown(place) => self.miss(place),
            Event::Taint(place) => self.taint(place),
            Event::Expire(pod) => self.expire(pod),
            Event::Removed(place) => self.remove_node(place),
            Event::Collected(pod) => self.gone(pod),
        }
    }

    /// Is there nothing to come but tries of evictions that were refused since anything changed, so that none can be allowed?
    fn waits_in_vain(&self, drains: &Drains) -> bool {
        !drains.open.is_empty()
            && self.only_evictions_to_come()
            && drains.open.is_subset(&drains.refused)
    }

    /// What there is when it begins.
    fn begin(&mut self, facts: &Snapshot) {
        if facts.slices.is_empty() {
            for service in 0..facts.services.len() {
                self.touched.insert(service);
                self.after(0, Event::Slices(service));
            }
        }
    }

    /// The pods that there were, of those that changed and of Services that a change touched: the list that the series begins with.
    fn listed(&self, first: &[Pod]) -> Change {
        let changed = self.changes.iter().filter_map(|change| match &change.what {
            What::Applied(facts) | What::Deleted(facts) => Some(&facts.pods),
            _ => None,
        });
        let changed: BTreeSet<_> = changed.flatten().map(|pod| &pod.name).collect();
        let touched = self.touched.iter();
        let touched = Selectors::new(touched.map(|at| &self.facts.services[*at]));
        let counts = |pod: &&Pod| {
            let mut services = touched.each(&pod.name.namespace, &pod.labels);
            services.next().is_some() || changed.contains(&pod.name)
        };
        Change {
            at: self.start,
            what: What::Listed {
                resource: "pods".to_owned(),
                facts: Box::new(Snapshot {
                    pods: first.iter().filter(counts).cloned().collect(),
                    ..Snapshot::default()
                }),
            },
        }
    }
}
