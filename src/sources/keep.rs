//! Which objects must be read, and which of their fields are kept, to find traffic sources? Never Secrets, and of pods and workloads
//! only the fields that the catalogue asks about.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::catalogue::catalogue;
use super::figures::{Tuning, TuningPlace};
use super::kinds::{ROUTING_KINDS, WORKLOAD_KINDS, own_groups};
use super::rule::{DetectionRule, Field, FieldTest, RuleCondition, Selects};
use crate::facts::object::ApiObject;

/// What the catalogue asks about.
#[derive(Debug, Default)]
struct CatalogueNames {
    /// The API groups in which a kind is looked for. An empty one is the core's, or any for a kind that is not Kubernetes' own.
    kinds: BTreeMap<String, BTreeSet<String>>,
    config_maps: BTreeSet<String>,
    keys: BTreeSet<String>,
    arguments: BTreeSet<String>,
    /// Those of them that several words may follow.
    selectors: BTreeSet<String>,
    variables: BTreeSet<String>,
    workloads: BTreeSet<String>,
    pod_labels: BTreeSet<String>,
    pod_annotations: BTreeSet<String>,
    containers: BTreeSet<String>,
    /// Containers whose image tells a release.
    agents: BTreeSet<String>,
}

static NAMES: LazyLock<CatalogueNames> = LazyLock::new(|| {
    let mut names = CatalogueNames::default();
    for kind in ["IngressClass", "Gateway", "GatewayClass"]
        .iter()
        .chain(&ROUTING_KINDS)
        .chain(&WORKLOAD_KINDS)
    {
        names.kind(kind, None);
    }
    for source in &catalogue().sources {
        let rules = source.detect.service.iter();
        for condition in rules
            .chain(&source.detect.cluster)
            .flat_map(DetectionRule::conditions)
        {
            names.condition(condition);
        }
        for tuning in &source.tuning {
            names.tuning(tuning);
        }
        for agent in &source.agents {
            names.workloads.insert(agent.daemon_set.clone());
            names.agents.insert(agent.container.clone());
        }
    }
    // The keys of Istio's and CoreDNS' ConfigMaps whose text holds the settings.
    names.keys.extend(["mesh", "Corefile"].map(str::to_owned));
    names
});

impl CatalogueNames {
    fn kind(&mut self, kind: &str, group: Option<&str>) {
        let known = self.kinds.entry(kind.to_owned()).or_default();
        match (group, own_groups(kind)) {
            (None, Some(groups)) => {
                known.extend(groups.iter().map(|group| (*group).to_owned()));
            }
            (group, _) => {
                known.insert(group.unwrap_or_default().to_owned());
            }
        }
    }

    fn condition(&mut self, condition: &RuleCondition) {
        self.kind(&condition.kind, condition.group.as_deref());
        if let Some(Selects::Argument { flag, namespace }) = &condition.selects {
            self.arguments.extend(namespace.clone());
            self.arguments.insert(flag.clone());
            self.selectors.insert(flag.clone());
        }
        match (condition.kind.as_str(), &condition.field) {
            ("ConfigMap", field) => {
                self.config_maps.extend(condition.name.clone());
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
            ("Pod", Some((_, FieldTest::In(names)))) => {
                self.containers.extend(names.iter().cloned());
            }
            (kind, field) if WORKLOAD_KINDS.contains(&kind) => {
                self.workloads.extend(condition.name.clone());
                match field {
                    Some((
                        Field::Path(_),
                        FieldTest::Contains(argument) | FieldTest::NotContains(argument),
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
            TuningPlace::ConfigMap => {
                self.config_maps.extend(tuning.name.clone());
                self.keys.insert(key);
            }
            TuningPlace::Args => {
                self.arguments.insert(key);
            }
            TuningPlace::Env | TuningPlace::PodEnv => {
                self.variables.insert(key);
            }
            TuningPlace::Pod | TuningPlace::PodOrNamespace => {
                self.pod_annotations.insert(key);
            }
            TuningPlace::Field => {
                if let Some(kind) = &tuning.kind {
                    self.kind(kind, tuning.group.as_deref());
                }
            }
            _ => {}
        }
    }
}

/// The kinds to read, as API group (empty for the core's, or where any group will do) and kind.
#[must_use]
pub fn kinds() -> Vec<(&'static str, &'static str)> {
    let kinds = NAMES.kinds.iter();
    let each = |(kind, groups): (&'static String, &'static BTreeSet<String>)| {
        groups.iter().map(|group| (group.as_str(), kind.as_str()))
    };
    kinds.flat_map(each).collect()
}

/// May a pod with this word show a traffic source: a key of its labels or annotations, or the name of a container? A quick look
/// before the whole pod is put together for [`keep`].
#[must_use]
pub fn tells(word: &str) -> bool {
    let words = [&NAMES.pod_labels, &NAMES.pod_annotations, &NAMES.containers];
    words.iter().any(|words| words.contains(word))
}

/// Does the catalogue read an environment variable of containers?
#[must_use]
pub fn reads_variable(name: &str) -> bool {
    NAMES.variables.contains(name)
}

/// The object with only these of its fields.
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
    let agent = |name: &str| NAMES.agents.contains(name);
    if let Some(image) = value["image"].as_str()
        && value["name"].as_str().is_some_and(agent)
    {
        kept["image"] = Value::from(image);
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    for field in ["args", "command"] {
        let all = value[field].as_array().into_iter().flatten();
        let (mut take_next, mut take_all) = (false, false);
        let mut arguments = Vec::new();
        for argument in all.filter_map(text) {
            let known = NAMES
                .arguments
                .iter()
                .any(|known| argument.contains(known.as_str()));
            if argument.starts_with('-') {
                take_all = NAMES.selectors.contains(&argument);
            }
            // `--flag value` is two arguments, `--selector a=b c=d` three.
            if known || take_next || take_all {
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
                .is_some_and(|name| NAMES.variables.contains(name))
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

fn shows_source(meta: &Value, spec: &Value) -> bool {
    let has = |field: &str, keys: &BTreeSet<String>| {
        let own = meta[field].as_object().into_iter().flatten();
        own.map(|(key, _)| key).any(|key| keys.contains(key))
    };
    let containers = ["containers", "initContainers"]
        .iter()
        .flat_map(|field| spec[*field].as_array().into_iter().flatten());
    has("labels", &NAMES.pod_labels)
        || has("annotations", &NAMES.pod_annotations)
        || spec["readinessGates"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
        || containers.into_iter().any(|one| {
            one["name"]
                .as_str()
                .is_some_and(|name| NAMES.containers.contains(name))
        })
}

/// Will [`container`] keep an argument or a variable of it?
fn keeps_some(container: &Value) -> bool {
    let argument = |argument: &Value| {
        let known = |text: &str| NAMES.arguments.iter().any(|known| text.contains(known));
        argument.as_str().is_some_and(known)
    };
    let variable = |variable: &Value| variable["name"].as_str().is_some_and(reads_variable);
    let any = |field: &str, kept: &dyn Fn(&Value) -> bool| {
        let all = container[field].as_array();
        all.is_some_and(|all| all.iter().any(kept))
    };
    any("args", &argument) || any("command", &argument) || any("env", &variable)
}

fn pod_metadata(meta: &Value) -> Value {
    let mut kept = only(meta, &["name", "namespace", "labels"]);
    if let Some(all) = meta["annotations"].as_object() {
        let annotations = all
            .iter()
            .filter(|(key, _)| NAMES.pod_annotations.contains(*key));
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
        .is_some_and(|name| NAMES.workloads.contains(name));
    let worth = named
        || !spec["minReadySeconds"].is_null()
        || shows_source(&template["metadata"], &template["spec"])
        || (template["spec"]["containers"].as_array())
            .is_some_and(|all| all.iter().any(keeps_some));
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
        .filter(|(key, _)| NAMES.keys.contains(*key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let named = meta["name"]
        .as_str()
        .is_some_and(|name| NAMES.config_maps.contains(name));
    (named || !keys.is_empty()).then(|| {
        let mut kept = only(value, &["apiVersion", "kind"]);
        kept["data"] = Value::Object(keys);
        (only(meta, &["name", "namespace", "labels"]), kept)
    })
}

/// The fields of an object by which traffic sources are found and their settings read; `None` for an object that has none.
#[must_use]
pub fn keep(value: &Value) -> Option<ApiObject> {
    let kind = value["kind"].as_str()?;
    let version = value["apiVersion"].as_str()?;
    let group = version.split_once('/').map_or("", |(group, _)| group);
    if kind == "Secret" {
        return None;
    }
    let groups = NAMES.kinds.get(kind)?;
    let any_group = groups.contains("") && own_groups(kind).is_none();
    if !any_group && !groups.contains(group) {
        return None;
    }
    let meta = &value["metadata"];
    let (of_meta, kept) = match kind {
        "Pod" if shows_source(meta, &value["spec"]) => {
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
        // Schemas are long; who converts old versions is all that counts.
        "CustomResourceDefinition" => {
            let mut kept = only(value, &["apiVersion", "kind"]);
            kept["spec"] = only(&value["spec"], &["conversion"]);
            (only(meta, &["name"]), kept)
        }
        "ConfigMap" => config_map(value)?,
        _ if WORKLOAD_KINDS.contains(&kind) => workload(value)?,
        _ => {
            let fields = value.as_object()?.iter().filter(|(field, _)| {
                *field != "metadata" && (*field != "status" || kind == "Service")
            });
            let kept = fields.map(|(field, value)| (field.clone(), value.clone()));
            let of_meta = only(meta, &["name", "namespace", "labels", "annotations"]);
            (of_meta, Value::Object(kept.collect()))
        }
    };
    ApiObject::new(of_meta, kept)
}

#[cfg(test)]
#[path = "keep_tests.rs"]
mod tests;
