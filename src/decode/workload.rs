//! The kinds of apps/v1, Job, `CronJob` and whatever else has a pod template → facts.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use super::{amount, name, owner, parts, placement, pod_spec};
use crate::facts::workload::{Kind, PodTemplate, Strategy, Workload, WorkloadKind};

/// How the names of annotations begin that are for this tool.
const OURS: &str = "drain-check/";

fn workload(kind: Kind, mut meta: parts::Meta, template: parts::Template) -> Workload {
    let mut annotations = meta.annotations.take().unwrap_or_default();
    annotations.retain(|name, _| name.starts_with(OURS));
    let meta = &ObjectMeta::from(meta);
    let metadata = template.metadata.unwrap_or_default();
    let spec = template.spec.unwrap_or_default();
    Workload {
        kind,
        name: name(meta),
        annotations,
        owner: owner(meta),
        pod_labels: metadata.labels.unwrap_or_default(),
        replicas: None,
        min_ready_seconds: 0,
        strategy: Strategy::None,
        placement: placement::placement(&spec),
        claims: placement::claims(&spec),
        stored: meta.uid.is_some(),
        template: PodTemplate {
            annotations: metadata.annotations.unwrap_or_default(),
            spec: pod_spec(spec),
        },
    }
}

/// `strategy` or `updateStrategy`. Without a type it is a rolling update.
fn strategy(said: Option<parts::UpdateStrategy>) -> Strategy {
    let said = said.unwrap_or_default();
    let rolling = said.rolling_update.unwrap_or_default();
    match said.type_.as_deref() {
        Some("Recreate") => Strategy::Recreate,
        Some("OnDelete") => Strategy::OnDelete,
        _ => Strategy::RollingUpdate {
            max_unavailable: amount(rolling.max_unavailable),
            max_surge: amount(rolling.max_surge),
            partition: i64::from(rolling.partition.unwrap_or(0)),
        },
    }
}

fn apps(kind: WorkloadKind, object: parts::Object<parts::WorkloadSpec>) -> Workload {
    let spec = object.spec;
    Workload {
        replicas: spec
            .replicas
            .filter(|_| kind != WorkloadKind::DaemonSet)
            .map(i64::from),
        min_ready_seconds: spec.min_ready_seconds.map_or(0, i64::from),
        strategy: match kind {
            WorkloadKind::Deployment => strategy(spec.strategy),
            WorkloadKind::StatefulSet | WorkloadKind::DaemonSet => strategy(spec.update_strategy),
            WorkloadKind::ReplicaSet => Strategy::None,
        },
        ..workload(Kind::Apps(kind), object.metadata, spec.template)
    }
}

/// An apps/v1 Deployment.
#[must_use]
pub fn deployment(object: parts::Object<parts::WorkloadSpec>) -> Workload {
    apps(WorkloadKind::Deployment, object)
}

/// An apps/v1 `StatefulSet`.
#[must_use]
pub fn stateful_set(object: parts::Object<parts::WorkloadSpec>) -> Workload {
    apps(WorkloadKind::StatefulSet, object)
}

/// An apps/v1 `DaemonSet`.
#[must_use]
pub fn daemon_set(object: parts::Object<parts::WorkloadSpec>) -> Workload {
    apps(WorkloadKind::DaemonSet, object)
}

/// An apps/v1 `ReplicaSet`.
#[must_use]
pub fn replica_set(object: parts::Object<parts::WorkloadSpec>) -> Workload {
    apps(WorkloadKind::ReplicaSet, object)
}

/// Any other object with a pod template: at `spec.template`, or at `spec.jobTemplate.spec.template` as a `CronJob` has it.
/// `None` where there is none, or where it only looks like one.
#[must_use]
pub fn other(object: &Value) -> Option<Workload> {
    let spec = &object["spec"];
    let template = [&spec["template"], &spec["jobTemplate"]["spec"]["template"]]
        .into_iter()
        .find(|template| template["spec"]["containers"].is_array())?;
    let template = serde_json::from_value(template.clone()).ok()?;
    let meta = serde_json::from_value(object["metadata"].clone()).ok()?;
    let text = |key: &str| object[key].as_str().map(str::to_owned);
    let kind = Kind::Other {
        api_version: text("apiVersion")?,
        kind: text("kind")?,
    };
    Some(Workload {
        replicas: spec["replicas"].as_i64(),
        min_ready_seconds: spec["minReadySeconds"].as_i64().unwrap_or(0),
        ..workload(kind, meta, template)
    })
}
