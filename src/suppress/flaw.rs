//! What is wrong with a suppression (DC903)?

use std::borrow::Cow;

use chrono::NaiveDate;

use super::Origin;
use super::names::{Named, OWN, Unknown};
use crate::rules::Finding;
use crate::rules::{Severity, input};

/// Something wrong with a suppression, and where.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Flaw {
    /// What is wrong.
    pub kind: Kind,
    /// Where the suppression is written.
    pub origin: Origin,
}

/// What can be wrong with a suppression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It names no rule.
    Unknown(Unknown),
    /// It does not say why.
    NoReason(Named),
    /// It is malformed; with the right form.
    Malformed(&'static str),
    /// It is one of more than anybody writes.
    TooMany,
    /// It is a comment with nothing below it.
    Nowhere,
    /// It is about this rule.
    Own,
    /// Its last day is over.
    Expired(Named, NaiveDate),
    /// It suppresses nothing.
    Unused(Named),
    /// It is in a baseline, and the finding is gone.
    Stale(String),
}

impl Kind {
    const fn severity(&self) -> Severity {
        match self {
            Self::Unused(_) | Self::Stale(_) => Severity::Info,
            _ => Severity::Warning,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Unknown(unknown) => format!("A suppression names no rule: {unknown}."),
            Self::NoReason(rule) => format!("A suppression of {rule} does not say why."),
            Self::Malformed(_) => "A suppression is malformed.".to_owned(),
            Self::TooMany => {
                "From here on suppressions are not read: there are too many.".to_owned()
            }
            Self::Nowhere => "A suppression comment has nothing below it to apply to.".to_owned(),
            Self::Own => format!("A suppression names {OWN}, the rule about suppressions."),
            Self::Expired(rule, until) => {
                format!("A suppression of {rule} was valid until {until}.")
            }
            Self::Unused(rule) => {
                format!("A suppression of {rule} suppresses nothing: there is no such finding.")
            }
            Self::Stale(what) => format!("The baseline lists {what}, which is no longer found."),
        }
    }

    const fn why(&self) -> &'static str {
        match self {
            Self::Unused(_) | Self::Stale(_) => "It would hide the same finding if it came back.",
            _ => "It has no effect: what it was meant to suppress is reported.",
        }
    }

    fn help(&self) -> String {
        let text = match self {
            Self::Unknown(_) => {
                "Write the id or the slug of a rule; `kubectl drain-check rules` lists them."
            }
            Self::NoReason(_) => {
                "Add the reason why the finding is accepted: without one the suppression has no effect."
            }
            Self::Malformed(form) => return format!("Write {form}."),
            Self::TooMany => {
                "Name a family of rules, as DC2xx, or decide for all files in .drain-check.yaml."
            }
            Self::Nowhere => {
                "Put the comment on the line of the field that it is about, or directly above that line."
            }
            Self::Own => "Fix what DC903 reports, or turn the rule off with --ignore DC903.",
            Self::Expired(..) => "Fix the finding, or decide again and write a later date.",
            Self::Unused(_) => "Remove the suppression: there is no such finding.",
            Self::Stale(_) => "Write a new baseline with --write-baseline.",
        };
        text.to_owned()
    }
}

impl Flaw {
    /// The finding.
    #[must_use]
    pub fn finding(&self) -> Finding {
        Finding {
            severity: self.kind.severity(),
            path: self.origin.path.clone().map(Cow::from),
            message: self.kind.message(),
            why: self.kind.why().to_owned(),
            help: self.kind.help(),
            location: self.origin.location.clone(),
            related: self.origin.related.clone().into(),
            ..input::SUPPRESSION.about(self.origin.object.clone())
        }
    }
}
