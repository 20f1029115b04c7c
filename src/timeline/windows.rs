//! When may new connections have failed, or were served by terminating pods alone, and why?
//!
//! A window goes by what kube-proxy has programmed, not by the slices: it lasts until a sync after the slices said otherwise.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::life::{End, Life, Signal};
use super::moments::{Moments, later};
use super::roster::Sent;
use super::track::{Fate, Stretch, Track};
use crate::analysis::paths::Source;
use crate::facts::service::Service;
use crate::proxy::answer::Path;
use crate::sources::timing::SourceTiming;
use crate::sources::{Amount, Class};

/// How long kube-proxy takes at most to program what the slices say, in milliseconds: it syncs at most once a second (`minSyncPeriod`,
/// `pkg/proxy/apis/config/v1alpha1/defaults.go`), and a sync of a small cluster takes some tenths. A large one may take longer.
pub const SYNC: i64 = 1_200;

/// What a window says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A path refuses or drops.
    NoUsableEndpoint,
    /// A traffic source may still send to a pod whose application no longer accepts.
    AtRisk,
    /// New connections go to terminating pods alone.
    TerminatingOnly,
}

/// Why a window is one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// kube-proxy refuses.
    Refused,
    /// kube-proxy drops.
    Dropped,
    /// No ready endpoint was left, and terminating ones served.
    Fallback,
    /// The container that serves had ended.
    Ended {
        /// The container.
        container: String,
        /// What it ended with.
        code: i32,
    },
    /// It had got SIGTERM, and nobody saw it end.
    Signalled,
    /// The container that serves had ended although nobody deleted the pod.
    Crashed {
        /// The container.
        container: String,
        /// What it ended with.
        code: i32,
    },
    /// Its kubelet had ended the container because the node shuts down.
    ShutDown {
        /// The container.
        container: String,
    },
    /// The machine that it ran on was off.
    NodeLost,
}

impl Why {
    /// The stable id that reports and `explain` use.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Dropped => "dropped",
            Self::Fallback => "fallback",
            Self::Ended { .. } => "application-ended",
            Self::Signalled => "after-sigterm",
            Self::Crashed { .. } => "container-ended",
            Self::ShutDown { .. } => "node-shutdown",
            Self::NodeLost => "node-lost",
        }
    }
}

/// A time in which connections may have failed, or went to terminating pods alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// When it begins.
    pub from: Moments,
    /// When it ends; `None` where it has not.
    pub to: Option<Moments>,
    /// What it says.
    pub kind: Kind,
    /// The path and where connections come from, where it is about a path.
    pub way: Option<(Path, Source)>,
    /// The ports by their places; all of the Service's where it is about a pod.
    pub ports: BTreeSet<usize>,
    /// The nodes; empty for all of them.
    pub nodes: Vec<String>,
    /// The pods.
    pub pods: Vec<String>,
    /// The traffic source that may send, by its id.
    pub source: Option<&'static str>,
    /// New connections surely met it.
    pub certain: bool,
    /// Why.
    pub why: Why,
}

impl Window {
    /// From its earliest to its latest moment; to the end where it goes on.
    #[must_use]
    pub fn outermost(&self, end: DateTime<Utc>) -> Moments {
        (self.from.0, self.to.map_or(end.max(self.from.0), |to| to.1))
    }
}

/// What windows are made of.
pub(super) struct Seen<'x> {
    pub(super) service: &'x Service,
    pub(super) track: &'x Track,
    pub(super) lives: Vec<&'x Life>,
    /// The traffic sources with their moments after a delete.
    pub(super) sources: &'x [SourceTiming],
    /// The id of what routes the Service on the nodes.
    pub(super) plane: &'static str,
    /// The first and the last moment.
    pub(super) heard: Moments,
}

impl Seen<'_> {
    /// When connections went to a pod.
    fn sent(&self, life: &Life) -> &[Sent] {
        self.track.pods.sent(&life.name, life.uid.as_deref())
    }
}

/// All windows, by their beginning.
pub(super) fn windows(seen: &Seen<'_>) -> Vec<Window> {
    let mut windows = of_ways(seen);
    for life in &seen.lives {
        windows.extend(of_pod(life, seen));
    }
    // What is to come is no window yet.
    windows.retain(|window| window.from.0 <= seen.heard.1);
    windows.sort_by(|one, other| {
        let key = |window: &Window| (window.from.0, window.kind, window.to.map(|to| to.1));
        key(one)
            .cmp(&key(other))
            .then_with(|| one.pods.cmp(&other.pods))
    });
    windows
}

/// What was so on a way all the time, while another way forwarded, is nothing that happened: a node without endpoints under a Local
/// policy, a port that nothing serves. The check tells of it.
fn always(stretch: &Stretch, seen: &Seen<'_>) -> bool {
    stretch.to.is_none()
        && seen.track.forwarded
        && seen
            .track
            .states
            .first()
            .is_some_and(|first| stretch.from <= first.from)
}

/// Stretches of several ports and families that are the same otherwise, as one window.
fn of_ways(seen: &Seen<'_>) -> Vec<Window> {
    let mut together: BTreeMap<_, BTreeSet<usize>> = BTreeMap::new();
    for stretch in &seen.track.stretches {
        if !always(stretch, seen) {
            let way = (stretch.way.path, stretch.way.from);
            let key = (stretch.from, stretch.to, stretch.fate, way, &stretch.nodes);
            together.entry(key).or_default().insert(stretch.way.port);
        }
    }
    let windows = together
        .into_iter()
        .map(|((from, to, fate, way, nodes), ports)| {
            let (kind, why) = match fate {
                Fate::Refused => (Kind::NoUsableEndpoint, Why::Refused),
                Fate::Dropped => (Kind::NoUsableEndpoint, Why::Dropped),
                Fate::Terminating => (Kind::TerminatingOnly, Why::Fallback),
            };
            // What it was before anybody listened, kube-proxy had programmed.
            let was_before = from <= seen.heard.0;
            let everywhere = nodes.len() >= seen.track.nodes;
            let last = to.unwrap_or(seen.heard.1);
            Window {
                from: (from, if was_before { from } else { later(from, SYNC) }),
                to: to.map(|to| (to, later(to, SYNC))),
                kind,
                way: Some(way),
                ports,
                nodes: if everywhere {
                    Vec::new()
                } else {
                    nodes.iter().map(ToString::to_string).collect()
                },
                pods: match fate {
                    Fate::Terminating => sent_between((from, last), seen),
                    _ => Vec::new(),
                },
                source: None,
                // What the slices said for less than a sync may never have been programmed.
                certain: was_before || last >= later(from, SYNC),
                why,
            }
        });
    windows.collect()
}

/// The pods that were being deleted and got connections in some time.
fn sent_between((from, to): Moments, seen: &Seen<'_>) -> Vec<String> {
    let lives = seen.lives.iter().filter(|life| {
        let mut sent = seen.sent(life).iter();
        life.deleted.is_some_and(|deleted| deleted < to)
            && sent.any(|sent| sent.from < to && sent.to.is_none_or(|end| end > from))
    });
    lives.map(|life| life.name.name.clone()).collect()
}

/// A time in which a pod's application did not accept.
struct Silence {
    from: Moments,
    to: Option<DateTime<Utc>>,
    why: Why,
}

fn silences(life: &Life, service: &Service) -> Vec<Silence> {
    let crash = |container: &str, end: &End| Why::Crashed {
        container: container.to_owned(),
        code: end.code,
    };
    let outages = life.outages.iter();
    let outages = outages.filter(|outage| life.serves(&outage.container, service));
    let mut silences: Vec<_> = outages
        .map(|outage| Silence {
            from: outage.end.at,
            to: Some(outage.back),
            why: crash(&outage.container, &outage.end),
        })
        .collect();
    let end = life.serving_end(service).map(|(container, end)| Silence {
        from: end.at,
        to: None,
        why: match life.deleted {
            Some(deleted) if end.at.1 >= deleted => Why::Ended {
                container: container.to_owned(),
                code: end.code,
            },
            _ if life.shut_down => Why::ShutDown {
                container: container.to_owned(),
            },
            _ => crash(container, end),
        },
    });
    let signalled = || {
        // A machine that is off sends no signal.
        let sent = |signal: &Signal| life.silent.is_none_or(|off| off >= signal.at.0);
        let signal = life.sigterm.filter(sent)?;
        Some(Silence {
            from: signal.at,
            to: None,
            why: Why::Signalled,
        })
    };
    let off = || {
        let off = life.silent?;
        Some(Silence {
            from: (off, off),
            to: None,
            why: Why::NodeLost,
        })
    };
    silences.extend(end.or_else(signalled).or_else(off));
    silences
}

fn of_pod(life: &Life, seen: &Seen<'_>) -> Vec<Window> {
    let sent = seen.sent(life);
    if sent.is_empty() {
        return Vec::new();
    }
    let mut windows = Vec::new();
    for silence in silences(life, seen.service) {
        for span in sent {
            windows.extend(
                of_kube_proxy(&silence, span).map(|(from, to, certain)| Window {
                    from,
                    to,
                    source: Some(seen.plane),
                    certain,
                    ..at_risk(life, &silence)
                }),
            );
        }
        // What a container that comes back loses meanwhile is told for kube-proxy; the others follow the slices too.
        let sends = seen.sources.iter().filter(|timing| sends_on(timing, life));
        for timing in sends.filter(|_| silence.to.is_none()) {
            let stops = stops(timing, life, sent);
            if stops.is_none_or(|stops| stops.1 > silence.from.0) {
                windows.push(Window {
                    to: stops,
                    source: Some(&timing.source.id),
                    ..at_risk(life, &silence)
                });
            }
        }
    }
    windows
}

fn at_risk(life: &Life, silence: &Silence) -> Window {
    Window {
        from: silence.from,
        to: None,
        kind: Kind::AtRisk,
        way: None,
        ports: BTreeSet::new(),
        nodes: Vec::new(),
        pods: vec![life.name.name.clone()],
        source: None,
        certain: false,
        why: silence.why.clone(),
    }
}

/// When kube-proxies still sent to a pod that did not accept: begin, end, and whether any surely did.
fn of_kube_proxy(silence: &Silence, sent: &Sent) -> Option<(Moments, Option<Moments>, bool)> {
    let begin = (silence.from.0.max(sent.from), silence.from.1.max(sent.from));
    let stopped = sent.to.map(|to| (to, later(to, SYNC)));
    let back = silence.to.map(|back| (back, back));
    let end = match (stopped, back) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.min(other.1))),
        (one, other) => one.or(other),
    };
    if end.is_some_and(|end| end.1 <= begin.0) {
        return None;
    }
    // It cannot have stopped before the slices said so.
    let surely = end.is_none_or(|end| end.0 > begin.1) && silence.why != Why::Signalled;
    Some((begin, end, surely))
}

/// Does another traffic source than what routes on the nodes go on sending to a pod that is deleted?
fn sends_on(timing: &SourceTiming, life: &Life) -> bool {
    let amount = timing.last_new_connection.amount;
    let class = timing.source.class;
    let never = matches!(amount, Amount::Seconds(seconds) if seconds <= 0.0);
    life.deleted.is_some() && class != Class::Dataplane && class.sends() && !never
}

/// When it stops: with the slices at the earliest, by its figure at the latest; `None` where that is not yet.
fn stops(timing: &SourceTiming, life: &Life, sent: &[Sent]) -> Option<Moments> {
    let deleted = life.deleted?;
    let latest = match timing.last_new_connection.amount {
        Amount::Seconds(seconds) => {
            // Seconds of a catalogue, far below what overflows.
            #[allow(clippy::cast_possible_truncation)]
            let millis = (seconds * 1000.0).min(1e12) as i64;
            later(deleted, millis)
        }
        Amount::UntilPodIsGone | Amount::Unlimited | Amount::Unknown => life.gone?,
    };
    let told = sent.last().and_then(|last| last.to).unwrap_or(deleted);
    Some((told.min(latest), latest))
}
