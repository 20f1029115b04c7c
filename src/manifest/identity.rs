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
        let [group, kind, namespace, name] = Self::parts(object)?.map(str::to_owned);
        Some(Self {
            group,
            kind,
            namespace,
            name,
        })
    }

    /// Group, kind, namespace and name of an object, without copies.
    #[must_use]
    pub fn parts(object: &Value) -> Option<[&str; 4]> {
        fn word(value: Option<&Value>) -> &str {
            value.and_then(Value::as_str).unwrap_or_default()
        }
        let meta = object.get("metadata")?;
        Some([
            Self::group(word(object.get("apiVersion"))),
            word(object.get("kind")),
            word(meta.get("namespace")),
            meta.get("name")?.as_str()?,
        ])
    }
}
