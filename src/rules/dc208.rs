//! DC208: a grace period of 0 or 1 second.

use serde_json::json;

use super::pods::Pods;
use super::weight;
use super::{Check, Doubt, Finding, Rule, Severity, When};
use crate::analysis::asked::Asked;
use crate::analysis::programs::Program;
use crate::analysis::successor::stays_on_node;
use crate::facts::service::ServiceType;
use crate::gates::kubelet::ZeroGrace;
use crate::shutdown::{ContainerKind, Reason, Span};

pub(super) static RULE: Rule = Rule {
    id: "DC208",
    slug: "grace-zero",
    severity: Severity::Error,
    when: When::Next,
    summary: "terminationGracePeriodSeconds is 0 or 1: every delete leaves about two seconds between SIGTERM and SIGKILL.",
    page: include_str!("../../docs/rules/DC208.md"),
    check: Check::AnyWorkload(check),
};

/// Requests fail where a Service leads to the pods. Without one it is data and work that is cut; a `DaemonSet` may want its pods gone
/// quickly, as no other pod is on the node meanwhile, and a Job and a controller do their work again. The same holds of a `DaemonSet` whose
/// clients are on its node, and of programs whose clients come back by themselves.
fn severity(pods: &Pods<'_, '_>) -> Severity {
    let kind = pods.check.owner.kind.as_str();
    let mut services = pods.check.services.iter();
    let led_to = services.any(|service| service.kind != ServiceType::ExternalName);
    let mut mains = pods.check.spec.containers.iter();
    let mut serves = pods.check.serves.iter();
    let controls = mains.all(|main| Program::of(main) == Some(Program::Controls))
        && serves.clone().all(|each| each.asked() == Asked::Nobody);
    let does_it_again = pods.run_to_completion() || controls;
    let alone = serves.len() > 0 && serves.all(|each| stays_on_node(pods.check, &each.services));
    if pods.are_of_a_job() || weight::serve_nothing(pods) || weight::come_back(pods) || alone {
        Severity::Info
    } else if led_to && !pods.check.is_only_scraped() && !controls {
        if weight::may_listen_nowhere(pods) {
            Severity::Warning
        } else {
            Severity::Error
        }
    } else if kind == "DaemonSet" || does_it_again {
        Severity::Info
    } else {
        Severity::Warning
    }
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    let Some(grace) = pods
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
    let sigterm_at = mains().map(|end| end.sigterm_at).reduce(Span::or_later);
    let sigkill_at = mains().map(|end| end.sigkill_at).reduce(Span::or_later);
    let (Some(sigterm_at), Some(sigkill_at)) = (sigterm_at, sigkill_at) else {
        return Vec::new();
    };
    let why = match (grace, pods.kubelet().zero_grace) {
        (0, ZeroGrace::Zero) => {
            "This kubelet takes it literally: it skips preStop and sends SIGKILL two seconds after SIGTERM."
        }
        // The pod's own grace period is 0 as well.
        (0, ZeroGrace::NotSet | ZeroGrace::One) => Reason::ZeroIsOne.sentence(),
        (..0, _) if pods.kubelet().negative_is_one => Reason::NegativeIsOne.sentence(),
        _ => "preStop and the application's shutdown after SIGTERM share the grace period.",
    };
    let object = if grace == 0 {
        " The API server removes the object at once, as with a forced delete: endpoints disappear before the containers have stopped, and a StatefulSet may start a new pod of the same name beside the old one."
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
    let severity = severity(pods);
    let stateful = pods.check.owner.kind == "StatefulSet";
    vec![Finding {
        severity,
        path: Some(pods.spec_field("terminationGracePeriodSeconds").into()),
        message: format!(
            "The grace period (terminationGracePeriodSeconds) is {grace}: SIGTERM comes {sigterm_at} and SIGKILL {sigkill_at} after the delete ({}).{}",
            pods.kubelet_words(),
            hook.unwrap_or_default(),
        ),
        why: format!("{why}{object}"),
        help: format!(
            "Set terminationGracePeriodSeconds to preStop + shutdown + some seconds (the default is 30): it is {grace}.{} To delete one pod immediately, use kubectl delete --grace-period instead.",
            if stateful {
                " A StatefulSet relies on a pod being gone before it creates the next one."
            } else {
                ""
            },
        ),
        // 30 is the API's default; whether it is enough is not known.
        patch: (severity > Severity::Info)
            .then(|| pods.patch(json!({"terminationGracePeriodSeconds": 30})))
            .flatten()
            .map(|patch| patch.unless(true, Doubt::ApplicationTime)),
        ..RULE.about_workload(pods.check)
    }]
}
