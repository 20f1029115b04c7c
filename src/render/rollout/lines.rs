//! What is new since the last look? A line an event.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};

use super::ends::{ended, killed};
use super::moments::{Deletes, between, lasting, seconds};
use crate::render::text::safe;
use crate::report::News;
use crate::report::v1::{PodLife, ServiceTimeline, Signal, State, Unheard, Window, WindowKind};
use crate::words::{clock, count, list};

/// The columns of the time before an event.
const TIME: usize = 10;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// When.
    pub at: DateTime<Utc>,
    /// To what: `pod web-x`, `svc/web`.
    pub who: String,
    /// What.
    pub what: String,
}

/// By what a pod is known again: a StatefulSet gives one name to many.
type Key = (String, String, Option<String>);

/// What a window is about: its moments may be known better later. At-risk windows are each about a pod; who is terminating while a path
/// leads nowhere else may change.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct About {
    who: (String, String),
    kind: WindowKind,
    way: (Option<&'static str>, Option<&'static str>),
    ports: Vec<String>,
    nodes: Vec<String>,
    pods: Vec<String>,
    source: Option<&'static str>,
}

/// So many pods are remembered, whether they are gone or not.
const MOST: usize = 50_000;

/// What was told so far.
#[derive(Debug, Default)]
pub struct Told {
    /// With the moment until which was told what is known of each.
    pods: HashMap<Key, (PodLife, DateTime<Utc>)>,
    /// By what they are about: whether each has ended.
    windows: BTreeMap<About, Vec<bool>>,
    /// Whether each has ended.
    unheard: Vec<bool>,
    deletes: Deletes,
    /// The first and the last moment.
    heard: (DateTime<Utc>, DateTime<Utc>),
}

/// When a pod got SIGTERM, where that is known.
fn signal(pod: &PodLife) -> Option<Signal> {
    pod.sigterm_at
        .filter(|signal| signal.measured || signal.min == signal.max)
}

/// What is known of a pod now that was not known before.
fn of_pod(
    before: Option<(&PodLife, DateTime<Utc>)>,
    now: &PodLife,
    (from, to): (DateTime<Utc>, DateTime<Utc>),
    events: &mut Vec<Event>,
) {
    let mut tell = |at: fn(&PodLife) -> Option<DateTime<Utc>>, what: &dyn Fn() -> String| {
        let known = before.is_some_and(|(pod, told)| at(pod).is_some_and(|at| at <= told));
        // What was so before anybody looked is no event, and what the model expects is none yet.
        if let Some(at) = at(now).filter(|at| !known && (from..=to).contains(at)) {
            events.push(Event {
                at,
                who: format!("pod {}", safe(&now.name)),
                what: what(),
            });
        }
    };
    tell(|pod| pod.created_at, &|| "created".to_owned());
    tell(|pod| pod.scheduled_at, &|| match &now.node {
        Some(node) => format!("bound to {}", safe(node)),
        None => "bound".to_owned(),
    });
    tell(
        |pod| pod.ready_at,
        &|| match now.created_at.zip(now.ready_at) {
            Some((created, ready)) => {
                let took = seconds(between(created, ready));
                format!("Ready, {took} after its creation")
            }
            None => "Ready".to_owned(),
        },
    );
    tell(|pod| pod.deleted_at, &|| match now.grace_seconds {
        Some(grace) => format!("deleted, grace period {grace} s"),
        None => "deleted".to_owned(),
    });
    tell(
        |pod| signal(pod).map(|signal| signal.max),
        &|| match signal(now) {
            Some(signal) if signal.min < signal.max => {
                let earlier = seconds(between(signal.min, signal.max));
                format!("SIGTERM, at most {earlier} earlier")
            }
            Some(signal) if !signal.measured => "SIGTERM (by the model)".to_owned(),
            _ => "SIGTERM".to_owned(),
        },
    );
    tell(|pod| pod.unready_at, &|| "no longer Ready".to_owned());
    tell(ended, &|| {
        let sigkill = if killed(now) { " by SIGKILL" } else { "" };
        let exits = now.exit_codes.iter();
        let exits = exits.map(|(name, code)| format!("{} {code}", safe(name)));
        let exits: Vec<_> = exits.collect();
        if exits.is_empty() {
            return format!("ended{sigkill}");
        }
        format!("ended{sigkill}, exit {}", list(exits))
    });
    tell(|pod| pod.left_slices_at, &|| {
        "out of the EndpointSlices".to_owned()
    });
    tell(|pod| pod.gone_at, &|| "gone".to_owned());
}

fn about(service: &ServiceTimeline, window: &Window) -> About {
    let pods = match window.kind {
        WindowKind::AtRisk => window.pods.clone(),
        WindowKind::NoUsableEndpoint | WindowKind::TerminatingOnly => Vec::new(),
    };
    About {
        who: (service.namespace.clone(), service.name.clone()),
        kind: window.kind,
        way: (window.path, window.origin),
        ports: window.ports.clone(),
        nodes: window.nodes.clone(),
        pods,
        source: window.traffic_source,
    }
}

/// `at-risk: pod web-x, from kube-proxy`.
fn named(window: &Window, names: &BTreeMap<&str, &str>) -> String {
    let pods = match window.pods.as_slice() {
        [] => None,
        [pod] => Some(format!("pod {}", safe(pod))),
        pods => Some(count(pods.len(), "pod")),
    };
    let path = window.path.map(str::to_owned);
    let nodes = (!window.nodes.is_empty())
        .then(|| format!("on {}", list(window.nodes.iter().map(|node| safe(node)))));
    let source = window
        .traffic_source
        .map(|id| format!("from {}", names.get(id).unwrap_or(&id)));
    let parts: Vec<_> = [pods, path, nodes, source].into_iter().flatten().collect();
    let sure = if window.certain { "" } else { ", possible" };
    format!("{}{sure}: {}", window.kind.id(), parts.join(", "))
}

fn of_states(now: &ServiceTimeline, who: &str, events: &mut Vec<Event>) {
    for span in &now.states {
        let state = match span.state {
            State::Healthy => String::new(),
            other => format!("{}: ", other.id()),
        };
        events.push(Event {
            at: span.from,
            who: who.to_owned(),
            what: format!("{state}{}", safe(&span.summary)),
        });
    }
}

impl Told {
    /// What is new, in the order of the moments. States are new; of pods and windows all may be said that is known.
    pub fn events(&mut self, news: &News) -> Vec<Event> {
        let mut events = Vec::new();
        self.heard = (news.from, news.to);
        self.deletes.see(&news.services, news.from);
        for service in &news.services {
            let who = format!("svc/{}", safe(&service.name));
            for pod in &service.pods {
                self.pod(&service.namespace, pod, &mut events);
            }
            of_states(service, &who, &mut events);
            self.windows(service, &who, &news.names, &mut events);
        }
        for (index, gap) in news.unheard.iter().enumerate() {
            self.gap(index, gap, &mut events);
        }
        for failure in &news.failures {
            let status = failure
                .status
                .map_or_else(String::new, |status| format!(" {status}"));
            events.push(Event {
                at: failure.at,
                who: "probe".to_owned(),
                what: format!("failed: {}{status}", safe(&failure.kind)),
            });
        }
        events.sort();
        // Two Services may select one pod.
        events.dedup();
        events
    }

    fn pod(&mut self, namespace: &str, pod: &PodLife, events: &mut Vec<Event>) {
        if self.pods.len() >= MOST {
            self.pods.retain(|_, (known, _)| known.gone_at.is_none());
        }
        let key = (namespace.to_owned(), pod.name.clone(), pod.uid.clone());
        let heard = self.heard;
        match self.pods.entry(key) {
            Entry::Vacant(place) => {
                of_pod(None, pod, heard, events);
                place.insert((pod.clone(), heard.1));
            }
            // Most of what is looked at again and again stays as it was.
            Entry::Occupied(mut place) => {
                let (known, told) = place.get_mut();
                of_pod(Some((known, *told)), pod, heard, events);
                *told = heard.1;
                if known != pod {
                    known.clone_from(pod);
                }
            }
        }
    }

    fn windows(
        &mut self,
        service: &ServiceTimeline,
        who: &str,
        names: &BTreeMap<&str, &str>,
        events: &mut Vec<Event>,
    ) {
        let mut now: BTreeMap<About, Vec<&Window>> = BTreeMap::new();
        for window in &service.windows {
            let about = about(service, window);
            now.entry(about).or_default().push(window);
        }
        for (about, windows) in now {
            let told = self.windows.entry(about).or_default();
            for (index, window) in windows.into_iter().enumerate() {
                let about = || named(window, names);
                let mut tell = |at, what| {
                    events.push(Event {
                        at,
                        who: who.to_owned(),
                        what,
                    });
                };
                if index >= told.len() {
                    told.push(false);
                    tell(window.from, format!("window begins, {}", about()));
                }
                if !window.open && window.to <= self.heard.1 && !told[index] {
                    told[index] = true;
                    let inner =
                        super::moments::inner(window).map_or(0, |(from, to)| between(from, to));
                    let long = lasting(inner, between(window.from, window.to));
                    tell(window.to, format!("window ends after {long}, {}", about()));
                }
            }
        }
    }

    fn gap(&mut self, index: usize, gap: &Unheard, events: &mut Vec<Event>) {
        let who = safe(&gap.resource);
        if index >= self.unheard.len() {
            self.unheard.push(false);
            events.push(Event {
                at: gap.from,
                who: who.clone(),
                what: format!("not heard of any more: {}", safe(&gap.text)),
            });
        }
        if let Some(at) = gap.to.filter(|_| !self.unheard[index]) {
            self.unheard[index] = true;
            events.push(Event {
                at,
                who,
                what: format!("heard of again after {}", seconds(between(gap.from, at))),
            });
        }
    }

    /// `   +12.3 s  pod web-x  SIGTERM`; before the first delete, the time of the day.
    #[must_use]
    pub fn line(&self, event: &Event) -> String {
        let zero = self.deletes.zero(self.heard.0);
        let time = match zero.millis(event.at) {
            millis if zero.delete && millis >= 0 => format!("+{}", seconds(millis)),
            _ => clock(event.at),
        };
        format!("{time:>TIME$}  {}  {}", event.who, event.what)
    }
}
