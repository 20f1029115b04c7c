//! What is an object read for? A check of a cluster reads some objects for one thing only, and a snapshot of it says which.

use serde::{Deserialize, Serialize};

/// What an object is read for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Purpose {
    /// Everything that it says.
    #[default]
    All,
    /// The version and the settings of kube-proxy.
    KubeProxy,
    /// The traffic sources.
    TrafficSources,
}
