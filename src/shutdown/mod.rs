//! When is a container told to stop, and when is it killed?
#![deny(clippy::disallowed_methods)]

pub mod hook;
