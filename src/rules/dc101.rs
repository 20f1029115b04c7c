//! DC101: new connections go to terminating pods on some node and path.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::words::{clock, count, list, nodes, paths, pods_of};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::paths::Outcome;
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::proxy::reason::{Reason, Verdict};

pub(super) static RULE: Rule = Rule {
    id: "DC101",
    slug: "traffic-to-terminating",
    severity: Severity::Warning,
    when: When::Now,
    summary: "New connections go to terminating pods on some node and path.",
    page: include_str!("../../docs/rules/DC101.md"),
    check: Check::Service(check),
};

/// The terminating endpoints that an outcome sends connections to. Windows mixes them with ready ones, and keeps unready ones
/// that do not terminate, so only each endpoint's own reason tells.
fn terminating(outcome: &Outcome) -> impl Iterator<Item = &str> {
    outcome
        .reasons
        .iter()
        .filter(|(_, reason)| {
            outcome.verdict == Verdict::Forward
                && matches!(
                    reason,
                    Reason::TerminatingFallback | Reason::TerminatingFallbackOnNode
                )
        })
        .map(|(endpoint, _)| &**endpoint)
}

/// What to do, and by when: first in one sentence.
fn help(
    check: &ServiceAnalysis<'_>,
    on: &str,
    last: Option<DateTime<Utc>>,
    now: Option<DateTime<Utc>>,
) -> String {
    let by = match (last, now) {
        (Some(last), Some(now)) if last <= now => " now".to_owned(),
        (Some(last), _) => format!(" before {}", clock(last)),
        (None, _) => " before the last of these pods is gone".to_owned(),
    };
    let cause = check.causes.first();
    let first = match cause {
        // Elsewhere there are ready pods, so that more of them need not help this node.
        _ if on != "every node" => format!("Get a pod Ready on {on}{by}"),
        Some(cause) => format!("{}{by}", cause.action()),
        None => format!("Get another pod Ready{by}"),
    };
    format!(
        "{first}. Until the last of these pods is gone they have to accept new connections. A rollout with maxUnavailable: 0 waits for Ready replacements."
    )
}

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    let hits: Vec<_> = paths(check)
        .flat_map(|(_, path)| path.outcomes.iter().map(move |outcome| (path, outcome)))
        .filter(|(_, outcome)| terminating(outcome).next().is_some())
        .collect();
    if hits.is_empty() || !check.certainly(|traffic| traffic.terminating > 0) {
        return Vec::new();
    }
    let backends: BTreeSet<_> = hits
        .iter()
        .flat_map(|(_, outcome)| terminating(outcome))
        .collect();
    let mut pods = pods_of(check, &backends);
    // Pods on their node's own network share its address, and a ready one may be among them.
    pods.retain(|name| {
        check.endpoints.iter().any(|endpoint| {
            let known = endpoint
                .pod_ref
                .map_or(endpoint.address, |pod| pod.name.name.as_str());
            known == *name && endpoint.conditions.terminating == Some(true)
        })
    });
    let ways: BTreeSet<_> = hits.iter().map(|(path, _)| path.described()).collect();
    let on = nodes(
        hits.iter().flat_map(|(_, outcome)| &outcome.nodes),
        cluster.nodes.len(),
    );
    let ends = check
        .endpoints
        .iter()
        .filter(|endpoint| {
            endpoint
                .pod_ref
                .is_some_and(|pod| pods.contains(pod.name.name.as_str()))
        })
        .filter_map(|endpoint| endpoint.pod?.deletion)
        .collect::<BTreeSet<_>>();
    let deadline = match (ends.first(), ends.last()) {
        (Some(first), Some(last)) if first == last => {
            format!(
                " {} at {}.",
                if pods.len() == 1 {
                    "Its grace period ends"
                } else {
                    "Their grace periods end"
                },
                first.format("%H:%M:%S UTC")
            )
        }
        (Some(first), Some(last)) => format!(
            " Their grace periods end between {} and {}.",
            first.format("%H:%M:%S"),
            last.format("%H:%M:%S UTC")
        ),
        _ => String::new(),
    };
    vec![Finding {
        severity: Severity::Warning,
        path: None,
        message: format!(
            "on {on}, new connections ({}) go to {}: {}.{deadline}",
            list(ways),
            count(pods.len(), "terminating pod"),
            list(&pods),
        ),
        why: match &check.data_plane {
            None => "No endpoint in scope is ready there. kube-proxy then uses terminating endpoints that still serve (KEP-1669, the default since 1.26)."
                .to_owned(),
            Some(plane) => format!(
                "No endpoint in scope is ready there, and {} then uses terminating endpoints that still serve.",
                plane.source.name
            ),
        },
        help: help(check, &on, ends.last().copied(), cluster.as_of),
        ..RULE.about(check.service)
    }]
}
