//! How does a `StatefulSet` keep and replace its pods (`pkg/controller/statefulset/stateful_set_control.go`)?

use std::collections::BTreeMap;

use super::state::{Ordinals, State, count};

/// The pods of a set that are there, by their ordinals.
type Pods = BTreeMap<i64, usize>;

impl State<'_> {
    /// One look: each ordinal is there, those beyond are not, and then some are replaced.
    pub(super) fn sync_ordinals(&mut self, set: usize, goes: Ordinals) {
        let pods: Pods = self
            .pods_of(set)
            .filter_map(|(at, pod)| Some((pod.ordinal?, at)))
            .collect();
        if self.keep_ordinals(set, goes, &pods) || self.remove_beyond(set, goes, &pods) {
            return;
        }
        if goes.recreate {
            self.delete_old(set, &pods);
        } else if goes.unavailable > 1 {
            self.replace_several(set, goes, &pods);
        } else {
            self.replace_one(set, goes, &pods);
        }
    }

    /// Makes what is missing; does the rest have to wait?
    fn keep_ordinals(&mut self, set: usize, goes: Ordinals, pods: &Pods) -> bool {
        let of = &self.sets[set];
        let (replicas, min_ready, revision) = (of.replicas, of.min_ready, of.revision);
        // Recreate: nothing is made before every old pod is gone (KEP-3541).
        let old = |at: &usize| self.pods[*at].revision != revision;
        let leaving = pods.values().any(|at| old(at) && self.pods[*at].deleted);
        if goes.recreate && leaving {
            return true;
        }
        let mut made = false;
        for ordinal in 0..replicas {
            let Some(at) = pods.get(&ordinal) else {
                let new = if ordinal < goes.partition {
                    0
                } else {
                    revision
                };
                self.create(set, None, Some(ordinal), new);
                made = true;
                if goes.one_by_one {
                    return true;
                }
                continue;
            };
            // One that has ended is deleted and made again, under the same name.
            if self.pods[*at].ended && !self.pods[*at].deleted {
                self.delete(*at, None);
                made = true;
            }
            let waits = !self.pods[*at].is_available(self.now, min_ready);
            if goes.one_by_one && waits {
                return true;
            }
        }
        made
    }

    /// Deletes what is beyond the replicas, the highest ordinal first; does the rest have to wait?
    fn remove_beyond(&mut self, set: usize, goes: Ordinals, pods: &Pods) -> bool {
        let replicas = self.sets[set].replicas;
        let mut waits = false;
        for (_, at) in pods.range(replicas..).rev() {
            let goes_already = self.pods[*at].deleted;
            self.delete(*at, None);
            waits |= goes.one_by_one || !goes_already;
            if goes.one_by_one {
                return true;
            }
        }
        waits
    }

    /// The highest old pod is deleted once all above it are available.
    fn replace_one(&mut self, set: usize, goes: Ordinals, pods: &Pods) {
        let of = &self.sets[set];
        let (replicas, min_ready, revision) = (of.replicas, of.min_ready, of.revision);
        for ordinal in (goes.partition.max(0)..replicas).rev() {
            let Some(at) = pods.get(&ordinal).copied() else {
                return;
            };
            let pod = &self.pods[at];
            if pod.revision != revision && !pod.deleted {
                self.delete(at, None);
                return;
            }
            if !pod.is_available(self.now, min_ready) {
                return;
            }
        }
    }

    /// As many old pods as `maxUnavailable` leaves room for, the highest first (KEP-961).
    fn replace_several(&mut self, set: usize, goes: Ordinals, pods: &Pods) {
        let of = &self.sets[set];
        let (replicas, min_ready, revision) = (of.replicas, of.min_ready, of.revision);
        let available = |at: &usize| self.pods[*at].is_available(self.now, min_ready);
        let there = pods.range(..replicas).filter(|(_, at)| available(at));
        let mut room = goes.unavailable - (replicas - count(there.count()));
        let candidates = pods.range(goes.partition.max(0)..replicas).rev();
        for at in candidates.map(|(_, at)| *at).collect::<Vec<_>>() {
            let pod = &self.pods[at];
            if room <= 0 {
                return;
            }
            if pod.revision != revision && !pod.deleted {
                self.delete(at, None);
                room -= 1;
            }
        }
    }

    /// All old pods at once (KEP-3541).
    fn delete_old(&mut self, set: usize, pods: &Pods) {
        let revision = self.sets[set].revision;
        for at in pods.values() {
            if self.pods[*at].revision != revision {
                self.delete(*at, None);
            }
        }
    }
}
