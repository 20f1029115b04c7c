//! What does a snapshot hold, and what not?

pub(crate) mod snapshot;
