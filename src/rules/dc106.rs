//! DC106: `publishNotReadyAddresses` keeps terminating pods ready for almost every traffic source.

use std::collections::BTreeSet;

use super::words::{count, list};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};
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

fn check(check: &ServiceAnalysis<'_>, _: &Cluster<'_>) -> Vec<Finding> {
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
    let (severity, message) = if terminating.is_empty() {
        // Peers that find one another by DNS are what the field is for.
        if headless {
            return Vec::new();
        }
        (
            Severity::Info,
            "the Service's pods count as ready until they are gone, even while they terminate."
                .to_owned(),
        )
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
