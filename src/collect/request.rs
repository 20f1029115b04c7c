//! What is asked of a cluster?

use crate::facts::target::Target;

/// What to read.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// `-n`; `None` is the context's namespace, else `default`.
    pub namespace: Option<String>,
    /// `-A`.
    pub all_namespaces: bool,
    /// What was named; nothing is every Service in scope.
    pub targets: Vec<Target>,
    /// `-l`: which Services, when none is named.
    pub selector: Option<String>,
    /// Read also what decides what happens next: `ReplicaSets` of all Services, and `PodDisruptionBudgets`.
    pub plays: bool,
}
