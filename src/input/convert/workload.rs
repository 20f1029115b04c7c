//! apps/v1 Deployment, StatefulSet, DaemonSet and ReplicaSet → facts.

use k8s_openapi::api::apps::v1 as apps;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::name;
use crate::facts::workload::{Workload, WorkloadKind};

fn workload(kind: WorkloadKind, meta: &ObjectMeta, template: Option<PodTemplateSpec>) -> Workload {
    Workload {
        kind,
        name: name(meta),
        pod_labels: template
            .and_then(|template| template.metadata)
            .and_then(|meta| meta.labels)
            .unwrap_or_default(),
    }
}

/// An apps/v1 Deployment.
#[must_use]
pub fn deployment(object: apps::Deployment) -> Workload {
    let template = Some(object.spec.template);
    workload(WorkloadKind::Deployment, &object.metadata, template)
}

/// An apps/v1 `StatefulSet`.
#[must_use]
pub fn stateful_set(object: apps::StatefulSet) -> Workload {
    let template = Some(object.spec.template);
    workload(WorkloadKind::StatefulSet, &object.metadata, template)
}

/// An apps/v1 `DaemonSet`.
#[must_use]
pub fn daemon_set(object: apps::DaemonSet) -> Workload {
    let template = Some(object.spec.template);
    workload(WorkloadKind::DaemonSet, &object.metadata, template)
}

/// An apps/v1 `ReplicaSet`.
#[must_use]
pub fn replica_set(object: apps::ReplicaSet) -> Workload {
    let template = object.spec.template;
    workload(WorkloadKind::ReplicaSet, &object.metadata, template)
}
