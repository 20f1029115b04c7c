//! Which findings are requested, and which are suppressed?
//!
//! ```text
//! findings → choice (--select, --ignore, severities) → comments, annotations, .drain-check.yaml → baseline → report
//!                                                      what is wrong with those is DC903 ↗
//! ```
//!
//! Findings that are not chosen are dropped; suppressed ones stay in the report, with the reason. Only this module decides either.
#![deny(clippy::disallowed_methods)]

pub mod annotations;
pub mod baseline;
pub mod choice;
pub mod comments;
pub mod config;
mod cover;
pub mod flaw;
pub mod live;
pub mod names;
mod unused;

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use crate::facts::ObjectRef;
use crate::rules::{Finding, Location, fingerprint};
use baseline::Baseline;
use choice::Choice;
use cover::Cover;
use flaw::{Flaw, Kind};
use names::Named;
use unused::Reached;

/// Findings after choice and suppression.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decided {
    /// What is reported.
    pub findings: Vec<Finding>,
    /// What is suppressed.
    pub suppressed: Vec<Suppressed>,
}

impl Decided {
    /// The fingerprints of the findings, then those of the suppressed ones: equal findings are numbered among all of them.
    #[must_use]
    pub fn fingerprints(&self) -> Vec<String> {
        let suppressed = self.suppressed.iter().map(|each| &each.finding);
        fingerprint::fingerprints(self.findings.iter().chain(suppressed))
    }
}

/// A suppressed finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppressed {
    /// What is suppressed.
    pub finding: Finding,
    /// What suppresses it.
    pub by: Suppressor,
    /// The reason as written; `None` for a baseline.
    pub reason: Option<String>,
}

/// What suppresses findings, the closest to the finding first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suppressor {
    /// A comment beside the line.
    Comment,
    /// An annotation of the object.
    Annotation,
    /// `.drain-check.yaml`.
    Config,
    /// A baseline file.
    Baseline,
}

/// A line and a column, both from 1.
pub type Place = (usize, usize);

/// Where a suppression is written: what a finding about it is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The file, or the object with the annotation.
    pub object: ObjectRef,
    /// The field, where it stands in one.
    pub path: Option<String>,
    /// The place; `None` for live objects.
    pub location: Option<Location>,
    /// The Services that an object with the annotation is behind.
    pub related: Vec<ObjectRef>,
}

impl Origin {
    /// In a file that is not about one object.
    #[must_use]
    pub fn in_file(location: Location) -> Self {
        Self {
            object: ObjectRef::file(&location.file),
            path: None,
            location: Some(location),
            related: Vec::new(),
        }
    }
}

/// One rule that is suppressed somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// By what.
    pub by: Suppressor,
    /// Which rule, or family of rules.
    pub rule: Named,
    /// Why, in their words.
    pub reason: String,
    /// For which findings.
    pub scope: Scope,
    /// Where that is written.
    pub origin: Origin,
}

/// For which findings a suppression is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Those that are written in a part of a text.
    Text {
        /// The file.
        file: String,
        /// The parts.
        ranges: Vec<Range<Place>>,
        /// The object that they belong to.
        object: Option<Range<Place>>,
    },
    /// Those about an object.
    Object(ObjectRef),
    /// Those about objects in some files; an empty list is no limit.
    Globs {
        /// Of files.
        paths: Vec<String>,
        /// `KIND/NAME` or `KIND/NAMESPACE/NAME`.
        objects: Vec<String>,
    },
}

/// The same object, whatever the version of its API.
fn same(one: &ObjectRef, other: &ObjectRef) -> bool {
    key(one) == key(other)
}

/// The paths of files as `.drain-check.yaml` names them, by the names that findings have for them.
pub type Paths = BTreeMap<String, String>;

impl Scope {
    fn holds(&self, object: &ObjectRef, location: Option<&Location>, paths: &Paths) -> bool {
        match self {
            Self::Text { file, ranges, .. } => location.is_some_and(|place| {
                place.file == *file && ranges.iter().any(|range| range.contains(&place.start()))
            }),
            Self::Object(wanted) => same(wanted, object),
            Self::Globs {
                paths: files,
                objects,
            } => {
                let file = location.and_then(|place| paths.get(&place.file));
                config::holds_file(files, file) && config::holds_object(objects, object)
            }
        }
    }
}

/// Something that the rules judged, and where it is written.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The object.
    pub object: ObjectRef,
    /// Its place, where it has one.
    pub location: Option<Location>,
}

/// What decides about findings.
#[derive(Debug, Default)]
pub struct Filter {
    /// Which rules are wanted.
    pub choice: Choice,
    /// What is suppressed.
    pub suppressions: Vec<Suppression>,
    /// What is wrong with suppressions.
    pub flaws: Vec<Flaw>,
    /// The findings of an earlier run.
    pub baseline: Option<Baseline>,
    /// The paths of files.
    pub paths: Paths,
    /// What the run looked at, to tell unused suppressions from untested ones; `None` for a live cluster, where a finding may come
    /// back at any moment.
    pub tested: Option<Tested>,
}

/// What a run looked at.
#[derive(Debug, Default)]
pub struct Tested {
    /// What the rules judged.
    pub judged: Vec<Judged>,
    /// Every object that was read, with its file.
    pub read: Vec<(String, ObjectRef)>,
}

/// Suppressions by their object and by their part of a text: of either there may be thousands.
struct SuppressionIndex<'s> {
    of_objects: BTreeMap<Key<'s>, Vec<usize>>,
    of_texts: Cover<'s>,
    others: Vec<usize>,
}

type Key<'o> = (&'o str, &'o str, &'o str);

fn key(object: &ObjectRef) -> Key<'_> {
    (&object.kind, &object.name.namespace, &object.name.name)
}

impl<'s> SuppressionIndex<'s> {
    fn new(suppressions: &'s [Suppression]) -> Self {
        let (mut of_objects, mut others) = (BTreeMap::<_, Vec<_>>::new(), Vec::new());
        for (index, each) in suppressions.iter().enumerate() {
            match &each.scope {
                Scope::Object(object) => of_objects.entry(key(object)).or_default().push(index),
                Scope::Globs { .. } => others.push(index),
                Scope::Text { .. } => {}
            }
        }
        let texts = suppressions.iter().enumerate();
        let texts = texts.flat_map(|(index, each)| match &each.scope {
            Scope::Text { file, ranges, .. } => {
                let part = |range: &Range<Place>| (file.as_str(), range.clone(), index);
                ranges.iter().map(part).collect()
            }
            Scope::Object(_) | Scope::Globs { .. } => Vec::new(),
        });
        Self {
            of_objects,
            of_texts: Cover::new(texts),
            others,
        }
    }

    /// Those that may be meant for a finding, in their order.
    fn of(&self, finding: &Finding) -> Vec<usize> {
        let own = self.of_objects.get(&key(&finding.object));
        let place = finding.location.as_ref();
        let mut all: Vec<_> = self
            .others
            .iter()
            .chain(own.into_iter().flatten())
            .copied()
            .collect();
        all.extend(
            place
                .iter()
                .flat_map(|place| self.of_texts.of(&place.file, place.start())),
        );
        all.sort_unstable();
        all
    }
}

impl Filter {
    /// Drops what is not requested, separates what is suppressed, and adds what is wrong with suppressions; in no order.
    #[must_use]
    pub fn apply(self, findings: Vec<Finding>) -> Decided {
        let mut decided = Decided::default();
        let mut used = vec![false; self.suppressions.len()];
        let index = SuppressionIndex::new(&self.suppressions);
        let suppressed = &mut decided.suppressed;
        // In place: there may be a hundred thousand.
        let findings = self.choice.of(findings).into_iter().filter_map(|finding| {
            let mut first: Option<&Suppression> = None;
            for index in index.of(&finding) {
                let each = &self.suppressions[index];
                let place = finding.location.as_ref();
                if each.rule.covers(finding.rule.id)
                    && each.scope.holds(&finding.object, place, &self.paths)
                {
                    used[index] = true;
                    first = first.filter(|first| first.by <= each.by).or(Some(each));
                }
            }
            let Some(each) = first else {
                return Some(finding);
            };
            suppressed.push(Suppressed {
                finding,
                by: each.by,
                reason: Some(each.reason.clone()),
            });
            None
        });
        decided.findings = findings.collect();
        let mut flaws = self.flaws;
        if let Some(tested) = &self.tested {
            let reached = Reached::new(tested);
            let suppressions = self.suppressions.iter().zip(&used);
            let unused = suppressions.filter(|(each, used)| {
                !**used && self.choice.runs(&each.rule) && reached.reaches(each, &self.paths)
            });
            flaws.extend(unused.map(|(each, _)| Flaw {
                kind: Kind::Unused(each.rule.clone()),
                origin: each.origin.clone(),
            }));
        }
        // Looked up, for there may be thousands.
        let mut known = HashSet::new();
        let flaws = flaws.iter().filter(|flaw| known.insert(*flaw));
        let findings = flaws.map(Flaw::finding).collect();
        decided.findings.extend(self.choice.of(findings));
        if let Some(baseline) = self.baseline {
            let stale = baseline.apply(&mut decided, &self.choice, self.tested.as_ref());
            let findings = stale.iter().map(Flaw::finding).collect();
            decided.findings.extend(self.choice.of(findings));
        }
        decided
    }
}

/// A suppression names no more rules: there are fewer.
const MOST_NAMES: usize = 100;

/// Takes names of rules with a reason apart: what they suppress, and what is wrong with them.
fn each<'n>(
    names: impl IntoIterator<Item = &'n str>,
    reason: &str,
    by: Suppressor,
    (scope, origin): (&Scope, &Origin),
) -> (Vec<Suppression>, Vec<Flaw>) {
    let (mut suppressions, mut flaws) = (Vec::new(), Vec::new());
    let reason = reason.trim();
    for (index, name) in names.into_iter().enumerate() {
        if index == MOST_NAMES {
            let (kind, origin) = (Kind::TooMany, origin.clone());
            flaws.push(Flaw { kind, origin });
            break;
        }
        let kind = match name.parse::<Named>() {
            Err(unknown) => Kind::Unknown(unknown),
            Ok(rule) if rule.is_own() => Kind::Own,
            Ok(rule) if reason.is_empty() => Kind::NoReason(rule),
            Ok(rule) => {
                suppressions.push(Suppression {
                    by,
                    rule,
                    reason: reason.to_owned(),
                    scope: scope.clone(),
                    origin: origin.clone(),
                });
                continue;
            }
        };
        flaws.push(Flaw {
            kind,
            origin: origin.clone(),
        });
    }
    (suppressions, flaws)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
