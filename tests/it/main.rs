//! The integration tests: one binary.

mod build;
mod gates;
mod modes;
mod oracle;
mod properties;
