//! What does a setting's field of one object say: an annotation, a label, a variable, an argument, a line of a configuration file?

use serde_json::Value;

use super::object_index::ObjectIndex;
use super::path::{Path, text};
use crate::facts::object::ApiObject;

/// The text of a field, with its place.
#[derive(Debug, Clone)]
pub(super) struct FieldText {
    pub(super) object: String,
    pub(super) field: String,
    pub(super) text: String,
}

pub(super) fn annotation(object: &ApiObject, key: &str, prefix: &str) -> Option<FieldText> {
    Some(FieldText {
        object: object.to_string(),
        field: format!("{prefix}metadata.annotations[{key}]"),
        text: object.annotations.get(key)?.clone(),
    })
}

pub(super) fn label(object: &ApiObject, key: &str) -> Option<FieldText> {
    Some(FieldText {
        object: object.to_string(),
        field: format!("metadata.labels[{key}]"),
        text: object.labels.get(key)?.clone(),
    })
}

pub(super) fn at_path(object: &ApiObject, key: &str) -> Vec<FieldText> {
    let Ok(path) = key.parse::<Path>() else {
        return Vec::new();
    };
    // A field such as `sticky` may hold an object, of which it is enough that it is there.
    let written = |value: &Value| {
        let object = value.is_object().then(|| value.to_string());
        object.or(text(value))
    };
    path.find(&object.value)
        .into_iter()
        .filter_map(written)
        .map(|text| FieldText {
            object: object.to_string(),
            field: key.to_owned(),
            text,
        })
        .collect()
}

fn containers(spec: &Value) -> impl Iterator<Item = &Value> {
    ["containers", "initContainers"]
        .into_iter()
        .flat_map(|field| spec[field].as_array().into_iter().flatten())
}

pub(super) fn variables(
    object: &ApiObject,
    spec: &Value,
    prefix: &str,
    key: &str,
) -> Vec<FieldText> {
    containers(spec)
        .flat_map(|container| container["env"].as_array().into_iter().flatten())
        .filter(|variable| variable["name"].as_str() == Some(key))
        .filter_map(|variable| {
            Some(FieldText {
                object: object.to_string(),
                field: format!("{prefix}spec.containers[].env[name={key}].value"),
                text: variable["value"].as_str()?.to_owned(),
            })
        })
        .collect()
}

/// `--flag=value`, `--flag value` or `--flag` alone, which is true.
pub(super) fn arguments(object: &ApiObject, key: &str) -> Vec<FieldText> {
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
                found.push(FieldText {
                    object: object.to_string(),
                    field: format!("spec.template.spec.containers[].{field}, {key}"),
                    text: value.to_owned(),
                });
            }
        }
    }
    found
}

/// The words that follow an argument, up to the next one: `--flag=a`, `--flag a b`.
pub(super) fn flag_words<'o>(object: &'o ApiObject, flag: &str) -> Vec<&'o str> {
    let spec = &object.value["spec"]["template"]["spec"];
    let mut found = Vec::new();
    for container in containers(spec) {
        for field in ["command", "args"] {
            let all = container[field].as_array().into_iter().flatten();
            let mut follows = false;
            for word in all.filter_map(Value::as_str) {
                let rest = word.strip_prefix(flag);
                if let Some(value) = rest.and_then(|rest| rest.strip_prefix('=')) {
                    found.push(value);
                } else if word.starts_with('-') {
                    follows = word == flag;
                } else if follows {
                    found.push(word);
                }
            }
        }
    }
    found
}

/// `CoreDNS`' options: `ttl` of the plugin `kubernetes`, 5 s where it is left out, and the seconds of the plugin `cache`.
pub(super) fn corefile(index: &ObjectIndex<'_>, key: &str) -> Option<FieldText> {
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
                    // coredns plugin/kubernetes/README.md: 5 seconds.
                    found = found.or(Some("5"));
                }
            }
            Some("ttl") if inside && key == "ttl" => found = words.next(),
            Some("cache") if key == "cache" => found = words.next().filter(|word| *word != "{"),
            Some("}") => inside = false,
            _ => {}
        }
    }
    Some(FieldText {
        object: map.to_string(),
        field: format!("data[Corefile], {key}"),
        text: found?.to_owned(),
    })
}

pub(super) fn mesh_config(index: &ObjectIndex<'_>, key: &str) -> Vec<FieldText> {
    let Ok(path) = key.parse::<Path>() else {
        return Vec::new();
    };
    let maps = index.of_kind("ConfigMap").iter();
    maps.filter_map(|map| Some((map, map.value["data"]["mesh"].as_str()?)))
        .flat_map(|(map, mesh)| {
            let mesh: Value = serde_yaml::from_str(mesh).unwrap_or_default();
            let texts: Vec<_> = path.find(&mesh).into_iter().filter_map(text).collect();
            texts.into_iter().map(|text| FieldText {
                object: map.to_string(),
                field: format!("data[mesh], {key}"),
                text: format!("{}: {text}", key.rsplit('.').next().unwrap_or(key)),
            })
        })
        .collect()
}
