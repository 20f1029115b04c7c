//! The `kubectl drain-check` binary.

fn main() {}
