//! DC104: Endpoints, slices and pods differ in a way that the API's rules do not explain.

use chrono::TimeDelta;

use super::words::{age, count, list};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::controllers::compare::{Difference, Fault, View};
use crate::controllers::endpoints::Listed;
use crate::controllers::slices;
use crate::facts::Resource;

pub(super) static RULE: Rule = Rule {
    id: "DC104",
    slug: "endpoints-disagree",
    severity: Severity::Warning,
    when: When::Now,
    summary: "Endpoints, EndpointSlices and pods differ in a way that the API's rules do not explain.",
    page: include_str!("../../docs/rules/DC104.md"),
    check: Check::Service(check),
};

/// How long controllers may take: timestamps are whole seconds and of several clocks, and slices are synced after 1 s or more.
pub(super) const TOLERANCE: TimeDelta = TimeDelta::seconds(5);

/// What is wrong, in a few words.
pub(super) fn words(fault: &Fault) -> String {
    match fault {
        Fault::Missing => "is missing".to_owned(),
        Fault::Unexpected => "should not be listed".to_owned(),
        Fault::PodGone => "names a pod that does not exist".to_owned(),
        Fault::Conditions { written, expected } => {
            let mut parts = Vec::new();
            for (name, is, should) in [
                ("ready", written.ready, expected.ready),
                ("serving", written.serving, expected.serving),
                ("terminating", written.terminating, expected.terminating),
            ] {
                let text = |value: Option<bool>| {
                    value.map_or_else(|| "unset".to_owned(), |value| value.to_string())
                };
                if is != should {
                    parts.push(format!(
                        "{name} is {}, should be {}",
                        text(is),
                        text(should)
                    ));
                }
            }
            parts.join("; ")
        }
        Fault::Listed { written, expected } => {
            let list = |listed| match listed {
                Listed::Ready => "ready",
                Listed::NotReady => "not ready",
            };
            format!(
                "is listed as {}, should be {}",
                list(*written),
                list(*expected)
            )
        }
        Fault::Ports => "has other ports than its pod".to_owned(),
    }
}

/// The pod or address that a difference is about.
pub(super) fn subject(difference: &Difference) -> String {
    let (ip, pod) = &difference.endpoint;
    pod.clone().unwrap_or_else(|| ip.to_string())
}

/// Was this object of the Service read? Files may simply leave an object out; in a cluster, controllers keep at
/// least an empty one for each Service that they look after.
pub(super) fn was_read(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>, view: View) -> bool {
    let files = !cluster.snapshot.complete;
    match view {
        View::Slices => {
            let writer = if slices::unmanaged(check.service) {
                slices::MIRRORED
            } else {
                slices::FROM_PODS
            };
            let any = check.slices.iter().any(|slice| {
                slice
                    .labels
                    .get(slices::MANAGED_BY)
                    .is_some_and(|by| by == writer)
            });
            cluster.index.has_read(Resource::EndpointSlices) && (any || !files)
        }
        View::Endpoints => {
            cluster.index.has_read(Resource::Endpoints)
                && (check.endpoints_object.is_some() || !files)
        }
    }
}

/// Has the difference lasted longer than controllers may take? `None` where that is not known.
pub(super) fn lasting(difference: &Difference, cluster: &Cluster<'_>) -> Option<bool> {
    Some(cluster.as_of? - difference.since? > TOLERANCE)
}

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for view in [View::Slices, View::Endpoints] {
        if !was_read(check, cluster, view) {
            continue;
        }
        let ours: Vec<_> = check
            .comparison
            .differences
            .iter()
            .filter(|difference| difference.view == view)
            // Slices behind their pods for a known time are DC105.
            .filter(|difference| match lasting(difference, cluster) {
                Some(lasting) => lasting && view == View::Endpoints,
                None => true,
            })
            .collect();
        let Some(first) = ours.first() else { continue };
        let name = match view {
            View::Slices => "EndpointSlices",
            View::Endpoints => "the Endpoints object",
        };
        let oldest = ours.iter().filter_map(|difference| difference.since).min();
        let lasted = match (oldest, cluster.as_of) {
            (Some(since), Some(now)) => format!(" It has lasted for up to {}.", age(since, now)),
            _ => " For how long is not known.".to_owned(),
        };
        // Objects are read one after the other: a pod that goes away in between looks like a difference.
        let lasts = ours
            .iter()
            .any(|difference| lasting(difference, cluster) == Some(true));
        found.push(Finding {
            severity: if lasts {
                Severity::Warning
            } else {
                Severity::Info
            },
            path: None,
            message: format!(
                "{name} and the pods disagree about {} ({}); the first: {} {}.{lasted}",
                count(ours.len(), "endpoint"),
                list(ours.iter().map(|difference| subject(difference))),
                subject(first),
                words(&first.fault),
            ),
            why: "No rule by which the controllers derive these objects from pods explains the difference."
                .to_owned(),
            help: format!(
                "{}: {name} and the pods disagree about {}. {}look for events on the Service and its Endpoints (`kubectl describe`), at kube-controller-manager's health and leader lease, and for another client that writes these objects (managedFields).",
                if lasts { "Check kube-controller-manager" } else { "Check again in a few seconds" },
                count(ours.len(), "endpoint"),
                if lasts { "To find the cause, " } else { "If that lasts, " },
            ),
            ..RULE.about(check.service)
        });
    }
    found
}
