//! DC113: a load balancer keeps sending to nodes whose data plane then refuses or drops connections.

use std::collections::BTreeSet;

use super::words::list;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::data_plane::Selects;
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::service::TrafficPolicy;
use crate::sources::{Amount, Class};

pub(super) static RULE: Rule = Rule {
    id: "DC113",
    slug: "node-targets-without-fallback",
    severity: Severity::Warning,
    when: When::Next,
    summary: "Under a Local policy a load balancer sends to nodes until its checks fail, and the nodes never use terminating pods.",
    page: include_str!("../../docs/rules/DC113.md"),
    check: Check::Service(check),
};

/// The nodes refuse or drop connections as soon as their last pod terminates.
fn without_fallback(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> bool {
    match &check.data_plane {
        Some(plane) => plane.selects == Selects::Ready,
        None => cluster.fleet.behaviours().any(|(behaviour, _)| {
            behaviour.mode != ProxyMode::Winkernel && !behaviour.terminating_fallback
        }),
    }
}

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    let local = check.service.external_traffic_policy == Some(TrafficPolicy::Local);
    if !local || !without_fallback(check, cluster) {
        return Vec::new();
    }
    let balancers: BTreeSet<_> = check
        .budget
        .timings
        .iter()
        .filter(|timing| timing.source.class == Class::CloudLb)
        .map(|timing| {
            let name = &timing.source.name;
            match timing.last_new_connection.amount {
                Amount::Unknown => format!("{name} (until when is not known)"),
                amount => format!("{name} ({amount} after the delete)"),
            }
        })
        .collect();
    if balancers.is_empty() {
        return Vec::new();
    }
    vec![Finding {
        severity: Severity::Warning,
        path: Some("spec.externalTrafficPolicy".into()),
        message: format!(
            "{} may send to a node until its health checks have failed, and nodes here refuse or drop new connections as soon as their last pod terminates.",
            list(&balancers)
        ),
        why: "healthCheckNodePort answers 503 from the delete on, but the load balancer stops sending only after several failed checks. Without a fallback to terminating pods, the connections in between are lost."
            .to_owned(),
        help: "Never let all pods of a node terminate together (maxUnavailable: 0): the node then has no fallback. A topology spread over nodes and drains that wait help too, and so does a data plane that falls back to terminating pods (kube-proxy 1.26 and later)."
            .to_owned(),
        ..RULE.about(check.service)
    }]
}
