//! For which objects does a rule of the catalogue hold?

use std::borrow::Cow;

use super::detect::Evidence;
use super::keep::home;
use super::path::text;
use super::rule::{ClassTest, Field, One, Rule, Test};
use super::target::{Candidate, Target};
use super::world::World;
use crate::facts::object::Object;

/// Rules of one kind and name ask about one object.
fn groups(rule: &Rule) -> Vec<Vec<&One>> {
    let mut groups: Vec<Vec<&One>> = Vec::new();
    for part in rule.parts() {
        let alike = |group: &&mut Vec<&One>| {
            group
                .first()
                .is_some_and(|first| first.kind == part.kind && first.name == part.name)
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(part),
            None => groups.push(vec![part]),
        }
    }
    groups
}

fn depends(part: &One) -> bool {
    let names = |text: &Option<String>| text.as_deref().is_some_and(|text| text.starts_with('$'));
    let tests = match &part.field {
        Some((_, Test::In(all))) => all.iter().any(|text| text.starts_with('$')),
        Some((_, Test::Host)) => true,
        _ => false,
    };
    part.backend
        || part.workload
        || part.class.is_some()
        || ["Service", "Pod"].contains(&part.kind.as_str())
        || names(&part.name)
        || names(&part.namespace)
        || tests
}

fn key(group: &[&One]) -> usize {
    group
        .first()
        .map_or(0, |first| std::ptr::from_ref(*first).addr())
}

/// Works out, once, what the parts of a rule find that are the same for every Service.
pub(super) fn fixed(world: &mut World<'_>, rule: &Rule) {
    for group in groups(rule) {
        if !group.iter().any(|part| depends(part)) {
            let found = first(world, &group, None, world.of_kind(&group[0].kind));
            world.fixed.insert(key(&group), found.into_iter().collect());
        }
    }
}

/// A rule for `HTTPRoute` holds for `GRPCRoute` as well: the same proxies route both.
fn is_kind(wanted: &str, kind: &str) -> bool {
    wanted == kind || (wanted == "HTTPRoute" && kind == "GRPCRoute")
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

fn served<'a>(world: &World<'a>, class: &ClassTest, object: &'a Object) -> Option<String> {
    let gateways = || world.gateway_classes_of(object);
    match class {
        ClassTest::Controller(wanted) => {
            let name = world.class_of(object)?;
            (world.controller_of(name)? == wanted).then(|| format!("{name} ({wanted})"))
        }
        ClassTest::Names(names) => {
            let name = world.class_of(object).unwrap_or_default();
            names
                .iter()
                .any(|wanted| wanted == name)
                .then(|| name.to_owned())
        }
        ClassTest::UnknownName(wanted) => {
            let name = world.class_of(object)?;
            (name == wanted && world.controller_of(name).is_none()).then(|| name.to_owned())
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
    world: &World<'a>,
    part: &One,
    candidate: &Candidate<'a>,
    target: Option<&Target<'a>>,
) -> Option<Evidence> {
    let object = candidate.object.as_ref();
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
    let mut evidence = Evidence {
        object: object.to_string(),
        field: None,
        value: None,
        note: part.note.clone(),
    };
    if let Some(class) = &part.class {
        // Ingresses and Routes are never made up, so they are borrowed from the snapshot.
        let Cow::Borrowed(object) = candidate.object else {
            return None;
        };
        evidence.field = Some("class".to_owned());
        evidence.value = Some(served(world, class, object)?);
    } else if part.backend {
        evidence.field = Some("backend".to_owned());
    }
    if let Some((field, test)) = &part.field {
        let value = passes(test, field, object, target)?;
        evidence.field = Some(format!("{}{field}", candidate.prefix));
        evidence.value = (!value.is_empty()).then_some(value);
    }
    Some(evidence)
}

/// The first object for which every rule of a group holds.
fn first<'a>(
    world: &World<'a>,
    group: &[&One],
    target: Option<&Target<'a>>,
    among: &[&'a Object],
) -> Option<Evidence> {
    if group.iter().all(|part| part.none) {
        let exists = among.iter().any(|object| {
            group.iter().any(|part| {
                part.name.as_deref().is_none_or(|name| name == object.name)
                    && part
                        .namespace
                        .as_deref()
                        .is_none_or(|name| name == object.namespace)
            })
        });
        return (!exists).then(|| Evidence {
            object: format!(
                "{} {}",
                group[0].kind,
                group[0].name.as_deref().unwrap_or_default()
            ),
            field: None,
            value: Some("not there".to_owned()),
            note: None,
        });
    }
    let mut candidates = among.iter().map(|object| Candidate {
        object: Cow::Borrowed(*object),
        prefix: "",
    });
    candidates
        .find_map(|candidate| all_hold(world, group, &candidate, target))
        .and_then(|found| found.into_iter().next())
}

fn all_hold<'a>(
    world: &World<'a>,
    group: &[&One],
    candidate: &Candidate<'a>,
    target: Option<&Target<'a>>,
) -> Option<Vec<Evidence>> {
    group
        .iter()
        .map(|part| holds(world, part, candidate, target))
        .collect()
}

/// What rules found.
#[derive(Debug, Default)]
pub(super) struct Found<'a> {
    pub(super) evidence: Vec<Evidence>,
    pub(super) mode: Option<String>,
    pub(super) objects: Vec<&'a Object>,
}

/// Everything that a group of rules finds for a Service; `None` where it finds nothing.
fn search<'a>(world: &World<'a>, group: &[&One], target: &Target<'a>) -> Option<Found<'a>> {
    if let Some(found) = world.fixed.get(&key(group)) {
        return (!found.is_empty()).then(|| Found {
            evidence: found.clone(),
            mode: group[0].mode.clone(),
            objects: Vec::new(),
        });
    }
    let kind = group[0].kind.as_str();
    let namespace = target.facts.name.namespace.as_str();
    let borrowed = |object: &'a Object| Candidate {
        object: Cow::Borrowed(object),
        prefix: "",
    };
    let candidates: Vec<Candidate<'a>> = if kind == "Service" {
        vec![Candidate {
            object: Cow::Owned(target.object.clone()),
            prefix: "",
        }]
    } else if kind == "Pod" {
        target.pods.clone()
    } else if group.iter().any(|part| part.workload) {
        target
            .workloads
            .iter()
            .copied()
            .filter(|object| object.kind == kind)
            .map(borrowed)
            .collect()
    } else if group.iter().any(|part| part.backend) {
        let naming = world.naming(namespace, &target.facts.name.name);
        naming
            .iter()
            .copied()
            .filter(|object| is_kind(kind, &object.kind))
            .map(borrowed)
            .collect()
    } else if kind == "Node" {
        let on = |object: &&&Object| {
            target.nodes.is_empty() || target.nodes.contains(object.name.as_str())
        };
        world
            .of_kind(kind)
            .iter()
            .filter(on)
            .copied()
            .map(borrowed)
            .collect()
    } else if kind == "Namespace"
        || group
            .iter()
            .any(|part| matches!(part.field, Some((_, Test::Host))))
    {
        world.of_kind(kind).iter().copied().map(borrowed).collect()
    } else {
        world
            .in_namespace(kind, namespace)
            .iter()
            .copied()
            .map(borrowed)
            .collect()
    };
    // Of pods and nodes one is enough to show; of Ingresses and Routes each may set something.
    let most = if ["Pod", "Node"].contains(&kind) {
        1
    } else {
        usize::MAX
    };
    let mut all = Found {
        evidence: Vec::new(),
        mode: group[0].mode.clone(),
        objects: Vec::new(),
    };
    for (candidate, evidence) in candidates
        .iter()
        .filter_map(|candidate| Some((candidate, all_hold(world, group, candidate, Some(target))?)))
        .take(most)
    {
        if let Cow::Borrowed(object) = candidate.object {
            all.objects.push(object);
        }
        for one in evidence {
            if !all.evidence.contains(&one) {
                all.evidence.push(one);
            }
        }
    }
    (!all.evidence.is_empty()).then_some(all)
}

/// Adds what a rule finds; all of its parts must find something.
pub(super) fn matched<'a>(
    world: &World<'a>,
    rule: &Rule,
    target: &Target<'a>,
    into: &mut Found<'a>,
) -> bool {
    let found: Option<Vec<_>> = groups(rule)
        .iter()
        .map(|group| search(world, group, target))
        .collect();
    let Some(found) = found else {
        return false;
    };
    for one in found {
        for evidence in one.evidence {
            if !into.evidence.contains(&evidence) {
                into.evidence.push(evidence);
            }
        }
        into.mode = into.mode.take().or(one.mode);
        for object in one.objects {
            if !into
                .objects
                .iter()
                .any(|known| std::ptr::eq(*known, object))
            {
                into.objects.push(object);
            }
        }
    }
    true
}
