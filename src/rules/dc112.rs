//! DC112: with no ready pod left, those who send do different things.

use std::collections::BTreeSet;

use super::words::list;
use super::{Check, Finding, Rule, Severity};
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::sources::Class;
use crate::sources::catalogue::{Level, WhenNoReady};

pub(super) static RULE: Rule = Rule {
    id: "DC112",
    slug: "sources-disagree",
    severity: Severity::Warning,
    summary: "No pod is ready; one traffic source falls back to terminating pods while another one sends nothing.",
    page: include_str!("../../docs/rules/DC112.md"),
    check: Check::Service(check),
};

fn check(check: &ServiceAnalysis<'_>, _: &Cluster<'_>) -> Vec<Finding> {
    // Only while it matters: something goes to terminating pods, and nothing to ready ones.
    let Some(traffic) = check
        .traffic
        .filter(|traffic| traffic.terminating > 0 && traffic.ready == 0)
    else {
        return Vec::new();
    };
    let proxy = check
        .data_plane
        .as_ref()
        .map_or("kube-proxy", |plane| plane.source.name.as_str());
    let mut stop = BTreeSet::new();
    for used in &check.sources.in_use {
        let source = used.source;
        let own_choice = matches!(source.level, Level::L4 | Level::L7)
            && source.class != Class::Dataplane
            && source.class.sends();
        if own_choice && source.terminating.when_no_ready == WhenNoReady::None {
            stop.insert(source.name.as_str());
        }
    }
    if stop.is_empty() {
        return Vec::new();
    }
    vec![Finding {
        severity: Severity::Warning,
        path: None,
        message: format!(
            "no pod is ready: {proxy} sends new connections to {} terminating ones, and {} sends nothing and answers with an error.",
            traffic.terminating,
            list(&stop)
        ),
        why: "Each of them picks endpoints by rules of its own. Falling back to terminating endpoints is kube-proxy's way (KEP-1669) and that of some others, not of all."
            .to_owned(),
        help: "Get a pod ready. What works through the Service's own address proves nothing about what comes through the other, and the other way round."
            .to_owned(),
        ..RULE.about(check.service)
    }]
}
