//! What does the API server tell objects apart by?

use serde_json::Value;

/// Group, kind, namespace and name: the same in every version of a group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// The group; empty for the core's.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The namespace; empty for what belongs to the cluster, and where none is written.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl Identity {
    /// The group of an apiVersion.
    #[must_use]
    pub fn group(api_version: &str) -> &str {
        api_version.split_once('/').map_or("", |(group, _)| group)
    }

    /// An object's; `None` where it has no name.
    #[must_use]
    pub fn of(object: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let meta = &object["metadata"];
        Some(Self {
            group: Self::group(object["apiVersion"].as_str().unwrap_or_default()).to_owned(),
            kind: text(&object["kind"]),
            namespace: text(&meta["namespace"]),
            name: meta["name"].as_str()?.to_owned(),
        })
    }
}
