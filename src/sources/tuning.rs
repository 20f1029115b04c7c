//! What did the owners set, and what could not be read of it?

use std::collections::BTreeMap;

use super::detect::{Detected, InUse};
use super::figures::Tuning;
use super::object_index::ObjectIndex;
use super::syntax;
use super::syntax::Setting;
use super::target::Target;
use super::tuning_places::{Written, written};

/// A value that an owner set.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// On which object, as `Service shop/web`.
    pub object: String,
    /// In which field.
    pub field: String,
    /// As it stands there.
    pub text: String,
    /// What it says.
    pub setting: Setting,
    /// The parameter or condition of the catalogue that it sets; `None` where it moves no figure.
    pub sets: Option<&'static str>,
    /// What it does.
    pub effect: Option<&'static str>,
}

/// A value that could not be read; the default counts in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TuningProblem {
    /// Whose setting it is.
    pub source: &'static str,
    /// On which object.
    pub object: String,
    /// In which field.
    pub field: String,
    /// As it stands there.
    pub text: String,
    /// What should have stood there: a phrase that completes "... expected".
    pub expected: &'static str,
}

/// What the owners set for one traffic source and one Service.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tunings {
    /// What could be read, in the catalogue's order.
    pub tuned: Vec<Tuned>,
    /// What could not.
    pub problems: Vec<TuningProblem>,
}

impl Tunings {
    /// The settings by what they set. Where several objects set one, the one that makes the wait longest counts:
    /// the largest, and of rates the smallest.
    #[must_use]
    pub fn settings(&self) -> BTreeMap<&'static str, Setting> {
        let mut settings: BTreeMap<&'static str, Setting> = BTreeMap::new();
        for tuned in &self.tuned {
            let Some(sets) = tuned.sets else {
                continue;
            };
            let rate = sets.contains("rate");
            let before = settings.get(sets);
            let keep = match (before, &tuned.setting) {
                (Some(Setting::Number(before)), Setting::Number(now)) => {
                    if rate {
                        before <= now
                    } else {
                        before >= now
                    }
                }
                // A switch that is on anywhere is on for somebody.
                (Some(Setting::Word(before)), _) => before != "false",
                _ => false,
            };
            if !keep {
                settings.insert(sets, tuned.setting.clone());
            }
        }
        settings
    }
}

/// Reads what the owners set for a traffic source.
pub(super) fn tunings(index: &ObjectIndex<'_>, target: &Target<'_>, used: &InUse<'_>) -> Tunings {
    let mut all = Tunings::default();
    for tuning in &used.source.tuning {
        for place in written(index, target, used, tuning) {
            read(&mut all, used, tuning, place);
        }
    }
    all
}

/// What the owners set for those who send to a Service, and nobody can read.
#[must_use]
pub fn unreadable(index: &ObjectIndex<'_>, detected: &Detected<'_>) -> Vec<TuningProblem> {
    let Some(target) = &detected.target else {
        return Vec::new();
    };
    let in_use = detected.in_use.iter();
    in_use
        .flat_map(|used| tunings(index, target, used).problems)
        .collect()
}

fn read(all: &mut Tunings, used: &InUse<'_>, tuning: &'static Tuning, place: Written) {
    let field = match &tuning.attribute {
        Some(attribute) => format!("{}, {attribute}", place.field),
        None => place.field,
    };
    match syntax::read(tuning.format, tuning.attribute.as_deref(), &place.text) {
        Ok(Some(setting)) => {
            let tuned = Tuned {
                object: place.object,
                field,
                text: place.text,
                setting,
                sets: tuning.sets.as_deref(),
                effect: tuning.effect.as_deref(),
            };
            if !all.tuned.contains(&tuned) {
                all.tuned.push(tuned);
            }
        }
        Ok(None) => {}
        Err(expected) => {
            let problem = TuningProblem {
                source: &used.source.id,
                object: place.object,
                field,
                text: place.text,
                expected,
            };
            if !all.problems.contains(&problem) {
                all.problems.push(problem);
            }
        }
    }
}
