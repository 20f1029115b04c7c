//! What happens next to new connections if nothing changes: which pods go when, and what becomes of the Service then?

use chrono::{DateTime, Utc};

use super::state::State;

/// A change that is to come if nothing else happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The earliest and the latest moment of it.
    pub at: (DateTime<Utc>, DateTime<Utc>),
    /// The state of the Service from then on.
    pub state: State,
    /// A sentence for people.
    pub text: String,
}
