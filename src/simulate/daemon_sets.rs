//! How does a `DaemonSet` keep and replace its pods (`pkg/controller/daemon`)?
//!
//! Which node comes first is chance there (the order of a map of Go); here it is the node's name.

use super::state::{SimPod, State};

/// What a node has of a set's pods that nobody deleted.
struct Here {
    node: String,
    old: Option<usize>,
    new: Option<usize>,
    /// One that goes, and is not at its end.
    leaving: bool,
}

impl State<'_> {
    fn here(&self, set: usize) -> Vec<Here> {
        let revision = self.sets[set].revision;
        let nodes = self.sets[set].nodes.iter();
        let here = nodes.map(|node| {
            let on = |pod: &SimPod| pod.pod.node.as_deref() == Some(node);
            let find = |new: bool| {
                let mut active = self.active(set).filter(|(_, pod)| on(pod));
                active.find(|(_, pod)| (pod.revision == revision) == new)
            };
            let mut leaving = self.pods_of(set).filter(|(_, pod)| on(pod));
            Here {
                node: node.clone(),
                old: find(false).map(|(at, _)| at),
                new: find(true).map(|(at, _)| at),
                leaving: leaving.any(|(_, pod)| pod.deleted && !pod.ended),
            }
        });
        here.collect()
    }

    /// One look: each node has a pod, and then some are replaced.
    pub(super) fn sync_nodes(&mut self, set: usize, unavailable: i64, surge: i64) {
        let min_ready = self.sets[set].min_ready;
        let revision = self.sets[set].revision;
        let available = |state: &Self, at: usize| state.pods[at].is_available(state.now, min_ready);
        let here = self.here(set);
        for one in &here {
            let none = one.old.is_none() && one.new.is_none();
            // With a surge the next one does not wait until the last is gone.
            if none && (surge > 0 || !one.leaving) {
                self.create(set, Some(one.node.clone()), None, revision);
            }
        }
        if surge > 0 {
            self.surge(set, &here, surge);
            return;
        }
        let mut missing = 0;
        let mut candidates = Vec::new();
        let mut at_once = Vec::new();
        for one in &here {
            match (one.old, one.new) {
                (None, Some(new)) => missing += i64::from(!available(self, new)),
                (Some(old), None) if available(self, old) => candidates.push(old),
                (Some(old), None) => {
                    at_once.push(old);
                    missing += 1;
                }
                _ => missing += 1,
            }
        }
        let allowed = usize::try_from(unavailable - missing).unwrap_or(0);
        for at in at_once
            .into_iter()
            .chain(candidates.into_iter().take(allowed))
        {
            self.delete(at, None);
        }
    }

    /// The next pod of a node comes beside the old one.
    fn surge(&mut self, set: usize, here: &[Here], surge: i64) {
        let min_ready = self.sets[set].min_ready;
        let revision = self.sets[set].revision;
        let mut double = 0;
        let (mut candidates, mut at_once, mut leave) = (Vec::new(), Vec::new(), Vec::new());
        for one in here {
            let Some(old) = one.old else { continue };
            let is_available = |at: usize| self.pods[at].is_available(self.now, min_ready);
            match one.new {
                Some(new) => {
                    double += 1;
                    if is_available(new) || !is_available(old) {
                        leave.push(old);
                    }
                }
                None if is_available(old) => candidates.push(one.node.clone()),
                None => at_once.push(one.node.clone()),
            }
        }
        for at in leave {
            self.delete(at, None);
        }
        let allowed = usize::try_from(surge - double).unwrap_or(0);
        let candidates = candidates.into_iter().take(allowed);
        for node in at_once.into_iter().chain(candidates) {
            self.create(set, Some(node), None, revision);
        }
    }
}
