//! The integration tests: one binary.

mod gates;
mod oracle;
