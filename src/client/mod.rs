//! How is an API server reached, and how is it asked? One `GET` at a time, read only, never for a Secret.
//!
//! ```text
//! kubeconfig ─ credentials ─ proxy → connect (a client) → api (one GET) → list (pages)
//! ```
//!
//! `limits` says how long that may take, `progress` what is being waited for; `record` hands raw objects to whoever wants them, and
//! `trace` says what `api` asked. Without TLS no credentials are shown, as with kubectl.

pub(crate) mod api;
pub(crate) mod connect;
pub(crate) mod connection;
pub(crate) mod credentials;
pub(crate) mod discovery;
pub(crate) mod error;
pub(crate) mod kubeconfig;
pub(crate) mod limits;
pub(crate) mod list;
pub(crate) mod paths;
pub(crate) mod progress;
pub(crate) mod proxy;
pub(crate) mod record;
pub(crate) mod trace;

pub use connection::{Connection, Secret};
pub use error::ClusterError;
pub use progress::Progress;
