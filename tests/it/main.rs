//! The integration tests: one binary.

mod architecture;
mod build;
mod cli;
mod cluster;
mod consumers;
mod differences;
mod docs;
mod fake_api;
mod gates;
mod look;
mod modes;
mod oracle;
mod plugin;
mod properties;
mod reasons;
mod recording;
mod recordings;
mod rules;
