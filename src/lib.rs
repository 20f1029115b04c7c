//! `kubectl drain-check`: who still sends traffic to a terminating pod, who decides that, and why.
//!
//! `docs/architecture.md` draws it.

// Unit tests make files, and look at them.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod analysis;
pub mod app;
pub mod cli;
pub mod client;
pub mod collect;
pub mod columns;
pub mod controllers;
pub mod decode;
pub mod engine;
pub mod facts;
pub mod files;
pub mod gates;
pub mod manifest;
pub mod node_rules;
pub mod probe;
pub mod proxy;
pub mod recording;
pub mod redact;
pub mod render;
pub mod report;
pub mod rules;
pub mod settings;
pub mod shutdown;
pub mod simulate;
pub mod sources;
pub mod suppress;
pub mod timeline;
pub mod units;
pub mod watch;
mod words;
