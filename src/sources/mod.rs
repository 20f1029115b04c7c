//! Which traffic sources does a Service have besides kube-proxy, until when do they send, and what does that ask of preStop and the
//! grace period?
//!
//! ```text
//! catalogue    what traffic sources there are, as data: rule (what shows them), figures and formula (until when), amount
//! keep         which objects are read for that, and which of their fields;  annotations: which of any object
//! object_index the objects that were read, found by what they name
//! selecting    whose pods an object chooses by labels, without naming a Service
//! detector     which traffic sources are in use for a Service, with evidence and their owners' settings → detected
//! agents       which release a data plane runs, by the images of its agents;  release: of three numbers
//! unidentified what something names, and nothing in the catalogue accounts for
//! tuning       what a setting says, in each vendor's syntax;  declared: what `--source` says
//! at_least     why a sum is only a lower bound: the one place that decides it
//! budget       last new connection and in-flight done of each, minimum preStop and grace period as sums of terms
//! ```
#![deny(clippy::disallowed_methods)]

mod agents;
pub mod amount;
mod annotations;
pub mod at_least;
pub mod budget;
pub mod catalogue;
pub mod declared;
pub mod detected;
mod detector;
pub mod evidence;
mod field_texts;
pub mod figures;
pub mod formula;
mod host;
pub mod keep;
mod kinds;
mod matching;
pub mod object_index;
pub mod path;
mod references;
pub mod release;
pub mod rule;
mod search;
mod selecting;
pub mod sum;
pub mod syntax;
mod target;
mod template;
pub mod timing;
pub mod tuning;
mod tuning_places;
mod unidentified;

pub use amount::Amount;
pub use annotations::reads_annotation;
pub use budget::{Budget, PodTiming, budget};
pub use catalogue::{Catalogue, Class, TrafficSource, catalogue};
pub use declared::DeclaredSource;
pub use detected::{DetectedSources, SourceInUse};
pub use detector::Detector;
pub use evidence::Evidence;
pub use keep::{keep, kinds, reads_variable, tells};
pub use kinds::names_services;
pub use object_index::ObjectIndex;
pub use release::Release;
