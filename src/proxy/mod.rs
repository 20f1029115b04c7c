//! Which endpoints kube-proxy uses for a new connection: by node, port, family and traffic path, each with a reason.
//!
//! ```text
//! slices ─ ingest ─→ candidates ─ topology, lists ─→ cluster list, local list ─ paths ─→ forward | reject | drop
//! ```
#![deny(clippy::disallowed_methods)]

pub mod answer;
pub mod classes;
pub mod health;
pub mod ingest;
mod ipvs;
pub mod lists;
pub mod paths;
pub mod reason;
pub mod topology;
mod winkernel;
