//! DC101: new connections go to terminating pods on some node and path.

use std::collections::BTreeSet;

use super::words::{count, list, nodes, paths, pods_of};
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
        help: "Get a replacement ready before the last of them is gone: find out why no other pod is ready, scale up, or slow the rollout (maxUnavailable: 0). Until then the terminating pods must keep accepting connections."
            .to_owned(),
        ..RULE.about(check.service)
    }]
}
