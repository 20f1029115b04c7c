//! DC112: no pod is ready, and the traffic sources do different things.

use std::collections::BTreeSet;

use super::words::{count, list};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::sources::Class;
use crate::sources::catalogue::{Level, WhenNoReady};

pub(super) static RULE: Rule = Rule {
    id: "DC112",
    slug: "sources-disagree",
    severity: Severity::Warning,
    when: When::Now,
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
        if own_choice && source.terminating.of(used.release).1 == WhenNoReady::None {
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
            "no pod is ready: {proxy} sends new connections to {}, while {} {} an error.",
            count(traffic.terminating, "terminating pod"),
            list(&stop),
            if stop.len() == 1 { "sends none and answers with" } else { "send none and answer with" }
        ),
        why: "Each traffic source picks endpoints by its own rules. kube-proxy (KEP-1669) and some others fall back to terminating endpoints; not all do."
            .to_owned(),
        help: format!(
            "Get a pod Ready: until then {} with an error. A test through the Service's own address says nothing about other traffic sources, and the other way round.",
            match stop.first() {
                Some(only) if stop.len() == 1 => format!("{only} answers"),
                _ => format!("{} traffic sources answer", stop.len()),
            }
        ),
        ..RULE.about(check.service)
    }]
}
