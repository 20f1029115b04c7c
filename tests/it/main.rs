//! The integration tests: one binary.

mod build;
mod cli;
mod cluster;
mod differences;
mod fake_api;
mod gates;
mod modes;
mod oracle;
mod properties;
mod reasons;
mod recording;
mod recordings;
mod rules;
