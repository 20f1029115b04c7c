//! How does the catalogue say what shows that a traffic source is in use? As conditions on objects of the cluster.

use serde::Deserialize;
use serde_json::Value;

use super::path::Path;

/// Where an object says which pods it chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selects {
    /// A field that holds labels and their values, as `matchLabels` does.
    Labels(Path),
    /// An argument of its containers that holds `key=value` pairs, between commas or as words of their own.
    Argument {
        /// The argument.
        flag: String,
        /// The argument that names the one namespace whose pods are chosen; all namespaces where it is not there.
        namespace: Option<String>,
    },
}

impl std::fmt::Display for Selects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Labels(path) => path.fmt(f),
            Self::Argument { flag, .. } => {
                write!(f, "spec.template.spec.containers[].args, {flag}")
            }
        }
    }
}

/// Conditions that must all hold. Those of one kind and name ask about one object, and are one group.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "RuleYaml")]
pub struct DetectionRule {
    /// Each group holds at least one condition.
    pub(super) groups: Vec<Vec<RuleCondition>>,
}

impl DetectionRule {
    /// Is it a guess that this is the traffic source, where no other rule of it holds?
    pub(super) fn is_guess(&self) -> bool {
        self.conditions().any(|condition| condition.guess)
    }

    /// Its conditions.
    #[must_use = "it is an iterator"]
    pub fn conditions(&self) -> impl Iterator<Item = &RuleCondition> {
        self.groups.iter().flatten()
    }

    fn new(conditions: Vec<RuleCondition>) -> Self {
        fn object(one: &RuleCondition) -> (&str, Option<&str>, bool) {
            (&one.kind, one.name.as_deref(), one.none)
        }
        let mut groups: Vec<Vec<RuleCondition>> = Vec::new();
        for condition in conditions {
            let alike = |group: &&mut Vec<RuleCondition>| object(&group[0]) == object(&condition);
            match groups.iter_mut().find(alike) {
                Some(group) => group.push(condition),
                None => groups.push(vec![condition]),
            }
        }
        Self { groups }
    }
}

/// A condition on one object.
#[derive(Debug, Clone)]
pub struct RuleCondition {
    /// The object's kind.
    pub kind: String,
    /// Its API group, where the kind's name alone is ambiguous.
    pub group: Option<String>,
    /// Its namespace; `$ns` is the Service's.
    pub namespace: Option<String>,
    /// Its name; `$svc` and `$ns` are the Service's.
    pub name: Option<String>,
    /// It is an Ingress or a Route that has the Service as a backend.
    pub backend: bool,
    /// It is a workload whose template the Service selects.
    pub workload: bool,
    /// It chooses pods of the Service by their labels.
    pub selects: Option<Selects>,
    /// The class that it must be of.
    pub class: Option<ClassTest>,
    /// A field, and what it must be.
    pub field: Option<(Field, FieldTest)>,
    /// There must be no such object.
    pub none: bool,
    /// How the traffic source runs where this holds: `classic` or `native`.
    pub mode: Option<String>,
    /// Others show the same: where nothing else does, it is only a guess that this is the one.
    pub guess: bool,
    /// What to know about the evidence.
    pub note: Option<String>,
}

impl RuleCondition {
    /// It compares a field with the Service's name.
    pub(super) fn by_name(&self) -> bool {
        let own = ["Service", "Pod"].contains(&self.kind.as_str());
        match &self.field {
            Some((Field::Path(_), FieldTest::Host | FieldTest::Reference)) => !own,
            Some((Field::Path(_), FieldTest::In(all))) => {
                !own && all.iter().all(|text| text == "$svc")
            }
            _ => false,
        }
    }
}

/// Which class an Ingress or a Route must be of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassTest {
    /// `spec.controller` of its `IngressClass`.
    Controller(String),
    /// The name of its class is one of these; an empty one is no class at all.
    Names(Vec<String>),
    /// The name of its class is this one, and no `IngressClass` of that name says whose it is.
    UnknownName(String),
    /// `spec.controllerName` of the `GatewayClass` of one of its parents.
    GatewayController(String),
    /// What the name of that class begins with.
    GatewayPrefix(String),
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// A path from the object's top.
    Path(Path),
    /// The annotation of this key.
    Annotation(String),
    /// The label of this key.
    Label(String),
    /// This key in the `data` of a `ConfigMap`.
    Key(String),
}

impl std::fmt::Display for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Path(path) => path.fmt(f),
            Self::Annotation(key) => write!(f, "metadata.annotations[{key}]"),
            Self::Label(key) => write!(f, "metadata.labels[{key}]"),
            Self::Key(key) => write!(f, "data[{key}]"),
        }
    }
}

/// What a field must hold; `$svc` and `$ns` are the Service's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldTest {
    /// A value.
    Exists,
    /// No value.
    Absent,
    /// One of these.
    In(Vec<String>),
    /// A value that begins so.
    Prefix(String),
    /// A value that ends so.
    Suffix(String),
    /// A value with this in it.
    Contains(String),
    /// No value with this in it.
    NotContains(String),
    /// The Service's host name, with or without namespace, scheme and port.
    Host,
    /// An object with the Service's `name` and `namespace`; without the latter, the namespace is that of the object it stands in.
    Reference,
}

/// A rule as `catalogue.yaml` has it: one condition, or several in `all`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleYaml {
    all: Option<Vec<RuleYaml>>,
    object: Option<String>,
    group: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    #[serde(rename = "ref")]
    related: Option<String>,
    class_controller: Option<String>,
    class_name: Option<String>,
    class_name_in: Option<Vec<String>>,
    class_unknown: Option<bool>,
    gatewayclass_controller: Option<String>,
    gatewayclass_name_prefix: Option<String>,
    path: Option<String>,
    annotation: Option<String>,
    label: Option<String>,
    key: Option<String>,
    exists: Option<bool>,
    absent: Option<bool>,
    none: Option<bool>,
    equals: Option<Value>,
    #[serde(rename = "in")]
    among: Option<Vec<String>>,
    prefix: Option<String>,
    suffix: Option<String>,
    contains: Option<String>,
    not_contains: Option<String>,
    host: Option<String>,
    reference: Option<String>,
    selects: Option<SelectsYaml>,
    mode: Option<String>,
    #[serde(default)]
    guess: bool,
    note: Option<String>,
}

/// Where pods are chosen by labels: a field, or an argument.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum SelectsYaml {
    Field(String),
    Argument {
        argument: String,
        namespace: Option<String>,
    },
}

impl SelectsYaml {
    fn read(self) -> Result<Selects, String> {
        Ok(match self {
            Self::Field(path) => Selects::Labels(path.parse()?),
            Self::Argument {
                argument,
                namespace,
            } => Selects::Argument {
                flag: argument,
                namespace,
            },
        })
    }
}

fn scalar(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

impl RuleYaml {
    fn test(&mut self) -> Option<FieldTest> {
        if let Some(value) = self.equals.take() {
            return Some(FieldTest::In(vec![scalar(&value)]));
        }
        None.or(self.among.take().map(FieldTest::In))
            .or(self.prefix.take().map(FieldTest::Prefix))
            .or(self.suffix.take().map(FieldTest::Suffix))
            .or(self.contains.take().map(FieldTest::Contains))
            .or(self.not_contains.take().map(FieldTest::NotContains))
            .or(self.host.take().map(|_| FieldTest::Host))
            .or(self.reference.take().map(|_| FieldTest::Reference))
            .or(self.exists.take().map(|_| FieldTest::Exists))
            .or(self.absent.take().map(|_| FieldTest::Absent))
    }

    fn class(&mut self) -> Option<ClassTest> {
        let unknown = self.class_unknown.take() == Some(true);
        let name = self.class_name.take().map(|name| {
            if unknown {
                ClassTest::UnknownName(name)
            } else {
                ClassTest::Names(vec![name])
            }
        });
        name.or(self.class_controller.take().map(ClassTest::Controller))
            .or(self.class_name_in.take().map(ClassTest::Names))
            .or(self
                .gatewayclass_controller
                .take()
                .map(ClassTest::GatewayController))
            .or(self
                .gatewayclass_name_prefix
                .take()
                .map(ClassTest::GatewayPrefix))
    }

    fn condition(mut self) -> Result<RuleCondition, String> {
        let kind = self.object.take().ok_or("a rule without object")?;
        let path = self.path.take().map(|path| path.parse()).transpose()?;
        let field = None
            .or(path.map(Field::Path))
            .or(self.annotation.take().map(Field::Annotation))
            .or(self.label.take().map(Field::Label))
            .or(self.key.take().map(Field::Key));
        let test = self.test();
        let selects = self.selects.take().map(SelectsYaml::read).transpose()?;
        let (field, none) = match (field, test) {
            (Some(field), Some(test)) => (Some((field, test)), self.none == Some(true)),
            (None, None) => (None, false),
            (None, Some(FieldTest::Absent)) => (None, true),
            (field, test) => return Err(format!("{kind}: {field:?} with {test:?}")),
        };
        Ok(RuleCondition {
            class: self.class(),
            kind,
            group: self.group,
            namespace: self.namespace,
            name: self.name,
            backend: self.related.as_deref() == Some("backend"),
            workload: self.related.as_deref() == Some("workload"),
            selects,
            field,
            none,
            mode: self.mode,
            guess: self.guess,
            note: self.note,
        })
    }
}

impl TryFrom<RuleYaml> for DetectionRule {
    type Error = String;

    fn try_from(mut yaml: RuleYaml) -> Result<Self, String> {
        let conditions = match yaml.all.take() {
            Some(all) => all.into_iter().map(RuleYaml::condition).collect(),
            None => yaml.condition().map(|condition| vec![condition]),
        };
        conditions.map(Self::new)
    }
}
