//! Which objects are asked for each rule of the catalogue, and what is found?

use super::detect::Evidence;
use super::matching::{Candidate, all_hold};
use super::object_index::ObjectIndex;
use super::rule::{Field, One, Rule, Test};
use super::target::Target;
use crate::facts::object::Object;

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

/// Groups live as long as the catalogue, so their place tells them apart.
fn key(group: &[One]) -> usize {
    group.as_ptr().addr()
}

/// Works out, once, what the parts of a rule find that are the same for every Service.
pub(super) fn fixed(index: &mut ObjectIndex<'_>, rule: &Rule) {
    for group in &rule.groups {
        if !group.iter().any(depends) {
            let found = first(index, group, None, index.of_kind(&group[0].kind));
            index.fixed.insert(key(group), found.into_iter().collect());
        }
    }
}

/// Is there anything that a rule could be about, for whatever Service?
pub(super) fn may_match(index: &ObjectIndex<'_>, rule: &Rule) -> bool {
    rule.groups.iter().all(|group| {
        if let Some(found) = index.fixed.get(&key(group)) {
            return !found.is_empty();
        }
        let first = &group[0];
        match first.kind.as_str() {
            _ if first.none || first.workload => true,
            "Service" | "Pod" => group.iter().all(|part| may_hold(index, part)),
            // Routes of one kind are asked for by the name of another.
            kind => [kind, "GRPCRoute"]
                .iter()
                .any(|kind| !index.of_kind(kind).is_empty()),
        }
    })
}

/// Has any Service or pod the annotation or label that a condition asks for?
fn may_hold(index: &ObjectIndex<'_>, part: &One) -> bool {
    match &part.field {
        Some((Field::Annotation(key) | Field::Label(key), test)) => {
            matches!(test, Test::Absent | Test::NotContains(_)) || index.keys.contains(key.as_str())
        }
        _ => true,
    }
}

/// A rule for `HTTPRoute` holds for `GRPCRoute` as well: the same proxies route both.
fn is_kind(wanted: &str, kind: &str) -> bool {
    wanted == kind || (wanted == "HTTPRoute" && kind == "GRPCRoute")
}

/// The first object for which every rule of a group holds.
fn first<'a>(
    index: &ObjectIndex<'a>,
    group: &[One],
    target: Option<&Target<'a>>,
    among: &[&'a Object],
) -> Option<Evidence> {
    if group.iter().all(|part| part.none && part.field.is_none()) {
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
    among
        .iter()
        .find_map(|object| all_hold(index, group, Candidate::read(object), target))
        .and_then(|found| found.into_iter().next())
}

/// What rules found.
#[derive(Debug, Default)]
pub(super) struct Found<'a> {
    pub(super) evidence: Vec<Evidence>,
    pub(super) mode: Option<String>,
    pub(super) objects: Vec<&'a Object>,
}

/// The objects that a group of rules may be about, for a Service.
fn candidates<'a, 'c>(
    index: &'c ObjectIndex<'a>,
    group: &[One],
    target: &'c Target<'a>,
) -> Vec<Candidate<'a, 'c>>
where
    'a: 'c,
{
    let kind = group[0].kind.as_str();
    let namespace = target.facts.name.namespace.as_str();
    let any = |check: fn(&One) -> bool| group.iter().any(check);
    let read = |object: &&'a Object| Candidate::read(object);
    match kind {
        "Service" => vec![Candidate {
            object: &target.object,
            own: None,
            prefix: "",
        }],
        "Pod" => target
            .pods
            .iter()
            .map(|pod| Candidate {
                object: pod.object.as_ref(),
                own: pod.own(),
                prefix: pod.prefix,
            })
            .collect(),
        "Node" => {
            let leaving = index
                .leaving
                .get(&key(group))
                .map_or(&[][..], Vec::as_slice);
            let leaving = leaving
                .iter()
                .filter(|node| target.runs_on(index, &node.name));
            leaving.map(read).collect()
        }
        _ if any(|part| part.workload) => {
            let own = target.workloads.iter();
            own.filter(|object| object.kind == kind).map(read).collect()
        }
        _ if any(|part| part.backend) => {
            let naming = index.naming(namespace, &target.facts.name.name).iter();
            let naming = naming.filter(|object| is_kind(kind, &object.kind));
            naming.map(read).collect()
        }
        "Namespace" => index.of_kind(kind).iter().map(read).collect(),
        _ if any(One::by_name) => {
            // A host may be named from anywhere, a bare name only from beside the Service.
            let anywhere = any(|part| matches!(part.field, Some((_, Test::Host))));
            let named = index.with_name(kind, &target.facts.name.name).iter();
            let named = named.filter(|object| anywhere || object.namespace == namespace);
            named.map(read).collect()
        }
        _ => index
            .in_namespace(kind, namespace)
            .iter()
            .map(read)
            .collect(),
    }
}

/// The nodes that a rule is about, whatever runs on them: few, while the nodes are many.
pub(super) fn leaving(index: &mut ObjectIndex<'_>, rule: &Rule) {
    for group in &rule.groups {
        if group[0].kind == "Node" {
            let all = index.of_kind("Node").iter().copied();
            let found = all
                .filter(|node| all_hold(index, group, Candidate::read(node), None).is_some())
                .collect();
            index.leaving.insert(key(group), found);
        }
    }
}

/// Everything that a group of rules finds for a Service; `None` where it finds nothing.
fn search<'a>(index: &ObjectIndex<'a>, group: &[One], target: &Target<'a>) -> Option<Found<'a>> {
    if let Some(found) = index.fixed.get(&key(group)) {
        return (!found.is_empty()).then(|| Found {
            evidence: found.clone(),
            mode: group[0].mode.clone(),
            objects: Vec::new(),
        });
    }
    let kind = group[0].kind.as_str();
    let candidates = candidates(index, group, target);
    if group[0].none {
        let mut holding = candidates
            .into_iter()
            .filter_map(|candidate| all_hold(index, group, candidate, Some(target)));
        let field = group[0].field.as_ref().map(|(field, _)| field.to_string());
        return holding.next().is_none().then(|| Found {
            evidence: vec![Evidence {
                object: group[0].kind.clone(),
                field,
                value: Some("none for it".to_owned()),
                note: None,
            }],
            ..Found::default()
        });
    }
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
        .into_iter()
        .filter_map(|candidate| Some((candidate, all_hold(index, group, candidate, Some(target))?)))
        .take(most)
    {
        all.objects.extend(candidate.own);
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
    index: &ObjectIndex<'a>,
    rule: &Rule,
    target: &Target<'a>,
    into: &mut Found<'a>,
) -> bool {
    let found: Option<Vec<_>> = rule
        .groups
        .iter()
        .map(|group| search(index, group, target))
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
