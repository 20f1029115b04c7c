//! World -> facts; the only IO.

pub mod manifest;
