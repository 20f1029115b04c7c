//! Who sends traffic besides kube-proxy, until when, and what does that ask of preStop and grace?
//!
//! ```text
//! catalogue (who there is, as data) ─ formula, amount (what its figures come to)
//!   keep    which objects must be read to see it;  known  which annotations of any object
//!   world   the objects that were read, found by what they name
//!   detect  who is in use for a Service, with evidence
//!   tuning  what their owners set, in each vendor's syntax;  given  what a person says on the command line
//!   budget  last new connection, end of old ones, minimum preStop and grace, with their sums
//! ```
#![deny(clippy::disallowed_methods)]

pub mod amount;
pub mod budget;
pub mod catalogue;
pub mod detect;
pub mod figures;
pub mod formula;
pub mod given;
pub mod keep;
mod known;
mod labelled;
mod matching;
pub mod object_index;
pub mod path;
pub mod rule;
mod search;
pub mod sum;
pub mod syntax;
mod target;
pub mod timing;
pub mod tuning;
mod tuning_places;

pub use amount::Amount;
pub use budget::{Budget, Situation, budget};
pub use catalogue::{Catalogue, Class, TrafficSource, catalogue};
pub use detect::{Detected, Evidence, InUse, detect};
pub use given::Given;
pub use keep::{keep, kinds, reads_variable, tells};
pub use known::reads_annotation;
pub use object_index::ObjectIndex;
