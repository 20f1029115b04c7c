//! The world → facts. Together with rendering and `main`, the only code that does IO.

mod bulk;
pub mod cluster;
pub mod convert;
mod decode;
pub mod manifest;
pub mod missing;
pub mod namespace;
pub mod objects;
pub mod purpose;
pub mod repeated;
pub mod selector;
pub mod settings;
pub mod snapshot;
