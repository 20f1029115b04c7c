//! DC114: a node's kernel does not do what its kube-proxy should have told it.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use super::words::{clock, count, list};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::node_rules::{Age, Difference, Kind, NodeAnswers};
use crate::analysis::{Cluster, ServiceAnalysis};

pub(super) static RULE: Rule = Rule {
    id: "DC114",
    slug: "proxy-stale",
    severity: Severity::Error,
    when: When::Now,
    summary: "A node's kernel sends new connections to what is no endpoint any more, or lacks endpoints (only with --node-rules).",
    page: include_str!("../../docs/rules/DC114.md"),
    check: Check::Service(check),
};

fn check(check: &ServiceAnalysis<'_>, _: &Cluster<'_>) -> Vec<Finding> {
    let answers = check.node_rules.iter();
    answers
        .filter_map(|answers| finding(check, answers))
        .collect()
}

/// At most so many addresses in a sentence.
const NAMED: usize = 4;

fn named(endpoints: &BTreeSet<&SocketAddr>) -> String {
    let first = endpoints.iter().take(NAMED).map(ToString::to_string);
    let more = endpoints.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("{more} more"));
    list(first.chain(more))
}

/// The slices that list some of these endpoints.
fn listed_by(check: &ServiceAnalysis<'_>, endpoints: &BTreeSet<&SocketAddr>) -> String {
    let these: BTreeSet<String> = endpoints.iter().map(|each| each.ip().to_string()).collect();
    let views = check.endpoints.iter();
    let views = views.filter(|view| these.contains(view.address));
    let slices: BTreeSet<&str> = views.flat_map(|view| view.slices.iter().copied()).collect();
    if slices.is_empty() {
        String::new()
    } else {
        format!(" (in slice {})", list(&slices))
    }
}

fn finding(check: &ServiceAnalysis<'_>, answers: &NodeAnswers) -> Option<Finding> {
    let all = &answers.differences;
    let understood = || all.iter().filter(|each| each.kind != Kind::NotUnderstood);
    understood().next()?;
    let gone: BTreeSet<_> = understood().flat_map(|each| &each.gone).collect();
    let unused: BTreeSet<_> = understood()
        .flat_map(Difference::extra)
        .filter(|endpoint| !gone.contains(endpoint))
        .collect();
    let lacks: BTreeSet<_> = understood()
        .filter(|each| each.kind != Kind::Different)
        .flat_map(Difference::lacks)
        .collect();
    let others = understood().filter(|each| each.kind == Kind::Different);
    let others = others.count();
    let mut parts = Vec::new();
    if !gone.is_empty() {
        parts.push(format!(
            "sends new connections to {}, in no slice of the Service any more",
            named(&gone)
        ));
    }
    if !unused.is_empty() {
        parts.push(format!(
            "sends new connections to {}, which should get none",
            named(&unused)
        ));
    }
    if !lacks.is_empty() {
        parts.push(format!(
            "does not send to {}{}",
            named(&lacks),
            listed_by(check, &lacks)
        ));
    }
    if others > 0 {
        parts.push(format!(
            "refuses, drops or lets pass what it should not in {}",
            count(others, "decision")
        ));
    }
    let twice = understood().all(|each| each.twice);
    let (severity, since) = match answers.age {
        _ if twice => (Severity::Error, "Two dumps show it.".to_owned()),
        Age::Settled(last) => (
            Severity::Error,
            format!("The slices have said otherwise since {}.", clock(last)),
        ),
        Age::InFlight(last) => (
            Severity::Info,
            format!(
                "The slices changed at {}, less than the {} before that a sync may take: it may be in flight.",
                clock(last),
                answers.sync.words()
            ),
        ),
        Age::NotKnown => (
            Severity::Warning,
            "When the slices changed is not known, so a sync may have been under way.".to_owned(),
        ),
    };
    // Where nobody is sent astray, fewer endpoints than there are still serve.
    let severity = if gone.is_empty() {
        severity.min(Severity::Warning)
    } else {
        severity
    };
    Some(Finding {
        severity,
        path: None,
        message: format!(
            "node {} {}. {since}",
            answers.node,
            list(&parts),
        ),
        why: "The node's own rules are what new connections follow. A kube-proxy that is stuck or cannot write leaves them as they were, and nothing in the API shows it."
            .to_owned(),
        help: match severity {
            Severity::Info => format!(
                "Dump the node's rules again after {}, and give both files: what both show is stuck.",
                answers.sync.words()
            ),
            _ => format!(
                "Restart the kube-proxy of {} if its log shows failing syncs: the node {}. kubeproxy_sync_proxy_rules_last_timestamp_seconds shows when it synced last; a second dump, given besides, whether it lasts.",
                answers.node,
                list(&parts),
            ),
        },
        ..RULE.about(check.service)
    })
}
