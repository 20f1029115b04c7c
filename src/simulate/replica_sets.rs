//! Which pods does a `ReplicaSet` make and delete (`pkg/controller/replicaset`, `pkg/controller/controller_utils.go`)?

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::state::{SimPod, State, count};
use crate::facts::pod::{Phase, Pod};

impl State<'_> {
    /// Brings the pods of a `ReplicaSet` to their number.
    pub(super) fn sync_replicas(&mut self, set: usize) {
        let active: Vec<_> = self.active(set).map(|(at, _)| at).collect();
        let missing = self.sets[set].replicas - count(active.len());
        let revision = self.sets[set].revision;
        for _ in 0..missing {
            self.create(set, None, None, revision);
        }
        let surplus = usize::try_from(-missing).unwrap_or(0);
        for at in self.victims(set, active, surplus) {
            self.delete(at, None);
        }
    }

    /// The pods that go first (`getPodsToDelete`, `ActivePodsWithRanks.Less`).
    fn victims(&self, set: usize, mut active: Vec<usize>, surplus: usize) -> Vec<usize> {
        if surplus < active.len() {
            // Pods of all sets of the same owner that share a node.
            let family = |other: usize| match self.sets[set].deployment {
                Some(deployment) => self.sets[other].deployment == Some(deployment),
                None => other == set,
            };
            let mut on: BTreeMap<Option<&str>, i64> = BTreeMap::new();
            for other in (0..self.sets.len()).filter(|other| family(*other)) {
                for (_, pod) in self.active(other) {
                    *on.entry(pod.pod.node.as_deref()).or_default() += 1;
                }
            }
            let rank = |pod: &SimPod| on.get(&pod.pod.node.as_deref()).copied().unwrap_or(0);
            active.sort_by(|one, other| {
                let (one, other) = (&self.pods[*one], &self.pods[*other]);
                first(
                    one,
                    other,
                    (rank(one), rank(other)),
                    self.now,
                    self.age(one, other),
                )
            });
        }
        active.truncate(surplus);
        active
    }

    /// The ages of two pods, in milliseconds.
    fn age(&self, one: &SimPod, other: &SimPod) -> (i64, i64) {
        let age = |pod: &SimPod| {
            let created = pod.pod.created.unwrap_or(self.start);
            (self.at() - created).num_milliseconds()
        };
        (age(one), age(other))
    }
}

/// The cost that somebody gave a pod (`controller.kubernetes.io/pod-deletion-cost`).
fn cost(pod: &Pod) -> i64 {
    let cost = pod
        .annotations
        .get("controller.kubernetes.io/pod-deletion-cost");
    cost.and_then(|cost| cost.parse().ok()).unwrap_or(0)
}

fn restarts(pod: &Pod) -> i64 {
    let all = pod.statuses.iter().map(|status| status.restarts);
    all.max().unwrap_or(0)
}

/// Times are compared by the power of two of their nanoseconds (`LogarithmicScaleDown`, on since 1.22); what falls together goes by uid.
fn power(millis: i64) -> u32 {
    let nanos = u64::try_from(millis).unwrap_or(0).saturating_mul(1_000_000);
    nanos.checked_ilog2().unwrap_or(0)
}

/// Which of two goes first?
fn first(one: &SimPod, other: &SimPod, ranks: (i64, i64), now: i64, ages: (i64, i64)) -> Ordering {
    let phase = |pod: &Pod| match pod.phase {
        Phase::Pending => 0,
        Phase::Unknown => 1,
        _ => 2,
    };
    let short_first = |times: (i64, i64)| {
        let (one_for, other_for) = (power(times.0), power(times.1));
        one_for
            .cmp(&other_for)
            .then_with(|| one.pod.uid.cmp(&other.pod.uid))
    };
    let ready = (one.ready, other.ready);
    (one.pod.node.is_some().cmp(&other.pod.node.is_some()))
        .then_with(|| phase(&one.pod).cmp(&phase(&other.pod)))
        .then_with(|| ready.0.is_some().cmp(&ready.1.is_some()))
        .then_with(|| cost(&one.pod).cmp(&cost(&other.pod)))
        .then_with(|| ranks.1.cmp(&ranks.0))
        .then_with(|| match ready {
            (Some(one), Some(other)) if one != other => short_first((now - one, now - other)),
            _ => Ordering::Equal,
        })
        .then_with(|| restarts(&other.pod).cmp(&restarts(&one.pod)))
        .then_with(|| short_first(ages))
        .then_with(|| one.pod.name.cmp(&other.pod.name))
}
