//! One page for an incident: a file without network, readable without scripts, in light and dark, on paper and by screen readers.
//!
//! Pages are well-formed XML and HTML at once. Everything that a template puts in is escaped ([`escape::Text`], by askama.toml).

mod check;
pub(crate) mod escape;
mod lanes;
mod page;
mod parts;
mod rollout;
mod shutdown;

pub use check::write as check;
pub use rollout::write as timeline;
