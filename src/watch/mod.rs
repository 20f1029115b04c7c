//! What changes in a cluster while somebody looks? First what a check reads, then everything that is said of it, as the lines of a
//! recording: redacted as a snapshot is, in the order of arrival.
//!
//! ```text
//! collect (what a check reads) → first (as lists) ┐
//! wanted (what may change) → follow (one of them) ┴→ known, related (is it new, and does it matter?) → run → lines
//! ```
//!
//! `reach` asks the server, with new credentials where the old ones have expired. Of objects only names, uids and a number that tells whether they
//! changed are kept.

mod first;
mod follow;
mod known;
mod reach;
mod related;
mod run;
mod wanted;

pub use run::{Begun, Told, Watched, watch};
