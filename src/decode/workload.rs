//! The kinds of apps/v1, Job, `CronJob` and whatever else has a pod template → facts.

use serde::Deserialize;
use serde_json::Value;

use super::common::{amount, conditions, name, owner};
use super::pod_spec::pod_spec;
use super::{parts, placement};
use crate::facts::workload::{Kind, PodTemplate, Status, Strategy, Workload, WorkloadKind};

/// How the names of annotations begin that are for this tool.
const OURS: &str = "drain-check/";

fn of_template(kind: Kind, mut meta: parts::Meta, template: parts::Template) -> Workload {
    let mut annotations = meta.annotations.take().unwrap_or_default();
    annotations.retain(|name, _| name.starts_with(OURS));
    let metadata = template.metadata.unwrap_or_default();
    let spec = template.spec.unwrap_or_default();
    Workload {
        kind,
        name: name(&meta),
        annotations,
        owner: owner(&meta),
        pod_labels: metadata.labels.unwrap_or_default(),
        replicas: None,
        min_ready_seconds: 0,
        strategy: Strategy::None,
        placement: placement::placement(&spec),
        claims: placement::claims(&spec),
        stored: meta.uid.is_some(),
        paused: false,
        one_by_one: false,
        generation: meta.generation,
        status: None,
        template: PodTemplate {
            annotations: metadata.annotations.unwrap_or_default(),
            spec: pod_spec(spec),
        },
    }
}

/// `strategy` or `updateStrategy`. Without a type it is a rolling update.
fn strategy(strategy: Option<parts::UpdateStrategy>) -> Strategy {
    let strategy = strategy.unwrap_or_default();
    let rolling = strategy.rolling_update.unwrap_or_default();
    match strategy.type_.as_deref() {
        Some("Recreate") => Strategy::Recreate,
        Some("OnDelete") => Strategy::OnDelete,
        _ => Strategy::RollingUpdate {
            max_unavailable: amount(rolling.max_unavailable),
            max_surge: amount(rolling.max_surge),
            partition: i64::from(rolling.partition.unwrap_or(0)),
        },
    }
}

fn status(status: parts::WorkloadStatus) -> Status {
    Status {
        observed: status.observed_generation,
        desired: status.desired_number_scheduled,
        updated: status
            .updated_replicas
            .or(status.updated_number_scheduled)
            .unwrap_or(0),
        ready: status.ready_replicas.or(status.number_ready).unwrap_or(0),
        conditions: conditions(status.conditions),
    }
}

/// A workload of apps/v1.
#[must_use]
pub fn workload(kind: WorkloadKind, object: parts::Workload) -> Workload {
    let spec = object.spec;
    let policy = spec.pod_management_policy.as_deref();
    Workload {
        replicas: spec
            .replicas
            .filter(|_| kind != WorkloadKind::DaemonSet)
            .map(i64::from),
        min_ready_seconds: spec.min_ready_seconds.map_or(0, i64::from),
        paused: spec.paused == Some(true),
        one_by_one: kind == WorkloadKind::StatefulSet && policy != Some("Parallel"),
        status: object.status.map(status),
        strategy: match kind {
            WorkloadKind::Deployment => strategy(spec.strategy),
            WorkloadKind::StatefulSet | WorkloadKind::DaemonSet => strategy(spec.update_strategy),
            WorkloadKind::ReplicaSet => Strategy::None,
        },
        ..of_template(Kind::Apps(kind), object.metadata, spec.template)
    }
}

/// The pod template of an object: at `spec.template`, or at `spec.jobTemplate.spec.template` as a `CronJob` has it.
#[must_use]
pub fn pod_template(object: &Value) -> Option<&Value> {
    let spec = &object["spec"];
    [&spec["template"], &spec["jobTemplate"]["spec"]["template"]]
        .into_iter()
        .find(|template| template["spec"]["containers"].is_array())
}

/// Any other object with a pod template.
/// `None` where there is none, or where it only looks like one.
#[must_use]
pub fn other(object: &Value) -> Option<Workload> {
    let spec = &object["spec"];
    let template = parts::Template::deserialize(pod_template(object)?).ok()?;
    let meta = parts::Meta::deserialize(&object["metadata"]).ok()?;
    let text = |key: &str| object[key].as_str().map(str::to_owned);
    let kind = Kind::Other {
        api_version: text("apiVersion")?,
        kind: text("kind")?,
    };
    Some(Workload {
        replicas: spec["replicas"].as_i64(),
        min_ready_seconds: spec["minReadySeconds"].as_i64().unwrap_or(0),
        ..of_template(kind, meta, template)
    })
}
