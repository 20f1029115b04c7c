//! DC307: pods count as available before the load balancer uses them.

use super::gates;
use super::pods::Pods;
use super::weight;
use super::words::list;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::Cluster;
use crate::analysis::workload::WorkloadAnalysis;
use crate::facts::workload::{Strategy, WorkloadKind};
use crate::sources::{Class, TrafficSource};

pub(super) static RULE: Rule = Rule {
    id: "DC307",
    slug: "counts-too-early",
    severity: Severity::Warning,
    when: When::Next,
    summary: "A rollout continues as soon as a pod is ready, before the load balancer uses it.",
    page: include_str!("../../docs/rules/DC307.md"),
    check: Check::Manifest(check),
};

/// The controller that adds a gate where the namespace says so.
const GATE_OF_AWS: &str = "aws-pod-readiness-gate";

/// Its targets are the pods themselves; behind one that sends to nodes, kube-proxy chooses among ready pods.
fn sends_to_pods(source: &TrafficSource) -> bool {
    let watches = |kind: &str| source.watches.iter().any(|each| each == kind);
    source.class == Class::CloudLb && (watches("Pod") || watches("Endpoints"))
}

fn finding(check: &WorkloadAnalysis<'_>, cluster: &Cluster<'_>) -> Option<Finding> {
    let workload = check.workload?;
    let kinds = [
        WorkloadKind::Deployment,
        WorkloadKind::StatefulSet,
        WorkloadKind::DaemonSet,
    ];
    let rolls = matches!(workload.strategy, Strategy::RollingUpdate { .. });
    let waits = workload.min_ready_seconds > 0 || !check.spec.readiness_gates.is_empty();
    if !kinds.iter().any(|kind| workload.kind == *kind) || !rolls || waits {
        return None;
    }
    // A StatefulSet deletes one pod at a time, and its last old one after all others are Ready: with three or more, some new one has long
    // been a target by then. A single one is gone before the next one starts, gate or not.
    let replicas = cluster.disruption.replicas(workload);
    let most = replicas.map_or(i64::MAX, |replicas| replicas.most);
    let ordered = workload.kind == WorkloadKind::StatefulSet;
    if ordered && most <= 1 {
        return None;
    }
    let (mut names, mut services, mut aws) = (Vec::new(), Vec::new(), false);
    // Services without a traffic source of their own stand for each other.
    for (service, _) in check.budgets.each() {
        let found = cluster.sources(service);
        let of_aws = || {
            let mut in_use = found.in_use.iter();
            in_use.any(|each| each.source.id == GATE_OF_AWS)
        };
        if gates::adds_a_gate(&found) || of_aws() {
            continue;
        }
        for each in found
            .in_use
            .iter()
            .filter(|each| sends_to_pods(each.source))
        {
            aws |= each.source.id.starts_with("aws-lbc-");
            names.push(each.source.name.as_str());
            services.push(service.name.name.as_str());
        }
    }
    if names.is_empty() {
        return None;
    }
    // A namespace that was read without the label has no gate; one that was not read may have it.
    let namespaces = cluster.detector.index().of_kind("Namespace");
    let namespace = &workload.name.namespace;
    let certain = aws && namespaces.iter().any(|each| each.name == *namespace);
    let help = if aws {
        "Label the namespace elbv2.k8s.aws/pod-readiness-gate-inject: enabled, so that a rollout waits for targets. Or set minReadySeconds to the time until a new target is healthy."
    } else {
        "Set minReadySeconds to the time until the load balancer finds a new target healthy: a rollout waits for that."
    };
    Some(Finding {
        // Of one replica nobody asks for a successor that is there at once.
        severity: if certain
            && !(ordered && most > 2)
            && !weight::is_no_more_than_one(&Pods::new(check, cluster))
        {
            Severity::Warning
        } else {
            Severity::Info
        },
        path: Some("spec.minReadySeconds".into()),
        message: format!(
            "there is neither minReadySeconds nor a readiness gate{}, and traffic goes to the pods directly from {} (Service {}): a rollout may delete old pods before any new pod gets requests.",
            if aws && !certain { " that is known here" } else { "" },
            list(&names),
            list(&services),
        ),
        why: "The controller counts a new pod as available once it is Ready for minReadySeconds, and continues with the next. The load balancer first registers it as a target and waits for its own health checks.".to_owned(),
        help: help.to_owned(),
        ..RULE.about_workload(check)
    })
}

fn check(check: &WorkloadAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    finding(check, cluster).into_iter().collect()
}
