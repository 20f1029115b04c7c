//! DC214: the pods' grace is not the one that their template says.

use super::pods::Pods;
use super::{Check, Finding, Rule, Severity, words};
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
    summary: "Live pods have another grace period than the template that they were created from, or were deleted with another one.",
    page: include_str!("../../docs/rules/DC214.md"),
    check: Check::Workload(check),
};

/// The grace of a spec, with the API's default.
fn grace(spec: &PodSpec) -> i64 {
    spec.grace_seconds.unwrap_or(DEFAULT_SECONDS)
}

/// The template that a pod was made from, for certain: a `ReplicaSet`'s own, which stays as it is from one revision to the next.
fn made_from<'a>(pod: &Pod, cluster: &Cluster<'a>) -> Option<&'a Workload> {
    let owner = pod.owner.as_ref()?;
    let name = ObjectName::new(&pod.name.namespace, &owner.name);
    let set = cluster.disruption.workload(&owner.kind, &name)?;
    (set.kind == WorkloadKind::ReplicaSet).then_some(set)
}

/// The containers of a template are in the pod as they were written, so that the pod may well be of this revision. Admission may
/// have added others.
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
        let certain = made_from(pod, pods.cluster);
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
    let said = grace(&source.template.spec);
    let noun = if found.len() == 1 { "has" } else { "have" };
    let names = found.iter().map(|(pod, _, _)| &pod.name.name);
    let (severity, doubt) = match certain {
        true if has < said => (Severity::Warning, ""),
        true => (Severity::Info, ""),
        false => (
            Severity::Info,
            " Or the pods are of an earlier revision that differed in nothing else; their ReplicaSet or revision was not read.",
        ),
    };
    let less = if has < said {
        format!("{said} - {has} = {} s less", said.saturating_sub(has))
    } else {
        format!("{has} - {said} = {} s more", has.saturating_sub(said))
    };
    Some(Finding {
        severity,
        path: Some(pods.spec_field("terminationGracePeriodSeconds").into()),
        message: format!(
            "{} {noun} a grace of {has} s, and the template of {} {} says {said}: {less}.",
            words::list(names),
            source.kind.name(),
            source.name.name,
        ),
        why: format!(
            "Something changes pods while they are created: a mutating webhook, a policy that caps the grace (such as Kyverno's mutate-large-termination-gps), or the platform itself. The kubelet goes by the pod.{doubt}"
        ),
        help: format!(
            "Look for what rewrites it (kubectl get mutatingwebhookconfigurations), and make preStop and the application's own end fit into {has} s, or have the workload excepted."
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
            "{} {were} deleted with a grace of {shortest} s where the spec says {own}: {own} {} {} = {} s {}.",
            words::list(names),
            if shortest < own { "-" } else { "to" },
            shortest,
            own.saturating_sub(shortest).saturating_abs(),
            if shortest < own { "less" } else { "more" },
        ),
        why: "Whoever deletes a pod may name another grace: kubectl delete --grace-period, a drain's --grace-period, an eviction with options, a second delete."
            .to_owned(),
        help: "Nothing, if it was meant. Otherwise look in the audit log for who deleted it (its request has gracePeriodSeconds)."
            .to_owned(),
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    rewritten(pods)
        .into_iter()
        .chain(deleted_with_another(pods))
        .collect()
}
