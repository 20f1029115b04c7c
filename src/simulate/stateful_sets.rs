//! How does a `StatefulSet` keep and replace its pods (`pkg/controller/statefulset/stateful_set_control.go`)?

use std::collections::BTreeMap;

use super::state::State;

impl State<'_> {
    /// One look: each ordinal is there, those beyond are not, and then one is replaced.
    pub(super) fn sync_ordinals(&mut self, set: usize, one_by_one: bool, partition: i64) {
        let of = &self.sets[set];
        let (replicas, min_ready, revision) = (of.replicas, of.min_ready, of.revision);
        // A pod that has ended is deleted and made again, under the same name.
        let pods: BTreeMap<i64, usize> = self
            .pods_of(set)
            .filter_map(|(at, pod)| Some((pod.ordinal?, at)))
            .collect();
        let mut made = false;
        for ordinal in 0..replicas {
            let Some(at) = pods.get(&ordinal) else {
                let new = if ordinal < partition { 0 } else { revision };
                self.create(set, None, Some(ordinal), new);
                made = true;
                if one_by_one {
                    return;
                }
                continue;
            };
            let waits = !self.pods[*at].is_available(self.now, min_ready);
            if one_by_one && waits {
                return;
            }
        }
        let beyond = pods
            .iter()
            .rev()
            .filter(|(ordinal, _)| **ordinal >= replicas);
        for (_, at) in beyond {
            let goes = self.pods[*at].deleted;
            self.delete(*at, None);
            if one_by_one || !goes {
                made = true;
            }
            if one_by_one {
                return;
            }
        }
        if made {
            return;
        }
        for ordinal in (partition.max(0)..replicas).rev() {
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
}
