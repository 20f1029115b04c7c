//! What do all units say together? What several of them say of one place is said once, as severely as one of them does.

use std::collections::{BTreeSet, HashMap};

use super::judge::{Judged, OfLists, Placed, name_of};
use crate::facts::{ObjectName, ObjectRef};
use crate::manifest::ManifestObject;
use crate::rules::{Location, Severity};
use crate::units::Unit;

/// The names that objects have in findings: as they are applied where all units agree, else as they are written.
pub(super) fn names(judged: &[Judged], objects: &[ManifestObject]) -> Vec<ObjectName> {
    let mut names: Vec<Option<ObjectName>> = vec![None; objects.len()];
    let mut differ = BTreeSet::new();
    for (index, name) in judged.iter().flat_map(|each| &each.names) {
        match &names[*index] {
            None => names[*index] = Some(name.clone()),
            Some(known) if known == name => {}
            Some(_) => {
                differ.insert(*index);
            }
        }
    }
    let with_objects = names.into_iter().zip(objects).enumerate();
    with_objects
        .map(|(index, (name, object))| {
            let name = name.filter(|_| !differ.contains(&index));
            name.unwrap_or_else(|| name_of(object))
        })
        .collect()
}

/// What identifies a finding across units.
type Same<'f> = (
    &'static str,
    Option<usize>,
    Option<&'f str>,
    Option<&'f ObjectRef>,
);

fn same(placed: &Placed) -> Same<'_> {
    let Placed {
        finding, object, ..
    } = placed;
    let nameless = object.is_none().then_some(&finding.object);
    (finding.rule.id, *object, finding.path.as_deref(), nameless)
}

/// Does a finding hold only if it comes out of all units of a tree that hold its object? What is nowhere is in none of them; and of plain
/// manifests nobody says which of several is meant.
fn needs_all(placed: &Placed, unit: Option<&Unit>) -> bool {
    let rule = placed.finding.rule;
    rule.is_about_absence() || rule.is_about_two() && unit.is_some_and(|unit| !unit.is_kustomized())
}

/// The findings of all units, each place once. That something is nowhere holds only if it is in no unit of the same tree.
pub(super) fn merged(
    units: &[&Unit],
    judged: &[Judged],
    names: &[ObjectName],
    objects: &[ManifestObject],
) -> Vec<Placed> {
    let mut renamed = OfLists::new();
    let chosen = chosen(units, judged).into_iter();
    chosen
        .map(|(unit, at)| {
            let placed = judged[unit].findings[at].clone();
            named(placed, (names, objects), &mut renamed)
        })
        .collect()
}

/// The same for whoever needs the findings of the units no more: there may be a hundred thousand.
pub(super) fn taken(
    units: &[&Unit],
    judged: &mut [Judged],
    names: &[ObjectName],
    objects: &[ManifestObject],
) -> Vec<Placed> {
    let mut renamed = OfLists::new();
    let mut chosen = chosen(units, judged).into_iter().peekable();
    let mut found = Vec::with_capacity(chosen.len());
    for (unit, each) in judged.iter_mut().enumerate() {
        for (at, placed) in std::mem::take(&mut each.findings).into_iter().enumerate() {
            if chosen.next_if_eq(&(unit, at)).is_some() {
                found.push(named(placed, (names, objects), &mut renamed));
            }
        }
    }
    found
}

/// The units that say each place first of those that say it most severely, and the place of what they say.
fn chosen(units: &[&Unit], judged: &[Judged]) -> Vec<(usize, usize)> {
    let families = |index: usize| units.get(index).map_or(0, |unit| unit.family);
    // How many units of each tree hold an object, where more than one does.
    let mut holding: HashMap<(usize, usize), usize> = HashMap::new();
    for (index, each) in judged.iter().enumerate() {
        for (object, _) in &each.names {
            *holding.entry((families(index), *object)).or_default() += 1;
        }
    }
    let mut saying: HashMap<(usize, Same<'_>), usize> = HashMap::new();
    for (index, each) in judged.iter().enumerate() {
        for placed in each
            .findings
            .iter()
            .filter(|each| needs_all(each, units.get(index).copied()))
        {
            *saying.entry((families(index), same(placed))).or_default() += 1;
        }
    }
    let holds = |index: usize, placed: &Placed| {
        let family = families(index);
        let everywhere = || {
            let object = placed.object.unwrap_or(usize::MAX);
            let of = holding.get(&(family, object)).copied().unwrap_or(1);
            saying
                .get(&(family, same(placed)))
                .is_none_or(|saying| *saying >= of)
        };
        !needs_all(placed, units.get(index).copied()) || everywhere()
    };
    // The unit that says it most severely, the first of these, and the name under which: a base may be in one unit under several.
    let mut most: HashMap<Same<'_>, (Severity, usize, &ObjectRef)> = HashMap::new();
    for (index, each) in judged.iter().enumerate() {
        for placed in each.findings.iter().filter(|each| holds(index, each)) {
            let says = (placed.finding.severity, index, &placed.finding.object);
            let known = most.entry(same(placed)).or_insert(says);
            if known.0 < says.0 {
                *known = says;
            }
        }
    }
    let mut chosen = Vec::new();
    for (index, each) in judged.iter().enumerate() {
        for (at, placed) in each.findings.iter().enumerate() {
            let says = (index, &placed.finding.object);
            let first = most.get(&same(placed));
            if first.is_some_and(|(_, index, object)| (*index, *object) == says) {
                chosen.push((index, at));
            }
        }
    }
    chosen
}

/// A finding with the names that objects have in findings, at the place where its object begins.
fn named(
    mut placed: Placed,
    (names, objects): (&[ObjectName], &[ManifestObject]),
    renamed: &mut OfLists<ObjectRef>,
) -> Placed {
    let finding = &mut placed.finding;
    if let Some(index) = placed.object {
        finding.object.name = names[index].clone();
        let object = &objects[index];
        let line = object.line as usize;
        finding.location = Some(Location {
            file: object.file.clone(),
            line,
            column: 1,
            end_line: line,
            end_column: 1,
        });
    }
    finding.related = renamed.of(&finding.related, || {
        let related = finding.related.iter().zip(&*placed.related);
        let with_name = |(related, index): (&ObjectRef, &Option<usize>)| ObjectRef {
            name: index.map_or_else(|| related.name.clone(), |index| names[index].clone()),
            ..related.clone()
        };
        related.map(with_name).collect()
    });
    placed
}
