//! Does a rule of the catalogue hold for one object?

use std::borrow::Cow;

use super::detect::Evidence;
use super::keep::home;
use super::object_index::ObjectIndex;
use super::path::text;
use super::rule::{ClassTest, Field, One, Test};
use super::target::Target;
use crate::facts::object::Object;

/// An object that a rule may match.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a, 'c> {
    pub(super) object: &'c Object,
    /// The same, where it was read and not put together.
    pub(super) own: Option<&'a Object>,
    /// `spec.template.` for the pods that a workload will make.
    pub(super) prefix: &'static str,
}

impl<'a> Candidate<'a, 'a> {
    pub(super) const fn read(object: &'a Object) -> Self {
        Self {
            object,
            own: Some(object),
            prefix: "",
        }
    }
}

fn values(field: &Field, object: &Object) -> (bool, Vec<String>) {
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

/// The value that passes, or an empty one where there is none to show; `None` where the test fails.
pub(super) fn passes(
    test: &Test,
    field: &Field,
    object: &Object,
    target: Option<&Target<'_>>,
) -> Option<String> {
    // Most conditions ask for annotations that are not there.
    let missing = match field {
        Field::Annotation(key) => !object.annotations.contains_key(key),
        Field::Label(key) => !object.labels.contains_key(key),
        Field::Path(_) | Field::Key(_) => false,
    };
    if missing && !matches!(test, Test::Absent | Test::NotContains(_)) {
        return None;
    }
    let (there, values) = values(field, object);
    let filled = |text: &'_ str| -> String {
        target
            .map_or(Cow::Borrowed(text), |target| target.filled(text))
            .into_owned()
    };
    let find = |check: &dyn Fn(&str) -> bool| values.iter().find(|value| check(value)).cloned();
    match test {
        Test::Exists => there.then(|| values.first().cloned().unwrap_or_default()),
        Test::Absent => (!there).then(String::new),
        Test::In(all) => {
            let all: Vec<_> = all.iter().map(|text| filled(text)).collect();
            find(&|value| all.iter().any(|wanted| wanted == value))
        }
        Test::Prefix(prefix) => find(&|value| value.starts_with(prefix.as_str())),
        Test::Suffix(suffix) => find(&|value| value.ends_with(suffix.as_str())),
        Test::Contains(part) => find(&|value| value.contains(part.as_str())),
        Test::NotContains(part) => {
            (!values.iter().any(|value| value.contains(part.as_str()))).then(String::new)
        }
        Test::Host => {
            let target = target?;
            find(&|value| target.is_host(value, &object.namespace))
        }
    }
}

fn served<'a>(index: &ObjectIndex<'a>, class: &ClassTest, object: &'a Object) -> Option<String> {
    let gateways = || index.gateway_classes_of(object);
    match class {
        ClassTest::Controller(wanted) => {
            let name = index.class_of(object)?;
            (index.controller_of(name)? == wanted).then(|| format!("{name} ({wanted})"))
        }
        ClassTest::Names(names) => {
            let name = index.class_of(object).unwrap_or_default();
            names
                .iter()
                .any(|wanted| wanted == name)
                .then(|| name.to_owned())
        }
        ClassTest::UnknownName(wanted) => {
            let name = index.class_of(object)?;
            (name == wanted && index.controller_of(name).is_none()).then(|| name.to_owned())
        }
        ClassTest::GatewayController(wanted) => gateways()
            .into_iter()
            .find(|(_, controller)| *controller == Some(wanted.as_str()))
            .map(|(class, _)| format!("{class} ({wanted})")),
        ClassTest::GatewayPrefix(prefix) => gateways()
            .into_iter()
            .find(|(class, _)| class.starts_with(prefix.as_str()))
            .map(|(class, _)| class.to_owned()),
    }
}

/// One part of a rule asked of one object.
fn holds<'a>(
    index: &ObjectIndex<'a>,
    part: &One,
    candidate: Candidate<'a, '_>,
    target: Option<&Target<'a>>,
) -> Option<Evidence> {
    let object = candidate.object;
    let filled = |text: &'_ str| -> String {
        target
            .map_or(Cow::Borrowed(text), |target| target.filled(text))
            .into_owned()
    };
    let named = |wanted: &Option<String>, is: &str| {
        wanted.as_deref().is_none_or(|wanted| filled(wanted) == is)
    };
    let group = match &part.group {
        Some(group) => group == object.group(),
        None => {
            candidate.prefix == "spec.template."
                || home(&part.kind).is_none_or(|all| all.contains(&object.group()))
        }
    };
    if !group || !named(&part.name, &object.name) || !named(&part.namespace, &object.namespace) {
        return None;
    }
    let (mut shown, mut value) = (None, None);
    if let Some(class) = &part.class {
        shown = Some("class".to_owned());
        // Ingresses and Routes are never put together, so there is one that was read.
        value = Some(served(index, class, candidate.own?)?);
    } else if part.backend {
        shown = Some("backend".to_owned());
    }
    if let Some((field, test)) = &part.field {
        let passed = passes(test, field, object, target)?;
        shown = Some(format!("{}{field}", candidate.prefix));
        value = match test {
            Test::Absent => Some("not set".to_owned()),
            _ => (!passed.is_empty()).then_some(passed),
        };
    }
    Some(Evidence {
        object: object.to_string(),
        field: shown,
        value,
        note: part.note.clone(),
    })
}

/// What every rule of a group finds at one object; `None` where one does not hold.
pub(super) fn all_hold<'a>(
    index: &ObjectIndex<'a>,
    group: &[One],
    candidate: Candidate<'a, '_>,
    target: Option<&Target<'a>>,
) -> Option<Vec<Evidence>> {
    group
        .iter()
        .map(|part| holds(index, part, candidate, target))
        .collect()
}
