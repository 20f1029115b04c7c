//! Where does a setting of the catalogue stand among the objects that were read?

use std::collections::BTreeSet;

use serde_json::Value;

use super::detect::InUse;
use super::figures::{Place, Tuning};
use super::object_index::{ObjectIndex, WORKLOADS};
use super::path::{Path, text};
use super::target::Target;
use crate::facts::object::Object;

/// A value as it stands somewhere.
#[derive(Debug, Clone)]
pub(super) struct Written {
    pub(super) object: String,
    pub(super) field: String,
    pub(super) text: String,
}

fn annotation(object: &Object, key: &str, prefix: &str) -> Option<Written> {
    Some(Written {
        object: object.to_string(),
        field: format!("{prefix}metadata.annotations[{key}]"),
        text: object.annotations.get(key)?.clone(),
    })
}

fn label(object: &Object, key: &str) -> Option<Written> {
    Some(Written {
        object: object.to_string(),
        field: format!("metadata.labels[{key}]"),
        text: object.labels.get(key)?.clone(),
    })
}

fn at_path(object: &Object, key: &str) -> Vec<Written> {
    let Ok(path) = key.parse::<Path>() else {
        return Vec::new();
    };
    path.find(&object.value)
        .into_iter()
        .filter_map(text)
        .map(|text| Written {
            object: object.to_string(),
            field: key.to_owned(),
            text,
        })
        .collect()
}

/// The annotations of a Service for one key; `{port}` stands for each of its ports.
fn service(target: &Target<'_>, key: &str) -> Vec<Written> {
    if !key.contains("{port}") {
        return annotation(&target.object, key, "").into_iter().collect();
    }
    let ports = target.facts.ports.iter();
    ports
        .filter_map(|port| {
            let key = key.replace("{port}", &port.port.to_string());
            annotation(&target.object, &key, "")
        })
        .collect()
}

fn containers(spec: &Value) -> impl Iterator<Item = &Value> {
    ["containers", "initContainers"]
        .into_iter()
        .flat_map(|field| spec[field].as_array().into_iter().flatten())
}

fn variables(object: &Object, spec: &Value, prefix: &str, key: &str) -> Vec<Written> {
    containers(spec)
        .flat_map(|container| container["env"].as_array().into_iter().flatten())
        .filter(|variable| variable["name"].as_str() == Some(key))
        .filter_map(|variable| {
            Some(Written {
                object: object.to_string(),
                field: format!("{prefix}spec.containers[].env[name={key}].value"),
                text: variable["value"].as_str()?.to_owned(),
            })
        })
        .collect()
}

/// `--flag=value`, `--flag value` or `--flag` alone, which is true.
fn arguments(object: &Object, key: &str) -> Vec<Written> {
    let spec = &object.value["spec"]["template"]["spec"];
    let mut found = Vec::new();
    for container in containers(spec) {
        for field in ["command", "args"] {
            let all = container[field].as_array().into_iter().flatten();
            let all: Vec<&str> = all.filter_map(Value::as_str).collect();
            for (index, argument) in all.iter().enumerate() {
                let Some(rest) = argument.strip_prefix(key) else {
                    continue;
                };
                let next = all.get(index + 1).filter(|next| !next.starts_with('-'));
                let value = match (rest.strip_prefix('='), rest.is_empty()) {
                    (Some(value), _) => value,
                    (None, true) => next.copied().unwrap_or("true"),
                    (None, false) => continue,
                };
                found.push(Written {
                    object: object.to_string(),
                    field: format!("spec.template.spec.containers[].{field}, {key}"),
                    text: value.to_owned(),
                });
            }
        }
    }
    found
}

/// `CoreDNS`' options: `ttl` of the plugin `kubernetes`, 5 where it is left out, and the seconds of `cache`.
fn corefile(index: &ObjectIndex<'_>, key: &str) -> Option<Written> {
    let map = index
        .in_namespace("ConfigMap", "kube-system")
        .iter()
        .find(|map| map.name == "coredns")?;
    let file = map.value["data"]["Corefile"].as_str()?;
    let mut inside = false;
    let mut found = None;
    for line in file.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("kubernetes") => {
                inside = line.trim_end().ends_with('{');
                if key == "ttl" {
                    // plugin/kubernetes/README.md: 5 seconds.
                    found = found.or(Some("5"));
                }
            }
            Some("ttl") if inside && key == "ttl" => found = words.next(),
            Some("cache") if key == "cache" => found = words.next().filter(|word| *word != "{"),
            Some("}") => inside = false,
            _ => {}
        }
    }
    Some(Written {
        object: map.to_string(),
        field: format!("data[Corefile], {key}"),
        text: found?.to_owned(),
    })
}

fn mesh_config(index: &ObjectIndex<'_>, key: &str) -> Vec<Written> {
    let Ok(path) = key.parse::<Path>() else {
        return Vec::new();
    };
    let maps = index.of_kind("ConfigMap").iter();
    maps.filter_map(|map| Some((map, map.value["data"]["mesh"].as_str()?)))
        .flat_map(|(map, mesh)| {
            let mesh: Value = serde_yaml::from_str(mesh).unwrap_or_default();
            let texts: Vec<_> = path.find(&mesh).into_iter().filter_map(text).collect();
            texts.into_iter().map(|text| Written {
                object: map.to_string(),
                field: format!("data[mesh], {key}"),
                text: format!("{}: {text}", key.rsplit('.').next().unwrap_or(key)),
            })
        })
        .collect()
}

/// The `BackendConfig`s that a Service's annotation names: `{"default": "a"}` or `{"ports": {"http": "b"}}`.
fn backend_configs(target: &Target<'_>) -> BTreeSet<String> {
    fn names(value: &Value, into: &mut BTreeSet<String>) {
        match value {
            Value::String(name) => {
                into.insert(name.clone());
            }
            Value::Object(fields) => fields.values().for_each(|value| names(value, into)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    for key in [
        "cloud.google.com/backend-config",
        "beta.cloud.google.com/backend-config",
    ] {
        if let Some(text) = target.object.annotations.get(key) {
            names(&serde_json::from_str(text).unwrap_or_default(), &mut found);
        }
    }
    found
}

/// A policy is for one of the routes in use, or for a Gateway that is a parent of one.
fn is_for(policy: &Object, used: &InUse<'_>) -> bool {
    let spec = &policy.value["spec"];
    let many = spec["targetRefs"].as_array().into_iter().flatten();
    many.chain([&spec["targetRef"]]).any(|wanted| {
        let kind = wanted["kind"].as_str().unwrap_or_default();
        let Some(name) = wanted["name"].as_str() else {
            return false;
        };
        used.objects.iter().any(|object| {
            (object.kind == kind && object.name == name && object.namespace == policy.namespace)
                || (kind == "Gateway"
                    && ObjectIndex::parents(object)
                        .contains(&(policy.namespace.clone(), name.to_owned())))
        })
    })
}

fn field(
    index: &ObjectIndex<'_>,
    target: &Target<'_>,
    used: &InUse<'_>,
    tuning: &Tuning,
) -> Vec<Written> {
    let kind = tuning.kind.as_deref().unwrap_or_default();
    let namespace = target.facts.name.namespace.as_str();
    let revisions = || -> BTreeSet<&str> {
        let pods = target.pods.iter();
        pods.filter_map(|pod| {
            pod.object
                .as_ref()
                .labels
                .get("serving.knative.dev/revision")
        })
        .map(String::as_str)
        .collect()
    };
    let all = index.of_kind(kind).iter().copied();
    let chosen: Vec<&Object> = match kind {
        "BackendConfig" => {
            let names = backend_configs(target);
            all.filter(|object| object.namespace == namespace && names.contains(&object.name))
                .collect()
        }
        "BackendTrafficPolicy" => all.filter(|policy| is_for(policy, used)).collect(),
        "Deployment" => target.workloads.clone(),
        "Mapping" => used
            .objects
            .iter()
            .copied()
            .filter(|object| object.kind == kind)
            .collect(),
        "Revision" => {
            let names = revisions();
            all.filter(|object| {
                object.namespace == namespace && names.contains(object.name.as_str())
            })
            .collect()
        }
        "ValidatingWebhookConfiguration" => all
            .filter(|object| {
                object.value["webhooks"]
                    .to_string()
                    .contains(&used.source.id)
            })
            .collect(),
        _ => all
            .filter(|object| {
                tuning
                    .group
                    .as_deref()
                    .is_none_or(|group| group == object.group())
            })
            .collect(),
    };
    chosen
        .into_iter()
        .flat_map(|object| at_path(object, &tuning.key))
        .collect()
}

/// Everywhere that a setting stands.
pub(super) fn written(
    index: &ObjectIndex<'_>,
    target: &Target<'_>,
    used: &InUse<'_>,
    tuning: &Tuning,
) -> Vec<Written> {
    let key = tuning.key.as_str();
    let namespace = target.facts.name.namespace.as_str();
    let of_kind = |kind: &str| {
        let objects = used.objects.iter().copied();
        let objects = objects.filter(|object| object.kind == kind);
        objects
            .filter_map(|object| annotation(object, key, ""))
            .collect::<Vec<_>>()
    };
    let of_pods = || {
        let pods = target.pods.iter();
        pods.filter_map(|pod| annotation(pod.object.as_ref(), key, pod.prefix))
            .collect::<Vec<_>>()
    };
    let own_namespace = || {
        let mut all = index.of_kind("Namespace").iter();
        all.find(|object| object.name == namespace).copied()
    };
    let workloads = || {
        let all = WORKLOADS
            .iter()
            .flat_map(|kind| index.of_kind(kind))
            .copied();
        all.filter(|object| {
            tuning
                .name
                .as_ref()
                .is_none_or(|name| object.name.contains(name))
        })
    };
    let or = |first: Vec<Written>, second: &dyn Fn() -> Vec<Written>| {
        if first.is_empty() { second() } else { first }
    };
    match tuning.at {
        Place::Service => service(target, key),
        Place::ServiceLabel => label(&target.object, key).into_iter().collect(),
        Place::Ingress => of_kind("Ingress"),
        Place::IngressOrService => or(service(target, key), &|| of_kind("Ingress")),
        Place::Route => of_kind("Route"),
        Place::Pod => of_pods(),
        Place::PodOrNamespace => or(of_pods(), &|| {
            let found = own_namespace().and_then(|object| annotation(object, key, ""));
            found.into_iter().collect()
        }),
        Place::NamespaceLabel => own_namespace()
            .and_then(|object| label(object, key))
            .into_iter()
            .collect(),
        Place::NodeLabel => {
            let all = index.of_kind("Node").iter();
            let all = all.filter(|node| {
                used.evidence
                    .iter()
                    .any(|one| one.object == node.to_string())
            });
            all.filter_map(|node| label(node, key)).collect()
        }
        Place::PodEnv => {
            let pods = target.pods.iter();
            pods.flat_map(|pod| {
                let object = pod.object.as_ref();
                variables(object, &object.value["spec"], pod.prefix, key)
            })
            .collect()
        }
        Place::Env => workloads()
            .flat_map(|object| {
                let template = &object.value["spec"]["template"]["spec"];
                variables(object, template, "spec.template.", key)
            })
            .collect(),
        Place::Args => workloads()
            .flat_map(|object| arguments(object, key))
            .collect(),
        Place::ConfigMap => {
            let maps = index.of_kind("ConfigMap").iter();
            maps.filter(|map| tuning.name.as_ref().is_none_or(|name| *name == map.name))
                .filter_map(|map| {
                    Some(Written {
                        object: map.to_string(),
                        field: format!("data[{key}]"),
                        text: map.value["data"][key].as_str()?.to_owned(),
                    })
                })
                .collect()
        }
        Place::Field => field(index, target, used, tuning),
        Place::Corefile => corefile(index, key).into_iter().collect(),
        Place::MeshConfig => mesh_config(index, key),
        Place::Outside => Vec::new(),
    }
}
