//! Which object of the API is meant?

use serde::Serialize;

/// An object of the API.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Object {
    /// `v1`, `apps/v1`, ...
    pub api_version: String,
    /// `Service`, `Deployment`, ...
    pub kind: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}
