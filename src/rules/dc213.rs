//! DC213: a pod is past its grace period and still there.

use std::collections::BTreeSet;

use super::words::nodes;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::facts::pod::Pod;
use crate::shutdown::phase::Terminating;
use crate::shutdown::stuck::Stuck;
use crate::words::address;

pub(super) static RULE: Rule = Rule {
    id: "DC213",
    slug: "stuck-terminating",
    severity: Severity::Warning,
    when: When::Now,
    summary: "A pod is past its grace period and still there; says why, and whether it still gets connections.",
    page: include_str!("../../docs/rules/DC213.md"),
    check: Check::Service(check),
};

/// Whether new connections still go to the pod; empty where kube-proxy does not decide.
fn traffic(check: &ServiceAnalysis<'_>, pod: &Pod, cluster: &Cluster<'_>) -> String {
    if check.traffic.is_none() {
        return String::new();
    }
    let ips: BTreeSet<_> = pod.ips.iter().map(ToString::to_string).collect();
    let on: BTreeSet<_> = check
        .outcomes()
        .filter(|outcome| {
            outcome
                .backends()
                .any(|backend| ips.contains(address(backend)))
        })
        .flat_map(|outcome| &outcome.nodes)
        .collect();
    if on.is_empty() {
        " It gets no new connections.".to_owned()
    } else {
        format!(
            " It still gets new connections, on {}.",
            nodes(on, cluster.nodes.len())
        )
    }
}

fn finding(
    check: &ServiceAnalysis<'_>,
    pod: &Pod,
    now: &Terminating,
    stuck: Stuck,
    cluster: &Cluster<'_>,
) -> Finding {
    let evidence: Vec<_> = now.evidence.iter().map(ToString::to_string).collect();
    Finding {
        severity: Severity::Warning,
        path: None,
        message: format!(
            "pod {} should be gone: {}. {}{}",
            pod.name.name,
            evidence.join("; "),
            stuck.sentence(),
            traffic(check, pod, cluster),
        ),
        why: now.phase.sentence().to_owned(),
        help: stuck.help().to_owned(),
        related: [check.service.into()].into(),
        ..RULE.about(pod)
    }
}

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    check
        .pods
        .iter()
        .flatten()
        .filter_map(|pod| {
            let now = check.terminating.get(&pod.name)?;
            Some(finding(check, pod, now, now.stuck?, cluster))
        })
        .collect()
}
