//! DC102: a path rejects or drops on every node.

use std::collections::{BTreeMap, BTreeSet};

use super::words::{count, list, only_seen_from_here, paths, port};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::proxy::reason::{Reason, Verdict};

pub(super) static RULE: Rule = Rule {
    id: "DC102",
    slug: "nothing-receives-traffic",
    severity: Severity::Error,
    when: When::Now,
    summary: "A path refuses or drops new connections on every node.",
    page: include_str!("../../docs/rules/DC102.md"),
    check: Check::Service(check),
};

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    let mut ways = BTreeSet::new();
    let mut verdicts = BTreeSet::new();
    let mut reasons: BTreeMap<&str, BTreeSet<Reason>> = BTreeMap::new();
    let mut everything = true;
    for (of, path) in paths(check) {
        let stopped = path
            .outcomes
            .iter()
            .all(|outcome| outcome.verdict != Verdict::Forward)
            // A gap on some nodes is DC103's.
            && !only_seen_from_here(path, check, cluster);
        everything &= stopped;
        if !stopped {
            continue;
        }
        ways.insert(format!("{} {}", port(of), path.described()));
        for outcome in &path.outcomes {
            verdicts.insert(outcome.verdict);
            for (endpoint, reason) in &outcome.reasons {
                reasons.entry(endpoint).or_default().insert(*reason);
            }
        }
    }
    if ways.is_empty() || !check.certainly(|traffic| traffic.refuses || traffic.drops) {
        return Vec::new();
    }
    let happens = match (
        verdicts.contains(&Verdict::Reject),
        verdicts.contains(&Verdict::Drop),
    ) {
        (true, true) => "refused or dropped",
        (true, false) => "refused",
        _ => "dropped: clients time out",
    };
    let what = if everything {
        "every path of every port".to_owned()
    } else {
        list(&ways)
    };
    let on = cluster.assumptions.node.as_deref().unwrap_or("every node");
    vec![Finding {
        severity: Severity::Error,
        path: None,
        message: format!("on {on}, new connections to {what} are {happens}."),
        why: why(check, &reasons),
        help: match check.causes.first() {
            _ if reasons.is_empty() && !check.endpoints.is_empty() => "Set targetPort to a number, or to the name of a port that the containers declare. There are pods, but none with this port.".to_owned(),
            Some(cause) => format!("{}. `kubectl describe` of the object shows more.", cause.action()),
            None => "Get a pod behind the Service Ready. `kubectl get pods` with the Service's selector lists them; `kubectl describe pod` shows what they wait for.".to_owned(),
        },
        ..RULE.about(check.service)
    }]
}

/// Which endpoints there are, and why none is used.
fn why(check: &ServiceAnalysis<'_>, reasons: &BTreeMap<&str, BTreeSet<Reason>>) -> String {
    if reasons.is_empty() {
        let slices = if check.endpoints.is_empty() {
            "Its EndpointSlices have no endpoints."
        } else {
            "Its EndpointSlices have no endpoints for these ports."
        };
        return slices.to_owned();
    }
    let mut counts: BTreeMap<Reason, usize> = BTreeMap::new();
    for each in reasons.values() {
        // One reason per endpoint, the one closest to being used: on another node says more than not ready.
        if let Some(reason) = each.iter().next() {
            *counts.entry(*reason).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .map(|(reason, number)| format!("{}: {}", count(number, "endpoint"), reason.sentence()))
        .collect::<Vec<_>>()
        .join(" ")
}
