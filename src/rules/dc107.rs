//! DC107: the selector matches no pod and no template.

use std::collections::BTreeMap;

use super::near::{Miss, nearly};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::controllers::{pods, slices};
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

/// A workload or a pod that was read and that the selector misses by one label, which looks mistyped. What the selector is meant for
/// may as well be elsewhere, so it is one only where nothing else tells what it is for.
fn meant<'c>(
    selector: &'c BTreeMap<String, String>,
    service: &Service,
    cluster: &'c Cluster<'_>,
) -> Option<(String, Miss<'c>)> {
    // A patch of a Service has no ports.
    let partial = service.ports.is_empty() && !service.headless;
    // The pods of a cluster could not be read: whatever has the labels may be among them.
    if cluster.snapshot.complete || partial {
        return None;
    }
    let namespace = service.name.namespace.as_str();
    let workloads = cluster.snapshot.workloads.iter();
    let workloads =
        workloads.filter(|workload| workload.name.namespace == namespace && !workload.kind.ends());
    let pods = cluster.index.pods(namespace).into_iter().flatten();
    let pods = pods.filter(|(_, pod)| !pod.was_observed());
    let mut near = workloads
        .map(|each| (each.kind.name(), each.name.name.as_str(), &each.pod_labels))
        .chain(pods.map(|(name, pod)| ("Pod", *name, &pod.labels)))
        .filter_map(|(kind, name, labels)| Some((kind, name, labels, nearly(selector, labels)?)));
    let (kind, name, labels, miss) = near.next()?;
    // Either may be meant, or neither.
    if near.any(|(_, _, others, _)| others != labels) {
        return None;
    }
    // Another Service is for these pods, by the same kind of labels: this one is for others, unless it is called after these.
    let named = |value: &str| service.name.name.starts_with(value);
    let called_after = match miss {
        Miss::Other(key, value) => {
            named(value) && selector.get(key).is_some_and(|wanted| !named(wanted))
        }
        Miss::Lacks(..) => false,
    };
    let taken = !called_after
        && cluster.snapshot.services.iter().any(|other| {
            let same_keys = |wanted: &&BTreeMap<_, _>| wanted.keys().eq(selector.keys());
            let wanted = other.selector.as_ref().filter(same_keys);
            other.name.namespace == namespace
                && wanted.is_some_and(|wanted| pods::selects(wanted, labels))
        });
    (!taken).then(|| (format!("{kind} {name}"), miss))
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
        None => meant(selector, service, cluster).map(|(nearest, miss)| {
            (
                Severity::Warning,
                format!("no workload or pod that was read has the labels {labels}; the closest is {nearest}, {miss}."),
            )
        }),
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
