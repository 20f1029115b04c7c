//! What became of Services and pods while something changed? A series of changes in, a Timeline out: each pod's life, each Service's
//! verdict as a function of time, and the windows in which new connections may have failed.
//!
//! Live watching, recordings and simulation are three sources of the same series ([`change`]).
#![deny(clippy::disallowed_methods)]

pub mod change;
