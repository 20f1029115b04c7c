//! What is new since somebody asked last? Who follows a rollout live asks many times a second: a thousand pods then cost what those few of
//! them cost of which something was heard.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::life::Life;
use super::probe::{Failure, Probes};
use super::roster::PodKey;
use super::windows::Window;
use super::{ServiceStory, Unheard};
use crate::facts::ObjectName;

/// What is new.
#[derive(Debug, Clone)]
pub struct News {
    /// The first moment that something is known of.
    pub from: DateTime<Utc>,
    /// The last one.
    pub to: DateTime<Utc>,
    /// Each Service with the states that are new, the pods of which something was heard, and the windows of its paths and of these pods:
    /// those may have been told before.
    pub services: Vec<ServiceStory>,
    /// All times in which nothing was heard.
    pub unheard: Vec<Unheard>,
    /// What a probe met since.
    pub failures: Vec<Failure>,
    /// The names of the Services' traffic sources by their ids.
    pub names: BTreeMap<&'static str, &'static str>,
}

/// What is new no more, and what may change as time goes by.
#[derive(Debug, Default)]
pub(super) struct Asked {
    states: BTreeMap<ObjectName, usize>,
    failures: usize,
    open: BTreeSet<PodKey>,
}

impl Asked {
    /// The pods whose windows were open.
    pub(super) fn open(&mut self) -> BTreeSet<PodKey> {
        std::mem::take(&mut self.open)
    }

    /// How many states of a Service are known.
    pub(super) fn states(&self, service: &ObjectName) -> usize {
        self.states.get(service).copied().unwrap_or_default()
    }

    /// The failures that are new.
    pub(super) fn failures(&mut self, probes: Option<&Probes>) -> Vec<Failure> {
        let all = probes.map_or(&[][..], |probes| &probes.failures);
        let known = std::mem::replace(&mut self.failures, all.len());
        all.get(known..).unwrap_or_default().to_vec()
    }

    /// Notes what is known of a Service now: all its states, and of these pods those about which time alone may tell more.
    pub(super) fn note(&mut self, story: &ServiceStory, states: usize, now: DateTime<Utc>) {
        self.states.insert(story.service.name.clone(), states);
        let goes_on = |window: &&Window| window.to.is_none_or(|to| to.1 > now);
        let open: Vec<_> = story.windows.iter().filter(goes_on).collect();
        // Who got connections while a path led nowhere else is told of with it.
        let path = |life: &Life| {
            let mut paths = open.iter().filter(|window| window.way.is_some());
            life.deleted.is_some()
                && paths.any(|window| life.gone.is_none_or(|gone| gone > window.from.0))
        };
        let leaves = |life: &Life| life.deleted.is_some() && life.gone.is_none();
        let about = |life: &Life| {
            open.iter()
                .any(|window| window.pods.contains(&life.name.name))
        };
        let kept = story.pods.iter();
        let kept = kept.filter(|life| path(life) || leaves(life) || about(life));
        self.open
            .extend(kept.map(|life| (life.name.clone(), life.uid.clone())));
    }
}
