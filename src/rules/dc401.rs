//! DC401: this version or gate never falls back to terminating pods.

use std::collections::BTreeSet;

use super::words::{list, nodes, refuses_or_drops};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis, State};
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::service::TrafficPolicy;
use crate::gates::behaviour::{Behaviour, Generation};
use crate::proxy::reason::{Reason, Verdict};

pub(super) static RULE: Rule = Rule {
    id: "DC401",
    slug: "fallback-unavailable",
    severity: Severity::Warning,
    when: When::Next,
    summary: "This kube-proxy never falls back to terminating pods: without a ready pod it refuses or drops new connections.",
    page: include_str!("../../docs/rules/DC401.md"),
    check: Check::Service(check),
};

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    if check.data_plane.is_some() || matches!(check.state, State::NotProxied(_) | State::Unknown) {
        return Vec::new();
    }
    let local = check.service.external_traffic_policy == Some(TrafficPolicy::Local);
    let falls_back = |behaviour: &Behaviour| {
        if behaviour.mode == ProxyMode::Winkernel {
            behaviour.windows_terminating
        } else {
            // 1.22 and 1.23 fall back under a Local external policy only, gate or not.
            behaviour.terminating_fallback
                && (behaviour.generation >= Generation::Categorised || local)
        }
    };
    if cluster.alternatives.behaviours().any(falls_back) {
        return Vec::new();
    }
    let without = cluster.fleet.that(|behaviour| !falls_back(behaviour));
    let versions: BTreeSet<_> = cluster
        .fleet
        .proxies(&without)
        .map(|proxy| proxy.version.to_string())
        .collect();
    if versions.is_empty() {
        return Vec::new();
    }
    let without = cluster.fleet.names(&without, &BTreeSet::new());
    // What such nodes do now with connections that a fallback would have forwarded.
    let lost: BTreeSet<_> = check
        .outcomes()
        .filter(|outcome| {
            outcome.verdict != Verdict::Forward
                && outcome
                    .nodes
                    .iter()
                    .any(|node| without.binary_search(node).is_ok())
                && outcome
                    .reasons
                    .iter()
                    .any(|(_, reason)| *reason == Reason::NoFallback)
        })
        .map(|outcome| outcome.verdict)
        .collect();
    let on = nodes(&without, cluster.nodes.len());
    let versions = list(versions);
    let (severity, message) = if lost.is_empty() {
        (
            Severity::Info,
            format!(
                "kube-proxy {versions} on {on} never uses terminating pods: when no pod is ready, it refuses or drops new connections."
            ),
        )
    } else {
        (
            Severity::Warning,
            format!(
                "kube-proxy {versions} on {on} {} new connections although terminating pods still serve.",
                refuses_or_drops(&lost, true)
            ),
        )
    };
    vec![Finding {
        severity,
        path: None,
        message,
        why: "Falling back to terminating endpoints is on by default since 1.26 (gate ProxyTerminatingEndpoints, KEP-1669) and cannot be switched off since 1.28."
            .to_owned(),
        help: format!(
            "{}: kube-proxy {versions} never uses terminating pods. maxUnavailable: 0 and a PodDisruptionBudget keep one Ready; newer kube-proxies fall back.",
            if lost.is_empty() { "Keep a pod Ready at every moment of a rollout" } else { "Get a pod Ready" },
        ),
        ..RULE.about(check.service)
    }]
}
