//! What does `kubectl drain` do (`kubectl/pkg/cmd/drain`, `kubectl/pkg/drain`)? All nodes are cordoned, and then one after the other is
//! drained: all its pods are evicted at once, each is tried again every five seconds, and the next node waits until they are gone.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::budgets::{self, Answer, Because, Counted, Evicted, Numbers};
use super::scenario::DrainFlags;
use super::state::{Event, Keeps, State};
use crate::facts::ObjectName;
use crate::facts::disruption::DisruptionBudget;
use crate::facts::pod::{Phase, Pod};

/// How long `kubectl drain` waits before it tries again, in milliseconds.
const AGAIN: i64 = 5_000;

/// How often it looks whether pods are gone: every second; half of that on average.
const LOOKS: i64 = 500;

/// Set on the API object of a static pod.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// What becomes of an eviction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// It is allowed at the first try.
    Allowed,
    /// It is allowed at a later try.
    Waits,
    /// It is never allowed while nothing else changes, or not within the timeout.
    Never,
    /// `kubectl drain` does not try, or cannot.
    Refused,
}

impl Decision {
    /// The stable id that reports use.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Waits => "waits",
            Self::Never => "never",
            Self::Refused => "refused",
        }
    }
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// What the eviction API said.
    Answer(Answer),
    /// It needs `--ignore-daemonsets`; as long as one pod of a node is refused, none of that node is evicted.
    DaemonSet,
    /// It needs `--delete-emptydir-data`.
    EmptyDir,
    /// It needs `--force`.
    Unmanaged,
    /// Another pod of the node is refused.
    Another,
}

/// One eviction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Eviction {
    /// The pod.
    pub pod: ObjectName,
    /// Its node.
    pub node: String,
    /// When it was allowed, refused or given up.
    pub at: Option<DateTime<Utc>>,
    /// What became of it.
    pub decision: Decision,
    /// Why; of one that waited, why it did.
    pub why: Why,
    /// The budget that decided, with the numbers of the first try.
    pub budget: Option<(ObjectName, Numbers)>,
}

/// A drain, or evictions alone.
#[derive(Debug, Default)]
pub(super) struct Drains {
    pub(super) nodes: Vec<String>,
    pub(super) flags: DrainFlags,
    /// The pods that are evicted, in the order of the records.
    pub(super) pods: Vec<usize>,
    pub(super) records: Vec<Eviction>,
    /// Tries that wait.
    pub(super) open: BTreeSet<usize>,
    /// Those of them that were refused since anything changed.
    pub(super) refused: BTreeSet<usize>,
    /// The node that is drained now, and when that began.
    pub(super) current: Option<(usize, i64)>,
    /// What of its pods is there.
    pub(super) left: BTreeSet<usize>,
}

/// Why `kubectl drain` does not evict a pod: with what it passes over left out.
pub(super) enum Filter {
    Evict,
    Skip,
    Refuse(Why),
}

/// Is it the API object of a static pod, which nothing of the API manages?
pub(super) fn is_mirror(pod: &Pod) -> bool {
    pod.annotations.contains_key(MIRROR)
}

/// What `kubectl drain` does with a pod.
pub(super) fn filter(pod: &Pod, ended: bool, flags: &DrainFlags) -> Filter {
    let owner = pod.owner.as_ref().filter(|owner| owner.controller);
    if ended {
        return Filter::Evict;
    }
    if owner.is_some_and(|owner| owner.kind == "DaemonSet") {
        return if flags.ignore_daemonsets {
            Filter::Skip
        } else {
            Filter::Refuse(Why::DaemonSet)
        };
    }
    if is_mirror(pod) {
        return Filter::Skip;
    }
    if pod.spec.empty_dir && !flags.delete_emptydir_data {
        return Filter::Refuse(Why::EmptyDir);
    }
    if owner.is_none() && !flags.force {
        return Filter::Refuse(Why::Unmanaged);
    }
    Filter::Evict
}

impl State<'_> {
    /// Begins to drain a node, or ends where there is none left.
    pub(super) fn drain(&mut self, drains: &mut Drains, place: usize) {
        if drains.flags.one_by_one {
            self.take_turns(drains, place);
        }
        let Some(node) = drains.nodes.get(place).cloned() else {
            drains.current = None;
            return;
        };
        drains.current = Some((place, self.now));
        let mut there = self.on_node(&node);
        if let Some(only) = &drains.flags.only {
            there.retain(|at| only.contains(&self.pods[*at].pod.name));
        }
        let mut evicted = Vec::new();
        let mut refused = Vec::new();
        for at in there {
            let pod = &self.pods[at];
            match filter(&pod.pod, pod.ended, &drains.flags) {
                Filter::Evict => evicted.push(at),
                Filter::Skip => {}
                Filter::Refuse(why) => refused.push((at, why)),
            }
        }
        let moment = self.at();
        if !refused.is_empty() {
            let others = evicted.into_iter().map(|at| (at, Why::Another));
            for (at, why) in refused.into_iter().chain(others) {
                drains.records.push(Eviction {
                    pod: self.pods[at].pod.name.clone(),
                    node: node.clone(),
                    at: Some(moment),
                    decision: Decision::Refused,
                    why,
                    budget: None,
                });
                drains.pods.push(at);
            }
            self.after(0, Event::Drain(place + 1));
            return;
        }
        drains.left = evicted.iter().copied().collect();
        for at in evicted {
            self.evict(drains, at, &node);
        }
        let timeout = drains.flags.timeout_seconds;
        if timeout > 0 {
            self.after(timeout.saturating_mul(1000), Event::Timeout(place));
        }
        self.look_whether_drained(drains);
    }

    /// Evicts a pod.
    pub(super) fn evict(&mut self, drains: &mut Drains, at: usize, node: &str) {
        drains.records.push(Eviction {
            pod: self.pods[at].pod.name.clone(),
            node: node.to_owned(),
            at: None,
            decision: Decision::Never,
            why: Why::Answer(Answer::Allowed(Because::NoBudget)),
            budget: None,
        });
        drains.pods.push(at);
        let record = drains.records.len() - 1;
        drains.open.insert(record);
        self.after(0, Event::Evict(record));
    }

    /// Goes on with the next node once the pods of this one are gone.
    pub(super) fn look_whether_drained(&mut self, drains: &mut Drains) {
        let Some((place, _)) = drains.current else {
            return;
        };
        drains.left.retain(|at| !self.pods[*at].gone);
        if drains.left.is_empty() {
            drains.current = None;
            self.after(LOOKS, Event::Drain(place + 1));
        }
    }

    /// Its time is up: what was not evicted stays, and the next node comes.
    pub(super) fn give_up(&mut self, drains: &mut Drains, place: usize) {
        if drains.current.is_none_or(|(current, _)| current != place) {
            return;
        }
        for record in std::mem::take(&mut drains.open) {
            drains.records[record].at = Some(self.at());
        }
        drains.current = None;
        drains.left.clear();
        self.after(0, Event::Drain(place + 1));
    }

    /// Tries an eviction.
    pub(super) fn try_eviction(&mut self, drains: &mut Drains, record: usize) {
        if !drains.open.contains(&record) {
            return;
        }
        let at = drains.pods[record];
        let moment = self.at();
        let budgets = self.budgets_of(at);
        let answer = if drains.flags.disable_eviction {
            Answer::Allowed(Because::NoBudget)
        } else {
            let pod = &self.pods[at];
            let evicted = Evicted {
                not_counted: pod.pod.phase == Phase::Pending || pod.ended || pod.deleted,
                ready: pod.ready.is_some() && pod.pod.is_ready(),
            };
            budgets::answer(evicted, &budgets)
        };
        let numbers = budgets
            .first()
            .map(|(budget, numbers)| (budget.name.clone(), *numbers));
        let of = &mut drains.records[record];
        let first = of.at.is_none() && of.budget.is_none() && of.decision == Decision::Never;
        match answer {
            Answer::Allowed(because) => {
                let waited = matches!(of.why, Why::Answer(Answer::TooMany(_)));
                of.decision = if waited {
                    Decision::Waits
                } else {
                    Decision::Allowed
                };
                if !waited {
                    of.why = Why::Answer(Answer::Allowed(because));
                    if matches!(because, Because::Room(_) | Because::NotReady) {
                        of.budget = numbers;
                    }
                }
                of.at = Some(moment);
                drains.open.remove(&record);
                drains.refused.clear();
                self.delete(at, drains.flags.grace_seconds);
            }
            Answer::TooMany(_) => {
                if first {
                    of.why = Why::Answer(answer);
                    of.budget = numbers;
                }
                drains.refused.insert(record);
                self.after(AGAIN, Event::Evict(record));
            }
            Answer::SeveralBudgets => {
                of.decision = Decision::Refused;
                of.why = Why::Answer(answer);
                of.at = Some(moment);
                drains.open.remove(&record);
                drains.left.remove(&at);
                self.look_whether_drained(drains);
            }
        }
    }

    /// The budgets that count a pod, with their numbers.
    fn budgets_of(&self, at: usize) -> Vec<(&DisruptionBudget, Numbers)> {
        let pod = &self.pods[at].pod;
        let all = self.facts.disruption_budgets.iter();
        let counts = all.filter(|budget| {
            budget.name.namespace == pod.name.namespace && budget.counts(&pod.labels)
        });
        counts
            .map(|budget| (budget, budgets::numbers(budget, self.counted(budget))))
            .collect()
    }

    fn counted(&self, budget: &DisruptionBudget) -> Counted {
        let mut counted = Counted {
            pods: 0,
            healthy: 0,
            wanted: Some(0),
        };
        let mut owners = BTreeSet::new();
        let labels = budget.selector.as_ref().map(|selector| &selector.labels);
        let labels = labels.unwrap_or(const { &BTreeMap::new() });
        for pod in self.pods_with(&budget.name.namespace, labels) {
            if !budget.counts(&pod.pod.labels) {
                continue;
            }
            counted.pods += 1;
            counted.healthy += i64::from(pod.is_active() && pod.pod.is_ready());
            let owner = pod.pod.owner.as_ref();
            let controlled = owner.is_some_and(|owner| owner.controller);
            let scale = match pod.set {
                Some(set) => match (self.sets[set].deployment, self.sets[set].keeps) {
                    (Some(deployment), _) => {
                        Some((true, deployment, self.deployments[deployment].replicas))
                    }
                    (None, Keeps::Nodes { .. }) => None,
                    (None, _) => Some((false, set, self.sets[set].replicas)),
                },
                // A pod that nothing controls is passed over; one of another kind has no scale that is known here.
                None if !controlled => continue,
                None => None,
            };
            match scale {
                Some((is_deployment, at, replicas)) => {
                    if owners.insert((is_deployment, at)) {
                        counted.wanted = counted.wanted.map(|wanted| wanted + replicas);
                    }
                }
                None => counted.wanted = None,
            }
        }
        counted
    }
}
