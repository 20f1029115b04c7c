//! Asking a cluster: what is sent, what comes back, and what happens when something does not.

mod credentials;
mod failures;
mod harness;
mod kubeconfigs;
mod permissions;
#[cfg(unix)]
mod plugins;
mod reading;
mod reports;
mod senders;
