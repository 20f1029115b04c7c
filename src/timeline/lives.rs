//! The lives of all pods that were seen.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::life::Life;
use super::roster::PodKey;
use crate::facts::ObjectName;
use crate::facts::pod::Pod;
use crate::shutdown::phase::Terminating;

/// So many lives that are over are kept: a watch may last for days.
const MOST: usize = 20_000;

/// The lives of pods. What is told of them shares them.
#[derive(Debug, Clone, Default)]
pub(super) struct Lives {
    now: BTreeMap<ObjectName, Arc<Life>>,
    over: VecDeque<Arc<Life>>,
    /// Those of which something was heard since somebody asked for the news.
    fresh: BTreeSet<PodKey>,
}

fn key(life: &Life) -> PodKey {
    (life.name.clone(), life.uid.clone())
}

impl Lives {
    /// Takes in how a pod looks now.
    pub(super) fn see(
        &mut self,
        pod: &Pod,
        stands: Option<&Terminating>,
        (at, listed): (DateTime<Utc>, bool),
    ) {
        let known = self.now.get(&pod.name);
        if known.is_some_and(|life| !life.is(pod.uid.as_deref())) {
            self.end(&pod.name, at);
        }
        let life = self.now.entry(pod.name.clone());
        let life = life.or_insert_with(|| Arc::new(Life::new(pod, (at, listed))));
        Arc::make_mut(life).see(pod, stands, (at, listed));
        self.fresh.insert(key(life));
    }

    /// The pod of this name is gone.
    pub(super) fn end(&mut self, name: &ObjectName, at: DateTime<Utc>) {
        if let Some(mut life) = self.now.remove(name) {
            Arc::make_mut(&mut life).end(at);
            if self.over.len() >= MOST
                && let Some(first) = self.over.pop_front()
            {
                self.fresh.remove(&key(&first));
            }
            self.fresh.insert(key(&life));
            self.over.push_back(life);
        }
    }

    fn find(&mut self, (name, uid): &PodKey) -> Option<&mut Life> {
        let uid = uid.as_deref();
        let now = self.now.get_mut(name).filter(|life| life.is(uid));
        let mut over = self.over.iter_mut().rev();
        let found = now.or_else(|| over.find(|life| life.name == *name && life.is(uid)))?;
        self.fresh.insert(key(found));
        Some(Arc::make_mut(found))
    }

    /// The pods of which something was heard since this was asked last, and what these were kept for.
    pub(super) fn news(&mut self, kept: BTreeSet<PodKey>) -> Vec<&Arc<Life>> {
        let mut wanted = std::mem::take(&mut self.fresh);
        wanted.extend(kept);
        let mut now: Vec<&Arc<Life>> = Vec::new();
        wanted.retain(|(name, uid)| {
            let life = self.now.get(name).filter(|life| life.is(uid.as_deref()));
            now.extend(life);
            life.is_none()
        });
        // What is over ended last, as a rule. Many are looked at, and no name of theirs is written down for that.
        let wanted = wanted.iter().map(|(name, uid)| (name, uid.as_deref()));
        let mut wanted: BTreeSet<(&ObjectName, Option<&str>)> = wanted.collect();
        for life in self.over.iter().rev() {
            if wanted.is_empty() {
                break;
            }
            if wanted.remove(&(&life.name, life.uid.as_deref())) {
                now.push(life);
            }
        }
        now
    }

    /// The machine of a node is off.
    pub(super) fn turn_off(&mut self, node: &str, at: DateTime<Utc>) {
        for life in self.now.values_mut() {
            if life.node.as_deref() == Some(node) {
                Arc::make_mut(life).silent.get_or_insert(at);
                self.fresh.insert(key(life));
            }
        }
    }

    /// A pod is in no slice any more.
    pub(super) fn leave_slices(&mut self, key: &PodKey, at: DateTime<Utc>) {
        if let Some(life) = self.find(key) {
            life.left_slices.get_or_insert(at);
        }
    }

    /// Its endpoint says that it does not serve.
    pub(super) fn stop_serving(&mut self, key: &PodKey, at: DateTime<Utc>) {
        if let Some(life) = self.find(key)
            && life.ready.is_some()
            && life.ends.is_empty()
        {
            life.unready.get_or_insert(at);
        }
    }

    /// All of them, by their creation.
    #[must_use]
    pub(super) fn all(&self) -> Vec<&Arc<Life>> {
        let mut all: Vec<_> = self.over.iter().chain(self.now.values()).collect();
        all.sort_by(|one, other| (one.created, &one.name).cmp(&(other.created, &other.name)));
        all
    }
}
