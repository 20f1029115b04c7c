//! DC112: with no ready pod left, those who send do different things.

use std::collections::BTreeSet;

use super::words::list;
use super::{Check, Rule, Said, Severity};
use crate::analysis::{Cluster, ServiceCheck};
use crate::sources::Class;
use crate::sources::catalogue::{Level, WhenNoReady};

pub(super) static RULE: Rule = Rule {
    id: "DC112",
    slug: "senders-disagree",
    severity: Severity::Warning,
    summary: "No pod is ready, and one of those who send falls back to terminating ones while another sends nothing.",
    page: include_str!("../../docs/rules/DC112.md"),
    check: Check::Service(check),
};

fn check(check: &ServiceCheck<'_>, _: &Cluster<'_>) -> Vec<Said> {
    // Only while it matters: something goes to terminating pods, and nothing to ready ones.
    let Some(story) = check
        .story
        .filter(|story| story.terminating > 0 && story.ready == 0)
    else {
        return Vec::new();
    };
    let proxy = check
        .data_plane
        .as_ref()
        .map_or("kube-proxy", |plane| plane.consumer.name.as_str());
    let mut stop = BTreeSet::new();
    for used in &check.senders.in_use {
        let consumer = used.consumer;
        let own_choice = matches!(consumer.level, Level::L4 | Level::L7)
            && consumer.class != Class::Dataplane
            && consumer.class.sends();
        if own_choice && consumer.terminating.when_no_ready == WhenNoReady::None {
            stop.insert(consumer.name.as_str());
        }
    }
    if stop.is_empty() {
        return Vec::new();
    }
    vec![Said {
        severity: Severity::Warning,
        path: None,
        message: format!(
            "no pod is ready: {proxy} sends new connections to {} terminating ones, and {} sends nothing and answers with an error.",
            story.terminating,
            list(&stop)
        ),
        why: "Each of them picks endpoints by rules of its own. Falling back to terminating endpoints is kube-proxy's way (KEP-1669) and that of some others, not of all."
            .to_owned(),
        help: "Get a pod ready. What works through the Service's own address proves nothing about what comes through the other, and the other way round."
            .to_owned(),
    }]
}
