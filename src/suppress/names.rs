//! Which rule, or family of rules, does a name mean?

use std::fmt;
use std::str::FromStr;

use crate::rules;
use crate::rules::ALL;
use crate::words::alike;

/// How every id of an input problem begins.
const INPUT: &str = "DC9";
/// The rule about suppressions themselves.
pub(super) const OWN: &str = "DC903";

/// A rule by its id or slug, or a family as `DC2` or `DC2xx`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Named {
    /// How the ids begin; the whole id of a single rule.
    prefix: String,
}

/// There is no such rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
pub struct Unknown {
    /// What somebody wrote.
    pub name: String,
    /// Similar names.
    pub similar: Vec<&'static str>,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no rule {:?}", self.name)?;
        match self.similar.as_slice() {
            [] => f.write_str("; `kubectl drain-check rules` lists them"),
            similar => write!(f, "; similar: {}", similar.join(", ")),
        }
    }
}

impl FromStr for Named {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        let name = text.trim();
        if let Some(rule) = rules::find(name) {
            let prefix = rule.id.to_owned();
            return Ok(Self { prefix });
        }
        let upper = name.to_ascii_uppercase();
        let prefix = upper.strip_suffix("XX").unwrap_or(&upper);
        let family = prefix.len() == INPUT.len();
        if family && ALL.iter().any(|rule| rule.id.starts_with(prefix)) {
            let prefix = prefix.to_owned();
            return Ok(Self { prefix });
        }
        let names = ALL.iter().flat_map(|rule| [rule.id, rule.slug]);
        Err(Unknown {
            name: name.to_owned(),
            similar: alike(name, names),
        })
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = if self.is_family() { "xx" } else { "" };
        write!(f, "{}{rest}", self.prefix)
    }
}

impl Named {
    /// Is it about this rule?
    #[must_use]
    pub fn covers(&self, id: &str) -> bool {
        id.starts_with(&self.prefix)
    }

    /// The ids of the rules that it is about.
    pub fn ids(&self) -> impl Iterator<Item = &'static str> {
        let ids = ALL.iter().map(|rule| rule.id);
        ids.filter(|id| self.covers(id))
    }

    /// Is it a whole family?
    #[must_use]
    pub fn is_family(&self) -> bool {
        self.prefix.len() == INPUT.len()
    }

    /// Does it cover rules that report unreadable input? Without those an incomplete report looks clean.
    #[must_use]
    pub fn hides_gaps(&self) -> bool {
        self.prefix.starts_with(INPUT) && !self.is_own()
    }

    /// Is it the rule about suppressions?
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.prefix == OWN
    }
}

/// Is this rule about what could not be read, or about suppressions?
#[must_use]
pub fn is_input(id: &str) -> bool {
    id.starts_with(INPUT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_go_by_id_slug_and_family_whatever_the_case() {
        for (text, shown, covered, other) in [
            ("DC201", "DC201", "DC201", "DC202"),
            ("grace-zero", "DC208", "DC208", "DC201"),
            (" dc2 ", "DC2xx", "DC214", "DC101"),
            ("DC2xx", "DC2xx", "DC201", "DC301"),
        ] {
            let named: Named = text.parse().expect("a name");
            assert_eq!(named.to_string(), shown, "{text}");
            assert!(named.covers(covered) && !named.covers(other), "{text}");
        }
    }

    #[test]
    fn an_unknown_rule_is_reported_with_similar_ones() {
        let error = |text: &str| text.parse::<Named>().expect_err("no rule").to_string();
        assert!(error("grace-zro").contains("grace-zero"));
        assert!(error("DC2O1").contains("DC201"));
        for text in ["", "DC", "D", "DC7", "DC20", "DC20x", "DC2xxx", "quux"] {
            assert!(text.parse::<Named>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_was_not_read_may_not_be_hidden() {
        for (text, hides) in [
            ("DC901", true),
            ("DC9", true),
            ("DC903", false),
            ("DC2", false),
        ] {
            let named: Named = text.parse().expect("a name");
            assert_eq!(named.hides_gaps(), hides, "{text}");
        }
    }
}
