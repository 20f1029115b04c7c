//! core/v1 Node → facts.

use std::net::IpAddr;

use super::common::time;
use super::parts;
use crate::facts::node::{Node, NodeReady, ReadyStatus, Taint};
use crate::facts::resources::{Allocatable, quantity};

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
    let allocatable = status.allocatable.unwrap_or_default();
    let read = |text: &Option<String>, parts| quantity(text.as_deref()?, parts);
    let allocatable = Allocatable {
        cpu: read(&allocatable.cpu, 1000.0),
        memory: read(&allocatable.memory, 1.0),
        pods: read(&allocatable.pods, 1.0),
    };
    let pod_cidrs = spec
        .pod_cidrs
        .unwrap_or_else(|| spec.pod_cidr.into_iter().collect());
    let written = status.addresses.unwrap_or_default();
    let addresses = |kind: &str| -> Vec<IpAddr> {
        let these = written.iter().filter(|address| address.type_ == kind);
        these
            .filter_map(|these| these.address.parse().ok())
            .collect()
    };
    Node {
        name: object.metadata.name.unwrap_or_default(),
        windows: info
            .as_ref()
            .is_some_and(|info| info.operating_system == "windows")
            || labels
                .get("kubernetes.io/os")
                .is_some_and(|os| os == "windows"),
        kubelet: info.and_then(|info| info.kubelet_version.parse().ok()),
        pod_cidrs: pod_cidrs
            .iter()
            .filter_map(|cidr| cidr.parse().ok())
            .collect(),
        addresses: [addresses("InternalIP"), addresses("ExternalIP")].concat(),
        labels,
        ready,
        allocatable,
        taints: spec
            .taints
            .unwrap_or_default()
            .into_iter()
            .map(|taint| Taint {
                key: taint.key,
                value: taint.value,
                effect: taint.effect,
            })
            .collect(),
    }
}
