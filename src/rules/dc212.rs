//! DC212: a container behind a Service has no readiness probe.

use super::calm::Calm;
use super::pods::Pods;
use super::weight;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::serves::Serves;
use crate::shutdown::proxies;
use crate::shutdown::readiness::ReadinessReason;

pub(super) static RULE: Rule = Rule {
    id: "DC212",
    slug: "readiness-missing",
    severity: Severity::Warning,
    when: When::Next,
    summary: "A Service leads to a container without a readiness probe.",
    page: include_str!("../../docs/rules/DC212.md"),
    check: Check::Workload(check),
};

fn finding<'a>(pods: &Pods<'_, 'a>, serves: &Serves<'a>) -> Option<Finding> {
    let container = serves.container;
    let has_probe = container.readiness.is_some() || container.startup.is_some();
    if has_probe || proxies::find(container).is_some() {
        return None;
    }
    let another_has = || {
        let spec = pods.check.spec;
        spec.containers
            .iter()
            .any(|other| other.readiness.is_some() || other.startup.is_some())
    };
    if serves.guessed && another_has() {
        return None;
    }
    let end = pods.end(&container.name)?;
    let calm = weight::calm_about_readiness(pods, serves);
    Some(Finding {
        severity: if serves.proxied() && serves.scrape.is_none() && calm.is_none() {
            Severity::Warning
        } else {
            Severity::Info
        },
        path: Some(pods.path(end, "readinessProbe")?.into()),
        message: format!(
            "container {} has no readiness probe: it counts as ready 0 s after its process starts, until it has stopped ({} after the delete).",
            container.name, end.ended_at,
        ),
        why: format!(
            "{} A rollout deletes old pods as soon as new ones count as ready, whether they accept connections yet or not.{}",
            ReadinessReason::NoProbe.sentence(),
            match (serves.scrape, calm) {
                (Some(scrape), _) =>
                    format!(" Only scrapes of metrics come, {}.", scrape.because()),
                (None, calm) => calm.map_or("", Calm::sentence).to_owned(),
            },
        ),
        help: format!(
            "Add a readinessProbe to container {}. It should succeed once the container accepts connections: httpGet, grpc or, if there is nothing better, tcpSocket on the port that the Service leads to.",
            container.name
        ),
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    // Pods that run to completion need no readiness; with a readiness gate a controller reports it.
    if pods.run_to_completion() || !pods.check.spec.readiness_gates.is_empty() {
        return Vec::new();
    }
    pods.check
        .serves
        .iter()
        .filter_map(|each| finding(pods, each))
        .collect()
}
