//! Which objects does a label selector pick (meta/v1 `LabelSelector`)?

use std::collections::{BTreeMap, BTreeSet};

/// A label selector. One that asks for nothing picks everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabelSelector {
    /// `matchLabels`.
    pub labels: BTreeMap<String, String>,
    /// `matchExpressions`.
    pub expressions: Vec<Expression>,
}

/// One of `matchExpressions`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expression {
    /// The label.
    pub key: String,
    /// What is asked of it.
    pub asks: Asks,
}

/// What is asked of a label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asks {
    /// `In`: it has one of these values.
    In(BTreeSet<String>),
    /// `NotIn`: it has none of these values, or there is no such label.
    NotIn(BTreeSet<String>),
    /// `Exists`.
    Exists,
    /// `DoesNotExist`.
    DoesNotExist,
    /// An operator that the API does not take.
    Unknown,
}

impl LabelSelector {
    /// Does it ask for nothing, and so pick everything?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.expressions.is_empty()
    }

    /// Does it pick an object with these labels (`pkg/labels/selector.go` of apimachinery, `Requirement.Matches`)?
    #[must_use]
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        let has = |(key, value): (&String, &String)| labels.get(key) == Some(value);
        let meets = |expression: &Expression| {
            let value = labels.get(&expression.key);
            match &expression.asks {
                Asks::In(values) => value.is_some_and(|value| values.contains(value)),
                Asks::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
                Asks::Exists => value.is_some(),
                Asks::DoesNotExist => value.is_none(),
                Asks::Unknown => false,
            }
        };
        self.labels.iter().all(has) && self.expressions.iter().all(meets)
    }
}

/// As `kubectl` writes selectors: `app=web,tier in (a,b),!old`.
impl std::fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let labels = self.labels.iter();
        let mut parts: Vec<_> = labels
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        for Expression { key, asks } in &self.expressions {
            let list = |values: &BTreeSet<String>| {
                let values: Vec<_> = values.iter().map(String::as_str).collect();
                values.join(",")
            };
            parts.push(match asks {
                Asks::In(values) => format!("{key} in ({})", list(values)),
                Asks::NotIn(values) => format!("{key} notin ({})", list(values)),
                Asks::Exists => key.clone(),
                Asks::DoesNotExist => format!("!{key}"),
                Asks::Unknown => format!("{key} ?"),
            });
        }
        f.write_str(&parts.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picks(key: &str, asks: Asks) -> bool {
        let labels = BTreeMap::from([("app".to_owned(), "web".to_owned())]);
        let key = key.to_owned();
        let selector = LabelSelector {
            expressions: vec![Expression { key, asks }],
            ..LabelSelector::default()
        };
        selector.matches(&labels)
    }

    #[test]
    fn expressions_mean_what_the_api_says() {
        let web = || BTreeSet::from(["web".to_owned()]);
        let db = || BTreeSet::from(["db".to_owned()]);
        assert!(picks("app", Asks::In(web())) && !picks("app", Asks::In(db())));
        assert!(!picks("tier", Asks::In(web())));
        assert!(picks("app", Asks::NotIn(db())) && !picks("app", Asks::NotIn(web())));
        // A label that is not there is in no set.
        assert!(picks("tier", Asks::NotIn(web())));
        assert!(picks("app", Asks::Exists) && !picks("tier", Asks::Exists));
        assert!(picks("tier", Asks::DoesNotExist) && !picks("app", Asks::DoesNotExist));
        assert!(!picks("app", Asks::Unknown));
    }

    #[test]
    fn a_selector_is_written_as_kubectl_writes_it() {
        let ask = |key: &str, asks| Expression {
            key: key.to_owned(),
            asks,
        };
        let selector = LabelSelector {
            labels: BTreeMap::from([("app".to_owned(), "web".to_owned())]),
            expressions: vec![
                ask(
                    "tier",
                    Asks::In(BTreeSet::from(["a".to_owned(), "b".to_owned()])),
                ),
                ask("old", Asks::DoesNotExist),
            ],
        };
        assert_eq!(selector.to_string(), "app=web,tier in (a,b),!old");
    }

    #[test]
    fn a_selector_that_asks_for_nothing_picks_everything() {
        assert!(LabelSelector::default().matches(&BTreeMap::new()));
    }
}
