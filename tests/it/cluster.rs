//! Asking a cluster: what is sent, what comes back, and what happens when something does not.

mod catalogue;
mod causes;
mod connections;
mod credentials;
mod ended;
mod failures;
mod faults;
pub(crate) mod harness;
mod kubeconfigs;
pub(crate) mod permissions;
#[cfg(unix)]
mod plugins;
mod reading;
mod reports;
mod rights;
mod scan;
mod servers;
mod situations;
mod snapshots;
mod sources;
mod version;
mod waiting;
mod what_if;

#[cfg(unix)]
pub(crate) use harness::Setup;
