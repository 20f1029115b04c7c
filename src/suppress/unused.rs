//! Could a suppression without effect have had one?
//!
//! A run that sees one file of many cannot tell a suppression that is no longer needed from one whose object is elsewhere, or whose
//! Service is. So it must have judged what the suppression is about.

use std::collections::{BTreeMap, BTreeSet};

use super::names::Named;
use super::{Judged, Key, Paths, Place, Scope, Suppression, Tested, config, key};
use crate::facts::ObjectRef;

/// Rules about the state of a cluster, which manifests do not show: finding nothing in manifests proves nothing.
const OF_A_MOMENT: [&str; 18] = [
    "DC101", "DC102", "DC103", "DC104", "DC105", "DC106", "DC107", "DC108", "DC109", "DC110",
    "DC112", "DC113", "DC114", "DC213", "DC214", "DC401", "DC402", "DC403",
];

/// Would manifests alone show what every one of these rules looks for?
fn shows_in_manifests(rules: &Named) -> bool {
    rules.ids().all(|id| !OF_A_MOMENT.contains(&id))
}

/// What a run looked at, by what suppressions and baselines ask for: of either there may be thousands.
pub(super) struct Reached<'t> {
    judged: &'t [Judged],
    objects: BTreeSet<Key<'t>>,
    /// The beginnings of what was judged, by file.
    places: BTreeMap<&'t str, BTreeSet<Place>>,
    /// What was read, by file.
    read: BTreeMap<&'t str, BTreeSet<Key<'t>>>,
}

impl<'t> Reached<'t> {
    pub(super) fn new(tested: &'t Tested) -> Self {
        let mut places: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for place in tested
            .judged
            .iter()
            .filter_map(|each| each.location.as_ref())
        {
            let here = places.entry(place.file.as_str()).or_default();
            here.insert(place.start());
        }
        let mut read: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for (file, object) in &tested.read {
            read.entry(file.as_str()).or_default().insert(key(object));
        }
        Self {
            judged: &tested.judged,
            objects: tested.judged.iter().map(|each| key(&each.object)).collect(),
            places,
            read,
        }
    }

    /// Was what a suppression is about judged, by rules that manifests are enough for?
    pub(super) fn reaches(&self, each: &Suppression, paths: &Paths) -> bool {
        shows_in_manifests(&each.rule)
            && match &each.scope {
                Scope::Text { file, object, .. } => {
                    let places = self.places.get(file.as_str());
                    let object = object.clone().filter(|range| range.start < range.end);
                    let both = places.zip(object);
                    both.is_some_and(|(places, object)| places.range(object).next().is_some())
                }
                Scope::Object(object) => self.objects.contains(&key(object)),
                Scope::Globs { .. } => {
                    let mut judged = self.judged.iter();
                    judged.any(|judged| within(each, judged, paths))
                }
            }
    }

    /// Was an object of a baseline judged, or is it gone from a file that was read?
    pub(super) fn settles(&self, object: &ObjectRef, rule: &Named, file: Option<&str>) -> bool {
        let read = file.and_then(|file| self.read.get(file));
        let gone = read.is_some_and(|read| !read.contains(&key(object)));
        shows_in_manifests(rule) && (self.objects.contains(&key(object)) || gone)
    }
}

/// Was an object judged that patterns are about?
fn within(each: &Suppression, judged: &Judged, paths: &Paths) -> bool {
    match &each.scope {
        Scope::Text { .. } | Scope::Object(_) => false,
        Scope::Globs {
            paths: files,
            objects,
        } => {
            // A pattern may be meant for what this run did not see.
            let exact = |globs: &[String]| {
                !globs.is_empty() && globs.iter().all(|glob| config::is_exact(glob))
            };
            (exact(objects) && (files.is_empty() || exact(files))
                || exact(files) && objects.is_empty())
                && each
                    .scope
                    .holds(&judged.object, judged.location.as_ref(), paths)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ALL;

    #[test]
    fn rules_of_a_moment_are_those_whose_bad_example_holds_what_a_cluster_writes() {
        for rule in ALL {
            let (_, example) = rule.page.split_once("\n## Bad\n").expect("an example");
            let example = example.split("\n## ").next().unwrap_or_default();
            let written = ["kind: EndpointSlice", "\nstatus:", "deletionTimestamp"];
            let of_a_moment = written.iter().any(|words| example.contains(words));
            assert_eq!(OF_A_MOMENT.contains(&rule.id), of_a_moment, "{}", rule.id);
        }
    }
}
