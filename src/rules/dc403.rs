//! DC403: another data plane routes instead of kube-proxy.

use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};

pub(super) static RULE: Rule = Rule {
    id: "DC403",
    slug: "other-dataplane",
    severity: Severity::Info,
    when: When::Now,
    summary: "Another data plane routes instead of kube-proxy; says which one, and what it does.",
    page: include_str!("../../docs/rules/DC403.md"),
    check: Check::Service(check),
};

fn check(check: &ServiceAnalysis<'_>, _: &Cluster<'_>) -> Vec<Finding> {
    let Some(plane) = &check.data_plane else {
        return Vec::new();
    };
    let detected = plane.evidence.first().map_or_else(String::new, |evidence| {
        let field = evidence
            .field
            .as_ref()
            .map_or_else(String::new, |field| format!(", {field}"));
        format!(" (detected by {}{field})", evidence.object)
    });
    let does = match plane.falls_back {
        Some(true) => {
            "When no endpoint is ready, it sends new connections to terminating ones that still serve."
        }
        Some(false) => "It never sends new connections to terminating endpoints.",
        None => {
            "What it does with terminating endpoints does not follow from their conditions alone, so no verdict is given."
        }
    };
    vec![Finding {
        severity: Severity::Info,
        path: None,
        message: format!(
            "{} routes this Service instead of kube-proxy{detected}. {does}",
            plane.source.name
        ),
        why: format!(
            "These rules are {}; its version is not read, so those of {} are assumed.",
            plane.source.confidence.words(),
            plane.source.versions
        ),
        help: plane.source.advice.clone().unwrap_or_else(|| {
            "Set --proxy-mode if kube-proxy routes this Service after all. Otherwise there is nothing to do."
                .to_owned()
        }),
        ..RULE.about(check.service)
    }]
}
