//! What should Endpoints and EndpointSlices say, given the pods, and do they?
//!
//! `pods.rs` picks a Service's pods and finds their ports, `slices.rs` and `endpoints.rs` predict the two objects, `compare.rs`
//! holds the prediction against what is there.
#![deny(clippy::disallowed_methods)]

pub mod compare;
pub mod endpoints;
pub mod pods;
pub mod selectors;
pub mod slices;
