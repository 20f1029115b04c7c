//! How many pods may be evicted at a time (policy/v1 `PodDisruptionBudget`)?

use std::collections::BTreeMap;

use super::ObjectName;
use super::selector::LabelSelector;
use super::workload::Amount;

/// A `PodDisruptionBudget`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisruptionBudget {
    /// Its apiVersion: `policy/v1`, or `policy/v1beta1` up to 1.24.
    pub api_version: String,
    /// Namespace and name.
    pub name: ObjectName,
    /// `spec.selector`; `None` picks no pod.
    pub selector: Option<LabelSelector>,
    /// What it asks for.
    pub asks: Asks,
    /// `spec.unhealthyPodEvictionPolicy` (KEP-3017): `IfHealthyBudget`, as by default, or `AlwaysAllow`.
    pub unhealthy: Option<String>,
}

/// What a budget asks for. The API takes only one of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Asks {
    /// `minAvailable`: so many pods stay.
    MinAvailable(Amount),
    /// `maxUnavailable`: at most so many are missing.
    MaxUnavailable(Amount),
    /// Neither, or what is no number.
    Nothing,
}

impl DisruptionBudget {
    /// An empty selector picks every pod of the namespace, but none in v1beta1 (`pkg/apis/policy/v1beta1/conversion.go`).
    #[must_use]
    pub fn picks_nothing(&self) -> bool {
        let old = self.api_version == "policy/v1beta1";
        self.selector
            .as_ref()
            .is_none_or(|selector| old && selector.is_empty())
    }

    /// Does it count pods of its namespace with these labels?
    #[must_use]
    pub fn counts(&self, labels: &BTreeMap<String, String>) -> bool {
        !self.picks_nothing()
            && self
                .selector
                .as_ref()
                .is_some_and(|selector| selector.matches(labels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_selector_picks_everything_but_nothing_in_v1beta1() {
        let budget = |version: &str, selector| DisruptionBudget {
            api_version: format!("policy/{version}"),
            name: ObjectName::default(),
            selector,
            asks: Asks::Nothing,
            unhealthy: None,
        };
        let labels = BTreeMap::from([("app".to_owned(), "web".to_owned())]);
        assert!(budget("v1", Some(LabelSelector::default())).counts(&labels));
        assert!(!budget("v1beta1", Some(LabelSelector::default())).counts(&labels));
        assert!(!budget("v1", None).counts(&labels));
    }
}
