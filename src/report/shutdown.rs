//! How a workload's pods end → the report's shape.

use super::{sources, v1};
use crate::analysis::WorkloadAnalysis;
use crate::facts::ObjectName;
use crate::facts::pod_spec::Handler;
use crate::shutdown::{ContainerEnd, ContainerKind, PreStop, Span};

const fn seconds(millis: i64) -> v1::Seconds {
    v1::Seconds { millis }
}

const fn span(span: Span) -> v1::Span {
    v1::Span {
        min: seconds(span.min()),
        max: seconds(span.max()),
    }
}

const fn handler(handler: &Handler) -> &'static str {
    match handler {
        Handler::Exec(_) => "exec",
        Handler::HttpGet(_) => "httpGet",
        Handler::TcpSocket => "tcpSocket",
        Handler::Sleep(_) => "sleep",
        Handler::Injected(_) => "injected",
        Handler::Empty => "none",
    }
}

fn pre_stop(hook: &PreStop) -> v1::PreStop {
    let endless = |millis: i64| (millis != i64::MAX).then_some(seconds(millis));
    v1::PreStop {
        handler: handler(&hook.handler),
        seconds: v1::Takes {
            min: endless(hook.takes.min()),
            max: endless(hook.takes.max()),
        },
        delays: hook.delays,
    }
}

fn container(end: &ContainerEnd) -> v1::Container {
    v1::Container {
        name: end.name.clone(),
        kind: end.kind.id(),
        pre_stop: end.pre_stop.as_ref().map(pre_stop),
        sigterm_at: span(end.sigterm_at),
        sigkill_at: span(end.sigkill_at),
        ended_at: span(end.ended_at),
        reasons: end
            .reasons
            .iter()
            .map(|(moment, reason)| v1::Reason {
                at: moment.id(),
                reason: reason.id(),
                text: reason.sentence(),
            })
            .collect(),
    }
}

/// Main containers first, then sidecars in the order in which they stop, then the others.
fn order(end: &ContainerEnd) -> (u8, i64) {
    match end.kind {
        ContainerKind::Main => (0, 0),
        ContainerKind::Sidecar => (1, end.sigterm_at.max()),
        ContainerKind::Init => (2, 0),
        ContainerKind::Ephemeral => (3, 0),
    }
}

/// How the pods of one workload behind a Service end.
pub(super) fn shutdown(check: &WorkloadAnalysis<'_>, service: &ObjectName) -> v1::Shutdown {
    let ends = &check.shutdown;
    let mut containers: Vec<_> = ends.containers.iter().collect();
    containers.sort_by_key(|end| order(end));
    let known = check.kubelet_is_known();
    v1::Shutdown {
        workload: v1::Owner {
            kind: check.owner.kind.clone(),
            name: check.owner.name.name.clone(),
        },
        pods: check.pods.len(),
        kubelet: known.then(|| check.kubelet.to_string()),
        grace_seconds: v1::Seconds::whole(ends.grace.seconds),
        grace_period_reasons: ends
            .grace
            .reasons
            .iter()
            .map(|reason| v1::Reason {
                at: "graceSeconds",
                reason: reason.id(),
                text: reason.sentence(),
            })
            .collect(),
        containers: containers.into_iter().map(container).collect(),
        ends_by_seconds: seconds(ends.ends_by.max()),
        budget: check.budget_for(service).map(sources::budget),
    }
}
