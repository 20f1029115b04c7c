//! What happens next to new connections if nothing changes: which pods go when, and what becomes of the Service then?
//!
//! "Nothing changes" leaves out pods that become Ready meanwhile: a forecast says what comes without them.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};

use super::cluster::Cluster;
use super::endpoints::EndpointViews;
use super::paths::{self, Outcome, PortPaths, Question, Source};
use super::reading::Read;
use super::state::State;
use super::traffic_summary::{TrafficSummary, outcomes};
use crate::facts::ObjectName;
use crate::facts::moments::Moments;
use crate::facts::service::{Family, Service};
use crate::facts::slice::{EndpointSlice, PodRef};
use crate::proxy::answer::Path;
use crate::proxy::classes::Fleet;
use crate::proxy::lists::Using;
use crate::proxy::reason::Verdict;
use crate::shutdown::phase::Terminating;
use crate::words::{address, clock, list, nodes};

/// The most changes of one forecast; the last one is always among them.
const MOST: usize = 8;

/// How long the slices and those who read them take to follow, in milliseconds: the figure of kube-proxy in the catalogue of traffic sources.
const FOLLOW: i64 = 2_000;

/// A change that is to come if nothing else happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The earliest and the latest moment of it.
    pub at: (DateTime<Utc>, DateTime<Utc>),
    /// The state of the Service from then on.
    pub state: State,
    /// A sentence for people.
    pub text: String,
}

/// What is to be known of a Service.
pub(super) struct Subject<'x, 'a> {
    pub(super) service: &'a Service,
    pub(super) slices: &'x [&'a EndpointSlice],
    /// The Endpoints object as slices.
    pub(super) from_endpoints: &'x [EndpointSlice],
    pub(super) fleet: &'x Fleet<'a>,
    pub(super) ports: &'x [PortPaths<'a>],
    pub(super) endpoints: &'x [EndpointViews<'a>],
    pub(super) terminating: &'x BTreeMap<&'a ObjectName, Terminating>,
}

/// Until when terminating pods go on getting new connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fallback {
    /// When the last of them is gone at the latest; `None` where nobody knows.
    pub by: Option<DateTime<Utc>>,
    /// No way leads to a ready one.
    pub everywhere: bool,
}

/// A pod that leaves by itself.
struct Leaver {
    /// When its last container gets SIGKILL at the latest; `None` where all have ended.
    killed_by: Option<DateTime<Utc>>,
    at: Moments,
}

/// What is known of who leaves.
struct Leavers<'a> {
    pods: BTreeMap<&'a PodRef, Leaver>,
    /// By address: when nobody has it any more; `None` where somebody keeps it.
    addresses: BTreeMap<IpAddr, Option<Moments>>,
}

impl<'a> Leavers<'a> {
    fn new(
        endpoints: &[EndpointViews<'a>],
        terminating: &BTreeMap<&'a ObjectName, Terminating>,
    ) -> Self {
        let mut all = Self {
            pods: BTreeMap::new(),
            addresses: BTreeMap::new(),
        };
        for endpoint in endpoints {
            let leaver = Leaver::new(endpoint, terminating);
            if let Ok(address) = endpoint.address.parse() {
                let at = leaver.as_ref().map(|leaver| leaver.at);
                let known = all.addresses.entry(address).or_insert(at);
                *known = known.zip(at).map(|(one, other)| later(one, other));
            }
            if let Some((pod, leaver)) = endpoint.pod_ref.zip(leaver) {
                all.pods.insert(pod, leaver);
            }
        }
        all
    }

    /// When an outcome has lost the last of its endpoints; `None` where it keeps one, or has none.
    fn loss(&self, outcome: &Outcome) -> Option<Moments> {
        let at = |backend| *self.addresses.get(&address(backend).parse().ok()?)?;
        let mut backends = outcome.backends().map(at);
        let first = backends.next()??;
        backends.try_fold(first, |last, at| Some(later(last, at?)))
    }
}

impl Leaver {
    fn new(
        endpoint: &EndpointViews<'_>,
        terminating: &BTreeMap<&ObjectName, Terminating>,
    ) -> Option<Self> {
        let stands = terminating.get(&endpoint.pod?.name)?;
        let (earliest, latest) = stands.leaves?;
        let latest = latest.checked_add_signed(TimeDelta::milliseconds(FOLLOW))?;
        let running = stands.containers.iter();
        let running = running.filter(|stop| stop.exit_code.is_none());
        let kills = running.filter_map(|stop| stop.sigkill_at);
        Some(Self {
            killed_by: kills.map(|(_, max)| max).max(),
            at: (earliest, latest),
        })
    }
}

fn later(one: Moments, other: Moments) -> Moments {
    (one.0.max(other.0), one.1.max(other.1))
}

/// Until when terminating pods go on getting new connections; `None` where none does.
pub(super) fn fallback<'a>(
    ports: &[PortPaths<'a>],
    endpoints: &[EndpointViews<'a>],
    terminating: &BTreeMap<&'a ObjectName, Terminating>,
) -> Option<Fallback> {
    let falls_back = |outcome: &&Outcome| outcome.using == Some(Using::Terminating);
    outcomes(ports).find(falls_back)?;
    let leavers = Leavers::new(endpoints, terminating);
    let fallbacks = outcomes(ports).filter(falls_back);
    let by = fallbacks.map(|outcome| Some(leavers.loss(outcome)?.1));
    Some(Fallback {
        by: by.reduce(|one, other| Some(one?.max(other?))).flatten(),
        everywhere: !outcomes(ports).any(|outcome| outcome.using == Some(Using::Ready)),
    })
}

/// A way for new connections on one node: a port by its place, a path and where connections come from.
type Way<'p> = (usize, Path, Family, Source, &'p str);

/// What becomes of new connections on every way.
type Traffic<'p> = BTreeMap<Way<'p>, (Verdict, Option<Using>)>;

/// Pods and the node itself apart, so that two answers can be compared.
fn apart(from: Source) -> &'static [Source] {
    match from {
        Source::Anywhere => &[Source::Anywhere],
        Source::Outside => &[Source::Outside],
        Source::Inside => &[Source::Pods, Source::Node],
        Source::Pods => &[Source::Pods],
        Source::Node => &[Source::Node],
    }
}

fn traffic<'p>(ports: &'p [PortPaths<'_>]) -> Traffic<'p> {
    let mut traffic = BTreeMap::new();
    for (at, port) in ports.iter().enumerate() {
        for path in &port.paths {
            // What kube-proxy has no rule for is told by those whom it refuses.
            let ruled = |outcome: &&Outcome| outcome.verdict != Verdict::Pass;
            for outcome in path.outcomes.iter().filter(ruled) {
                let does = (outcome.verdict, outcome.using);
                for node in &outcome.nodes {
                    for from in apart(path.from) {
                        let way = (at, path.path, path.family, *from, &**node);
                        traffic.insert(way, does);
                    }
                }
            }
        }
    }
    traffic
}

/// When outcomes that forward lose the last of their endpoints, in order.
fn losses(ports: &[PortPaths<'_>], leavers: &Leavers<'_>) -> Vec<Moments> {
    let all = outcomes(ports).filter_map(|outcome| leavers.loss(outcome));
    // Equal moments once, and by the latest one first: that is when a loss is certain.
    let all: BTreeSet<_> = all.map(|(min, max)| (max, min)).collect();
    let mut losses: Vec<Moments> = Vec::new();
    for (max, min) in all {
        let earliest = losses.last().map_or(min, |before| before.0.max(min));
        match losses.last_mut() {
            Some(last) if last.1 == max => last.0 = earliest,
            _ => losses.push((earliest, max)),
        }
    }
    losses
}

/// Slices less the endpoints of some pods.
fn without<'s>(
    slices: impl IntoIterator<Item = &'s EndpointSlice>,
    gone: &BTreeSet<&PodRef>,
) -> Vec<EndpointSlice> {
    let stays = |pod: Option<&PodRef>| pod.is_none_or(|pod| !gone.contains(pod));
    let less = |slice: &EndpointSlice| {
        let mut slice = slice.clone();
        slice
            .endpoints
            .retain(|endpoint| stays(endpoint.pod.as_ref()));
        slice
    };
    slices.into_iter().map(less).collect()
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Drop => "dropped",
        _ => "refused",
    }
}

/// A port's path, with the port where the Service has several.
fn described(service: &Service, (port, path, from): (usize, Path, Source)) -> String {
    let path = paths::described(path, from);
    match service.ports.get(port) {
        Some(port) if service.ports.len() > 1 && port.name.is_empty() => {
            format!("{} {path}", port.port)
        }
        Some(port) if service.ports.len() > 1 => format!("{} {path}", port.name),
        _ => path,
    }
}

/// The sentence's end: what becomes of new connections.
fn then(
    service: &Service,
    (before, after): (&Traffic<'_>, &Traffic<'_>),
    state: State,
    all_nodes: usize,
) -> String {
    if state == State::NoBackends {
        let verdicts: BTreeSet<_> = after.values().map(|does| does.0).collect();
        let words: Vec<_> = verdicts.into_iter().map(word).collect();
        let words = words.join(" or ");
        return format!("then all new connections are {words}");
    }
    // By way without its node and family, then the same on the same nodes together.
    let mut lost: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
    for (way, (verdict, using)) in after {
        if *verdict != Verdict::Forward && before.get(way) != Some(&(*verdict, *using)) {
            let (port, path, _, from, node) = *way;
            let on = lost.entry((port, path, *verdict, from)).or_default();
            on.insert(node);
        }
    }
    let mut together: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for ((port, path, verdict, from), on) in &lost {
        let from = match from {
            // The same from pods and from the node itself.
            Source::Pods | Source::Node => {
                let same = |other| lost.get(&(*port, *path, *verdict, other)) == Some(on);
                if same(Source::Pods) && same(Source::Node) {
                    Source::Inside
                } else {
                    *from
                }
            }
            from => *from,
        };
        let ways = together.entry((*verdict, on)).or_default();
        ways.insert(described(service, (*port, *path, from)));
    }
    let parts = together.iter().map(|((verdict, on), ways)| {
        let on = nodes(on.iter().copied(), all_nodes);
        format!("{} on {on} ({})", word(*verdict), list(ways))
    });
    let parts: Vec<_> = parts.collect();
    if parts.is_empty() {
        "then new connections go to other pods".to_owned()
    } else {
        format!("then new connections are {}", parts.join(", and "))
    }
}

/// Who is gone: `the last of 7 Terminating pods gets SIGKILL by 00:39:11Z`; the slices know a little later.
fn who(gone: &[&Leaver], all: usize, by: DateTime<Utc>) -> String {
    let who = match (gone.len(), all) {
        (1, 1) => "the only Terminating pod".to_owned(),
        (some, all) if some == all => format!("the last of {all} Terminating pods"),
        (1, all) => format!("1 of {all} Terminating pods"),
        (some, all) => format!("the last of {some} of {all} Terminating pods"),
    };
    let killed = gone.iter().filter_map(|leaver| leaver.killed_by).max();
    match killed.filter(|killed| *killed <= by) {
        Some(killed) => format!("{who} gets SIGKILL by {}", clock(killed)),
        None => format!("{who} is out of the slices by {}", clock(by)),
    }
}

/// How many pods terminate, or addresses without a known pod.
fn terminating_endpoints(subject: &Subject<'_, '_>) -> usize {
    let terminating = subject.endpoints.iter().filter(|endpoint| {
        let known = endpoint.pod.map(|pod| &pod.name);
        known.is_some_and(|name| subject.terminating.contains_key(name))
            || endpoint.conditions.terminating == Some(true)
    });
    let named = terminating.map(|endpoint| (endpoint.pod_ref, endpoint.address));
    let named = named.map(|(pod, address)| pod.ok_or(address));
    named.collect::<BTreeSet<_>>().len()
}

/// What happens next; empty where nothing is lost, and where nobody knows when.
pub(super) fn forecast(subject: &Subject<'_, '_>, cluster: &Cluster<'_>) -> Vec<Change> {
    // Most Services have no terminating pod, or others beside: nothing is worked out for those.
    if subject.terminating.is_empty() {
        return Vec::new();
    }
    let leavers = Leavers::new(subject.endpoints, subject.terminating);
    let mut losses = losses(subject.ports, &leavers);
    if losses.is_empty() {
        return Vec::new();
    }
    if losses.len() > MOST {
        losses.drain(MOST - 1..losses.len() - 1);
    }
    let all = terminating_endpoints(subject);
    let mut changes = Vec::new();
    let mut before: Vec<PortPaths<'_>> = subject.ports.to_vec();
    for (min, max) in losses {
        let gone = || leavers.pods.iter().filter(|(_, leaver)| leaver.at.1 <= max);
        let pods: BTreeSet<_> = gone().map(|(pod, _)| *pod).collect();
        let slices = without(subject.slices.iter().copied(), &pods);
        let from_endpoints = without(subject.from_endpoints, &pods);
        let slices: Vec<_> = slices.iter().collect();
        let read = Read::new(subject.service, &slices, &from_endpoints);
        let after = paths::ports(Question {
            service: subject.service,
            read: &read,
            fleet: subject.fleet,
            addresses: cluster.addresses(),
        });
        let state = TrafficSummary::of(&after).map(TrafficSummary::state);
        let (was, is) = (traffic(&before), traffic(&after));
        if let Some(state) = state.filter(|_| was != is) {
            let gone: Vec<_> = gone().map(|(_, leaver)| leaver).collect();
            changes.push(Change {
                at: (min, max),
                state,
                text: format!(
                    "If nothing changes, {}; {}.",
                    who(&gone, all, max),
                    then(subject.service, (&was, &is), state, cluster.nodes.len())
                ),
            });
            before = after;
        }
    }
    changes
}
