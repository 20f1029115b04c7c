//! A Kubernetes object as somebody wrote it.

use serde_json::Value;

/// One Kubernetes object as it was written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ManifestObject {
    /// The path as the user gave it, or `-` for standard input.
    pub file: String,
    /// The line on which the object starts, from 1. In JSON, items of a list have the line of the list.
    pub line: u32,
    /// The object. Of schemas in YAML (`openAPIV3Schema`) only that they are there.
    pub value: Value,
}
