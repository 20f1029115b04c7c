//! What will happen if somebody drains a node, rolls a workload out, scales or deletes? Facts and a scenario in, a series of changes with
//! predicted moments out, for the same Timeline that `watch` makes.
//!
//! ```text
//! scenario ─ state (objects, a clock, what is to come) ┬ deployments ─ replica_sets ┐
//!                                                      ├ stateful_sets, daemon_sets ┼ pods → endpoints → changes
//!                                                      ├ drains ─ budgets           ┤
//!                                                      └ nodes (lost, interrupted)  ┘
//! ```
//!
//! The controllers' own rules, of Kubernetes 1.36 (`pkg/controller`, `pkg/registry/core/pod/storage/eviction.go`,
//! `kubectl/pkg/drain`). How long pods take to become Ready is given, or taken from pods of the same workload.
#![deny(clippy::disallowed_methods)]

mod act;
pub mod budgets;
mod daemon_sets;
mod deployments;
mod drains;
mod endpoints;
pub mod nodes;
mod play;
mod pods;
mod replica_sets;
pub mod scenario;
mod scheduling;
pub mod set;
mod start_up;
mod state;
mod stateful_sets;
mod take_in;

pub use drains::{Decision, Eviction, Why};
pub use play::{Assumed, Played, play};
pub use scenario::{Action, DrainFlags, Lost, Notified, Scenario, Warned};
pub use start_up::{ReadyAfter, Settings};
