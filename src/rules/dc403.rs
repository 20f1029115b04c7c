//! DC403: another data plane routes instead of kube-proxy.

use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::data_plane::Selects;
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::sources::catalogue::Confidence;

pub(super) static RULE: Rule = Rule {
    id: "DC403",
    slug: "other-dataplane",
    severity: Severity::Info,
    when: When::Now,
    summary: "Another data plane routes instead of kube-proxy; says which one, and what it does.",
    page: include_str!("../../docs/rules/DC403.md"),
    check: Check::Service(check),
};

/// The id of what some data planes run under another name.
const KUBE_PROXY: &str = "kube-proxy";

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
    let does = match plane.selects {
        Selects::FallsBack => {
            "When no endpoint is ready, it sends new connections to terminating ones that still serve."
        }
        Selects::Ready => "It never sends new connections to terminating endpoints.",
        Selects::Serving => {
            "It sends new connections to every endpoint that is ready or still serves, terminating or not; when none is ready, to terminating ones that still serve."
        }
        Selects::NotKnown => {
            "What it does with terminating endpoints is not known, so no verdict is given."
        }
    };
    let source = plane.source;
    let certainty = source.confidence.words();
    let why = match plane.release {
        _ if source.alias_of.as_deref() == Some(KUBE_PROXY) => {
            format!("These rules are {certainty}: {}.", source.versions)
        }
        Some(release) => format!(
            "These rules are {certainty}; its release is {release}, by the image of its agent."
        ),
        None => format!(
            "These rules are {certainty}; its release is not known, so those of {} are assumed.",
            source.versions
        ),
    };
    // What somebody deduced is not said as if it had been seen.
    let deduced = match source.confidence {
        Confidence::A => " That is deduced.",
        Confidence::Unverified => " That is not verified.",
        _ => "",
    };
    vec![Finding {
        severity: Severity::Info,
        path: None,
        message: format!(
            "{} routes this Service instead of kube-proxy{detected}. {does}{deduced}",
            plane.named()
        ),
        why,
        help: plane.source.advice.clone().unwrap_or_else(|| {
            "Set --proxy-mode if kube-proxy routes this Service after all. Otherwise there is nothing to do."
                .to_owned()
        }),
        ..RULE.about(check.service)
    }]
}
