//! core/v1 Pod → facts.

use std::sync::Arc;

use super::common::{conditions, ips, name, owner, time};
use super::parts;
use super::pod_spec::pod_spec;
use crate::facts::pod::{ContainerState, ContainerStatus, Exit, Phase, Pod};

fn container_status(status: parts::ContainerStatus) -> ContainerStatus {
    let state = status.state.unwrap_or_default();
    let waiting = state.waiting.as_ref();
    let said = waiting.and_then(|waiting| waiting.message.clone());
    let last = status.last_state.and_then(|last| last.terminated);
    ContainerStatus {
        name: status.name,
        ready: status.ready,
        started: status.started.unwrap_or(false),
        waiting_message: said.unwrap_or_default(),
        last_exit: last.map(|last| Exit {
            code: last.exit_code,
            signal: last.signal.unwrap_or(0),
            reason: last.reason.unwrap_or_default(),
        }),
        restarts: status.restart_count.unwrap_or(0),
        state: match (state.waiting, state.running, state.terminated) {
            (Some(waiting), _, _) => ContainerState::Waiting(waiting.reason.unwrap_or_default()),
            (_, Some(_), _) => ContainerState::Running,
            (_, _, Some(ended)) => ContainerState::Terminated {
                exit_code: ended.exit_code,
                signal: ended.signal.unwrap_or(0),
                reason: ended.reason.unwrap_or_default(),
                finished: ended.finished_at.as_ref().and_then(time),
            },
            (None, None, None) => ContainerState::Unsaid,
        },
    }
}

/// A v1 Pod.
#[must_use]
pub fn pod(object: parts::Pod) -> Pod {
    let meta = object.metadata;
    let mut spec = object.spec.unwrap_or_default();
    let status = object.status.unwrap_or_default();
    let statuses = |list: Option<Vec<parts::ContainerStatus>>| {
        list.unwrap_or_default()
            .into_iter()
            .map(container_status)
            .collect()
    };
    Pod {
        name: name(&meta),
        owner: owner(&meta),
        uid: meta.uid,
        labels: meta.labels.unwrap_or_default(),
        annotations: meta.annotations.unwrap_or_default(),
        created: meta.creation_timestamp.as_ref().and_then(time),
        deletion: meta.deletion_timestamp.as_ref().and_then(time),
        deletion_grace_seconds: meta.deletion_grace_period_seconds,
        finalizers: meta.finalizers.unwrap_or_default(),
        node: spec.node_name.take().filter(|node| !node.is_empty()),
        spec: Arc::new(pod_spec(spec)),
        phase: match status.phase.as_deref() {
            Some("Running") => Phase::Running,
            Some("Succeeded") => Phase::Succeeded,
            Some("Failed") => Phase::Failed,
            Some("Unknown") => Phase::Unknown,
            _ => Phase::Pending,
        },
        reason: status.reason.unwrap_or_default(),
        message: status.message.unwrap_or_default(),
        ips: match status.pod_ips.filter(|ips| !ips.is_empty()) {
            Some(list) => ips(list.iter().map(|ip| &ip.ip)),
            None => ips(&status.pod_ip),
        },
        conditions: conditions(status.conditions),
        statuses: statuses(status.container_statuses),
        init_statuses: statuses(status.init_container_statuses),
        ephemeral_statuses: statuses(status.ephemeral_container_statuses),
    }
}
