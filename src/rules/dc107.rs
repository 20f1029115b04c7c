//! DC107: the selector matches no pod and no template.

use std::collections::BTreeMap;

use super::words::mistyped;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::controllers::slices;
use crate::facts::service::Service;

pub(super) static RULE: Rule = Rule {
    id: "DC107",
    slug: "selects-nothing",
    severity: Severity::Warning,
    when: When::Now,
    summary: "The Service's selector matches no pod and no pod template.",
    page: include_str!("../../docs/rules/DC107.md"),
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

/// Manifests of the namespace's workloads and pods were read, and none is selected.
fn by_manifests(
    selector: &BTreeMap<String, String>,
    service: &Service,
    cluster: &Cluster<'_>,
) -> Option<(Severity, String)> {
    // The pods of a cluster could not be read: whatever has the labels may be among them.
    if cluster.snapshot.complete {
        return None;
    }
    let namespace = service.name.namespace.as_str();
    let workloads = cluster.snapshot.workloads.iter();
    let workloads = workloads.filter(|workload| workload.name.namespace == namespace);
    let pods = cluster.index.pods(namespace).into_iter().flatten();
    let pods = pods.filter(|(_, pod)| !pod.was_observed());
    let all: Vec<_> = workloads
        .map(|each| (each.kind.name(), each.name.name.as_str(), &each.pod_labels))
        .chain(pods.map(|(name, pod)| ("Pod", *name, &pod.labels)))
        .collect();
    let meant = all
        .iter()
        .find_map(|(kind, name, labels)| Some((kind, name, nearly(selector, labels)?)));
    let written = written(selector);
    if let Some((kind, name, (key, value))) = meant {
        return Some((
            Severity::Warning,
            format!(
                "no workload or pod that was read has the labels {written}; the closest is {kind} {name}, with {key}={value}."
            ),
        ));
    }
    (!all.is_empty()).then(|| {
        let subject = match all.len() {
            1 => "the only workload that was read does not create".to_owned(),
            many => format!("none of the {many} workloads that were read creates"),
        };
        (
            Severity::Info,
            format!("{subject} pods with the labels {written}; the one that does may not be in the input."),
        )
    })
}

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    let service = check.service;
    let Some(selector) = service.selector.as_ref().filter(|all| !all.is_empty()) else {
        return Vec::new();
    };
    if slices::unmanaged(service)
        || !cluster.index.templates(service).is_empty()
        || !check.endpoints.is_empty()
    {
        return Vec::new();
    }
    let labels = written(selector);
    // Manifests need not name their namespace.
    let within = |words: &str| match service.name.namespace.as_str() {
        "" => String::new(),
        namespace => format!("{words}{namespace}"),
    };
    let found = match &check.pods {
        Some(pods) if pods.is_empty() => Some((
            Severity::Warning,
            format!(
                "no pod{} has the labels {labels}.",
                within(" in namespace ")
            ),
        )),
        // Pods are not known, but the controllers found none with an address.
        None if !check.slices.is_empty() => Some((
            Severity::Info,
            format!(
                "its EndpointSlices are empty, so no pod with an address has the labels {labels}; the pods themselves were not read."
            ),
        )),
        None => by_manifests(selector, service, cluster),
        Some(_) => None,
    };
    let finding = |(severity, message)| Finding {
        severity,
        path: Some("spec.selector".into()),
        message,
        why: "A Service sends connections to the pods that have every label of its selector."
            .to_owned(),
        help: format!(
            "Check spec.selector against the pods' labels: {}. `kubectl get pods{} --show-labels` shows them. If the workload is scaled to 0 on purpose, nothing is wrong.",
            if severity == Severity::Info {
                "nothing that was read matches"
            } else {
                "no pod matches"
            },
            within(" -n "),
        ),
        ..RULE.about(check.service)
    };
    found.map(finding).into_iter().collect()
}
