//! What the slices of one Service made of it over time: its states, the ways on which nothing ready was used, and to which pods
//! connections went.

use std::collections::BTreeMap;
use std::net::IpAddr;

use chrono::{DateTime, Utc};

use super::roster::{Left, Roster};
use crate::analysis::paths::{Outcome, Source};
use crate::analysis::routing::Routing;
use crate::analysis::state::State;
use crate::analysis::traffic_summary::outcomes;
use crate::facts::names::Names;
use crate::facts::service::Family;
use crate::facts::slice::EndpointSlice;
use crate::proxy::answer::Path;
use crate::proxy::lists::Using;
use crate::proxy::reason::Verdict;
use crate::words::address;

/// A time in which the answer stayed the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateSpan {
    /// Its first moment.
    pub from: DateTime<Utc>,
    /// The worst that is true.
    pub state: State,
    /// How many addresses get connections because they are ready.
    pub ready: usize,
    /// How many get connections although they are terminating.
    pub terminating: usize,
}

/// What becomes of connections that go to no ready endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// They are refused.
    Refused,
    /// They are dropped.
    Dropped,
    /// They go to terminating pods.
    Terminating,
}

/// A way for new connections: a port by its place in the Service, a path, and where connections come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// The port's place.
    pub port: usize,
    /// The path.
    pub path: Path,
    /// The family of its address.
    pub family: Family,
    /// Where connections come from.
    pub from: Source,
    /// A Local policy decides.
    pub local: bool,
}

/// A time in which a way led to no ready endpoint on some nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// The way.
    pub way: Way,
    /// What became of connections.
    pub fate: Fate,
    /// On these nodes.
    pub nodes: Names,
    /// From what the slices said then.
    pub from: DateTime<Utc>,
    /// To what they said then; `None` where it goes on.
    pub to: Option<DateTime<Utc>>,
}

/// One Service over time.
#[derive(Debug, Clone, Default)]
pub struct Track {
    /// Its states; neighbours differ.
    pub states: Vec<StateSpan>,
    /// When ways led to no ready endpoint, those that go on last.
    pub stretches: Vec<Stretch>,
    /// Its pods, and when connections went to each.
    pub pods: Roster,
    /// All the nodes that were asked, the last time.
    pub nodes: usize,
    /// Some way led to a usable endpoint at some time.
    pub forwarded: bool,
    open: BTreeMap<(Way, Fate), usize>,
}

const fn fate(verdict: Verdict, using: Option<Using>) -> Option<Fate> {
    match (verdict, using) {
        (Verdict::Reject, _) => Some(Fate::Refused),
        (Verdict::Drop | Verdict::Pass, _) => Some(Fate::Dropped),
        (Verdict::Forward, Some(Using::Terminating)) => Some(Fate::Terminating),
        (Verdict::Forward, _) => None,
    }
}

/// What becomes of new connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Flow {
    /// The worst that is true.
    pub(super) state: State,
    /// How many addresses get connections because they are ready.
    pub(super) ready: usize,
    /// How many get connections although they are terminating.
    pub(super) terminating: usize,
    /// The addresses that get connections, sorted.
    pub(super) used: Vec<IpAddr>,
    /// The ways that lead to no ready endpoint, with the nodes on which they do not.
    pub(super) ways: BTreeMap<(Way, Fate), Names>,
}

impl Default for Flow {
    fn default() -> Self {
        Self {
            state: State::Unknown,
            ready: 0,
            terminating: 0,
            used: Vec::new(),
            ways: BTreeMap::new(),
        }
    }
}

impl From<&Routing<'_>> for Flow {
    fn from(routing: &Routing<'_>) -> Self {
        let traffic = routing.traffic.unwrap_or_default();
        let backends = outcomes(&routing.ports).flat_map(Outcome::backends);
        let used = backends.filter_map(|backend| address(backend).parse().ok());
        let mut used: Vec<IpAddr> = used.collect();
        used.sort_unstable();
        Self {
            state: routing.state,
            ready: traffic.ready,
            terminating: traffic.terminating,
            used,
            ways: ways(routing),
        }
    }
}

/// The ways that lead to no ready endpoint, with the nodes on which they do not.
pub(super) fn ways(routing: &Routing<'_>) -> BTreeMap<(Way, Fate), Names> {
    let mut ways: BTreeMap<_, Names> = BTreeMap::new();
    for (port, paths) in routing.ports.iter().enumerate() {
        for path in &paths.paths {
            let way = Way {
                port,
                path: path.path,
                family: path.family,
                from: path.from,
                local: path.local,
            };
            for outcome in &path.outcomes {
                if let Some(fate) = fate(outcome.verdict, outcome.using) {
                    ways.entry((way, fate))
                        .or_default()
                        .add(outcome.nodes.clone());
                }
            }
        }
    }
    ways
}

impl Track {
    /// Takes in what becomes of new connections from a moment on. Each slice comes with a number that is another one once it has changed.
    pub(super) fn take<'s>(
        &mut self,
        at: DateTime<Utc>,
        flow: Flow,
        slices: impl Iterator<Item = (&'s EndpointSlice, u64)>,
        nodes: usize,
    ) -> Left {
        self.nodes = nodes;
        self.take_state(at, &flow);
        self.take_ways(at, flow.ways);
        self.pods.take(at, slices, &flow.used)
    }

    fn take_state(&mut self, at: DateTime<Utc>, flow: &Flow) {
        self.forwarded |= flow.ready + flow.terminating > 0;
        let span = StateSpan {
            from: at,
            state: flow.state,
            ready: flow.ready,
            terminating: flow.terminating,
        };
        let last = self.states.last();
        let same = |last: &StateSpan| {
            StateSpan {
                from: at,
                ..last.clone()
            } == span
        };
        if !last.is_some_and(same) {
            self.states.push(span);
        }
    }

    fn take_ways(&mut self, at: DateTime<Utc>, now: BTreeMap<(Way, Fate), Names>) {
        let stretches = &mut self.stretches;
        self.open.retain(|key, place| {
            let goes_on = now.get(key) == Some(&stretches[*place].nodes);
            if !goes_on {
                stretches[*place].to = Some(at);
            }
            goes_on
        });
        for ((way, fate), nodes) in now {
            self.open.entry((way, fate)).or_insert_with(|| {
                stretches.push(Stretch {
                    way,
                    fate,
                    nodes,
                    from: at,
                    to: None,
                });
                stretches.len() - 1
            });
        }
    }
}
