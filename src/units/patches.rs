//! Which fields of which objects do the patches of a kustomization set?
//!
//! A patch is not applied here: what its object will be, only kustomize knows for certain. Findings about such fields are left to
//! `lint -k`, which asks it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::kustomization::{Kustomization, PatchText, Target};
use super::{name_of, whole};
use crate::manifest::{Identity, ManifestObject};

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    /// The item of a list with this name.
    Named(String),
    /// The item at this place of a list.
    At(usize),
}

/// The fields that one patch sets, and for which objects.
#[derive(Debug, Clone, PartialEq)]
pub struct Touched {
    /// The file in which it is written.
    pub file: String,
    who: Who,
    paths: Vec<Vec<Step>>,
    /// The number of replicas that it sets.
    pub(super) replicas: Option<i64>,
}

#[derive(Debug, Clone, PartialEq)]
enum Who {
    /// The object of this kind and name.
    Own { kind: String, name: String },
    /// Those that the kustomization names.
    Target(Target),
    /// Those of this name, whatever their kind: `replicas`.
    Scaled(String),
}

/// The objects of the input, with what patches choose them by.
pub(super) struct Known<'o> {
    objects: &'o [ManifestObject],
    expressions: HashMap<String, Option<regex_lite::Regex>>,
}

/// A regular expression over whole words, as kustomize takes it (`api/types/selector.go`, `NewSelectorRegex`).
fn expression(text: &str) -> Option<regex_lite::Regex> {
    regex_lite::RegexBuilder::new(&format!("^(?:{text})$"))
        .size_limit(1 << 16)
        .build()
        .ok()
}

/// Does a byte stand for itself in an expression, whatever is around it?
const fn is_literal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/')
}

impl<'o> Known<'o> {
    pub(super) fn new(objects: &'o [ManifestObject]) -> Self {
        Self {
            objects,
            expressions: HashMap::new(),
        }
    }

    fn matches(&mut self, expression: &str, word: &str) -> bool {
        if expression.is_empty() || expression == word {
            return true;
        }
        // Most are plain words; a compiled one takes a kilobyte.
        if expression.bytes().all(is_literal) {
            return false;
        }
        let known = self.expressions.entry(expression.to_owned());
        let known = known.or_insert_with(|| self::expression(expression));
        // What cannot be read may choose it: better silent than wrong.
        known.as_ref().is_none_or(|known| known.is_match(word))
    }

    /// Is a patch for an object?
    pub(super) fn is_for(&mut self, touched: &Touched, object: usize) -> bool {
        let value = &self.objects[object].value;
        let (own_kind, own_name) = name_of(value);
        match &touched.who {
            Who::Own { kind, name } => kind == own_kind && name == own_name,
            Who::Scaled(name) => name == own_name,
            Who::Target(target) => {
                let version = value["apiVersion"].as_str().unwrap_or_default();
                self.matches(&target.group, Identity::group(version))
                    && self.matches(&target.kind, own_kind)
                    && self.matches(&target.name, own_name)
            }
        }
    }
}

/// A file with patches, as it was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatchFile<'f> {
    pub(super) name: &'f str,
    pub(super) text: &'f str,
    /// The documents that are objects.
    pub(super) objects: &'f [ManifestObject],
    /// How many documents there are.
    pub(super) documents: usize,
}

impl<'f> PatchFile<'f> {
    fn documents(self) -> Vec<Cow<'f, Value>> {
        if self.documents == self.objects.len() {
            let objects = self.objects.iter();
            return objects.map(|object| Cow::Borrowed(&object.value)).collect();
        }
        // Lists of operations (RFC 6902) are no objects, and were not kept.
        documents(self.text)
    }
}

/// The fields that the patches of a kustomization, whose file is `own`, set. `files` finds a file by the name that the kustomization has for it.
pub(super) fn of<'f>(
    asks: &Kustomization,
    own: &str,
    files: &dyn Fn(&str) -> Option<PatchFile<'f>>,
) -> Vec<Arc<Touched>> {
    let mut all = Vec::new();
    for patch in &asks.patches {
        let (documents, file) = match &patch.text {
            PatchText::Inline(text) => (documents(text), own),
            PatchText::File(file) => match files(file) {
                Some(file) => (file.documents(), file.name),
                None => continue,
            },
        };
        for value in documents {
            let named = || {
                let (kind, name) = name_of(&value);
                Who::Own {
                    kind: kind.to_owned(),
                    name: name.to_owned(),
                }
            };
            let who = patch.target.clone().map_or_else(named, Who::Target);
            let mut paths = Vec::new();
            let replicas = replicas(&value);
            match &*value {
                Value::Array(operations) => {
                    let pointers = operations.iter().filter_map(|each| each["path"].as_str());
                    paths.extend(pointers.map(pointer));
                }
                Value::Object(_) if value["$patch"] == "delete" => paths.push(Vec::new()),
                _ => fields(&value, &mut Vec::new(), &mut paths),
            }
            let file = file.to_owned();
            all.push(Arc::new(Touched {
                file,
                who,
                paths,
                replicas,
            }));
        }
    }
    all.extend(asks.replicas.iter().map(|(name, count)| {
        Arc::new(Touched {
            file: own.to_owned(),
            who: Who::Scaled(name.clone()),
            paths: vec![steps("spec.replicas")],
            replicas: *count,
        })
    }));
    all
}

/// The number of replicas that a patch of either kind sets.
fn replicas(patch: &Value) -> Option<i64> {
    let operations = patch.as_array().into_iter().flatten();
    let mut operations = operations.filter(|each| each["path"] == "/spec/replicas");
    let set = operations.next_back().map(|each| &each["value"]);
    set.unwrap_or(&patch["spec"]["replicas"]).as_i64()
}

/// The documents of a patch; what cannot be read is told where it is read as a file.
fn documents<'v>(text: &str) -> Vec<Cow<'v, Value>> {
    let documents = serde_yaml::Deserializer::from_str(text);
    let read = documents.map_while(|each| Value::deserialize(each).ok());
    read.filter(|value| value.is_object() || value.is_array())
        .map(Cow::Owned)
        .collect()
}

/// `/spec/template/spec/containers/0/image`, as JSON patches write it (RFC 6901).
fn pointer(path: &str) -> Vec<Step> {
    let steps = path.split('/').skip(1).map(|step| match step.parse() {
        Ok(number) => Step::At(number),
        Err(_) => Step::Key(step.replace("~1", "/").replace("~0", "~")),
    });
    // `-` adds to a list.
    steps
        .take_while(|step| *step != Step::Key("-".to_owned()))
        .collect()
}

/// The fields that a strategic merge patch sets: its leaves. Items of lists are told apart by their names; a list whose items have none
/// is set as a whole.
fn fields(value: &Value, at: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                let identity = at.is_empty() && ["apiVersion", "kind"].contains(&key.as_str());
                let name = key == "name" && matches!(at.last(), Some(Step::Named(_)));
                if identity || name {
                    continue;
                }
                at.push(Step::Key(key.clone()));
                fields(value, at, found);
                at.pop();
            }
        }
        Value::Array(items) if items.iter().any(|item| item["name"].is_string()) => {
            for item in items {
                if let Some(name) = item["name"].as_str() {
                    at.push(Step::Named(name.to_owned()));
                    fields(item, at, found);
                    at.pop();
                }
            }
        }
        _ => found.push(at.clone()),
    }
}

/// `spec.template.spec.containers[0].lifecycle`, as findings write it.
fn steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let mut pieces = part.split('[');
        if let Some(key) = pieces.next().filter(|key| !key.is_empty()) {
            steps.push(Step::Key(key.to_owned()));
        }
        for piece in pieces {
            let inner = piece.trim_end_matches(']');
            steps.push(match inner.parse() {
                Ok(number) => Step::At(number),
                Err(_) => Step::Key(inner.to_owned()),
            });
        }
    }
    steps
}

/// Does one path lead to, into or past the other? `object` tells the names of items.
fn meet(touched: &[Step], path: &[Step], object: &Value) -> bool {
    let mut value = object;
    for (one, other) in touched.iter().zip(path) {
        let item = |at: &usize| &value[*at];
        let same = match (one, other) {
            (Step::Named(name), Step::At(at)) => item(at)["name"] == name.as_str(),
            (one, other) => one == other,
        };
        if !same {
            return false;
        }
        value = match other {
            Step::Key(key) | Step::Named(key) => &value[key.as_str()],
            Step::At(at) => &value[*at],
        };
    }
    true
}

/// Fields of any object of a unit on which findings of a rule depend: which ports pods declare, which labels they have.
const ANYWHERE: [(&str, &[&str]); 6] = [
    ("DC107", OF_SELECTION),
    ("DC108", &["ports", "containers"]),
    ("DC303", &["scaleTargetRef"]),
    ("DC304", OF_SELECTION),
    ("DC305", OF_SELECTION),
    ("DC306", OF_SELECTION),
];

const OF_SELECTION: &[&str] = &["labels", "selector"];

/// Fields on which every finding about how pods end may depend.
const OF_SHUTDOWN: [&str; 4] = [
    "terminationGracePeriodSeconds",
    "lifecycle",
    "readinessProbe",
    "livenessProbe",
];

/// Fields on which every finding about rollouts and drains may depend.
const OF_ROLLOUT: [&str; 8] = [
    "replicas",
    "strategy",
    "updateStrategy",
    "minReadySeconds",
    "minAvailable",
    "maxUnavailable",
    "minReplicas",
    "maxReplicas",
];

impl Touched {
    /// Does it set something of whatever object on which findings of a rule depend? A sidecar that a patch adds has ports, too.
    #[must_use]
    pub fn sets_anywhere(&self, rule: &str) -> bool {
        let Some((_, keys)) = ANYWHERE.iter().find(|(of, _)| *of == rule) else {
            return false;
        };
        let set = |step: &Step| matches!(step, Step::Key(key) if keys.contains(&key.as_str()));
        self.paths.iter().any(|path| match (rule, path.as_slice()) {
            // Of a container that is there already, only its ports tell.
            ("DC108", [.., Step::Key(last)]) if last != "containers" => path
                .iter()
                .any(|step| matches!(step, Step::Key(key) if key == "ports")),
            (_, path) => path.is_empty() || path.iter().any(set),
        })
    }

    /// Does it change how the pods of an object end or follow each other: by a hook, a grace period, a strategy, a volume, another container?
    #[must_use]
    pub fn reshapes(&self, object: &Value) -> bool {
        const MORE: [&str; 3] = ["strategy", "updateStrategy", "volumes"];
        let key_counts = |step: &Step| matches!(step, Step::Key(key) if OF_SHUTDOWN.contains(&key.as_str()) || MORE.contains(&key.as_str()));
        let spec = &whole::template(object)["spec"];
        let is_known = |list: &str, name: &str| {
            let items = spec[list].as_array();
            items.is_some_and(|items| items.iter().any(|item| item["name"] == name))
        };
        let lists = ["containers", "initContainers"];
        let adds = |path: &[Step]| match path.last() {
            Some(Step::Key(last)) if lists.contains(&last.as_str()) => true,
            _ => path.windows(2).any(|pair| match pair {
                [Step::Key(list), Step::Named(name)] => {
                    lists.contains(&list.as_str()) && !is_known(list, name)
                }
                _ => false,
            }),
        };
        let mut paths = self.paths.iter();
        paths.any(|path| path.is_empty() || path.iter().any(key_counts) || adds(path))
    }

    /// Does it set this field, or a part of it?
    #[must_use]
    pub fn sets_field(&self, path: &str, object: &Value) -> bool {
        let path = steps(path);
        let mut own = self.paths.iter().filter(|touched| !touched.is_empty());
        own.any(|touched| touched.len() >= path.len() && meet(touched, &path, object))
    }

    /// Does it set what a finding of a rule about an object, perhaps at a path, is about?
    #[must_use]
    pub fn sets(&self, rule: &str, path: Option<&str>, object: &Value) -> bool {
        let at = path.map(steps);
        let more: &[&str] = match rule.get(..3) {
            Some("DC2") => &OF_SHUTDOWN,
            Some("DC3") => &OF_ROLLOUT,
            _ => &[],
        };
        self.paths.iter().any(|touched| {
            let depends =
                |step: &Step| matches!(step, Step::Key(key) if more.contains(&key.as_str()));
            at.as_ref().is_some_and(|path| meet(touched, path, object))
                || touched.is_empty()
                || touched.iter().any(depends)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn touched(patch: &Value) -> Touched {
        let asks = json!({"patches": [{"patch": patch.to_string()}]});
        let asks = Kustomization::read(&asks).expect("a kustomization");
        let all = of(&asks, "kustomization.yaml", &|_| None);
        (*all[0]).clone()
    }

    fn deployment() -> Value {
        json!({"kind": "Deployment", "metadata": {"name": "web"}, "spec": {"template": {"spec": {"containers": [
            {"name": "proxy", "image": "p"}, {"name": "web", "image": "w"},
        ]}}}})
    }

    #[test]
    fn a_container_of_a_patch_is_found_by_its_name() {
        let patch = touched(
            &json!({"kind": "Deployment", "metadata": {"name": "web"}, "spec": {"template": {"spec": {"containers": [
                {"name": "web", "ports": [{"containerPort": 80}]},
            ]}}}}),
        );
        let at = |place: usize, field: &str| {
            let field = format!("spec.template.spec.containers[{place}]{field}");
            patch.sets("DC108", Some(&field), &deployment())
        };
        assert!(at(1, ".ports[0].name"));
        assert!(at(1, ""));
        assert!(!at(0, ".ports"));
        assert!(!at(1, ".lifecycle.preStop"));
    }

    #[test]
    fn what_sets_the_grace_period_may_change_every_finding_about_shutdown() {
        let patch = touched(
            &json!([{"op": "add", "path": "/spec/template/spec/terminationGracePeriodSeconds", "value": 60}]),
        );
        let field = Some("spec.template.spec.containers[0].lifecycle.preStop");
        assert!(patch.sets("DC202", field, &deployment()));
        assert!(!patch.sets("DC108", field, &deployment()));
    }

    #[test]
    fn a_deleted_object_is_nobodys_finding_and_an_image_nobodys_reason() {
        let gone = touched(
            &json!({"$patch": "delete", "kind": "Deployment", "metadata": {"name": "web"}}),
        );
        assert!(gone.sets("DC304", None, &deployment()));
        let image = touched(
            &json!({"kind": "Deployment", "metadata": {"name": "web"}, "spec": {"template": {"spec": {"containers": [{"name": "web", "image": "x"}]}}}}),
        );
        assert!(!image.sets("DC301", Some("spec.strategy"), &deployment()));
    }

    #[test]
    fn targets_are_expressions_over_whole_words() {
        let objects = [ManifestObject {
            file: "a.yaml".to_owned(),
            line: 1,
            value: json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}),
        }];
        let mut known = Known::new(&objects);
        let mut is_for = |name: &str, kind: &str| {
            let target = Target {
                kind: kind.to_owned(),
                name: name.to_owned(),
                ..Target::default()
            };
            let touched = Touched {
                file: String::new(),
                who: Who::Target(target),
                paths: Vec::new(),
                replicas: None,
            };
            known.is_for(&touched, 0)
        };
        assert!(is_for("w.*", "Deployment") && is_for("", "Deployment|StatefulSet"));
        assert!(!is_for("we", "Deployment") && !is_for("", "Service"));
    }
}
