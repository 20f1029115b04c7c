//! A Service's answer in one or two sentences.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::by_version::VersionRange;
use crate::analysis::doubt::Doubt;
use crate::analysis::traffic_summary::TrafficSummary;
use crate::analysis::{ServiceAnalysis, State};
use crate::facts::service::ServicePort;
use crate::facts::slice::Conditions;
use crate::proxy::lists::Using;
use crate::proxy::reason::Verdict;
use crate::words::{count, list, nodes};

/// `pod` if all endpoints are pods, else `endpoint`.
pub(super) fn noun(check: &ServiceAnalysis<'_>) -> &'static str {
    let all_pods = check
        .endpoints
        .iter()
        .all(|endpoint| endpoint.pod_ref.is_some());
    if all_pods { "pod" } else { "endpoint" }
}

/// What an endpoint's conditions mean; unset ones have the default that every traffic source assumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Ready,
    ReadyThoughNotServing,
    ReadyThoughTerminating,
    TerminatingServing,
    TerminatingNotServing,
    NotReady,
}

impl Kind {
    fn of(conditions: Conditions) -> Self {
        let ready = conditions.ready.unwrap_or(true);
        let terminating = conditions.terminating.unwrap_or(false);
        let serving = conditions.serving.unwrap_or(ready);
        match (ready, terminating, serving) {
            (true, false, true) => Self::Ready,
            (true, false, false) => Self::ReadyThoughNotServing,
            (true, true, _) => Self::ReadyThoughTerminating,
            (false, true, true) => Self::TerminatingServing,
            (false, true, false) => Self::TerminatingNotServing,
            (false, false, _) => Self::NotReady,
        }
    }

    /// Every traffic source takes it as ready.
    const fn is_ready(self) -> bool {
        matches!(
            self,
            Self::Ready | Self::ReadyThoughNotServing | Self::ReadyThoughTerminating
        )
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::ReadyThoughNotServing => "not ready but published as ready",
            Self::ReadyThoughTerminating => "terminating but published as ready",
            Self::TerminatingServing => "terminating and still serving",
            Self::TerminatingNotServing => "terminating and no longer serving",
            Self::NotReady => "not ready",
        }
    }
}

const fn are(number: usize) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

/// How many endpoints there are of which kind.
fn composition(check: &ServiceAnalysis<'_>) -> String {
    let mut kinds: BTreeMap<Kind, BTreeSet<&str>> = BTreeMap::new();
    for endpoint in &check.endpoints {
        kinds
            .entry(Kind::of(endpoint.conditions))
            .or_default()
            .insert(endpoint.address);
    }
    let total = check
        .endpoints
        .iter()
        .map(|endpoint| endpoint.address)
        .collect::<BTreeSet<_>>()
        .len();
    let kinds: Vec<_> = kinds
        .into_iter()
        .map(|(kind, addresses)| (kind, addresses.len()))
        .collect();
    match kinds.as_slice() {
        [] => "It has no endpoint.".to_owned(),
        [(kind, 1)] => format!("Its only endpoint is {}.", kind.words()),
        [(kind, 2)] if kind.is_ready() => format!("Both endpoints are {}.", kind.words()),
        [(kind, 2)] => format!(
            "Neither of the 2 endpoints is ready; both are {}.",
            kind.words()
        ),
        [(kind, all)] if kind.is_ready() => {
            format!("All {all} endpoints are {}.", kind.words())
        }
        [(kind, all)] => format!(
            "None of the {all} endpoints is ready; all {all} are {}.",
            kind.words()
        ),
        several => {
            let mut parts: Vec<_> = several
                .iter()
                .map(|(kind, number)| format!("{number} {} {}", are(*number), kind.words()))
                .collect();
            if !several[0].0.is_ready() {
                parts.insert(0, "none is ready".to_owned());
            }
            let last = parts.pop().unwrap_or_default();
            format!(
                "Of the {} {} and {last}.",
                count(total, "endpoint"),
                parts.join(", ")
            )
        }
    }
}

const fn refused_or_dropped(refuses: bool, drops: bool) -> &'static str {
    match (refuses, drops) {
        (true, true) => "refused or dropped",
        (true, false) => "refused",
        _ => "dropped",
    }
}

/// The port's name, or its number if it has none.
fn name(port: &ServicePort) -> String {
    if port.name.is_empty() {
        port.port.to_string()
    } else {
        port.name.clone()
    }
}

/// Which nodes and paths do not simply use ready endpoints.
fn exceptions(check: &ServiceAnalysis<'_>) -> String {
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    enum What {
        Terminating,
        Refused,
        Dropped,
    }
    // The same verdict on the same nodes is listed once, with all its paths.
    let mut on: BTreeMap<(What, Vec<&str>), BTreeSet<String>> = BTreeMap::new();
    let ways = check
        .ports
        .iter()
        .flat_map(|port| port.paths.iter().map(move |path| (port, path)));
    for (port, path) in ways {
        let mut whats: BTreeMap<What, Vec<&str>> = BTreeMap::new();
        for outcome in &path.outcomes {
            let what = match (outcome.verdict, outcome.using) {
                (Verdict::Forward, Some(Using::Terminating)) => What::Terminating,
                (Verdict::Forward, _) => continue,
                (Verdict::Reject, _) => What::Refused,
                (Verdict::Drop, _) => What::Dropped,
            };
            let nodes = outcome.nodes.iter().map(|name| &**name);
            whats.entry(what).or_default().extend(nodes);
        }
        for (what, mut nodes) in whats {
            // Each node is in one outcome only.
            nodes.sort_unstable();
            let way = if check.ports.len() > 1 {
                format!("{} {}", name(port.port), path.described())
            } else {
                path.described()
            };
            on.entry((what, nodes)).or_default().insert(way);
        }
    }
    let parts: Vec<_> = on
        .into_iter()
        .map(|((what, names), paths)| {
            let does = match what {
                What::Terminating => "uses terminating pods",
                What::Refused => "refuses them",
                What::Dropped => "drops them",
            };
            let does = if names.len() == 1 {
                does.to_owned()
            } else {
                does.replacen("uses", "use", 1)
                    .replacen("refuses", "refuse", 1)
                    .replacen("drops", "drop", 1)
            };
            let mut who = nodes(names.iter().copied(), check.nodes);
            if who == "every node" {
                "all nodes".clone_into(&mut who);
            }
            format!("{who} {does} ({})", list(paths))
        })
        .collect();
    parts.join("; ")
}

/// There are endpoints, but none for any port of the Service.
fn no_port(check: &ServiceAnalysis<'_>) -> bool {
    !check.endpoints.is_empty() && check.outcomes().all(|outcome| outcome.reasons.is_empty())
}

/// The answer for people.
pub(super) fn sentences(check: &ServiceAnalysis<'_>) -> String {
    let traffic = match (check.state, check.traffic) {
        (State::NotProxied(why), _) => return why.sentence().to_owned(),
        (_, None) => {
            let what = if check.of_cluster {
                "Its EndpointSlices could not be read"
            } else {
                "Its EndpointSlices are not in the input"
            };
            return format!("{what}, so where new connections go is not known.");
        }
        (_, Some(traffic)) => traffic,
    };
    let composition = composition(check);
    match &check.doubt {
        None => as_read(check, traffic, &composition),
        Some(doubt) => format!(
            "{} {}",
            as_read(check, traffic, &composition),
            doubted(doubt, noun(check))
        ),
    }
}

/// What else is possible, and which missing resources would tell.
fn doubted(doubt: &Doubt, noun: &str) -> String {
    let mut others: Vec<String> = doubt
        .possible
        .iter()
        .map(|traffic| in_short(*traffic, noun))
        .collect();
    if doubt.nodes {
        others.push(
            "nodes without an endpoint of their own may refuse or drop connections".to_owned(),
        );
    }
    others.sort();
    others.dedup();
    let missing = doubt.resources.iter().map(|resource| resource.name());
    format!(
        "That is what could be read; it is not certain without {}. Also possible: {}.",
        list(missing),
        others.join("; ")
    )
}

/// The answer as far as could be read.
fn as_read(check: &ServiceAnalysis<'_>, traffic: TrafficSummary, composition: &str) -> String {
    match traffic.state() {
        State::Healthy => {
            format!("{composition} New connections go to ready ones on every path and node.")
        }
        State::TerminatingOnly => {
            let but = if traffic.refuses || traffic.drops {
                format!(", except: {}", exceptions(check))
            } else {
                String::new()
            };
            format!(
                "{composition} New connections go to {}{but}.",
                count(traffic.terminating, &format!("terminating {}", noun(check)))
            )
        }
        State::NoBackends if no_port(check) => format!(
            "{composition} No endpoint has a port of this Service: new connections are {} on every path and node.",
            refused_or_dropped(traffic.refuses, traffic.drops)
        ),
        State::NoBackends => format!(
            "{composition} New connections are {} on every path and node.",
            refused_or_dropped(traffic.refuses, traffic.drops)
        ),
        _ => format!(
            "{composition} New connections go to ready ones, except: {}.",
            exceptions(check)
        ),
    }
}

/// The answer of some versions in a few words.
pub(super) fn of_range(range: &VersionRange, noun: &str) -> String {
    let short = in_short(range.traffic, noun);
    match &range.but {
        Some(but) => format!(
            "{short} ({}: {})",
            but.span(),
            refused_or_dropped(but.traffic.refuses, but.traffic.drops)
        ),
        None => short,
    }
}

/// The answer in a few words, for a row of a table.
fn in_short(traffic: TrafficSummary, noun: &str) -> String {
    let lost = refused_or_dropped(traffic.refuses, traffic.drops);
    if traffic.state() == State::NoBackends {
        return format!("{lost}: no usable endpoint");
    }
    let mut parts = Vec::new();
    if traffic.ready > 0 {
        parts.push(count(traffic.ready, &format!("ready {noun}")));
    }
    if traffic.terminating > 0 {
        parts.push(count(traffic.terminating, &format!("terminating {noun}")));
    }
    if traffic.refuses || traffic.drops {
        parts.push(format!("{lost} on some paths or nodes"));
    }
    parts.join(", ")
}
