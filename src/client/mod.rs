//! How is an API server reached, and how is it asked? One `GET` at a time, read only, never for a Secret.
//!
//! ```text
//! kubeconfig ─ credentials ─ proxy → connect (a client over transport over pool) → api (one GET) → list (pages)
//!                                                                                        └→ events (a watch)
//! ```
//!
//! `transport` is TLS, proxies and kube's layers, `pool` the connections. `limits` says how long that may take, `budget` how much a
//! server may make us hold, `plugin` runs programs that hand out credentials, `clock` how far the server's clock is from ours, `failure` says why there is no answer, `progress` what is being waited for; `record` hands raw objects to whoever wants them, and `trace` says what `api` asked.
//! Without TLS no credentials are shown, as with kubectl.

pub(crate) mod api;
pub(crate) mod budget;
mod certificates;
pub(crate) mod clock;
pub(crate) mod connect;
pub(crate) mod connection;
pub(crate) mod credentials;
pub(crate) mod discovery;
pub(crate) mod error;
pub(crate) mod events;
pub(crate) mod failure;
pub(crate) mod kubeconfig;
pub(crate) mod limits;
pub(crate) mod list;
pub(crate) mod paths;
pub(crate) mod plugin;
pub(crate) mod pool;
pub(crate) mod progress;
pub(crate) mod proxy;
pub(crate) mod record;
pub(crate) mod trace;
pub(crate) mod transport;

pub use budget::Exceeded;
pub use clock::{ClockDifference, now};
pub use connection::{Connection, Secret};
pub use error::ClusterError;
pub use progress::Progress;

/// Where would a command connect to? Reads kubeconfigs, fetches credentials and sets up a client as each command does, and sends
/// nothing to the server: what hostile kubeconfigs are tried on.
///
/// # Errors
///
/// What is wrong with the kubeconfig or with what it names.
pub async fn destination(connection: &Connection) -> Result<String, ClusterError> {
    let connected = connect::connect(connection).await?;
    Ok(connected.server)
}
