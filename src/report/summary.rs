//! A Service's answer in one or two sentences.

use std::collections::BTreeSet;

use super::exceptions::exceptions;
use crate::analysis::by_version::VersionRange;
use crate::analysis::causes::Cause;
use crate::analysis::data_plane::{Selects, local};
use crate::analysis::doubt::Doubt;
use crate::analysis::node_rules::{Kind, NodeAnswers};
use crate::analysis::not_proxied::WhyNotProxied;
use crate::analysis::traffic_summary::TrafficSummary;
use crate::analysis::{ServiceAnalysis, State};
use crate::words::{count, list};

/// How many addresses there are of each kind. Unset conditions have the default that every traffic source assumes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tally {
    ready: usize,
    /// Not ready or terminating, and called ready all the same: `publishNotReadyAddresses`.
    published_terminating: usize,
    published_not_ready: usize,
    serving: usize,
    not_serving: usize,
    not_ready: usize,
}

impl Tally {
    fn of(check: &ServiceAnalysis<'_>) -> Self {
        let mut seen = BTreeSet::new();
        let mut tally = Self::default();
        for endpoint in &check.endpoints {
            let conditions = endpoint.conditions;
            let ready = conditions.ready.unwrap_or(true);
            let terminating = conditions.terminating.unwrap_or(false);
            let serving = conditions.serving.unwrap_or(ready);
            if !seen.insert((endpoint.address, ready, terminating, serving)) {
                continue;
            }
            let kind = match (ready, terminating, serving) {
                (true, false, true) => &mut tally.ready,
                (true, false, false) => &mut tally.published_not_ready,
                (true, true, _) => &mut tally.published_terminating,
                (false, true, true) => &mut tally.serving,
                (false, true, false) => &mut tally.not_serving,
                (false, false, _) => &mut tally.not_ready,
            };
            *kind += 1;
        }
        tally
    }

    /// Those that every traffic source takes as ready.
    const fn called_ready(self) -> usize {
        self.ready + self.published_terminating + self.published_not_ready
    }

    const fn published(self) -> bool {
        self.published_terminating + self.published_not_ready > 0
    }

    const fn all(self) -> usize {
        self.called_ready() + self.serving + self.not_serving + self.not_ready
    }
}

/// `3 Terminating`, `2 not Ready`: those of which there are any, as a list.
fn kinds<const N: usize>(kinds: [(usize, &str); N]) -> String {
    let some = kinds.into_iter().filter(|(number, _)| *number > 0);
    let parts: Vec<_> = some
        .map(|(number, kind)| format!("{number} {kind}"))
        .collect();
    match parts.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// How many causes a sentence names.
const CAUSES: usize = 2;

/// `: Deployment/web wants 0 replicas`; empty where no cause is known.
fn why(check: &ServiceAnalysis<'_>) -> String {
    let mut clauses: Vec<_> = check
        .causes
        .iter()
        .take(CAUSES)
        .map(Cause::message)
        .collect();
    let more = check.causes.len().saturating_sub(CAUSES);
    if more > 0 {
        clauses.push(format!("and {}", count(more, "more cause")));
    }
    // Pods would tell.
    let unread = check.service.selector.is_some() && check.pods.is_none();
    if clauses.is_empty() && unread && check.endpoints.is_empty() {
        ", and why is not known: pods were not read".to_owned()
    } else if clauses.is_empty() {
        String::new()
    } else {
        format!(": {}", clauses.join("; "))
    }
}

/// That fewer are ready than wanted, and why.
fn fewer(check: &ServiceAnalysis<'_>) -> String {
    if check.causes.is_empty() {
        return String::new();
    }
    format!(" Fewer are Ready than wanted{}.", why(check))
}

const fn refused_or_dropped(refuses: bool, drops: bool) -> &'static str {
    match (refuses, drops) {
        (true, true) => "refused or dropped",
        (true, false) => "refused",
        _ => "dropped",
    }
}

/// There are endpoints, but none for any port of the Service.
fn no_port(check: &ServiceAnalysis<'_>) -> bool {
    !check.endpoints.is_empty() && check.outcomes().all(|outcome| outcome.reasons.is_empty())
}

/// The answer for people.
pub(super) fn sentences(check: &ServiceAnalysis<'_>) -> String {
    let traffic = match (check.state, check.traffic) {
        (State::NotProxied(why), _) => return not_proxied(check, why) + &fewer(check),
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
    let read = as_read(check, traffic) + &left_out(check) + &otherwise(check);
    match &check.doubt {
        None => read,
        Some(doubt) => format!("{read} {}", doubted(doubt, check.noun())),
    }
}

/// Why there is no verdict, and what is known all the same.
fn not_proxied(check: &ServiceAnalysis<'_>, why: WhyNotProxied) -> String {
    let serving = check
        .data_plane
        .as_ref()
        .filter(|plane| why == WhyNotProxied::OtherDataPlane && plane.selects == Selects::Serving);
    match serving {
        Some(plane) if !local(check.service) => format!(
            "{} routes it: new connections go to every {noun} that is Ready or still serves, also to Terminating ones beside Ready ones.",
            plane.named(),
            noun = check.noun()
        ),
        _ => why.sentence().to_owned(),
    }
}

/// That terminating pods are not in the slices; empty where none is.
fn left_out(check: &ServiceAnalysis<'_>) -> String {
    let (are, get) = match check.left_out.len() {
        0 => return String::new(),
        1 => ("is", "gets"),
        _ => ("are", "get"),
    };
    let pods = count(check.left_out.len(), "Terminating pod");
    format!(" {pods} {are} left out of slices and {get} no new connections.")
}

/// That by their own rules some nodes do not do that; empty where all do, or none was asked.
fn otherwise(check: &ServiceAnalysis<'_>) -> String {
    let differs = |node: &&NodeAnswers| {
        let mut kinds = node.differences.iter().map(|one| one.kind);
        kinds.any(|kind| kind != Kind::NotUnderstood)
    };
    let nodes: Vec<_> = check.node_rules.iter().filter(differs).collect();
    let whose = match nodes.as_slice() {
        [] => return String::new(),
        [one] => one.node.clone(),
        many => count(many.len(), "node"),
    };
    format!(" That is what the slices ask for; the rules of {whose} do otherwise.")
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

/// Why terminating endpoints get new connections.
fn fails_open(check: &ServiceAnalysis<'_>) -> String {
    let has = |id| check.notes.iter().any(|note| note.id() == id);
    match &check.data_plane {
        Some(plane) if plane.selects == Selects::Serving => {
            format!(" ({} sends to all that serve)", plane.source.name)
        }
        Some(plane) => format!(" ({} falls back to them)", plane.source.name),
        None if has("windows-fallback") => " (kube-proxy on Windows falls back to them)".to_owned(),
        None => " (kube-proxy fails open since 1.26)".to_owned(),
    }
}

/// That nothing ready can be used, and why.
fn none_ready(check: &ServiceAnalysis<'_>, tally: Tally) -> String {
    let what = if tally.all() == 0 {
        "There is no endpoint"
    } else if no_port(check) {
        "No endpoint has a port of this Service"
    } else if tally.called_ready() > 0 {
        "No Ready endpoint may be used"
    } else {
        "No endpoint is Ready"
    };
    format!("{what}{}.", why(check))
}

/// The answer as far as could be read.
fn as_read(check: &ServiceAnalysis<'_>, traffic: TrafficSummary) -> String {
    let tally = Tally::of(check);
    let noun = check.noun();
    let some = |number, kind: &str| count(number, &format!("{kind} {noun}"));
    match traffic.state() {
        State::Healthy if tally.published() => format!(
            "New connections go to every published {noun}, Ready or not (publishNotReadyAddresses): {}.{}",
            kinds([
                (tally.ready, "Ready"),
                (tally.published_terminating, "Terminating"),
                (tally.published_not_ready, "not Ready"),
            ]),
            fewer(check)
        ),
        State::Healthy => {
            let terminating = tally.serving + tally.not_serving;
            let others = kinds([(terminating, "Terminating"), (tally.not_ready, "not Ready")]);
            let others = match terminating + tally.not_ready {
                0 => String::new(),
                1 => format!(" {others} gets none."),
                _ => format!(" {others} get none."),
            };
            let ready = some(traffic.ready, "Ready");
            format!("All new connections go to {ready}.{others}{}", fewer(check))
        }
        State::TerminatingOnly => {
            let serve = if traffic.terminating == 1 {
                "serves"
            } else {
                "serve"
            };
            let but = if traffic.refuses || traffic.drops {
                format!(" Except: {}", exceptions(check).join(" "))
            } else {
                String::new()
            };
            format!(
                "{} New connections go to {} that still {serve}{}.{but}",
                none_ready(check, tally),
                some(traffic.terminating, "Terminating"),
                fails_open(check)
            )
        }
        State::NoBackends => {
            let mut left = kinds([
                (tally.not_serving, "no longer serving"),
                (tally.serving, "still serving"),
            ]);
            if !left.is_empty() {
                left = format!(" Terminating: {left}.");
            }
            format!(
                "{} New connections are {} on every path and node.{left}",
                none_ready(check, tally),
                refused_or_dropped(traffic.refuses, traffic.drops)
            )
        }
        _ => format!(
            "{} Everything else goes to {}.{}",
            exceptions(check).join(" "),
            some(traffic.ready, "Ready"),
            fewer(check)
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
        parts.push(count(traffic.ready, &format!("Ready {noun}")));
    }
    if traffic.terminating > 0 {
        parts.push(count(traffic.terminating, &format!("Terminating {noun}")));
    }
    if traffic.refuses || traffic.drops {
        parts.push(format!("{lost} on some paths or nodes"));
    }
    parts.join(", ")
}
