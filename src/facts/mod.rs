//! What was observed, as plain types without any Kubernetes client's: the ground that the model stands on.
#![deny(clippy::disallowed_methods)]

pub mod node;
pub mod pod;
pub mod service;
pub mod slice;
pub mod version;

/// A namespace and a name in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl ObjectName {
    /// Puts a namespace and a name together.
    #[must_use]
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }
}

impl std::fmt::Display for ObjectName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// Everything that was observed of a cluster, whether it was asked or read from files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Services.
    pub services: Vec<service::Service>,
    /// EndpointSlices.
    pub slices: Vec<slice::EndpointSlice>,
    /// Pods.
    pub pods: Vec<pod::Pod>,
    /// Nodes.
    pub nodes: Vec<node::Node>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// Something that could not be read, and what therefore is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The resource, in the API's plural: `nodes`.
    pub resource: String,
    /// What was tried: `list` or `get`.
    pub verb: &'static str,
    /// Why it failed.
    pub reason: GapReason,
    /// What is not known without it.
    pub consequence: String,
}

/// Why something could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GapReason {
    /// It is not in the files that were given.
    NotInInput,
}
