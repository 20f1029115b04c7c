//! What do the figures of this rollout say about what to change?

use std::collections::BTreeMap;

use chrono::Duration;

use super::moments::{between, lasting, seconds, tenths};
use super::spells::{by_pod, source_name};
use super::verdict::Story;
use crate::report::v1::{Finding, PodLife, Source, WindowKind};
use crate::words::list;

/// A container's end is reported in whole seconds: it may have been so many milliseconds later.
const REPORTED: i64 = 999;

/// A SIGTERM whose moment is known no better tells nothing of what came after it, in milliseconds.
const KNOWN: i64 = 1_000;

/// The least and the most of some ranges, in milliseconds.
fn hull(ranges: impl Iterator<Item = (i64, i64)>) -> Option<(i64, i64)> {
    ranges.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
}

/// `within 1.4 s of`, `2.0 to 3.4 s after`.
fn after(least: i64, most: i64) -> String {
    if least <= 0 {
        format!("within {} of", seconds(most))
    } else {
        format!("{} after", lasting(least, most))
    }
}

impl Story<'_> {
    /// The pods that were at risk, each once.
    fn risky(&self) -> Vec<&PodLife> {
        let windows = self.service.windows.iter();
        let of = windows.filter(|window| window.kind == WindowKind::AtRisk);
        let names = by_pod(of);
        let pods = self.service.pods.iter();
        pods.filter(|pod| pod.deleted_at.is_some() && names.contains_key(pod.name.as_str()))
            .collect()
    }

    /// How long after SIGTERM the applications of the pods at risk ended, in milliseconds.
    fn ends(&self) -> Option<(i64, i64)> {
        // What was played forward has its moments exactly.
        let coarse = match self.timeline.source {
            Source::Scenario { .. } => 0,
            _ => REPORTED,
        };
        let pods = self.risky();
        let range = |pod: &PodLife| {
            let (signal, ended) = (pod.sigterm_at?, pod.ended_at?);
            // Where it got SIGTERM is hardly known, neither is how long it took then.
            if between(signal.min, signal.max) > KNOWN {
                return None;
            }
            let most = between(signal.min, ended + Duration::milliseconds(coarse));
            Some((between(signal.max, ended).max(0), most.max(0)))
        };
        hull(pods.into_iter().filter_map(range))
    }

    /// For each traffic source that stops by itself: how long after the delete it may have sent at most, in milliseconds. Where there was
    /// no other pod, kube-proxy goes on as long as terminating ones serve: no delay covers that.
    fn sends(&self) -> BTreeMap<&'static str, i64> {
        let mut sends: BTreeMap<&'static str, i64> = BTreeMap::new();
        let windows = self.service.windows.iter();
        let only = windows.filter(|window| window.kind == WindowKind::TerminatingOnly);
        let fallback = by_pod(only);
        let deleted: BTreeMap<_, _> = self
            .service
            .pods
            .iter()
            .map(|pod| (pod.name.as_str(), pod))
            .collect();
        for window in &self.service.windows {
            let Some(id) = window
                .traffic_source
                .filter(|_| window.kind == WindowKind::AtRisk && !window.open)
            else {
                continue;
            };
            let stops = self
                .timeline
                .traffic_sources
                .iter()
                .find(|source| source.id == id);
            if stops.is_some_and(|source| source.last_new_connection.seconds.is_none()) {
                continue;
            }
            let pods = window
                .pods
                .iter()
                .filter(|name| !fallback.contains_key(name.as_str()));
            let pods = pods.filter_map(|name| deleted.get(name.as_str())?.deleted_at);
            if let Some(most) = pods
                .map(|at| between(at, window.to))
                .max()
                .filter(|most| *most > 0)
            {
                let known = sends.entry(id).or_default();
                *known = (*known).max(most);
            }
        }
        sends
    }

    /// `In this rollout the application ended within 1.4 s of SIGTERM; a preStop of 2 s would have covered kube-proxy, one of 65 s AWS ALB.`
    fn pre_stop(&self) -> Option<String> {
        let sends = self.sends();
        let mut by_delay: BTreeMap<i64, Vec<&'static str>> = BTreeMap::new();
        for (id, most) in sends {
            let name = source_name(&self.timeline.traffic_sources, id);
            by_delay
                .entry(most.div_euclid(1000) + i64::from(most % 1000 > 0))
                .or_default()
                .push(name);
        }
        let covers: Vec<_> = by_delay
            .into_iter()
            .enumerate()
            .map(|(index, (delay, names))| match index {
                0 => format!("a preStop of {delay} s would have covered {}", list(names)),
                _ => format!("one of {delay} s {}", list(names)),
            })
            .collect();
        if covers.is_empty() {
            return None;
        }
        if self.is_foreseen() {
            let covers = covers
                .join(", ")
                .replace("would have covered", "would cover");
            let mut said = covers.chars();
            let first = said.next()?.to_uppercase();
            return Some(format!("{first}{}.", said.as_str()));
        }
        let ends = self
            .ends()
            .map(|(least, most)| format!("the application ended {} SIGTERM", after(least, most)));
        let parts: Vec<_> = ends.into_iter().chain([covers.join(", ")]).collect();
        Some(format!("In this rollout {}.", parts.join("; ")))
    }

    /// How long new pods took to be Ready, where nothing was usable meanwhile.
    fn replacements(&self) -> Option<String> {
        let mut lost = self.spells.iter();
        lost.find(|spell| spell.kind == WindowKind::NoUsableEndpoint)?;
        let took = self.service.pods.iter().filter_map(|pod| {
            let (created, ready) = (pod.created_at?, pod.ready_at?);
            (ready > self.timeline.from).then(|| between(created, ready))
        });
        let (least, most) = hull(took.map(|took| (took, took)))?;
        let long = if tenths(least) == tenths(most) {
            seconds(most)
        } else {
            lasting(least, most)
        };
        Some(if self.is_foreseen() {
            format!("New pods are taken to need {long} from their creation to Ready.")
        } else {
            format!("In this rollout new pods took {long} from their creation to Ready.")
        })
    }

    /// What this rollout measured of what should change.
    pub(in crate::render) fn figures(&self) -> Vec<String> {
        [self.pre_stop(), self.replacements()]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The findings about the Service, or about what is behind it.
    pub(in crate::render) fn findings(&self) -> Vec<&Finding> {
        let own = |finding: &&Finding| {
            (finding.objects.iter())
                .chain(&*finding.related)
                .any(|object| {
                    object.kind == "Service"
                        && object.namespace == self.service.namespace
                        && object.name == self.service.name
                })
        };
        self.timeline.findings.iter().filter(own).collect()
    }
}
