//! DC107: the selector matches no pod and no template.

use super::{Check, Rule, Said, Severity};
use crate::check::{Cluster, ServiceCheck};
use crate::controllers::pods::selects;
use crate::controllers::slices;

pub(super) static RULE: Rule = Rule {
    id: "DC107",
    slug: "selects-nothing",
    severity: Severity::Warning,
    summary: "The Service's selector matches no pod and no workload's template.",
    page: include_str!("../../docs/rules/DC107.md"),
    check: Check::Service(check),
};

fn check(check: &ServiceCheck<'_>, cluster: &Cluster<'_>) -> Vec<Said> {
    let service = check.service;
    let Some(selector) = service.selector.as_ref() else {
        return Vec::new();
    };
    let templated = cluster.snapshot.workloads.iter().any(|workload| {
        workload.name.namespace == service.name.namespace && selects(selector, &workload.pod_labels)
    });
    if slices::unmanaged(service) || templated || !check.endpoints.is_empty() {
        return Vec::new();
    }
    let written = selector
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect::<Vec<_>>()
        .join(",");
    let (severity, message) = match &check.pods {
        Some(pods) if pods.is_empty() => (
            Severity::Warning,
            format!(
                "no pod in namespace {} has the labels {written}.",
                service.name.namespace
            ),
        ),
        // Pods are not known, but the controllers looked and wrote down that there is none with an address.
        None if !check.slices.is_empty() => (
            Severity::Info,
            format!(
                "its EndpointSlices are empty, so no pod with an address has the labels {written}; pods themselves are not known here."
            ),
        ),
        _ => return Vec::new(),
    };
    vec![Said {
        severity,
        path: Some("spec.selector".into()),
        message,
        why: "A Service sends connections to the pods whose labels include every label of its selector."
            .to_owned(),
        help: format!(
            "Compare with the labels of the pods that you mean: `kubectl get pods -n {} --show-labels`. If the workload is scaled to 0 on purpose, nothing is wrong.",
            service.name.namespace
        ),
    }]
}
