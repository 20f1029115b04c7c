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
mod hook;
mod hook_properties;
mod kubelet;
mod look;
mod modes;
mod oracle;
mod plugin;
mod properties;
mod reasons;
mod recording;
mod recordings;
mod rules;
mod shutdown;
mod specs;
mod terminating;
