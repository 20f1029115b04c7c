//! What did the owners of a traffic source set, and what cannot be read of it?

use std::collections::BTreeMap;

use super::syntax::SettingValue;

/// A setting of a traffic source, found on an object.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningValue {
    /// The object, as `Service shop/web`.
    pub object: String,
    /// The path of the field.
    pub field: String,
    /// The field's value.
    pub text: String,
    /// What the value means to the traffic source; durations are seconds.
    pub value: SettingValue,
    /// The parameter or condition of the catalogue that it sets; `None` where it changes no figure.
    pub sets: Option<&'static str>,
    /// What it does besides.
    pub effect: Option<&'static str>,
}

/// A setting that cannot be read; the figures take its default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TuningProblem {
    /// The id of the traffic source; [`OURS`] for what is declared to this program.
    pub source: &'static str,
    /// The object, as `Service shop/web`.
    pub object: String,
    /// The path of the field.
    pub field: String,
    /// The field's value.
    pub text: String,
    /// What it should be: a phrase that completes "... expected".
    pub expected: &'static str,
}

/// Who reads what is declared to this program.
pub(super) const OURS: &str = "drain-check";

impl TuningProblem {
    /// It is a declaration to this program, and no traffic source's setting.
    #[must_use]
    pub fn is_declaration(&self) -> bool {
        self.source == OURS
    }
}

/// The settings of one traffic source that hold for one Service.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TuningValues {
    /// Those that can be read, in the catalogue's order.
    pub values: Vec<TuningValue>,
    /// Those that cannot.
    pub problems: Vec<TuningProblem>,
}

impl TuningValues {
    /// The settings by the parameter or condition that they set. Where several objects set one, the longest wait counts: the
    /// largest value, and of rates the smallest.
    #[must_use]
    pub fn settings(&self) -> BTreeMap<&'static str, SettingValue> {
        let mut settings: BTreeMap<&'static str, SettingValue> = BTreeMap::new();
        for tuned in &self.values {
            let Some(sets) = tuned.sets else {
                continue;
            };
            let rate = sets.contains("rate");
            let before = settings.get(sets);
            let keep = match (before, &tuned.value) {
                (Some(SettingValue::Number(before)), SettingValue::Number(now)) => {
                    if rate {
                        before <= now
                    } else {
                        before >= now
                    }
                }
                // A switch that is on anywhere is on for some of the traffic.
                (Some(SettingValue::Word(before)), _) => before != "false",
                _ => false,
            };
            if !keep {
                settings.insert(sets, tuned.value.clone());
            }
        }
        settings
    }
}
