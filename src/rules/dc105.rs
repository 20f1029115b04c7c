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

/// They do not lag: they are what controllers write whose gate for terminating pods is off.
fn gate_off(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Finding {
    let left_out = check.left_out.iter().map(|pod| pod.name.name.clone());
    let without = match check.left_out.len() {
        0 => String::new(),
        pods => format!(
            " {} left out: {}.",
            count(pods, "terminating pod"),
            list(left_out)
        ),
    };
    Finding {
        severity: Severity::Info,
        path: None,
        message: format!(
            "EndpointSlices set ready and neither serving nor terminating, as kube-controller-manager {} does with feature gate EndpointSliceTerminatingCondition turned off.{without}",
            cluster.server
        ),
        why: "With the gate off, the EndpointSlice controller removes a pod from the slices when it begins to terminate. kube-proxy cannot fall back to pods that it does not know."
            .to_owned(),
        help: "Turn EndpointSliceTerminatingCondition on in kube-controller-manager and kube-apiserver: it is on by default. Look at their --feature-gates. With --feature-gates=EndpointSliceTerminatingCondition=false this is taken for granted."
            .to_owned(),
        ..RULE.about(check.service)
    }
}

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    if !was_read(check, cluster, View::Slices) {
        return Vec::new();
    }
    if check.comparison.gate_off {
        return vec![gate_off(check, cluster)];
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
