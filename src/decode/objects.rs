//! Which facts do loaded objects hold? Kinds that nobody asks about are passed over.

use chrono::{DateTime, TimeDelta, Utc};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::json;
use crate::decode;
use crate::facts::Snapshot;
use crate::manifest::{Field, Identity, Object, Problem};
use crate::sources;

fn typed<T: DeserializeOwned>(object: Object, problems: &mut Vec<Problem>) -> Option<T> {
    let Object { file, line, value } = object;
    match json::value(&value) {
        Ok(read) => Some(read),
        Err(error) => {
            problems.push(Problem {
                line: Some(line),
                field: Identity::of(&value).map(|object| {
                    let path = error.path.clone();
                    Box::new(Field { object, path })
                }),
                ..Problem::of_file(
                    &file,
                    format!("the object that begins here: {error}"),
                    "correct the field, or leave the object out; the others were read",
                )
            });
            None
        }
    }
}

/// The newest moment that an object tells of: any timestamp of its metadata or status but `deletionTimestamp`, which lies
/// ahead by the grace; the moment of the request counts in its place.
pub(crate) fn newest_moment(object: &Value) -> Option<DateTime<Utc>> {
    let meta = &object["metadata"];
    let requested = time(&meta["deletionTimestamp"]).and_then(|deadline| {
        let grace = meta["deletionGracePeriodSeconds"].as_i64()?;
        deadline.checked_sub_signed(TimeDelta::try_seconds(grace)?)
    });
    let written = meta["managedFields"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|entry| time(&entry["time"]));
    let mut newest = requested
        .into_iter()
        .chain(time(&meta["creationTimestamp"]))
        .chain(written)
        .max();
    newest_in(&object["status"], &mut newest);
    newest
}

fn newest_in(value: &Value, newest: &mut Option<DateTime<Utc>>) {
    match value {
        Value::Object(fields) => fields.values().for_each(|field| newest_in(field, newest)),
        Value::Array(items) => items.iter().for_each(|item| newest_in(item, newest)),
        Value::String(_) => *newest = (*newest).max(time(value)),
        _ => {}
    }
}

fn time(value: &Value) -> Option<DateTime<Utc>> {
    moment(value.as_str()?)
}

/// A moment as the API writes it.
pub(crate) fn moment(text: &str) -> Option<DateTime<Utc>> {
    // Most strings are no timestamps; parsing fails slowly.
    (text.len() >= 20
        && text.as_bytes().get(4) == Some(&b'-')
        && text.as_bytes().get(10) == Some(&b'T'))
    .then(|| DateTime::parse_from_rfc3339(text).ok())
    .flatten()
    .map(|moment| moment.with_timezone(&Utc))
}

/// discovery/v1beta1 said `topology` where v1 says `nodeName`, `zone` and `deprecatedTopology` (KEP-752).
pub(crate) fn slice_to_v1(object: &mut Value) {
    let endpoints = object["endpoints"].as_array_mut();
    for endpoint in endpoints.into_iter().flatten() {
        let Some(fields) = endpoint.as_object_mut() else {
            continue;
        };
        if let Some(topology) = fields.remove("topology") {
            for (key, field) in [
                ("kubernetes.io/hostname", "nodeName"),
                ("topology.kubernetes.io/zone", "zone"),
            ] {
                if let Some(value) = topology.get(key).filter(|_| !fields.contains_key(field)) {
                    fields.insert(field.to_owned(), value.clone());
                }
            }
            fields.insert("deprecatedTopology".to_owned(), topology);
        }
    }
}

/// Turns objects into facts; an object that does not fit its kind becomes a problem, and the rest goes on.
#[must_use]
pub fn snapshot(objects: Vec<Object>) -> (Snapshot, Vec<Problem>) {
    beside(Snapshot::default(), objects)
}

/// The same, beside the facts that are known already.
pub(crate) fn beside(known: Snapshot, objects: Vec<Object>) -> (Snapshot, Vec<Problem>) {
    let mut snapshot = known;
    let mut problems = Vec::new();
    for object in objects {
        snapshot.taken_at = snapshot.taken_at.max(newest_moment(&object.value));
        add(object, &mut snapshot, &mut problems);
    }
    (snapshot, problems)
}

/// `spec.topologyKeys`, which the API dropped in 1.22 and today's types therefore do not know.
pub(crate) fn topology_keys(object: &Value) -> Vec<String> {
    object["spec"]["topologyKeys"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|key| key.as_str().map(str::to_owned))
        .collect()
}

/// Adds what one object says.
pub fn add(mut object: Object, snapshot: &mut Snapshot, problems: &mut Vec<Problem>) {
    snapshot.others.extend(sources::keep(&object.value));
    let text = |key: &str| object.value[key].as_str().unwrap_or_default();
    match (text("apiVersion"), text("kind")) {
        ("v1", "Service") => {
            let keys = topology_keys(&object.value);
            if let Some(service) = typed(object, problems).map(decode::service) {
                snapshot.services.push(crate::facts::service::Service {
                    topology_keys: keys,
                    ..service
                });
            }
        }
        ("v1", "Endpoints") => snapshot
            .endpoints
            .extend(typed(object, problems).map(decode::endpoints)),
        ("v1", "Pod") => {
            if let Some(pod) = typed(object, problems) {
                snapshot
                    .kube_proxies
                    .pods
                    .extend(decode::kube_proxy::kube_proxy_pod(&pod));
                snapshot.pods.push(decode::pod(pod));
            }
        }
        ("v1", "Node") => snapshot
            .nodes
            .extend(typed(object, problems).map(decode::node)),
        ("v1", "ConfigMap") => {
            if decode::kube_proxy::is_config_map(&object.value)
                && let Some(map) = typed(object, problems)
            {
                snapshot.kube_proxies.config = decode::kube_proxy::kube_proxy_config(&map)
                    .or(snapshot.kube_proxies.config.take());
            }
        }
        ("discovery.k8s.io/v1", "EndpointSlice") => snapshot
            .slices
            .extend(typed(object, problems).map(decode::slice)),
        ("discovery.k8s.io/v1beta1", "EndpointSlice") => {
            slice_to_v1(&mut object.value);
            snapshot
                .slices
                .extend(typed(object, problems).map(decode::slice));
        }
        ("apps/v1", "Deployment") => snapshot
            .workloads
            .extend(typed(object, problems).map(decode::deployment)),
        ("apps/v1", "StatefulSet") => snapshot
            .workloads
            .extend(typed(object, problems).map(decode::stateful_set)),
        ("apps/v1", "DaemonSet") => snapshot
            .workloads
            .extend(typed(object, problems).map(decode::daemon_set)),
        ("apps/v1", "ReplicaSet") => snapshot
            .workloads
            .extend(typed(object, problems).map(decode::replica_set)),
        ("policy/v1" | "policy/v1beta1", "PodDisruptionBudget") => snapshot
            .disruption_budgets
            .extend(typed(object, problems).map(decode::disruption_budget)),
        (version, "HorizontalPodAutoscaler") if version.starts_with("autoscaling/") => snapshot
            .autoscalers
            .extend(typed(object, problems).map(decode::horizontal)),
        ("keda.sh/v1alpha1", "ScaledObject") => snapshot
            .autoscalers
            .extend(typed(object, problems).map(decode::scaled_object)),
        ("v1", "PersistentVolumeClaim") => snapshot
            .claims
            .extend(typed(object, problems).map(decode::claim)),
        _ => snapshot.workloads.extend(decode::other(&object.value)),
    }
}
