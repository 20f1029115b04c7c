//! core/v1 Pod → facts.

use k8s_openapi::api::core::v1 as core;

use super::{ips, name, port_number, protocol, time};
use crate::facts::pod::{
    Condition, Container, ContainerPort, ContainerState, ContainerStatus, Phase, Pod, RestartPolicy,
};

fn container(container: core::Container) -> Container {
    Container {
        name: container.name,
        restarts_always: container.restart_policy.as_deref() == Some("Always"),
        ports: container
            .ports
            .unwrap_or_default()
            .into_iter()
            .filter_map(|port| {
                Some(ContainerPort {
                    name: port.name.unwrap_or_default(),
                    number: port_number(port.container_port)?,
                    protocol: protocol(port.protocol.as_deref()),
                })
            })
            .collect(),
    }
}

fn container_status(status: core::ContainerStatus) -> ContainerStatus {
    let state = status.state.unwrap_or_default();
    ContainerStatus {
        name: status.name,
        ready: status.ready,
        started: status.started.unwrap_or(false),
        state: match (state.waiting, state.running, state.terminated) {
            (Some(waiting), _, _) => ContainerState::Waiting(waiting.reason.unwrap_or_default()),
            (_, Some(_), _) => ContainerState::Running,
            (_, _, Some(ended)) => ContainerState::Terminated {
                exit_code: ended.exit_code,
                signal: ended.signal.unwrap_or(0),
                reason: ended.reason.unwrap_or_default(),
            },
            (None, None, None) => ContainerState::Unsaid,
        },
    }
}

/// A v1 Pod.
#[must_use]
pub fn pod(object: core::Pod) -> Pod {
    let meta = object.metadata;
    let spec = object.spec.unwrap_or_default();
    let status = object.status.unwrap_or_default();
    let statuses = |list: Option<Vec<core::ContainerStatus>>| {
        list.unwrap_or_default()
            .into_iter()
            .map(container_status)
            .collect()
    };
    Pod {
        name: name(&meta),
        uid: meta.uid,
        labels: meta.labels.unwrap_or_default(),
        created: meta.creation_timestamp.as_ref().and_then(time),
        deletion: meta.deletion_timestamp.as_ref().and_then(time),
        deletion_grace_seconds: meta.deletion_grace_period_seconds,
        finalizers: meta.finalizers.unwrap_or_default(),
        node: spec.node_name.filter(|node| !node.is_empty()),
        restart_policy: match spec.restart_policy.as_deref() {
            Some("Never") => RestartPolicy::Never,
            Some("OnFailure") => RestartPolicy::OnFailure,
            _ => RestartPolicy::Always,
        },
        containers: spec.containers.into_iter().map(container).collect(),
        init_containers: spec
            .init_containers
            .unwrap_or_default()
            .into_iter()
            .map(container)
            .collect(),
        phase: match status.phase.as_deref() {
            Some("Running") => Phase::Running,
            Some("Succeeded") => Phase::Succeeded,
            Some("Failed") => Phase::Failed,
            Some("Unknown") => Phase::Unknown,
            _ => Phase::Pending,
        },
        reason: status.reason.unwrap_or_default(),
        ips: match status.pod_ips.filter(|ips| !ips.is_empty()) {
            Some(list) => ips(list.iter().map(|ip| &ip.ip)),
            None => ips(&status.pod_ip),
        },
        conditions: status
            .conditions
            .unwrap_or_default()
            .into_iter()
            .map(|condition| Condition {
                is_true: condition.status == "True",
                reason: condition.reason.unwrap_or_default(),
                changed: condition.last_transition_time.as_ref().and_then(time),
                kind: condition.type_,
            })
            .collect(),
        statuses: statuses(status.container_statuses),
        init_statuses: statuses(status.init_container_statuses),
    }
}
