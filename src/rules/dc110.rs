//! DC110: the Endpoints object was truncated at 1000 addresses.

use super::words::count;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};

pub(super) static RULE: Rule = Rule {
    id: "DC110",
    slug: "endpoints-truncated",
    severity: Severity::Warning,
    when: When::Now,
    summary: "The Endpoints object was cut at 1000 addresses; EndpointSlices hold all of them.",
    page: include_str!("../../docs/rules/DC110.md"),
    check: Check::Service(check),
};

fn counted(addresses: usize) -> String {
    if addresses == 1 {
        "1 address".to_owned()
    } else {
        format!("{addresses} addresses")
    }
}

fn check(check: &ServiceAnalysis<'_>, _: &Cluster<'_>) -> Vec<Finding> {
    let Some(object) = check
        .endpoints_object
        .filter(|object| object.over_capacity.is_some())
    else {
        return Vec::new();
    };
    let listed: usize = object
        .subsets
        .iter()
        .map(|subset| subset.ready.len() + subset.not_ready.len())
        .sum();
    let cut = object.over_capacity.as_deref() == Some("truncated");
    let slices = if check.slices.is_empty() {
        String::new()
    } else {
        format!(
            "; the EndpointSlices hold {}",
            count(check.endpoints.len(), "endpoint")
        )
    };
    vec![Finding {
        severity: Severity::Warning,
        path: None,
        message: format!(
            "Endpoints lists {}{}{slices}.",
            counted(listed),
            if cut { " and was truncated there" } else { ", more than it should hold" },
        ),
        why: "An Endpoints object holds at most 1000 addresses since 1.22; the controller marks it with the annotation endpoints.kubernetes.io/over-capacity."
            .to_owned(),
        help: format!(
            "Move clients that read Endpoints to EndpointSlices: Endpoints {} {}. Older ingress controllers and client libraries see only these; kube-proxy is not affected.",
            if cut { "was cut at" } else { "lists" },
            counted(listed)
        ),
        ..RULE.about(check.service)
    }]
}
