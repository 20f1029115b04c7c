//! What does a cluster say? Reads what a check needs from an API server, and says what it could not read.
//!
//! ```text
//! kubeconfig ─ credentials ─ proxy → connect (a client) → api (one GET) → list (pages) → objects (facts)
//!                                     asked (what must be there) ┐
//!                                     around (what may be missing) ┼ observe: a snapshot, or why there is none
//!     kinds, places, discovery → ask ─ senders (who else sends traffic) ┘
//! ```
//!
//! `limits` says how long that may take, `progress` what is being waited for. `recorder` puts the objects themselves aside, for a snapshot;
//! `trace` says what `api` asked; `version` and `names` (for completion) ask for one thing each.
//!
//! Only `GET` is ever sent, and never for a Secret. Without TLS no credentials are shown, as with kubectl.

mod access;
mod api;
mod around;
mod ask;
mod asked;
mod connect;
mod connection;
mod credentials;
mod discovery;
mod error;
pub(super) mod facts;
mod kinds;
mod kubeconfig;
mod limits;
mod list;
mod names;
mod near;
mod objects;
mod observe;
mod paths;
mod places;
mod progress;
mod proxy;
mod recorder;
mod senders;
mod trace;
mod version;

pub use connection::{Connection, Request, Secret};
pub use error::ClusterError;
pub use kinds::is_cluster_wide;
pub(super) use list::Page;
pub use names::{Entry, Named, entries, names};
pub use observe::{observe, record};
pub use places::resources;
pub use progress::Progress;
pub use recorder::{Recorded, Strip};
pub use version::server_version;
