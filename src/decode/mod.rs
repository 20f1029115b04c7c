//! Which facts do texts hold? Each object is read once, whether an API server or a file told it.
//!
//! ```text
//! answer  of a server ┐
//! bulk    large lists ┼ read (one object: text or value) → parts (what of it is read) → one file a kind → facts
//! objects of files    ┘
//! ```
//!
//! `moment` says how new an object is, `missing` what files cannot hold, `selector` reads `-l`. What does not fit its type, `typed` tells with the
//! field's path.

pub(crate) mod answer;
pub(crate) mod bulk;
mod common;
mod endpoints;
mod event;
pub mod kube_proxy;
pub mod missing;
mod moment;
mod node;
pub mod objects;
pub mod parts;
mod placement;
mod pod;
mod pod_spec;
pub(crate) mod read;
mod scaling;
pub mod selector;
mod service;
mod slice;
pub(crate) mod typed;
mod workload;

pub use bulk::load_facts;
pub use endpoints::endpoints;
pub use event::event;
pub use node::node;
pub use pod::pod;
pub use scaling::{claim, disruption_budget, horizontal, scaled_object};
pub use service::service;
pub use slice::slice;
pub use workload::{other, pod_template, workload};
