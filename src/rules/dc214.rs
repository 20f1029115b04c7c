//! DC214: the pods have another grace period than their template.

use super::pods::Pods;
use super::{Check, Finding, Rule, Severity, When, words};
use crate::analysis::Cluster;
use crate::facts::ObjectName;
use crate::facts::pod::Pod;
use crate::facts::pod_spec::PodSpec;
use crate::facts::workload::{Workload, WorkloadKind};
use crate::shutdown::grace_period::DEFAULT_SECONDS;

pub(super) static RULE: Rule = Rule {
    id: "DC214",
    slug: "grace-rewritten",
    severity: Severity::Warning,
    when: When::Next,
    summary: "Live pods have another grace period than the template that they were created from, or were deleted with another one.",
    page: include_str!("../../docs/rules/DC214.md"),
    check: Check::Workload(check),
};

/// The grace period of a spec, with the API's default.
fn grace(spec: &PodSpec) -> i64 {
    spec.grace_seconds.unwrap_or(DEFAULT_SECONDS)
}

/// The template that a pod was certainly created from: that of its `ReplicaSet`, which does not change.
fn created_from<'a>(pod: &Pod, cluster: &Cluster<'a>) -> Option<&'a Workload> {
    let owner = pod.owner.as_ref()?;
    let name = ObjectName::new(&pod.name.namespace, &owner.name);
    let set = cluster.disruption.workload(&owner.kind, &name)?;
    (set.kind == WorkloadKind::ReplicaSet).then_some(set)
}

/// The pod has the containers of the template unchanged, so it is probably of this revision. Admission may have added others.
fn looks_alike(pod: &PodSpec, template: &PodSpec) -> bool {
    template.containers.iter().all(|wanted| {
        pod.containers.iter().any(|found| {
            found.name == wanted.name
                && found.image == wanted.image
                && found.command == wanted.command
                && found.args == wanted.args
                && found.lifecycle == wanted.lifecycle
        })
    })
}

fn rewritten(pods: &Pods<'_, '_>) -> Option<Finding> {
    let check = pods.check;
    let has = grace(check.spec);
    let mut found: Vec<(&Pod, &Workload, bool)> = Vec::new();
    for pod in &check.pods {
        let certain = created_from(pod, pods.cluster);
        let Some(source) = certain.or(check.workload) else {
            continue;
        };
        let template = &source.template.spec;
        let of_it = certain.is_some() || looks_alike(&pod.spec, template);
        if of_it && grace(template) != has {
            found.push((pod, source, certain.is_some()));
        }
    }
    let (_, source, certain) = *found
        .iter()
        .find(|(_, _, certain)| *certain)
        .or(found.first())?;
    found.retain(|(_, other, _)| other.kind == source.kind && other.name == source.name);
    let template = grace(&source.template.spec);
    let verb = if found.len() == 1 { "has" } else { "have" };
    let names = found.iter().map(|(pod, _, _)| &pod.name.name);
    let (severity, doubt) = match certain {
        true if has < template => (Severity::Warning, ""),
        true => (Severity::Info, ""),
        false => (
            Severity::Info,
            " Or the pods are of an earlier revision that differs in nothing else; their ReplicaSet or revision was not read.",
        ),
    };
    let difference = if has < template {
        format!(
            "{template} - {has} = {} s less",
            template.saturating_sub(has)
        )
    } else {
        format!(
            "{has} - {template} = {} s more",
            has.saturating_sub(template)
        )
    };
    Some(Finding {
        severity,
        path: Some(pods.spec_field("terminationGracePeriodSeconds").into()),
        message: format!(
            "{} {verb} a grace period of {has} s, but the template of {} {} sets {template}: {difference}.",
            words::list(names),
            source.kind.name(),
            source.name.name,
        ),
        why: format!(
            "Something changes pods while they are created: a mutating webhook, a policy that caps the grace period (such as Kyverno's mutate-large-termination-gps), or the platform itself. The kubelet uses the pod's value.{doubt}"
        ),
        help: format!(
            "Find what sets the grace period to {has} s instead of {template} (`kubectl get mutatingwebhookconfigurations`). Make preStop and the application's shutdown fit into {has} s, or exempt the workload."
        ),
        ..RULE.about_workload(pods.check)
    })
}

fn deleted_with_another(pods: &Pods<'_, '_>) -> Option<Finding> {
    let own = grace(pods.check.spec).max(1);
    let other: Vec<_> = pods
        .check
        .pods
        .iter()
        .filter(|pod| pod.deletion.is_some())
        .filter_map(|pod| Some((&pod.name.name, pod.deletion_grace_seconds?)))
        .filter(|(_, seconds)| (*seconds).max(1) != own)
        .collect();
    let shortest = other.iter().map(|(_, seconds)| *seconds).min()?;
    let names = other.iter().map(|(name, _)| *name);
    let were = if other.len() == 1 { "was" } else { "were" };
    Some(Finding {
        severity: Severity::Info,
        path: Some(pods.spec_field("terminationGracePeriodSeconds").into()),
        message: format!(
            "{} {were} deleted with a grace period of {shortest} s, but the spec sets {own}: {own} {} {} = {} s {}.",
            words::list(names),
            if shortest < own { "-" } else { "to" },
            shortest,
            own.saturating_sub(shortest).saturating_abs(),
            if shortest < own { "less" } else { "more" },
        ),
        why: "A delete may set another grace period: kubectl delete --grace-period, kubectl drain --grace-period, an eviction with options, a second delete."
            .to_owned(),
        help: format!(
            "Find the delete in the audit log, if a grace period of {shortest} s instead of {own} was not intended. Its request has gracePeriodSeconds."
        ),
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    rewritten(pods)
        .into_iter()
        .chain(deleted_with_another(pods))
        .collect()
}
