//! Which rules are wanted, and how bad is what they find?

use super::names::{Named, is_input};
use crate::rules::Finding;
use crate::rules::Severity;

/// How bad the findings of a rule are, in place of what the rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// They are not wanted.
    Off,
    /// So bad, each of them.
    As(Severity),
}

impl std::str::FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim().to_ascii_lowercase().as_str() {
            "off" => Ok(Self::Off),
            "info" => Ok(Self::As(Severity::Info)),
            "warning" => Ok(Self::As(Severity::Warning)),
            "error" => Ok(Self::As(Severity::Error)),
            _ => Err(format!(
                "there is no severity {text:?}; write error, warning, info or off"
            )),
        }
    }
}

/// The rules requested in one place: on the command line, or in `.drain-check.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleRequest {
    /// Only these rules; empty is all of them.
    pub select: Vec<Named>,
    /// Not these rules.
    pub ignore: Vec<Named>,
    /// How bad what they find is.
    pub severities: Vec<(Named, Level)>,
}

/// A request that would hide what could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} reports what could not be read, and without it an incomplete report looks clean; suppress it with a reason and paths in .drain-check.yaml, where it is still counted"
)]
pub struct HidesGaps(pub Named);

/// Which rules are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    select: Vec<Named>,
    ignore: Vec<Named>,
    /// Whether each is from the command line, which takes precedence over the file.
    severities: Vec<(bool, Named, Level)>,
}

impl Choice {
    /// Combines both requests. `--select` takes the place of the file's; of severities the command line's counts first, then that
    /// of a single rule, then the last one.
    ///
    /// # Errors
    ///
    /// If rules about unreadable input would be off.
    pub fn new(flags: RuleRequest, file: RuleRequest) -> Result<Self, HidesGaps> {
        let severities = |flag: bool, list: Vec<(Named, Level)>| {
            list.into_iter()
                .map(move |(rule, level)| (flag, rule, level))
        };
        let choice = Self {
            select: if flags.select.is_empty() {
                file.select
            } else {
                flags.select
            },
            ignore: flags.ignore.into_iter().chain(file.ignore).collect(),
            severities: severities(false, file.severities)
                .chain(severities(true, flags.severities))
                .collect(),
        };
        let off = choice.severities.iter().filter(|each| each.2 == Level::Off);
        let left_out = choice.ignore.iter().chain(off.map(|each| &each.1));
        match left_out.into_iter().find(|rule| rule.hides_gaps()) {
            Some(rule) => Err(HidesGaps(rule.clone())),
            None => Ok(choice),
        }
    }

    fn level(&self, id: &str) -> Option<Level> {
        let chosen = self.select.is_empty() || self.select.iter().any(|rule| rule.covers(id));
        if !(chosen || is_input(id)) || self.ignore.iter().any(|rule| rule.covers(id)) {
            return Some(Level::Off);
        }
        let fits = self.severities.iter().filter(|each| each.1.covers(id));
        // The last one of those that count alike.
        fits.max_by_key(|(flag, rule, _)| (*flag, !rule.is_family()))
            .map(|each| each.2)
    }

    /// The findings that are wanted, each as bad as it is wanted to be.
    #[must_use]
    pub fn of(&self, findings: Vec<Finding>) -> Vec<Finding> {
        let wanted = |mut finding: Finding| match self.level(finding.rule.id) {
            Some(Level::Off) => None,
            Some(Level::As(severity)) => {
                finding.severity = severity;
                Some(finding)
            }
            None => Some(finding),
        };
        findings.into_iter().filter_map(wanted).collect()
    }

    /// Is a rule wanted, by its id?
    #[must_use]
    pub fn wants(&self, id: &str) -> bool {
        self.level(id) != Some(Level::Off)
    }

    /// Is every rule that is meant wanted?
    #[must_use]
    pub fn runs(&self, rules: &Named) -> bool {
        rules.ids().all(|id| self.wants(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Named {
        text.parse().expect("a rule")
    }

    fn request(select: &[&str], ignore: &[&str], severities: &[(&str, &str)]) -> RuleRequest {
        RuleRequest {
            select: select.iter().map(|text| named(text)).collect(),
            ignore: ignore.iter().map(|text| named(text)).collect(),
            severities: severities
                .iter()
                .map(|(rule, level)| (named(rule), level.parse().expect("a level")))
                .collect(),
        }
    }

    fn runs(choice: &Choice, rule: &str) -> bool {
        choice.runs(&named(rule))
    }

    #[test]
    fn select_and_ignore_take_families_and_single_rules() {
        let choice = Choice::new(
            request(&["DC2"], &["grace-zero"], &[]),
            request(&["DC1"], &[], &[]),
        )
        .expect("a choice");
        assert!(runs(&choice, "DC201") && !runs(&choice, "DC208"));
        assert!(!runs(&choice, "DC101"), "the flag takes the file's place");
        assert!(!runs(&choice, "DC2"), "not every rule of the family runs");
    }

    #[test]
    fn what_could_not_be_read_is_always_reported() {
        let choice =
            Choice::new(request(&["DC201"], &[], &[]), RuleRequest::default()).expect("a choice");
        assert!(runs(&choice, "DC901"));
        for rule in ["DC901", "DC9"] {
            assert!(Choice::new(request(&[], &[rule], &[]), RuleRequest::default()).is_err());
            assert!(
                Choice::new(RuleRequest::default(), request(&[], &[], &[(rule, "off")])).is_err()
            );
            assert!(
                Choice::new(request(&[], &[], &[(rule, "info")]), RuleRequest::default()).is_ok()
            );
        }
        let own =
            Choice::new(request(&[], &["DC903"], &[]), RuleRequest::default()).expect("a choice");
        assert!(!runs(&own, "DC903"));
    }

    #[test]
    fn of_severities_the_flag_counts_first_then_the_single_rule_then_the_last() {
        let level = |flags: &[(&str, &str)], file: &[(&str, &str)]| {
            let choice = Choice::new(request(&[], &[], flags), request(&[], &[], file));
            choice.expect("a choice").level("DC201")
        };
        assert_eq!(
            level(&[("DC2", "info")], &[("DC201", "error")]),
            Some(Level::As(Severity::Info))
        );
        assert_eq!(
            level(&[("DC201", "warning"), ("DC2", "info")], &[]),
            Some(Level::As(Severity::Warning))
        );
        assert_eq!(
            level(&[], &[("DC201", "info"), ("DC201", "off")]),
            Some(Level::Off)
        );
        assert_eq!(level(&[("DC202", "info")], &[]), None);
        assert!("of".parse::<Level>().is_err());
    }
}
