//! `kubectl drain-check`: who still sends traffic to a terminating pod, who decides that, and why.
//!
//! The floors of the house, each using only those below or to the left of it:
//!
//! ```text
//! ground   facts → gates → proxy        pure: no IO, no clock, no Kubernetes client's types
//! ```
//!
//! `docs/architecture.md` draws it.

pub mod facts;
pub mod input;
