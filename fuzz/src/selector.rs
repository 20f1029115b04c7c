//! Selectors, as `-l`, in objects and in kustomizations: read or refused, and what is written as one picks the same as it did.

use std::collections::BTreeMap;

use drain_check::decode::disruption_budget;
use drain_check::decode::selector::Selector;
use drain_check::facts::selector::{Asks, LabelSelector};
use drain_check::manifest::load_text;
use serde_json::{Value, json};

use crate::{FOLDER, printed, run, turn};

fn labels() -> [BTreeMap<String, String>; 3] {
    let all = [
        &[("app", "web"), ("tier", "a"), ("example.org/x", "")][..],
        &[("app", "db")],
        &[],
    ];
    all.map(|pairs| {
        let pairs = pairs.iter();
        pairs
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    })
}

/// Is it what a label's key or value may be?
fn word(text: &str) -> bool {
    let fits = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.' | '/');
    !text.is_empty() && text.chars().all(fits)
}

/// Has it only what the API takes, so that its text says the same?
fn regular(selector: &LabelSelector) -> bool {
    let labels = selector.labels.iter();
    let expressions = selector.expressions.iter();
    labels
        .into_iter()
        .all(|(key, value)| word(key) && word(value))
        && expressions.into_iter().all(|expression| {
            word(&expression.key)
                && match &expression.asks {
                    Asks::In(values) | Asks::NotIn(values) => {
                        !values.is_empty() && values.iter().all(|value| word(value))
                    }
                    Asks::Exists | Asks::DoesNotExist => true,
                    Asks::Unknown => false,
                }
        })
}

/// The text of `-l`.
fn flag(text: &str) {
    let Ok(selector) = text.parse::<Selector>() else {
        return;
    };
    if !text.trim().is_empty() {
        let twice: Selector = format!("{text},{text}").parse().expect("as before");
        for labels in labels() {
            assert_eq!(selector.matches(&labels), twice.matches(&labels));
        }
    }
}

fn object(api: &str, kind: &str, spec: Value) -> Value {
    let metadata = json!({"name": "web", "namespace": "shop"});
    json!({"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec})
}

fn budget(selector: &Value) -> Value {
    let spec = json!({"selector": selector, "maxUnavailable": 1});
    object("policy/v1", "PodDisruptionBudget", spec)
}

/// What is written of an object's selector picks what it picks.
fn written(selector: &Value) {
    if let Ok(budget) = serde_json::from_value(budget(selector))
        && let Some(own) = disruption_budget(budget).selector
        && regular(&own)
    {
        let written: Selector = own.to_string().parse().expect("a selector");
        for labels in labels() {
            assert_eq!(own.matches(&labels), written.matches(&labels), "{own}");
        }
    }
}

/// A selector of all objects that have one.
fn of_objects(selector: &Value) {
    let affinity = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
        [{"labelSelector": selector, "topologyKey": "kubernetes.io/hostname"}]}});
    let template = json!({"metadata": {"labels": {"app": "web", "tier": "a"}},
        "spec": {"affinity": affinity, "containers": [{"name": "web", "image": "web:1", "ports": [{"containerPort": 80}]}]}});
    let items = json!([
        budget(selector),
        object(
            "apps/v1",
            "Deployment",
            json!({"replicas": 2, "selector": selector, "template": template})
        ),
        object(
            "v1",
            "Service",
            json!({"selector": selector["matchLabels"], "ports": [{"port": 80}]})
        ),
    ]);
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let way = ["lint", "-f", "-", "-o", "json"];
    let (out, said) = run(&way, list.as_bytes());
    printed(&way, out, &said);
}

/// The expressions of a kustomization, which choose what a patch is for.
fn of_patch(kind: &str, name: &str) {
    let folder = FOLDER.path().join("k");
    let file = |name: &str, text: String| std::fs::write(folder.join(name), text).expect("a file");
    std::fs::create_dir_all(&folder).expect("a folder");
    let web = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"template": {"spec": {"containers": [{"name": "web", "image": "web:1"}]}}}});
    let patches = json!([{"target": {"kind": kind, "name": name},
        "patch": "- {op: add, path: /spec/template/spec/terminationGracePeriodSeconds, value: 60}"}]);
    file("web.yaml", web.to_string());
    file(
        "kustomization.yaml",
        json!({"resources": ["web.yaml"], "patches": patches}).to_string(),
    );
    let way = ["lint", "-o", "json", "-f", folder.to_str().expect("UTF-8")];
    let (out, said) = run(&way, b"");
    printed(&way, out, &said);
}

/// A line for `-l`, and a selector as objects have it.
pub fn selector(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    flag(line);
    let turn = turn(bytes) % 4;
    let spec = format!("apiVersion: v1\nkind: X\nmetadata: {{name: x}}\nselector:\n{rest}");
    if let Some(object) = load_text("-", &spec).objects.first() {
        let selector = &object.value["selector"];
        written(selector);
        if turn == 0 {
            of_objects(selector);
        }
    }
    if turn == 1 {
        of_patch(line, rest.lines().next().unwrap_or_default());
    }
}
