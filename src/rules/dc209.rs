//! DC209: the grace period is longer than the nodes of the pods will wait.

use std::collections::BTreeMap;

use super::pods::Pods;
use super::{Check, Finding, Rule, Severity, When, words};
use crate::sources::figures::Limit;

pub(super) static RULE: Rule = Rule {
    id: "DC209",
    slug: "grace-not-honoured",
    severity: Severity::Info,
    when: When::Next,
    summary: "The grace period is longer than the notice that spot and preemptible nodes get.",
    page: include_str!("../../docs/rules/DC209.md"),
    check: Check::Workload(check),
};

/// The time between a cloud's notice and the end of the node.
struct Notice {
    label: &'static str,
    value: &'static str,
    /// Seconds for ordinary pods, at most.
    seconds: i64,
    what: &'static str,
}

/// Sources: the clouds' pages, which the rule's page names.
const NOTICES: [Notice; 5] = [
    Notice {
        label: "cloud.google.com/gke-spot",
        value: "true",
        seconds: 15,
        what: "GKE gives a Spot VM 30 s by default, and keeps 15 s of them for critical pods",
    },
    Notice {
        label: "cloud.google.com/gke-preemptible",
        value: "true",
        seconds: 15,
        what: "GKE gives a preemptible VM 30 s by default, and keeps 15 s of them for critical pods",
    },
    Notice {
        label: "kubernetes.azure.com/scalesetpriority",
        value: "spot",
        seconds: 30,
        what: "Azure announces the eviction of a Spot VM 30 s before",
    },
    Notice {
        label: "eks.amazonaws.com/capacityType",
        value: "SPOT",
        seconds: 120,
        what: "AWS announces the interruption of a Spot instance 2 minutes before",
    },
    Notice {
        label: "karpenter.sh/capacity-type",
        value: "spot",
        seconds: 120,
        what: "AWS announces the interruption of a Spot instance 2 minutes before, other clouds less",
    },
];

fn notice(labels: &BTreeMap<String, String>) -> Option<&'static Notice> {
    NOTICES.iter().find(|notice| {
        labels
            .get(notice.label)
            .is_some_and(|is| is == notice.value)
    })
}

fn by_notice(pods: &Pods<'_, '_>) -> Vec<Finding> {
    let check = pods.check;
    let on: BTreeMap<_, _> = check
        .pods
        .iter()
        .filter_map(|pod| {
            let node = pods.cluster.index.node(pod.node.as_deref()?)?;
            Some((node.name.as_str(), notice(&node.labels)?))
        })
        .collect();
    let by_selector = notice(&check.spec.node_selector);
    let shortest = on.values().copied().min_by_key(|notice| notice.seconds);
    let Some(found) = shortest.or(by_selector) else {
        return Vec::new();
    };
    let grace = pods.grace();
    if grace <= found.seconds {
        return Vec::new();
    }
    let where_from = if on.is_empty() {
        format!(
            "nodeSelector selects nodes with {}={}",
            found.label, found.value
        )
    } else {
        let names = on
            .iter()
            .filter(|(_, notice)| notice.seconds == found.seconds)
            .map(|(name, _)| *name);
        format!(
            "pods are on {} ({}={})",
            words::list(names),
            found.label,
            found.value
        )
    };
    vec![Finding {
        severity: Severity::Info,
        path: Some(pods.spec_field("terminationGracePeriodSeconds").into()),
        message: format!(
            "The grace period is {grace} s, and {where_from}: pods get at most {} s there when the node is taken away, {grace} - {} = {} s less.",
            found.seconds,
            found.seconds,
            grace - found.seconds,
        ),
        why: format!(
            "{}. The kubelet's graceful node shutdown grants each pod the shorter of the two; without it, or without a handler of the notice, pods get no time at all.",
            found.what
        ),
        help: format!(
            "Make preStop and the shutdown fit into {} s, the node's notice, or use other nodes. Where the notice can be made longer (GKE: up to 120 s), do that.",
            found.seconds
        ),
        ..RULE.about_workload(pods.check)
    }]
}

/// Policies and autoscalers in use that wait for less than the grace period.
fn by_policy(pods: &Pods<'_, '_>) -> Vec<Finding> {
    let grace = pods.grace();
    let mut cuts: BTreeMap<&str, i64> = BTreeMap::new();
    for (_, budget) in pods.check.budgets.each() {
        for bound in &budget.bounds {
            let most = bound.at_most.whole_seconds();
            let most = most.and_then(|seconds| i64::try_from(seconds).ok());
            if let Some(most) =
                most.filter(|most| bound.limit == Limit::GracePeriod && *most < grace)
            {
                cuts.insert(bound.id, most);
            }
        }
    }
    cuts.into_iter()
        .map(|(id, most)| {
            Finding {
                severity: Severity::Info,
                path: Some(pods.spec_field("terminationGracePeriodSeconds").into()),
                message: format!(
                    "The grace period is {grace} s, and {id} waits at most {most} s, {grace} - {most} = {} s less.",
                    grace - most
                ),
                why: format!(
                    "It is in use here; its section in docs/sources.md says how it limits the time that a deleted pod gets ({id})."
                ),
                help: format!(
                    "Make preStop and the shutdown fit into {most} s, or raise that limit of {id}."
                ),
                ..RULE.about_workload(pods.check)
            }
        })
        .collect()
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    let mut all = by_notice(pods);
    all.extend(by_policy(pods));
    all
}
