//! The kinds of apps/v1, Job, `CronJob` and whatever else has a pod template → facts.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde_json::Value;

use super::{name, owner, parts, pod_spec};
use crate::facts::workload::{Amount, Kind, PodTemplate, Strategy, Workload, WorkloadKind};

/// How the names of annotations begin that are for this tool.
const OURS: &str = "drain-check/";

fn workload(kind: Kind, mut meta: parts::Meta, template: Option<parts::Template>) -> Workload {
    let mut annotations = meta.annotations.take().unwrap_or_default();
    annotations.retain(|name, _| name.starts_with(OURS));
    let meta = &ObjectMeta::from(meta);
    let parts::Template { metadata, spec } = template.unwrap_or_default();
    let metadata = metadata.unwrap_or_default();
    Workload {
        kind,
        name: name(meta),
        annotations,
        owner: owner(meta),
        pod_labels: metadata.labels.unwrap_or_default(),
        template: PodTemplate {
            annotations: metadata.annotations.unwrap_or_default(),
            spec: spec.map(pod_spec).unwrap_or_default(),
        },
        replicas: None,
        min_ready_seconds: 0,
        strategy: Strategy::None,
    }
}

/// A number, or a text such as `25%`; `None` for any other text.
fn amount(amount: Option<IntOrString>) -> Option<Amount> {
    match amount? {
        IntOrString::Int(count) => Some(Amount::Count(i64::from(count))),
        IntOrString::String(text) => text
            .strip_suffix('%')
            .and_then(|share| share.parse().ok())
            .map(Amount::Percent),
    }
}

const ROLLING: Strategy = Strategy::RollingUpdate {
    max_unavailable: None,
    max_surge: None,
};

fn seconds(seconds: Option<i32>) -> i64 {
    seconds.map_or(0, i64::from)
}

/// An apps/v1 Deployment.
#[must_use]
pub fn deployment(object: parts::Workload<parts::DeploymentSpec>) -> Workload {
    let spec = object.spec;
    let strategy = spec.strategy.unwrap_or_default();
    Workload {
        replicas: spec.replicas.map(i64::from),
        min_ready_seconds: seconds(spec.min_ready_seconds),
        strategy: if strategy.type_.as_deref() == Some("Recreate") {
            Strategy::Recreate
        } else {
            strategy
                .rolling_update
                .map_or(ROLLING, |rolling| Strategy::RollingUpdate {
                    max_unavailable: amount(rolling.max_unavailable),
                    max_surge: amount(rolling.max_surge),
                })
        },
        ..workload(
            Kind::Apps(WorkloadKind::Deployment),
            object.metadata,
            Some(spec.template),
        )
    }
}

/// An apps/v1 `StatefulSet`.
#[must_use]
pub fn stateful_set(object: parts::Workload<parts::StatefulSetSpec>) -> Workload {
    let spec = object.spec;
    let strategy = spec.update_strategy.unwrap_or_default();
    Workload {
        replicas: spec.replicas.map(i64::from),
        min_ready_seconds: seconds(spec.min_ready_seconds),
        strategy: if strategy.type_.as_deref() == Some("OnDelete") {
            Strategy::OnDelete
        } else {
            strategy
                .rolling_update
                .map_or(ROLLING, |rolling| Strategy::RollingUpdate {
                    max_unavailable: amount(rolling.max_unavailable),
                    max_surge: None,
                })
        },
        ..workload(
            Kind::Apps(WorkloadKind::StatefulSet),
            object.metadata,
            Some(spec.template),
        )
    }
}

/// An apps/v1 `DaemonSet`.
#[must_use]
pub fn daemon_set(object: parts::Workload<parts::DaemonSetSpec>) -> Workload {
    let spec = object.spec;
    let strategy = spec.update_strategy.unwrap_or_default();
    Workload {
        min_ready_seconds: seconds(spec.min_ready_seconds),
        strategy: if strategy.type_.as_deref() == Some("OnDelete") {
            Strategy::OnDelete
        } else {
            strategy
                .rolling_update
                .map_or(ROLLING, |rolling| Strategy::RollingUpdate {
                    max_unavailable: amount(rolling.max_unavailable),
                    max_surge: amount(rolling.max_surge),
                })
        },
        ..workload(
            Kind::Apps(WorkloadKind::DaemonSet),
            object.metadata,
            Some(spec.template),
        )
    }
}

/// An apps/v1 `ReplicaSet`.
#[must_use]
pub fn replica_set(object: parts::Workload<parts::ReplicaSetSpec>) -> Workload {
    let spec = object.spec;
    Workload {
        replicas: spec.replicas.map(i64::from),
        min_ready_seconds: seconds(spec.min_ready_seconds),
        ..workload(
            Kind::Apps(WorkloadKind::ReplicaSet),
            object.metadata,
            spec.template,
        )
    }
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
        ..workload(kind, meta, Some(template))
    })
}
