//! Asking a cluster: what is sent, what comes back, and what happens when something does not.

mod catalogue;
mod credentials;
mod failures;
mod harness;
mod kubeconfigs;
mod permissions;
#[cfg(unix)]
mod plugins;
mod reading;
mod reports;
mod scan;
mod senders;
mod snapshots;
