//! DC308: a Local policy, and pods that may all run on one node.

use super::scale::{least, scaled};
use super::words::list;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::Cluster;
use crate::analysis::workload::WorkloadAnalysis;
use crate::facts::service::TrafficPolicy;

pub(super) static RULE: Rule = Rule {
    id: "DC308",
    slug: "not-spread",
    severity: Severity::Info,
    when: When::Next,
    summary: "A Service has a Local policy, and nothing keeps all of its pods from running on one node.",
    page: include_str!("../../docs/rules/DC308.md"),
    check: Check::Manifest(check),
};

fn finding(check: &WorkloadAnalysis<'_>, cluster: &Cluster<'_>) -> Option<Finding> {
    let (workload, replicas) = scaled(check, cluster)?;
    let local: Vec<_> = check
        .services
        .iter()
        .filter(|service| {
            service.internal_local || service.external_traffic_policy == Some(TrafficPolicy::Local)
        })
        .map(|service| service.name.name.as_str())
        .collect();
    if local.is_empty() || replicas.most < 2 || workload.placement.takes_node_ports {
        return None;
    }
    let others = &workload.placement.apart;
    let from_itself =
        |selector: &crate::facts::selector::LabelSelector| selector.matches(&workload.pod_labels);
    if others
        .iter()
        .any(|apart| apart.from.as_ref().is_some_and(from_itself))
    {
        return None;
    }
    let constraints = if others.is_empty() {
        "It has neither podAntiAffinity nor topologySpreadConstraints"
    } else {
        "Its podAntiAffinity and topologySpreadConstraints select other pods than its own"
    };
    let noun = if local.len() == 1 {
        "Service"
    } else {
        "Services"
    };
    let verb = if local.len() == 1 { "has" } else { "have" };
    Some(Finding {
        severity: Severity::Info,
        path: Some("spec.template.spec.topologySpreadConstraints".into()),
        message: format!(
            "{noun} {} {verb} a Local policy, and all pods ({}) may run on one node. {constraints}.",
            list(&local),
            least(workload, &replicas),
        ),
        why: "Under a Local policy only nodes with an endpoint answer. If all pods are on one node, that node takes all the load, and its drain leaves no endpoint. The scheduler's default spreading is only a preference, so several pods may share a node.".to_owned(),
        help: "Add topologySpreadConstraints over kubernetes.io/hostname: all pods may run on one node. Use maxSkew 1, the pods' own labels, and whenUnsatisfiable: DoNotSchedule where there are enough nodes; or podAntiAffinity over kubernetes.io/hostname.".to_owned(),
        ..RULE.about_workload(check)
    })
}

fn check(check: &WorkloadAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    finding(check, cluster).into_iter().collect()
}
