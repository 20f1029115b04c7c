//! Which fields of which objects hold the settings of a traffic source, and what do they say?

use std::collections::BTreeSet;

use serde_json::Value;

use super::catalogue::TrafficSource;
use super::detected::SourceInUse;
use super::field_texts::{
    FieldText, annotation, arguments, at_path, corefile, label, mesh_config, variables,
};
use super::figures::{Tuning, TuningPlace};
use super::kinds::WORKLOAD_KINDS;
use super::object_index::ObjectIndex;
use super::syntax;
use super::target::{TEMPLATE, Target};
use super::tuning::{TuningProblem, TuningValue, TuningValues};
use crate::facts::object::ApiObject;

/// The annotations of a Service for one key; `{port}` stands for each of its ports.
fn service_annotations(target: &Target<'_>, key: &str) -> Vec<FieldText> {
    if !key.contains("{port}") {
        return annotation(&target.object, key, "").into_iter().collect();
    }
    let ports = target.service.ports.iter();
    ports
        .filter_map(|port| {
            let key = key.replace("{port}", &port.port.to_string());
            annotation(&target.object, &key, "")
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

/// A policy's target is one of the Routes to the Service, or a parent Gateway of one.
fn targets_route(policy: &ApiObject, used: &SourceInUse<'_>) -> bool {
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

/// The fields of objects that hold a setting for some Services only.
fn fields_for_service(
    index: &ObjectIndex<'_>,
    target: &Target<'_>,
    used: &SourceInUse<'_>,
    tuning: &Tuning,
) -> Vec<FieldText> {
    let kind = tuning.kind.as_deref().unwrap_or_default();
    let namespace = target.service.name.namespace.as_str();
    let beside = || index.in_namespace(kind, namespace).iter().copied();
    let chosen: Vec<&ApiObject> = match kind {
        "BackendConfig" => {
            let names = backend_configs(target);
            beside()
                .filter(|object| names.contains(&object.name))
                .collect()
        }
        "BackendTrafficPolicy" => {
            let policies = index.of_kind(kind).iter().copied();
            policies
                .filter(|policy| targets_route(policy, used))
                .collect()
        }
        "Deployment" => target.workloads.clone(),
        "Revision" => {
            let pods = target.pods.iter();
            let names: BTreeSet<_> = pods
                .filter_map(|pod| pod.object().labels.get("serving.knative.dev/revision"))
                .collect();
            beside()
                .filter(|object| names.contains(&object.name))
                .collect()
        }
        _ => {
            let objects = used.objects.iter().copied();
            objects.filter(|object| object.kind == kind).collect()
        }
    };
    // An element of a list may be the one that names the Service: `services[name=$svc].sticky`.
    let key = tuning.key.replace("$svc", &target.service.name.name);
    let chosen = chosen.into_iter().filter(|object| {
        let mut group = tuning.group.iter();
        group.all(|group| group == object.group())
    });
    chosen.flat_map(|object| at_path(object, &key)).collect()
}

/// Kinds whose objects hold a setting for some Services only.
const CHOSEN_BY_SERVICE: [&str; 6] = [
    "BackendConfig",
    "BackendTrafficPolicy",
    "Deployment",
    "InferencePool",
    "Mapping",
    "Revision",
];

/// The fields with a setting that holds for every Service: in the traffic source's own configuration. `None` where it depends on
/// the Service.
fn texts_for_all(
    index: &ObjectIndex<'_>,
    source: &TrafficSource,
    tuning: &Tuning,
) -> Option<Vec<FieldText>> {
    let key = tuning.key.as_str();
    let workloads = || {
        let kinds = WORKLOAD_KINDS.iter();
        let all = kinds.flat_map(|kind| index.of_kind(kind)).copied();
        all.filter(|object| {
            let mut name = tuning.name.iter();
            name.all(|name| object.name.contains(name))
        })
    };
    let found = match tuning.at {
        TuningPlace::Env => workloads()
            .flat_map(|object| {
                let template = &object.value["spec"]["template"]["spec"];
                variables(object, template, TEMPLATE, key)
            })
            .collect(),
        TuningPlace::Args => workloads()
            .flat_map(|object| arguments(object, key))
            .collect(),
        TuningPlace::ConfigMap => {
            let maps = index.of_kind("ConfigMap").iter();
            maps.filter(|map| tuning.name.as_ref().is_none_or(|name| *name == map.name))
                .filter_map(|map| {
                    Some(FieldText {
                        object: map.to_string(),
                        field: format!("data[{key}]"),
                        text: map.value["data"][key].as_str()?.to_owned(),
                    })
                })
                .collect()
        }
        TuningPlace::Field => {
            let kind = tuning.kind.as_deref().unwrap_or_default();
            if CHOSEN_BY_SERVICE.contains(&kind) || key.contains("$svc") {
                return None;
            }
            let group = tuning.group.as_deref();
            let of_source = |object: &&&ApiObject| match kind {
                // Webhooks of many products are of this kind.
                "ValidatingWebhookConfiguration" => {
                    object.value["webhooks"].to_string().contains(&source.id)
                }
                _ => group.is_none_or(|group| group == object.group()),
            };
            let objects = index.of_kind(kind).iter().filter(of_source);
            objects.flat_map(|object| at_path(object, key)).collect()
        }
        TuningPlace::Corefile => corefile(index, key).into_iter().collect(),
        TuningPlace::MeshConfig => mesh_config(index, key),
        TuningPlace::Outside => Vec::new(),
        TuningPlace::Service
        | TuningPlace::ServiceLabel
        | TuningPlace::Ingress
        | TuningPlace::IngressOrService
        | TuningPlace::Route
        | TuningPlace::Pod
        | TuningPlace::PodOrNamespace
        | TuningPlace::NamespaceLabel
        | TuningPlace::NodeLabel
        | TuningPlace::PodEnv => return None,
    };
    Some(found)
}

/// The fields with a setting that holds for one Service.
fn texts_for_service(
    index: &ObjectIndex<'_>,
    target: &Target<'_>,
    used: &SourceInUse<'_>,
    tuning: &Tuning,
) -> Vec<FieldText> {
    let key = tuning.key.as_str();
    let namespace = target.service.name.namespace.as_str();
    let of_kind = |kind: &str| -> Vec<_> {
        let objects = used.objects.iter().copied();
        let objects = objects.filter(|object| object.kind == kind);
        objects
            .filter_map(|object| annotation(object, key, ""))
            .collect()
    };
    let of_pods = || -> Vec<_> {
        let pods = target.pods.iter();
        pods.filter_map(|pod| annotation(pod.object(), key, pod.prefix()))
            .collect()
    };
    let own_namespace = || {
        let mut all = index.of_kind("Namespace").iter();
        all.find(|object| object.name == namespace).copied()
    };
    let or = |first: Vec<FieldText>, second: &dyn Fn() -> Vec<FieldText>| {
        if first.is_empty() { second() } else { first }
    };
    match tuning.at {
        TuningPlace::Service => service_annotations(target, key),
        TuningPlace::ServiceLabel => label(&target.object, key).into_iter().collect(),
        TuningPlace::Ingress => of_kind("Ingress"),
        TuningPlace::IngressOrService => {
            or(service_annotations(target, key), &|| of_kind("Ingress"))
        }
        TuningPlace::Route => of_kind("Route"),
        TuningPlace::Pod => of_pods(),
        TuningPlace::PodOrNamespace => or(of_pods(), &|| {
            let found = own_namespace().and_then(|object| annotation(object, key, ""));
            found.into_iter().collect()
        }),
        TuningPlace::NamespaceLabel => own_namespace()
            .and_then(|object| label(object, key))
            .into_iter()
            .collect(),
        TuningPlace::NodeLabel => {
            let shown: BTreeSet<_> = used
                .evidence
                .iter()
                .map(|one| one.object.as_str())
                .collect();
            let nodes = index.of_kind("Node").iter();
            nodes
                .filter(|node| shown.contains(node.to_string().as_str()))
                .filter_map(|node| label(node, key))
                .collect()
        }
        TuningPlace::PodEnv => {
            let pods = target.pods.iter();
            pods.flat_map(|pod| {
                let object = pod.object();
                variables(object, &object.value["spec"], pod.prefix(), key)
            })
            .collect()
        }
        TuningPlace::Field => fields_for_service(index, target, used, tuning),
        TuningPlace::ConfigMap
        | TuningPlace::Args
        | TuningPlace::Env
        | TuningPlace::Corefile
        | TuningPlace::MeshConfig
        | TuningPlace::Outside => Vec::new(),
    }
}

/// The settings of a traffic source that hold for every Service, looked for once: there are as many places to look in as workloads
/// and ConfigMaps.
#[derive(Debug)]
pub(super) struct SharedSettings {
    /// By their place in the catalogue's list of settings; `None` for those that depend on the Service.
    texts: Vec<Option<Vec<FieldText>>>,
}

impl SharedSettings {
    pub(super) fn new(index: &ObjectIndex<'_>, source: &TrafficSource) -> Self {
        let settings = source.tuning.iter();
        Self {
            texts: settings
                .map(|tuning| texts_for_all(index, source, tuning))
                .collect(),
        }
    }
}

/// Reads the settings of a traffic source that hold for a Service.
pub(super) fn tuning_values(
    index: &ObjectIndex<'_>,
    target: &Target<'_>,
    used: &SourceInUse<'_>,
    shared: &SharedSettings,
) -> TuningValues {
    let mut all = TuningValues::default();
    for (tuning, for_all) in used.source.tuning.iter().zip(&shared.texts) {
        let found = match for_all {
            Some(texts) => texts.clone(),
            None => texts_for_service(index, target, used, tuning),
        };
        for text in found {
            read(&mut all, &used.source.id, tuning, text);
        }
    }
    all
}

fn read(all: &mut TuningValues, source: &'static str, tuning: &'static Tuning, found: FieldText) {
    let FieldText {
        object,
        field,
        text,
    } = found;
    let field = match &tuning.attribute {
        Some(attribute) => format!("{field}, {attribute}"),
        None => field,
    };
    match syntax::read(tuning.format, tuning.attribute.as_deref(), &text) {
        Ok(Some(value)) => {
            let value = TuningValue {
                object,
                field,
                text,
                value,
                sets: tuning.sets.as_deref(),
                effect: tuning.effect.as_deref(),
            };
            if !all.values.contains(&value) {
                all.values.push(value);
            }
        }
        Ok(None) => {}
        Err(expected) => {
            let problem = TuningProblem {
                source,
                object,
                field,
                text,
                expected,
            };
            if !all.problems.contains(&problem) {
                all.problems.push(problem);
            }
        }
    }
}
