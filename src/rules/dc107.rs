//! DC107: the selector matches no pod and no template.

use std::collections::BTreeMap;

use super::words::{count, mistyped};
use super::{Check, Rule, Said, Severity};
use crate::check::{Cluster, ServiceCheck};
use crate::controllers::slices;
use crate::facts::service::Service;

pub(super) static RULE: Rule = Rule {
    id: "DC107",
    slug: "selects-nothing",
    severity: Severity::Warning,
    summary: "The Service's selector matches no pod and no workload's template.",
    check: Check::Service(check),
};

/// A selector as `kubectl get -l` takes it.
fn written(selector: &BTreeMap<String, String>) -> String {
    let labels = selector.iter().map(|(key, value)| format!("{key}={value}"));
    labels.collect::<Vec<_>>().join(",")
}

/// The label by which a template misses the selector, where it is the only one and looks mistyped.
fn nearly<'l>(
    selector: &BTreeMap<String, String>,
    labels: &'l BTreeMap<String, String>,
) -> Option<(&'l str, &'l str)> {
    let has = |(key, value): &(&String, &String)| labels.get(*key) == Some(*value);
    let mut missed = selector.iter().filter(|label| !has(label));
    let (Some((key, value)), None) = (missed.next(), missed.next()) else {
        return None;
    };
    let same_key = labels.get_key_value(key);
    let other_value = same_key.filter(|(_, other)| {
        mistyped(value, other) || value.starts_with(*other) || other.starts_with(value.as_str())
    });
    let other_key = || {
        let mut others = labels.iter();
        others.find(|(other, same)| *same == value && mistyped(key, other))
    };
    let (key, value) = other_value.or_else(other_key)?;
    Some((key, value))
}

/// Templates of the namespace were read, and none is selected.
fn by_templates(
    selector: &BTreeMap<String, String>,
    service: &Service,
    cluster: &Cluster<'_>,
) -> Option<(Severity, String)> {
    let namespace = service.name.namespace.as_str();
    let templates: Vec<_> = cluster
        .snapshot
        .workloads
        .iter()
        .filter(|workload| workload.name.namespace == namespace)
        .collect();
    let meant = templates
        .iter()
        .find_map(|workload| Some((workload, nearly(selector, &workload.pod_labels)?)));
    let written = written(selector);
    if let Some((workload, (key, value))) = meant {
        let kind = workload.kind.name();
        let name = &workload.name.name;
        return Some((
            Severity::Warning,
            format!(
                "no workload that was read makes pods with the labels {written}; {kind} {name} comes nearest, with {key}={value}."
            ),
        ));
    }
    (!templates.is_empty()).then(|| {
        let others = count(templates.len(), "workload");
        (
            Severity::Info,
            format!(
                "none of {others} that were read makes pods with the labels {written}; what does may not be in the input."
            ),
        )
    })
}

fn check(check: &ServiceCheck<'_>, cluster: &Cluster<'_>) -> Vec<Said> {
    let service = check.service;
    let Some(selector) = service.selector.as_ref().filter(|all| !all.is_empty()) else {
        return Vec::new();
    };
    if slices::unmanaged(service)
        || !cluster.templates(service).is_empty()
        || !check.endpoints.is_empty()
    {
        return Vec::new();
    }
    let labels = written(selector);
    let found = match &check.pods {
        Some(pods) if pods.is_empty() => Some((
            Severity::Warning,
            format!(
                "no pod in namespace {} has the labels {labels}.",
                service.name.namespace
            ),
        )),
        // Pods are not known, but the controllers looked and wrote down that there is none with an address.
        None if !check.slices.is_empty() => Some((
            Severity::Info,
            format!(
                "its EndpointSlices are empty, so no pod with an address has the labels {labels}; pods themselves are not known here."
            ),
        )),
        None => by_templates(selector, service, cluster),
        Some(_) => None,
    };
    let said = |(severity, message)| {
        Said {
        severity,
        path: Some("spec.selector".into()),
        message,
        why: "A Service sends connections to the pods whose labels include every label of its selector."
            .to_owned(),
        help: format!(
            "Compare with the labels of the pods that you mean: `kubectl get pods -n {} --show-labels`. If the workload is scaled to 0 on purpose, nothing is wrong.",
            service.name.namespace
        ),
    }
    };
    found.map(said).into_iter().collect()
}
