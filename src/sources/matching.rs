//! Do the conditions of a rule hold for one object?

use std::borrow::Cow;

use serde_json::Value;

use super::evidence::Evidence;
use super::host;
use super::kinds::own_groups;
use super::object_index::{Controlled, ObjectIndex};
use super::path::text;
use super::rule::{ClassTest, Field, FieldTest, RuleCondition};
use super::selecting::written;
use super::target::{TEMPLATE, Target};
use crate::facts::object::ApiObject;

/// An object that a rule may match.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a, 'c> {
    pub(super) object: &'c ApiObject,
    /// The same, where it is an object of the snapshot and was not put together.
    pub(super) read: Option<&'a ApiObject>,
    /// The path of the object inside of the one that was read: `spec.template.` for a template of pods.
    pub(super) prefix: &'static str,
}

impl<'a> Candidate<'a, 'a> {
    pub(super) const fn read(object: &'a ApiObject) -> Self {
        Self {
            object,
            read: Some(object),
            prefix: "",
        }
    }
}

fn values(field: &Field, object: &ApiObject) -> (bool, Vec<String>) {
    let one = |value: Option<&String>| (value.is_some(), value.cloned().into_iter().collect());
    match field {
        Field::Annotation(key) => one(object.annotations.get(key)),
        Field::Label(key) => one(object.labels.get(key)),
        Field::Key(key) => {
            let value = object.value["data"][key].as_str();
            (
                value.is_some(),
                value.map(str::to_owned).into_iter().collect(),
            )
        }
        Field::Path(path) => {
            let found = path.find(&object.value);
            (
                !found.is_empty(),
                found.into_iter().filter_map(text).collect(),
            )
        }
    }
}

/// A text of a rule with the Service's name and namespace in place of `$svc` and `$ns`.
fn filled<'t>(text: &'t str, target: Option<&'t Target<'_>>) -> Cow<'t, str> {
    target.map_or(Cow::Borrowed(text), |target| target.filled(text))
}

/// The value of a field that passes a test, or an empty one where there is none to show; `None` where the test fails.
pub(super) fn passes(
    test: &FieldTest,
    field: &Field,
    object: &ApiObject,
    target: Option<&Target<'_>>,
) -> Option<String> {
    // Most conditions ask for annotations that are not there.
    let missing = match field {
        Field::Annotation(key) => !object.annotations.contains_key(key),
        Field::Label(key) => !object.labels.contains_key(key),
        Field::Path(_) | Field::Key(_) => false,
    };
    if missing && !matches!(test, FieldTest::Absent | FieldTest::NotContains(_)) {
        return None;
    }
    let (there, values) = values(field, object);
    let find = |check: &dyn Fn(&str) -> bool| values.iter().find(|value| check(value)).cloned();
    match test {
        FieldTest::Exists => there.then(|| values.first().cloned().unwrap_or_default()),
        FieldTest::Absent => (!there).then(String::new),
        FieldTest::In(all) => {
            let all: Vec<_> = all.iter().map(|text| filled(text, target)).collect();
            find(&|value| all.iter().any(|wanted| wanted == value))
        }
        FieldTest::Prefix(prefix) => find(&|value| value.starts_with(prefix.as_str())),
        FieldTest::Suffix(suffix) => find(&|value| value.ends_with(suffix.as_str())),
        FieldTest::Contains(part) => find(&|value| value.contains(part.as_str())),
        FieldTest::NotContains(part) => {
            (!values.iter().any(|value| value.contains(part.as_str()))).then(String::new)
        }
        FieldTest::Reference => {
            let Field::Path(path) = field else {
                return None;
            };
            let wanted = &target?.service.name;
            let is_it = |value: &&Value| {
                let namespace = value["namespace"].as_str().unwrap_or(&object.namespace);
                value["name"] == *wanted.name && namespace == wanted.namespace
            };
            let mut found = path.find(&object.value).into_iter();
            found.find(is_it).map(|_| wanted.to_string())
        }
        FieldTest::Host => {
            let target = target?;
            find(&|value| host::means(value, &object.namespace, &target.service.name))
        }
    }
}

/// A field that shows whose an Ingress or a Route is, its value, and how sure that is.
type Shown = (String, String, Option<&'static str>);

/// The class of an Ingress or a Route, where it is one that the test asks for.
fn class_served<'a>(
    index: &ObjectIndex<'a>,
    class: &ClassTest,
    object: &'a ApiObject,
) -> Option<Shown> {
    let plain = |name: String| ("class".to_owned(), name, None);
    let shown = |by: Controlled<'_>| (by.field, by.value, by.note);
    let gateways = || index.gateway_classes_of(object);
    match class {
        ClassTest::Controller(wanted) => {
            let by = index.controller_of_ingress(object)?;
            (by.controller == wanted).then(|| shown(by))
        }
        ClassTest::Names(names) => {
            let name = index.class_of(object).unwrap_or_default();
            names
                .iter()
                .any(|wanted| wanted == name)
                .then(|| plain(name.to_owned()))
        }
        ClassTest::UnknownName(wanted) => {
            let name = index.class_of(object)?;
            (name == wanted && index.controller_of_ingress(object).is_none())
                .then(|| plain(name.to_owned()))
        }
        ClassTest::GatewayController(wanted) => index
            .controllers_of_route(object)
            .into_iter()
            .find(|by| by.controller == wanted)
            .map(shown),
        ClassTest::GatewayPrefix(prefix) => gateways()
            .into_iter()
            .find(|(class, _)| class.starts_with(prefix.as_str()))
            .map(|(class, _)| plain(class.to_owned())),
    }
}

/// What a condition finds at one object; `None` where it does not hold.
fn holds<'a>(
    index: &ObjectIndex<'a>,
    condition: &RuleCondition,
    candidate: Candidate<'a, '_>,
    target: Option<&Target<'a>>,
) -> Option<Evidence> {
    let object = candidate.object;
    let named = |wanted: &Option<String>, is: &str| {
        let mut wanted = wanted.iter();
        wanted.all(|wanted| filled(wanted, target) == is)
    };
    let group = match &condition.group {
        Some(group) => group == object.group(),
        None => {
            candidate.prefix == TEMPLATE
                || own_groups(&condition.kind).is_none_or(|all| all.contains(&object.group()))
        }
    };
    if !group
        || !named(&condition.name, &object.name)
        || !named(&condition.namespace, &object.namespace)
    {
        return None;
    }
    let (mut shown, mut value, mut sure) = (None, None, None);
    if let Some(class) = &condition.class {
        // Ingresses and Routes are never put together, so there is one that was read.
        let (field, name, how) = class_served(index, class, candidate.read?)?;
        (shown, value, sure) = (Some(field), Some(name), how);
    } else if condition.backend {
        shown = Some("backend".to_owned());
    }
    if let Some(selects) = &condition.selects {
        let target = target?;
        let labels = selects.labels(object);
        if labels.is_empty()
            || !selects.looks_at(object, &target.service.name.namespace)
            || !target.has_pods_labelled(index, &labels)
        {
            return None;
        }
        shown = Some(selects.to_string());
        value = Some(written(&labels));
    }
    if let Some((field, test)) = &condition.field {
        let passed = passes(test, field, object, target)?;
        shown = Some(format!("{}{field}", candidate.prefix));
        value = match test {
            FieldTest::Absent => Some("not set".to_owned()),
            _ => (!passed.is_empty()).then_some(passed),
        };
    }
    Some(Evidence {
        object: object.to_string(),
        field: shown,
        value,
        note: condition.note.clone().or(sure.map(str::to_owned)),
    })
}

/// What conditions find at one object, one piece of evidence each; `None` where one does not hold.
pub(super) fn all_hold<'a>(
    index: &ObjectIndex<'a>,
    conditions: &[RuleCondition],
    candidate: Candidate<'a, '_>,
    target: Option<&Target<'a>>,
) -> Option<Vec<Evidence>> {
    conditions
        .iter()
        .map(|condition| holds(index, condition, candidate, target))
        .collect()
}
