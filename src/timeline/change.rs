//! What was said of the world, and when? The one series that live watching, recordings and simulation share.

use chrono::{DateTime, Utc};

use super::moments::later;
use crate::facts::Snapshot;

/// Something that was said at a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// When it was heard, by the server's clock as far as that is known, else by the clock of whoever listened.
    pub at: DateTime<Utc>,
    /// What was said.
    pub what: What,
}

impl Change {
    /// The same by a clock that is so many milliseconds ahead.
    #[must_use]
    pub fn by_clock(mut self, ahead: i64) -> Self {
        self.at = later(self.at, ahead);
        if let What::Probed(probed) = &mut self.what {
            probed.opened = later(probed.opened, ahead);
        }
        self
    }
}

/// What was said.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A whole list of a resource: what it does not hold is not there.
    Listed {
        /// The resource, in the plural: `pods`.
        resource: String,
        /// The facts of its objects.
        facts: Box<Snapshot>,
    },
    /// An object is there, and looks like this now: a snapshot of one.
    Applied(Box<Snapshot>),
    /// An object is gone, and looked like this at last: a snapshot of one. Only its name is certain to be there.
    Deleted(Box<Snapshot>),
    /// Nothing is heard of a resource from now on.
    Lost {
        /// The resource.
        resource: String,
        /// Why, in one sentence.
        why: String,
    },
    /// It is heard of again.
    Back {
        /// The resource.
        resource: String,
    },
    /// The machine of a node is off from now on, which nobody reports at once: only what is foreseen can tell.
    Silent {
        /// The node.
        node: String,
    },
    /// A connection of the probe ended.
    Probed(Probed),
}

/// What one connection of a probe met.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    /// Where it went.
    pub url: String,
    /// When it was opened.
    pub opened: DateTime<Utc>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a connection of a probe ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// With an answer below 500.
    Answered(u16),
    /// With a status of 500 or above.
    Status(u16),
    /// The connection was refused.
    Refused,
    /// It was reset, or ended before an answer.
    Reset,
    /// Nothing came in time.
    Timeout,
    /// TLS failed.
    Tls,
    /// Anything else: no address for the name, no route.
    Other,
}

impl Outcome {
    /// The word that recordings and reports have for it.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Answered(_) => "ok",
            Self::Status(_) => "status",
            Self::Refused => "refused",
            Self::Reset => "reset",
            Self::Timeout => "timeout",
            Self::Tls => "tls",
            Self::Other => "other",
        }
    }

    /// The HTTP status, where there was one.
    #[must_use]
    pub const fn status(self) -> Option<u16> {
        match self {
            Self::Answered(status) | Self::Status(status) => Some(status),
            _ => None,
        }
    }

    /// Is this no answer to rely on?
    #[must_use]
    pub const fn failed(self) -> bool {
        !matches!(self, Self::Answered(_))
    }
}
