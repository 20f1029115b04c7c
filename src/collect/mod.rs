//! Which objects does an answer need, and which of them are there? Asks an API server for them, and says what could not be read.
//!
//! ```text
//! required (what must be there)     ┐
//! optional (what may be missing)    ┼ observe: a snapshot, or why there is none
//! kinds, places → ask ─ traffic     ┘
//! ```
//!
//! `version` and `names` (for completion) ask for one thing each, `suggest` for what a name that does not exist may have meant.

pub(crate) mod access;
pub(crate) mod ask;
pub(crate) mod kinds;
pub(crate) mod names;
pub(crate) mod observe;
pub(crate) mod optional;
pub(crate) mod places;
pub(crate) mod recorder;
pub(crate) mod request;
pub(crate) mod required;
pub(crate) mod scope;
pub mod snapshot;
pub(crate) mod suggest;
pub(crate) mod traffic;
pub(crate) mod version;

pub use names::{Entry, Named, entries, names};
pub use observe::{Observed, observe, record};
pub use places::resources;
pub use recorder::{Recorded, Strip};
pub use request::Request;
pub use required::FailedTarget;
pub use version::server_version;
