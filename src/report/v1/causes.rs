//! Why pods are missing, and what happens next.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{Object, State, moment_of};

/// Why a Service has no ready pod, or fewer than its workloads want.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// The cause's id; `explain` tells more.
    pub id: &'static str,
    /// The object that shows it.
    pub object: Object,
    /// The field that shows it; null for the object as a whole.
    pub path: Option<String>,
    /// The pods that it holds back, by name; empty where none was made.
    pub pods: Vec<String>,
    /// A clause for people.
    pub message: String,
    /// What to do about it: an imperative clause.
    pub help: String,
}

/// A change that is to come if nothing else happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// When: at the earliest, if applications end as soon as they get SIGTERM, and at the latest.
    pub at: Moments,
    /// The state of the Service from then on.
    pub state: State,
    /// A sentence for people.
    pub text: String,
}

/// From the earliest to the latest possible moment; the same where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Moments {
    /// The earliest.
    #[serde(serialize_with = "moment_of")]
    pub min: DateTime<Utc>,
    /// The latest.
    #[serde(serialize_with = "moment_of")]
    pub max: DateTime<Utc>,
}
