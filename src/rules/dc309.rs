//! DC309: an autoscaler conflicts with a manifest or another autoscaler, or has no target.

use super::near::mistyped;
use super::scale::{named, replicas_of};
use super::words::list;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::Cluster;
use crate::facts::ObjectName;
use crate::facts::ObjectRef;
use crate::facts::autoscaler::Autoscaler;
use crate::facts::workload::Workload;

pub(super) static RULE: Rule = Rule {
    id: "DC309",
    slug: "autoscaler-conflict",
    severity: Severity::Warning,
    when: When::Next,
    summary: "An autoscaler's number of replicas is overwritten, set by a second autoscaler, or has no target.",
    page: include_str!("../../docs/rules/DC309.md"),
    check: Check::Cluster(check),
};

/// The kinds that have a scale of their own in Kubernetes; of others the target may be anything.
const SCALED: [&str; 4] = [
    "Deployment",
    "StatefulSet",
    "ReplicaSet",
    "ReplicationController",
];

fn called(scaler: &Autoscaler) -> String {
    format!("{} {}", scaler.kind, scaler.name.name)
}

/// The manifest sets the number, and so does an autoscaler.
fn overwritten(workload: &Workload, scaler: &Autoscaler) -> Option<Finding> {
    // In an object from an API server it is the autoscaler's own number.
    let number = workload.replicas.filter(|_| !workload.stored)?;
    if number == 0 || (scaler.least == scaler.most && scaler.least == number) {
        return None;
    }
    Some(Finding {
        // At the highest number nothing is taken away from the load.
        severity: if number >= scaler.most {
            Severity::Info
        } else {
            Severity::Warning
        },
        path: Some("spec.replicas".into()),
        message: format!(
                "replicas is {number}, but {} sets the number too: each apply of the manifest sets {} back to {}, whatever the load needs.",
                called(scaler),
                named(workload),
                replicas_of(number),
            ),
        why: "An apply sets every field of the manifest. The pods above that number are deleted at once, until the autoscaler scales up again.".to_owned(),
        help: "Leave replicas out of the manifest: each apply resets what the autoscaler has set. Before the first apply without it, take it out of the last applied configuration too (`kubectl apply edit-last-applied`), otherwise that apply sets 1.".to_owned(),
        related: [ObjectRef::from(scaler)].into(),
        ..RULE.about(ObjectRef::from(workload))
    })
}

/// Several autoscalers set the same number.
fn disputed(workload: &Workload, scalers: &[&Autoscaler]) -> Option<Finding> {
    let (last, others) = scalers
        .split_last()
        .filter(|(_, others)| !others.is_empty())?;
    Some(Finding {
        severity: Severity::Warning,
        path: Some("spec.scaleTargetRef".into()),
        message: format!(
                "it scales {}, and so does {}.",
                named(workload),
                list(others.iter().map(|scaler| called(scaler))),
            ),
        why: "Two autoscalers undo each other's work; HorizontalPodAutoscalers that see the same pods stop scaling altogether (condition AmbiguousSelector).".to_owned(),
        help: "Keep one autoscaler, with the metrics of all: several undo each other's work. It uses the highest number that any metric requires.".to_owned(),
        related: others
            .iter()
            .map(|scaler| ObjectRef::from(*scaler))
            .chain([ObjectRef::from(workload)])
            .collect(),
        ..RULE.about(*last)
    })
}

/// The one workload of a kind whose name is that of the target but for an error of typing, and that nothing else scales.
fn nearest<'a>(scaler: &Autoscaler, cluster: &Cluster<'a>) -> Option<&'a Workload> {
    let standing = cluster.disruption.standing.iter().copied();
    let mut near = standing.filter(|workload| {
        workload.name.namespace == scaler.name.namespace
            && workload.kind.name() == scaler.target_kind
            && mistyped(&workload.name.name, &scaler.target_name)
            && cluster.disruption.autoscalers(workload).is_empty()
    });
    let only = near.next();
    only.filter(|_| near.next().is_none())
}

/// Its target is evidently another one. A target that was not read may be elsewhere.
fn about_nothing(scaler: &Autoscaler, cluster: &Cluster<'_>) -> Option<Finding> {
    let target = ObjectName::new(&scaler.name.namespace, &scaler.target_name);
    let known = |kind: &str| cluster.disruption.workload(kind, &target);
    let group = ["", "apps"].contains(&scaler.target_group.as_str());
    if !SCALED.contains(&scaler.target_kind.as_str())
        || !group
        || known(&scaler.target_kind).is_some()
    {
        return None;
    }
    let (meant, of) = if let Some(other) = SCALED.iter().find_map(|kind| known(kind)) {
        (other, format!("a {} of that name", other.kind.name()))
    } else {
        let near = nearest(scaler, cluster)?;
        (near, named(near))
    };
    Some(Finding {
        severity: Severity::Warning,
        path: Some("spec.scaleTargetRef".into()),
        message: format!(
                "its target is {} {}, and there is none; there is {of}.",
                scaler.target_kind, scaler.target_name,
            ),
        why: "An autoscaler finds its target by kind and name, in its own namespace. Without a target it does nothing.".to_owned(),
        help: format!(
            "Correct scaleTargetRef to {}: the autoscaler has no target.",
            named(meant)
        ),
        related: [ObjectRef::from(meant)].into(),
        ..RULE.about(ObjectRef::from(scaler))
    })
}

fn check(cluster: &Cluster<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for workload in &cluster.disruption.standing {
        let scalers = cluster.disruption.autoscalers(workload);
        found.extend(
            scalers
                .first()
                .and_then(|scaler| overwritten(workload, scaler)),
        );
        found.extend(disputed(workload, &scalers));
    }
    let scalers = cluster.snapshot.autoscalers.iter();
    found.extend(scalers.filter_map(|scaler| about_nothing(scaler, cluster)));
    found
}
