//! What is new in a Timeline since the last one? A line an event, for pipes.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::ends::{ended, killed};
use super::moments::{Zero, between, lasting, seconds};
use super::spells::source_name;
use crate::render::text::safe;
use crate::report::v1::{PodLife, ServiceTimeline, State, Timeline, Window, WindowKind};
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
type Key<'t> = (&'t str, &'t str, Option<&'t str>);

fn pods(timeline: &Timeline) -> BTreeMap<Key<'_>, &PodLife> {
    let mut of = BTreeMap::new();
    for service in &timeline.services {
        for pod in &service.pods {
            let key = (
                service.namespace.as_str(),
                pod.name.as_str(),
                pod.uid.as_deref(),
            );
            of.insert(key, pod);
        }
    }
    of
}

/// What is known of a pod now that was not known before.
fn of_pod(before: Option<&PodLife>, now: &PodLife, from: DateTime<Utc>, events: &mut Vec<Event>) {
    let who = format!("pod {}", safe(&now.name));
    let mut tell = |at: Option<DateTime<Utc>>, known: bool, what: String| {
        // What was so before anybody looked is no event.
        if let Some(at) = at.filter(|at| !known && *at >= from) {
            events.push(Event {
                at,
                who: who.clone(),
                what,
            });
        }
    };
    let knew = |field: fn(&PodLife) -> bool| before.is_some_and(field);
    let node = now
        .node
        .as_deref()
        .map_or_else(String::new, |node| format!(" to {}", safe(node)));
    tell(
        now.created_at,
        knew(|pod| pod.created_at.is_some()),
        "created".to_owned(),
    );
    tell(
        now.scheduled_at,
        knew(|pod| pod.scheduled_at.is_some()),
        format!("bound{node}"),
    );
    let took = now.created_at.zip(now.ready_at);
    let took = took.map_or_else(String::new, |(created, ready)| {
        format!(", {} after its creation", seconds(between(created, ready)))
    });
    tell(
        now.ready_at,
        knew(|pod| pod.ready_at.is_some()),
        format!("Ready{took}"),
    );
    let grace = now
        .grace_seconds
        .map_or_else(String::new, |grace| format!(", grace period {grace} s"));
    tell(
        now.deleted_at,
        knew(|pod| pod.deleted_at.is_some()),
        format!("deleted{grace}"),
    );
    let signal = now
        .sigterm_at
        .filter(|signal| signal.measured || signal.min == signal.max);
    let how = match signal {
        Some(signal) if signal.min < signal.max => {
            format!(
                "SIGTERM, at most {} earlier",
                seconds(between(signal.min, signal.max))
            )
        }
        Some(signal) if !signal.measured => "SIGTERM (by the model)".to_owned(),
        _ => "SIGTERM".to_owned(),
    };
    tell(
        signal.map(|signal| signal.max),
        knew(|pod| pod.sigterm_at.is_some()),
        how,
    );
    tell(
        now.unready_at,
        knew(|pod| pod.unready_at.is_some()),
        "no longer Ready".to_owned(),
    );
    let exits = now
        .exit_codes
        .iter()
        .map(|(name, code)| format!("{} {code}", safe(name)));
    let exits: Vec<_> = exits.collect();
    let exits = if exits.is_empty() {
        String::new()
    } else {
        format!(", exit {}", list(exits))
    };
    let sigkill = if killed(now) { " by SIGKILL" } else { "" };
    tell(
        ended(now),
        knew(|pod| pod.ended_at.is_some()),
        format!("ended{sigkill}{exits}"),
    );
    tell(
        now.left_slices_at,
        knew(|pod| pod.left_slices_at.is_some()),
        "out of the EndpointSlices".to_owned(),
    );
    tell(
        now.gone_at,
        knew(|pod| pod.gone_at.is_some()),
        "gone".to_owned(),
    );
}

/// What a window is about: its moments may be known better later.
type About<'t> = (
    WindowKind,
    Option<&'t str>,
    Option<&'t str>,
    &'t [String],
    &'t [String],
    &'t [String],
    Option<&'t str>,
);

fn about(window: &Window) -> About<'_> {
    (
        window.kind,
        window.path,
        window.origin,
        &window.ports,
        &window.nodes,
        &window.pods,
        window.traffic_source,
    )
}

/// Windows by what they are about, in order.
fn windows(service: &ServiceTimeline) -> BTreeMap<About<'_>, Vec<&Window>> {
    let mut of: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for window in &service.windows {
        of.entry(about(window)).or_default().push(window);
    }
    of
}

/// `at-risk: pod web-x, from kube-proxy`.
fn named(window: &Window, timeline: &Timeline) -> String {
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
        .map(|id| format!("from {}", source_name(&timeline.traffic_sources, id)));
    let parts: Vec<_> = [pods, path, nodes, source].into_iter().flatten().collect();
    let sure = if window.certain { "" } else { ", possible" };
    format!("{}{sure}: {}", window.kind.id(), parts.join(", "))
}

fn of_windows(
    before: Option<&ServiceTimeline>,
    now: &ServiceTimeline,
    timeline: &Timeline,
    who: &str,
    events: &mut Vec<Event>,
) {
    let known = before.map(windows).unwrap_or_default();
    for (about, windows) in windows(now) {
        let known = known.get(&about).map(Vec::as_slice).unwrap_or_default();
        for (index, window) in windows.into_iter().enumerate() {
            let before = known.get(index);
            let named = named(window, timeline);
            let mut tell = |at, what| {
                events.push(Event {
                    at,
                    who: who.to_owned(),
                    what,
                });
            };
            if before.is_none() {
                tell(window.from, format!("window begins, {named}"));
            }
            if !window.open && before.is_none_or(|before| before.open) {
                let inner = super::moments::inner(window).map_or(0, |(from, to)| between(from, to));
                let long = lasting(inner, between(window.from, window.to));
                tell(window.to, format!("window ends after {long}, {named}"));
            }
        }
    }
}

fn of_states(
    before: Option<&ServiceTimeline>,
    now: &ServiceTimeline,
    who: &str,
    events: &mut Vec<Event>,
) {
    let known: BTreeSet<_> = before
        .into_iter()
        .flat_map(|service| &service.states)
        .map(|span| (span.from, span.state, span.ready, span.terminating))
        .collect();
    for span in &now.states {
        if known.contains(&(span.from, span.state, span.ready, span.terminating)) {
            continue;
        }
        let state = match span.state {
            State::Healthy => "",
            other => other.id(),
        };
        let state = if state.is_empty() {
            String::new()
        } else {
            format!("{state}: ")
        };
        events.push(Event {
            at: span.from,
            who: who.to_owned(),
            what: format!("{state}{}", safe(&span.summary)),
        });
    }
}

/// What is new, in the order of the moments.
#[must_use]
pub fn events(before: Option<&Timeline>, now: &Timeline) -> Vec<Event> {
    let mut events = Vec::new();
    let known = before.map(pods).unwrap_or_default();
    for (key, pod) in pods(now) {
        of_pod(known.get(&key).copied(), pod, now.from, &mut events);
    }
    for service in &now.services {
        let same = |other: &&ServiceTimeline| {
            other.namespace == service.namespace && other.name == service.name
        };
        let before = before.and_then(|before| before.services.iter().find(same));
        let who = format!("svc/{}", safe(&service.name));
        of_states(before, service, &who, &mut events);
        of_windows(before, service, now, &who, &mut events);
    }
    let known = before.map_or(&[][..], |before| &before.unheard);
    for (index, gap) in now.unheard.iter().enumerate() {
        let who = safe(&gap.resource);
        let before = known.get(index);
        if before.is_none() {
            events.push(Event {
                at: gap.from,
                who: who.clone(),
                what: format!("not heard of any more: {}", safe(&gap.text)),
            });
        }
        if let Some(at) = gap
            .to
            .filter(|_| before.is_none_or(|before| before.to.is_none()))
        {
            events.push(Event {
                at,
                who,
                what: format!("heard of again after {}", seconds(between(gap.from, at))),
            });
        }
    }
    let probe = |timeline: &Timeline| {
        timeline
            .probe
            .as_ref()
            .map_or(0, |probe| probe.failures.len())
    };
    let told = before.map_or(0, probe);
    let failures = now.probe.iter().flat_map(|probe| &probe.failures);
    for failure in failures.skip(told) {
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
    events
}

/// `   +12.3 s  pod web-x  SIGTERM`; before the first delete, the time of the day.
#[must_use]
pub fn line(event: &Event, timeline: &Timeline) -> String {
    let zero = Zero::of(timeline);
    let time = match zero.millis(event.at) {
        millis if zero.delete && millis >= 0 => format!("+{}", seconds(millis)),
        _ => clock(event.at),
    };
    format!("{time:>TIME$}  {}  {}", event.who, event.what)
}
