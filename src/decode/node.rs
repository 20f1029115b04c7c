//! core/v1 Node → facts.

use super::common::time;
use super::parts;
use crate::facts::node::{Node, NodeReady, ReadyStatus, Taint};
use crate::facts::service::Family;

/// A v1 Node.
#[must_use]
pub fn node(object: parts::Node) -> Node {
    let spec = object.spec.unwrap_or_default();
    let labels = object.metadata.labels.unwrap_or_default();
    let status = object.status.unwrap_or_default();
    let info = status.node_info;
    let ready = status
        .conditions
        .unwrap_or_default()
        .into_iter()
        .find(|condition| condition.type_ == "Ready")
        .map(|condition| NodeReady {
            status: match condition.status.as_str() {
                "True" => ReadyStatus::True,
                "False" => ReadyStatus::False,
                _ => ReadyStatus::Unknown,
            },
            reason: condition.reason.unwrap_or_default(),
            changed: condition.last_transition_time.as_ref().and_then(time),
        });
    let mut families: Vec<Family> = spec
        .pod_cidrs
        .unwrap_or_else(|| spec.pod_cidr.into_iter().collect())
        .iter()
        .filter_map(|cidr| cidr.split('/').next()?.parse().ok())
        .map(Family::of)
        .collect();
    families.sort_unstable();
    families.dedup();
    Node {
        name: object.metadata.name.unwrap_or_default(),
        windows: info
            .as_ref()
            .is_some_and(|info| info.operating_system == "windows")
            || labels
                .get("kubernetes.io/os")
                .is_some_and(|os| os == "windows"),
        kubelet: info.and_then(|info| info.kubelet_version.parse().ok()),
        pod_cidr_families: families,
        labels,
        ready,
        taints: spec
            .taints
            .unwrap_or_default()
            .into_iter()
            .map(|taint| Taint {
                key: taint.key,
                effect: taint.effect,
            })
            .collect(),
    }
}
