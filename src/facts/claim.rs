//! How many nodes may use a volume at a time (core/v1 `PersistentVolumeClaim`)?

use super::ObjectName;

/// A `PersistentVolumeClaim`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Namespace and name.
    pub name: ObjectName,
    /// `spec.accessModes` holds one for many nodes: `ReadWriteMany` or `ReadOnlyMany`.
    pub shared: bool,
}
