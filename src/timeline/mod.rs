//! What became of Services and pods while something changed? A series of changes in, a Timeline out: each pod's life, each Service's
//! verdict as a function of time, and the windows in which new connections may have failed.
//!
//! ```text
//! change ─ world (what is there now) ┬ life (a pod)       ┐
//!                            alike ─ ├ track (a Service)  ┼ windows → Timeline
//!                                    └ settle (is it over?)
//! ```
//!
//! `follow` puts these together. Live watching, recordings and simulation are three sources of the same series.
#![deny(clippy::disallowed_methods)]

mod alike;
pub mod change;
mod follow;
pub mod life;
mod lives;
pub mod moments;
pub mod news;
pub mod probe;
pub mod roster;
pub mod settle;
pub mod track;
pub mod windows;
pub mod world;

pub use follow::Follower;

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::facts::service::Service;

/// What a series of changes came to.
#[derive(Debug, Clone)]
pub struct Timeline {
    /// The first moment that something is known of.
    pub from: DateTime<Utc>,
    /// The last one.
    pub to: DateTime<Utc>,
    /// One per Service, by namespace and name.
    pub services: Vec<ServiceStory>,
    /// Times in which nothing was heard although something was listened to.
    pub unheard: Vec<Unheard>,
    /// What a probe measured; `None` without one.
    pub probes: Option<probe::Probes>,
}

/// One Service over time.
#[derive(Debug, Clone)]
pub struct ServiceStory {
    /// The Service.
    pub service: Service,
    /// Its states.
    pub states: Vec<track::StateSpan>,
    /// When connections may have failed, or went to terminating pods alone.
    pub windows: Vec<windows::Window>,
    /// Its pods.
    pub pods: Vec<Arc<life::Life>>,
}

/// A time in which nothing was heard of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unheard {
    /// The resource.
    pub resource: String,
    /// When the connection was lost.
    pub from: DateTime<Utc>,
    /// When it was there again; `None` where it never was.
    pub to: Option<DateTime<Utc>>,
    /// Why, in one sentence.
    pub why: String,
}
