//! The integration tests: one binary.

mod build;
mod cli;
mod cluster;
mod fake_api;
mod gates;
mod modes;
mod oracle;
mod properties;
