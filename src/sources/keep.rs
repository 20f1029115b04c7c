//! Which objects must be read, and how much of them, to see who sends traffic? Never Secrets, and of pods and workloads
//! only what a rule asks about.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::catalogue::catalogue;
use super::figures::{Place, Tuning};
use super::object_index::{REFERRING, WORKLOADS};
use super::rule::{Field, One, Rule, Test};
use crate::facts::object::Object;

/// The API groups of kinds that are no one's but Kubernetes' own; `None` for the rest, whose rules name their group or
/// need none.
pub(super) fn home(kind: &str) -> Option<&'static [&'static str]> {
    match kind {
        "Service" | "Pod" | "Node" | "Namespace" | "ConfigMap" => Some(&[""]),
        "Deployment" | "StatefulSet" | "DaemonSet" => Some(&["apps"]),
        "Ingress" | "IngressClass" => Some(&["networking.k8s.io", "extensions"]),
        "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration" => {
            Some(&["admissionregistration.k8s.io"])
        }
        "CustomResourceDefinition" => Some(&["apiextensions.k8s.io"]),
        "Gateway" | "GatewayClass" => Some(&["gateway.networking.k8s.io"]),
        route if REFERRING.contains(&route) => Some(&["gateway.networking.k8s.io"]),
        _ => None,
    }
}

/// What the catalogue asks about, gathered once.
#[derive(Debug, Default)]
struct Wanted {
    /// The groups in which a kind is looked for; an empty one is the core's, or any.
    kinds: BTreeMap<String, BTreeSet<String>>,
    config_maps: BTreeSet<String>,
    keys: BTreeSet<String>,
    arguments: BTreeSet<String>,
    variables: BTreeSet<String>,
    workloads: BTreeSet<String>,
    pod_labels: BTreeSet<String>,
    pod_annotations: BTreeSet<String>,
    containers: BTreeSet<String>,
}

static WANTED: LazyLock<Wanted> = LazyLock::new(|| {
    let mut wanted = Wanted::default();
    for kind in ["IngressClass", "Gateway", "GatewayClass"]
        .iter()
        .chain(&REFERRING)
        .chain(&WORKLOADS)
    {
        wanted.kind(kind, None);
    }
    for source in &catalogue().sources {
        let rules = source.detect.service.iter();
        for part in rules.chain(&source.detect.cluster).flat_map(Rule::parts) {
            wanted.rule(part);
        }
        for tuning in &source.tuning {
            wanted.tuning(tuning);
        }
    }
    // Istio's mesh configuration and CoreDNS' Corefile, whose settings lie deeper than a key.
    wanted.keys.extend(["mesh", "Corefile"].map(str::to_owned));
    wanted
});

impl Wanted {
    fn kind(&mut self, kind: &str, group: Option<&str>) {
        let known = self.kinds.entry(kind.to_owned()).or_default();
        match (group, home(kind)) {
            (None, Some(groups)) => {
                known.extend(groups.iter().map(|group| (*group).to_owned()));
            }
            (group, _) => {
                known.insert(group.unwrap_or_default().to_owned());
            }
        }
    }

    fn rule(&mut self, part: &One) {
        self.kind(&part.kind, part.group.as_deref());
        match (part.kind.as_str(), &part.field) {
            ("ConfigMap", field) => {
                self.config_maps.extend(part.name.clone());
                if let Some((Field::Key(key), _)) = field {
                    self.keys.insert(key.clone());
                }
            }
            ("Pod", Some((Field::Label(key), _))) => {
                self.pod_labels.insert(key.clone());
            }
            ("Pod", Some((Field::Annotation(key), _))) => {
                self.pod_annotations.insert(key.clone());
            }
            ("Pod", Some((_, Test::In(names)))) => self.containers.extend(names.iter().cloned()),
            (kind, field) if WORKLOADS.contains(&kind) => {
                self.workloads.extend(part.name.clone());
                match field {
                    Some((
                        Field::Path(_),
                        Test::Contains(argument) | Test::NotContains(argument),
                    )) => {
                        self.arguments.insert(argument.clone());
                    }
                    Some((Field::Path(path), _)) => {
                        let path = path.to_string();
                        let name = path.split("env[name=").nth(1);
                        let name = name.and_then(|rest| rest.split(']').next());
                        self.variables.extend(name.map(str::to_owned));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn tuning(&mut self, tuning: &Tuning) {
        let key = tuning.key.clone();
        match tuning.at {
            Place::ConfigMap => {
                self.config_maps.extend(tuning.name.clone());
                self.keys.insert(key);
            }
            Place::Args => {
                self.arguments.insert(key);
            }
            Place::Env | Place::PodEnv => {
                self.variables.insert(key);
            }
            Place::Pod | Place::PodOrNamespace => {
                self.pod_annotations.insert(key);
            }
            Place::Field => {
                if let Some(kind) = &tuning.kind {
                    self.kind(kind, tuning.group.as_deref());
                }
            }
            _ => {}
        }
    }
}

/// The kinds to read, as API group (empty for the core's) and kind.
#[must_use]
pub fn kinds() -> Vec<(&'static str, &'static str)> {
    let kinds = WANTED.kinds.iter();
    let each = |(kind, groups): (&'static String, &'static BTreeSet<String>)| {
        groups.iter().map(|group| (group.as_str(), kind.as_str()))
    };
    kinds.flat_map(each).collect()
}

/// May a pod with this word tell something: a key of its labels or annotations, or the name of a container? For whoever
/// reads pods as types and makes values of few; [`keep`] decides.
#[must_use]
pub fn tells(word: &str) -> bool {
    let words = [
        &WANTED.pod_labels,
        &WANTED.pod_annotations,
        &WANTED.containers,
    ];
    words.iter().any(|words| words.contains(word))
}

/// Does the catalogue ask for a variable of a container?
#[must_use]
pub fn reads_variable(name: &str) -> bool {
    WANTED.variables.contains(name)
}

/// Fields of an object that are copied; the rest is not looked at by anyone.
fn only(value: &Value, fields: &[&str]) -> Value {
    let mut kept = Map::new();
    for field in fields {
        if let Some(value) = value.get(field) {
            kept.insert((*field).to_owned(), value.clone());
        }
    }
    Value::Object(kept)
}

fn container(value: &Value) -> Value {
    let mut kept = only(value, &["name", "restartPolicy"]);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    for field in ["args", "command"] {
        let all = value[field].as_array().into_iter().flatten();
        let mut take_next = false;
        let mut arguments = Vec::new();
        for argument in all.filter_map(text) {
            let known = WANTED
                .arguments
                .iter()
                .any(|known| argument.contains(known.as_str()));
            // `--flag value` is two arguments.
            if known || take_next {
                take_next = known && !argument.contains('=');
                arguments.push(Value::String(argument));
            }
        }
        if !arguments.is_empty() {
            kept[field] = Value::Array(arguments);
        }
    }
    let variables = value["env"].as_array().into_iter().flatten();
    let variables: Vec<_> = variables
        .filter(|variable| {
            variable["name"]
                .as_str()
                .is_some_and(|name| WANTED.variables.contains(name))
        })
        .map(|variable| only(variable, &["name", "value"]))
        .collect();
    if !variables.is_empty() {
        kept["env"] = Value::Array(variables);
    }
    kept
}

fn pod_spec(spec: &Value) -> Value {
    let mut kept = only(spec, &["readinessGates"]);
    for field in ["containers", "initContainers"] {
        if let Some(all) = spec[field].as_array() {
            kept[field] = Value::Array(all.iter().map(container).collect());
        }
    }
    kept
}

fn telling(meta: &Value, spec: &Value) -> bool {
    let has = |field: &str, keys: &BTreeSet<String>| {
        keys.iter().any(|key| meta[field].get(key).is_some())
    };
    let containers = ["containers", "initContainers"]
        .iter()
        .flat_map(|field| spec[*field].as_array().into_iter().flatten());
    has("labels", &WANTED.pod_labels)
        || has("annotations", &WANTED.pod_annotations)
        || spec["readinessGates"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
        || containers.into_iter().any(|one| {
            one["name"]
                .as_str()
                .is_some_and(|name| WANTED.containers.contains(name))
        })
}

/// Will [`container`] keep an argument or a variable of it?
fn says_something(container: &Value) -> bool {
    let argument = |argument: &Value| {
        let known = |text: &str| WANTED.arguments.iter().any(|known| text.contains(known));
        argument.as_str().is_some_and(known)
    };
    let variable = |variable: &Value| variable["name"].as_str().is_some_and(reads_variable);
    let some = |field: &str, says: &dyn Fn(&Value) -> bool| {
        let all = container[field].as_array();
        all.is_some_and(|all| all.iter().any(says))
    };
    some("args", &argument) || some("command", &argument) || some("env", &variable)
}

fn pod_metadata(meta: &Value) -> Value {
    let mut kept = only(meta, &["name", "namespace", "labels"]);
    if let Some(all) = meta["annotations"].as_object() {
        let annotations = all
            .iter()
            .filter(|(key, _)| WANTED.pod_annotations.contains(*key));
        kept["annotations"] = Value::Object(
            annotations
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
        );
    }
    kept
}

fn workload(value: &Value) -> Option<(Value, Value)> {
    let (meta, spec) = (&value["metadata"], &value["spec"]);
    let template = &spec["template"];
    let named = meta["name"]
        .as_str()
        .is_some_and(|name| WANTED.workloads.contains(name));
    let worth = named
        || !spec["minReadySeconds"].is_null()
        || telling(&template["metadata"], &template["spec"])
        || (template["spec"]["containers"].as_array())
            .is_some_and(|all| all.iter().any(says_something));
    worth.then(|| {
        let mut kept = only(value, &["apiVersion", "kind"]);
        kept["spec"] = only(spec, &["minReadySeconds"]);
        kept["spec"]["template"] = Value::Object(Map::new());
        kept["spec"]["template"]["metadata"] = pod_metadata(&template["metadata"]);
        kept["spec"]["template"]["spec"] = pod_spec(&template["spec"]);
        (only(meta, &["name", "namespace"]), kept)
    })
}

fn config_map(value: &Value) -> Option<(Value, Value)> {
    let meta = &value["metadata"];
    let data = value["data"].as_object();
    let keys: Map<_, _> = data
        .into_iter()
        .flatten()
        .filter(|(key, _)| WANTED.keys.contains(*key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let named = meta["name"]
        .as_str()
        .is_some_and(|name| WANTED.config_maps.contains(name));
    (named || !keys.is_empty()).then(|| {
        let mut kept = only(value, &["apiVersion", "kind"]);
        kept["data"] = Value::Object(keys);
        (only(meta, &["name", "namespace", "labels"]), kept)
    })
}

/// The part of an object that tells who sends traffic; `None` for one that tells nothing.
#[must_use]
pub fn keep(value: &Value) -> Option<Object> {
    let kind = value["kind"].as_str()?;
    let version = value["apiVersion"].as_str()?;
    let group = version.split_once('/').map_or("", |(group, _)| group);
    if kind == "Secret" {
        return None;
    }
    let groups = WANTED.kinds.get(kind)?;
    let any_group = groups.contains("") && home(kind).is_none();
    if !any_group && !groups.contains(group) {
        return None;
    }
    let meta = &value["metadata"];
    let (of_meta, kept) = match kind {
        "Pod" if telling(meta, &value["spec"]) => {
            let mut kept = only(value, &["apiVersion", "kind"]);
            kept["spec"] = pod_spec(&value["spec"]);
            (pod_metadata(meta), kept)
        }
        "Pod" => return None,
        "Node" => {
            let mut kept = only(value, &["apiVersion", "kind"]);
            kept["spec"] = only(&value["spec"], &["providerID", "taints"]);
            (only(meta, &["name", "labels"]), kept)
        }
        "ConfigMap" => config_map(value)?,
        _ if WORKLOADS.contains(&kind) => workload(value)?,
        _ => {
            let fields = value.as_object()?.iter().filter(|(field, _)| {
                *field != "metadata" && (*field != "status" || kind == "Service")
            });
            let kept = fields.map(|(field, value)| (field.clone(), value.clone()));
            let of_meta = only(meta, &["name", "namespace", "labels", "annotations"]);
            (of_meta, Value::Object(kept.collect()))
        }
    };
    Object::new(of_meta, kept)
}

#[cfg(test)]
#[path = "keep_tests.rs"]
mod tests;
