//! What happens to one Service: every path on every node, its endpoints beside its pods, and the state that follows.
//!
//! `cluster.rs` prepares what all Services share, `paths.rs` asks every class of nodes, `endpoints.rs` puts the three views of an
//! endpoint together, `by_version.rs` asks every version, and `service.rs` draws the conclusion.
#![deny(clippy::disallowed_methods)]

pub mod affinity;
pub mod alternatives;
pub mod asked;
pub mod assumptions;
pub mod behind;
pub mod budgets;
pub mod by_version;
pub mod causes;
pub mod clients;
pub mod cluster;
pub mod data_plane;
pub mod declarations;
pub mod disruption;
pub mod dns;
pub mod doubt;
pub mod endpoints;
mod fleets;
pub mod forecast;
pub mod health_check;
pub mod hints;
pub mod index;
pub mod kube_proxy;
mod left_out;
pub mod misfits;
pub mod node_dump;
pub mod node_rules;
pub mod not_proxied;
pub mod notes;
pub mod paths;
pub mod programs;
pub mod reading;
pub mod routing;
pub mod scrape;
pub mod serves;
pub mod service;
pub mod shutdown;
pub mod sources;
pub mod starts;
pub mod state;
pub mod successor;
pub mod traffic_summary;
pub mod workload;

pub use assumptions::Assumptions;
pub use cluster::Cluster;
pub use service::ServiceAnalysis;
pub use state::State;
pub use workload::WorkloadAnalysis;
