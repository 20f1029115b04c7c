//! What does a rule of the catalogue ask of an object? Rules say how to see that a traffic source is in use.

use serde::Deserialize;
use serde_json::Value;

use super::path::Path;

/// What must all hold, by the object that it must hold for: conditions of one kind and name ask about one object.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Written")]
pub struct Rule {
    /// Each holds at least one condition.
    pub(super) groups: Vec<Vec<One>>,
}

impl Rule {
    /// The conditions in it.
    #[must_use = "it is an iterator"]
    pub fn parts(&self) -> impl Iterator<Item = &One> {
        self.groups.iter().flatten()
    }

    fn new(parts: Vec<One>) -> Self {
        let mut groups: Vec<Vec<One>> = Vec::new();
        for part in parts {
            let alike = |group: &&mut Vec<One>| {
                let first = &group[0];
                (&first.kind, &first.name, first.none) == (&part.kind, &part.name, part.none)
            };
            match groups.iter_mut().find(alike) {
                Some(group) => group.push(part),
                None => groups.push(vec![part]),
            }
        }
        Self { groups }
    }
}

/// What one object must be.
#[derive(Debug, Clone)]
pub struct One {
    /// Its kind.
    pub kind: String,
    /// Its API group, where the kind's name alone is ambiguous.
    pub group: Option<String>,
    /// Its namespace; `$ns` is the Service's.
    pub namespace: Option<String>,
    /// Its name; `$svc` and `$ns` are the Service's.
    pub name: Option<String>,
    /// It names the Service as a backend.
    pub backend: bool,
    /// It makes the Service's pods.
    pub workload: bool,
    /// Who must serve it.
    pub class: Option<ClassTest>,
    /// What a field of it must be.
    pub field: Option<(Field, Test)>,
    /// No object may be so.
    pub none: bool,
    /// What a match says besides: `classic` or `native`.
    pub mode: Option<String>,
    /// What to know about a match.
    pub note: Option<String>,
}

impl One {
    /// It looks for the Service's name in a field.
    pub(super) fn by_name(&self) -> bool {
        let own = ["Service", "Pod"].contains(&self.kind.as_str());
        match &self.field {
            Some((Field::Path(_), Test::Host)) => !own,
            Some((Field::Path(_), Test::In(all))) => !own && all.iter().all(|text| text == "$svc"),
            _ => false,
        }
    }
}

/// Who serves an Ingress or a Route.
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

/// Where to look in an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// At a path.
    Path(Path),
    /// At an annotation.
    Annotation(String),
    /// At a label.
    Label(String),
    /// At a key of a `ConfigMap`.
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

/// What must be found there; `$svc` and `$ns` are the Service's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// Anything.
    Exists,
    /// Nothing.
    Absent,
    /// One of these.
    In(Vec<String>),
    /// Something that begins so.
    Prefix(String),
    /// Something that ends so.
    Suffix(String),
    /// Something with this in it.
    Contains(String),
    /// Nothing with this in it.
    NotContains(String),
    /// A host name or address of the Service, with or without namespace, scheme and port.
    Host,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    all: Option<Vec<Written>>,
    object: Option<String>,
    group: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
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
    mode: Option<String>,
    note: Option<String>,
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

impl Written {
    fn test(&mut self) -> Option<Test> {
        if let Some(value) = self.equals.take() {
            return Some(Test::In(vec![plain(&value)]));
        }
        None.or(self.among.take().map(Test::In))
            .or(self.prefix.take().map(Test::Prefix))
            .or(self.suffix.take().map(Test::Suffix))
            .or(self.contains.take().map(Test::Contains))
            .or(self.not_contains.take().map(Test::NotContains))
            .or(self.host.take().map(|_| Test::Host))
            .or(self.exists.take().map(|_| Test::Exists))
            .or(self.absent.take().map(|_| Test::Absent))
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

    fn one(mut self) -> Result<One, String> {
        let kind = self.object.take().ok_or("a rule without object")?;
        let path = self.path.take().map(|path| path.parse()).transpose()?;
        let field = None
            .or(path.map(Field::Path))
            .or(self.annotation.take().map(Field::Annotation))
            .or(self.label.take().map(Field::Label))
            .or(self.key.take().map(Field::Key));
        let test = self.test();
        let (field, none) = match (field, test) {
            (Some(field), Some(test)) => (Some((field, test)), self.none == Some(true)),
            (None, None) => (None, false),
            (None, Some(Test::Absent)) => (None, true),
            (field, test) => return Err(format!("{kind}: {field:?} with {test:?}")),
        };
        Ok(One {
            class: self.class(),
            kind,
            group: self.group,
            namespace: self.namespace,
            name: self.name,
            backend: self.reference.as_deref() == Some("backend"),
            workload: self.reference.as_deref() == Some("workload"),
            field,
            none,
            mode: self.mode,
            note: self.note,
        })
    }
}

impl TryFrom<Written> for Rule {
    type Error = String;

    fn try_from(mut written: Written) -> Result<Self, String> {
        let parts = match written.all.take() {
            Some(all) => all.into_iter().map(Written::one).collect(),
            None => written.one().map(|one| vec![one]),
        };
        parts.map(Self::new)
    }
}
