//! DC208: a grace of nothing.

use serde_json::json;

use super::pods::Pods;
use super::{Check, Doubt, Finding, Rule, Severity};
use crate::gates::kubelet::ZeroGrace;
use crate::shutdown::{ContainerKind, Reason, Span};

pub(super) static RULE: Rule = Rule {
    id: "DC208",
    slug: "grace-zero",
    severity: Severity::Error,
    summary: "terminationGracePeriodSeconds is 0 or 1: every delete leaves about two seconds between SIGTERM and SIGKILL.",
    page: include_str!("../../docs/rules/DC208.md"),
    check: Check::Workload(check),
};

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    let Some(said) = pods
        .check
        .spec
        .grace_seconds
        .filter(|seconds| *seconds <= 1)
    else {
        return Vec::new();
    };
    let mains = || {
        pods.check
            .shutdown
            .containers
            .iter()
            .filter(|end| end.kind == ContainerKind::Main)
    };
    let signal = mains().map(|end| end.sigterm_at).reduce(Span::or_later);
    let kill = mains().map(|end| end.sigkill_at).reduce(Span::or_later);
    let (Some(signal), Some(kill)) = (signal, kill) else {
        return Vec::new();
    };
    let why = match (said, pods.kubelet().zero_grace) {
        (0, ZeroGrace::Zero) => {
            "This kubelet takes it as written: preStop is not run, and two seconds lie between the SIGTERM and the kill."
        }
        // The pod's own grace is 0 as well.
        (0, ZeroGrace::NotSet | ZeroGrace::One) => Reason::ZeroIsOne.sentence(),
        (..0, _) if pods.kubelet().negative_is_one => Reason::NegativeIsOne.sentence(),
        _ => "The grace is what preStop, the SIGTERM and the application's own end share.",
    };
    let object = if said == 0 {
        " The API server removes the object at once, as with a forced delete: endpoints go before the containers do, and a StatefulSet may start the next pod of the same name beside the old one."
    } else {
        ""
    };
    let hook = mains().find(|end| end.pre_stop.is_some()).map(|end| {
        let takes = end
            .pre_stop
            .as_ref()
            .map_or_else(String::new, |hook| hook.takes.to_string());
        format!(" preStop of container {} ({takes}) does not fit.", end.name)
    });
    let stateful = pods.check.owner.kind == "StatefulSet";
    vec![Finding {
        severity: Severity::Error,
        path: Some(pods.spec_field("terminationGracePeriodSeconds").into()),
        message: format!(
            "The grace (terminationGracePeriodSeconds) is {said}: the SIGTERM comes at {signal} and the kill at {kill} after the delete ({}).{}",
            pods.kubelet_words(),
            hook.unwrap_or_default(),
        ),
        why: format!("{why}{object}"),
        help: format!(
            "Say how long the application needs: preStop plus its own end plus some seconds; 30 is the API's default.{} To be rid of one pod at once, use kubectl delete --grace-period instead.",
            if stateful {
                " A StatefulSet counts on a pod being gone before it makes the next one."
            } else {
                ""
            },
        ),
        // 30 is the API's default, and nobody said that it suffices.
        patch: pods
            .patch(json!({"terminationGracePeriodSeconds": 30}))
            .map(|patch| patch.unless(true, Doubt::ApplicationTime)),
        ..RULE.about_workload(pods.check)
    }]
}
