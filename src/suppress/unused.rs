//! Could a suppression without effect have had one?
//!
//! A run that sees one file of many cannot tell a suppression that is no longer needed from one whose object is elsewhere, or whose
//! Service is. So it must have judged what the suppression is about.

use super::names::Named;
use super::{Judged, Paths, Scope, Suppression, Tested, config, same};
use crate::facts::ObjectRef;

/// Rules about the state of a cluster, which manifests do not show: finding nothing in manifests proves nothing.
const OF_A_MOMENT: [&str; 17] = [
    "DC101", "DC102", "DC103", "DC104", "DC105", "DC106", "DC107", "DC108", "DC109", "DC110",
    "DC112", "DC113", "DC213", "DC214", "DC401", "DC402", "DC403",
];

/// Would manifests alone show what every one of these rules looks for?
fn shows_in_manifests(rules: &Named) -> bool {
    rules.ids().all(|id| !OF_A_MOMENT.contains(&id))
}

impl Tested {
    /// Was what a suppression is about judged, by rules that manifests are enough for?
    pub(super) fn reaches(&self, each: &Suppression, paths: &Paths) -> bool {
        shows_in_manifests(&each.rule)
            && self.judged.iter().any(|judged| within(each, judged, paths))
    }

    /// Was an object of a baseline judged, or is it gone from a file that was read?
    pub(super) fn settles(&self, object: &ObjectRef, rule: &Named, file: Option<&str>) -> bool {
        let judged = || {
            self.judged
                .iter()
                .any(|judged| same(&judged.object, object))
        };
        let read = || {
            let mut here = self
                .read
                .iter()
                .filter(|(name, _)| Some(name.as_str()) == file);
            here.clone().next().is_some() && here.all(|(_, other)| !same(other, object))
        };
        shows_in_manifests(rule) && (judged() || read())
    }
}

fn within(each: &Suppression, judged: &Judged, paths: &Paths) -> bool {
    match &each.scope {
        Scope::Text { file, object, .. } => judged.location.as_ref().is_some_and(|place| {
            let here = object.as_ref().map(|range| range.contains(&place.start()));
            place.file == *file && here == Some(true)
        }),
        Scope::Object(object) => same(object, &judged.object),
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
