//! What containers ask for, and what nodes have: quantities, which may be written as numbers.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_with_macros::skip_serializing_none;

/// `resources` of a container, as far as it is asked of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Resources {
    /// `requests`.
    pub requests: Quantities,
}

/// A mapping of quantities, as far as they are read. What is no quantity is nothing said.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Quantities {
    /// `cpu`.
    pub cpu: Option<String>,
    /// `memory`.
    pub memory: Option<String>,
    /// `pods`.
    pub pods: Option<String>,
}

/// No quantity is longer.
const LONGEST: usize = 40;

fn read(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let of_one = |each: char| each.is_ascii_alphanumeric() || "+-.".contains(each);
    let begins = text.starts_with(|each: char| each.is_ascii_digit() || "+-.".contains(each));
    (begins && text.len() <= LONGEST && text.chars().all(of_one)).then_some(text)
}

impl From<&Value> for Quantities {
    fn from(value: &Value) -> Self {
        Self {
            cpu: read(&value["cpu"]),
            memory: read(&value["memory"]),
            pods: read(&value["pods"]),
        }
    }
}

impl<'de> Deserialize<'de> for Quantities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from(&Value::deserialize(deserializer)?))
    }
}

impl<'de> Deserialize<'de> for Resources {
    /// Whatever it is, it says that something is written.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Ok(Self {
            requests: Quantities::from(&value["requests"]),
        })
    }
}
