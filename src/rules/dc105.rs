//! DC105: what the pods imply and what the slices say have differed for longer than controllers take.

use super::dc104::{TOLERANCE, lasting, subject, was_read, words};
use super::words::{age, count, list};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::controllers::compare::View;

pub(super) static RULE: Rule = Rule {
    id: "DC105",
    slug: "slice-lags",
    severity: Severity::Warning,
    when: When::Now,
    summary: "The EndpointSlices have lagged behind the pods for longer than their controller takes.",
    page: include_str!("../../docs/rules/DC105.md"),
    check: Check::Service(check),
};

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    if !was_read(check, cluster, View::Slices) {
        return Vec::new();
    }
    let late: Vec<_> = check
        .comparison
        .differences
        .iter()
        .filter(|difference| difference.view == View::Slices)
        .filter(|difference| lasting(difference, cluster) == Some(true))
        .collect();
    let (Some(first), Some(now)) = (late.first(), cluster.as_of) else {
        return Vec::new();
    };
    let Some(oldest) = late.iter().filter_map(|difference| difference.since).min() else {
        return Vec::new();
    };
    vec![Finding {
        severity: Severity::Warning,
        path: None,
        message: format!(
            "EndpointSlices are up to {} behind the pods for {} ({}); the first: {} {}.",
            age(oldest, now),
            count(late.len(), "endpoint"),
            list(late.iter().map(|difference| subject(difference))),
            subject(first),
            words(&first.fault),
        ),
        why: format!(
            "The EndpointSlice controller usually writes within a second; more than {} s means that it is overloaded, failing or not running.",
            TOLERANCE.num_seconds()
        ),
        help: format!(
            "Check kube-controller-manager: EndpointSlices are {} behind the pods, and traffic follows them. Look for FailedToUpdateEndpointSlices events on the Service, and at its health, leader lease and API throttling.",
            age(oldest, now)
        ),
        ..RULE.about(check.service)
    }]
}
