//! DC106: `publishNotReadyAddresses` keeps terminating pods ready for almost every traffic source.

use std::collections::BTreeSet;

use super::scale::{named, replicas_of};
use super::words::{count, list};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::scrape::is_for_scrapes;
use crate::analysis::serves::takes_out;
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::controllers::pods;
use crate::facts::own_labels::{POD_INDEX, POD_NAME};
use crate::facts::service::ServiceType;
use crate::facts::workload::{Workload, WorkloadKind};
use crate::sources::timing::TimingReason;

pub(super) static RULE: Rule = Rule {
    id: "DC106",
    slug: "published-while-terminating",
    severity: Severity::Warning,
    when: When::Now,
    summary: "publishNotReadyAddresses keeps terminating pods ready for almost every traffic source.",
    page: include_str!("../../docs/rules/DC106.md"),
    check: Check::Service(check),
};

/// The traffic sources in use that keep sending to such pods.
fn still_sending(check: &ServiceAnalysis<'_>) -> String {
    let sources: Vec<_> = check
        .budget
        .timings
        .iter()
        .filter(|timing| timing.last_new_connection.reason == TimingReason::PublishNotReady)
        .map(|timing| timing.source.name.clone())
        .collect();
    if sources.is_empty() {
        String::new()
    } else {
        format!(
            " Traffic sources that keep sending to such pods here: {}.",
            list(sources)
        )
    }
}

/// What manifests say of the pods behind the Service: `2 replicas (Deployment web)` of a workload that has several pods, so that another
/// one could answer while one starts or terminates.
fn several(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Option<String> {
    let observed = cluster.snapshot.complete || check.pods.is_some() || !check.slices.is_empty();
    // Clients have a Service of their own, and this one is for whoever must reach unready pods.
    let spared = |workload: &Workload| {
        let mut others = cluster.snapshot.services.iter();
        others.any(|other| {
            other.name != check.service.name
                && other.name.namespace == check.service.name.namespace
                && takes_out(other)
                && other.kind != ServiceType::ExternalName
                && other.selector.as_ref().is_some_and(|wanted| {
                    !wanted.is_empty() && pods::selects(wanted, &workload.pod_labels)
                })
        })
    };
    let templates = cluster.index.templates(check.service).iter();
    // One of the pods of a StatefulSet is alone behind the Service that asks for it by name.
    let selector = check.service.selector.iter().flatten();
    let of_one_pod = selector
        .into_iter()
        .any(|(key, _)| [POD_NAME, POD_INDEX].contains(&key.as_str()));
    let beside = observed || of_one_pod || is_for_scrapes(check.service);
    let mut templates = templates.filter(|workload| !beside && !spared(workload));
    templates.find_map(|workload| {
        if workload.kind == WorkloadKind::DaemonSet {
            return Some(format!("a pod on each node ({})", named(workload)));
        }
        let replicas = cluster.disruption.replicas(workload)?;
        let up_to = if replicas.least < replicas.most {
            "up to "
        } else {
            ""
        };
        (replicas.most > 1).then(|| {
            format!(
                "{up_to}{} ({})",
                replicas_of(replicas.most),
                named(workload)
            )
        })
    })
}

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    if !check.service.publish_not_ready {
        return Vec::new();
    }
    let terminating: BTreeSet<_> = check
        .endpoints
        .iter()
        .filter(|endpoint| {
            // Slices have `terminating` only since 1.22; the pod always has it.
            let terminating = endpoint.conditions.terminating == Some(true)
                || endpoint.pod.is_some_and(|pod| pod.deletion.is_some());
            endpoint.conditions.ready != Some(false) && terminating
        })
        .map(|endpoint| {
            endpoint
                .pod_ref
                .map_or(endpoint.address, |pod| pod.name.name.as_str())
        })
        .collect();
    let headless = check.service.headless;
    let when = if terminating.is_empty() {
        When::Next
    } else {
        When::Now
    };
    let (severity, message) = if terminating.is_empty() {
        // Peers that find one another by DNS are what the field is for.
        if headless {
            return Vec::new();
        }
        match several(check, cluster) {
            Some(pods) => (
                Severity::Warning,
                format!(
                    "there are {pods}, and each counts as ready from its start until it is gone: in a rollout or drain new connections go to pods that cannot answer yet or any more, while others can."
                ),
            ),
            None => (
                Severity::Info,
                "the Service's pods count as ready until they are gone, even while they terminate."
                    .to_owned(),
            ),
        }
    } else {
        (
            if headless {
                Severity::Info
            } else {
                Severity::Warning
            },
            format!(
                "{} ({}) {} still published as ready, so new connections keep going there until {} gone.",
                count(terminating.len(), "terminating pod"),
                list(&terminating),
                if terminating.len() == 1 { "is" } else { "are" },
                if terminating.len() == 1 {
                    "it is"
                } else {
                    "they are"
                },
            ),
        )
    };
    vec![Finding {
        severity,
        when,
        path: Some("spec.publishNotReadyAddresses".into()),
        message,
        why: format!(
            "With publishNotReadyAddresses, slices say ready: true whatever the pod's state. Only `serving` and `terminating` reflect it, and few traffic sources read them.{}",
            still_sending(check)
        ),
        help: "Give clients a Service without publishNotReadyAddresses: it keeps terminating pods ready. Keep it only on the headless Service by which peers find each other."
            .to_owned(),
        ..RULE.about(check.service)
    }]
}
