//! `LabelSelector`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

use super::presence::or_default;

/// A label selector.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelector {
    /// `matchLabels`.
    pub match_labels: Option<BTreeMap<String, String>>,
    /// `matchExpressions`.
    pub match_expressions: Option<Vec<SelectorExpression>>,
}

/// One of `matchExpressions`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct SelectorExpression {
    /// `key`.
    #[serde(deserialize_with = "or_default")]
    pub key: String,
    /// `operator`.
    #[serde(deserialize_with = "or_default")]
    pub operator: String,
    /// `values`.
    pub values: Option<Vec<String>>,
}
