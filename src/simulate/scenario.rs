//! What somebody is about to do.

use std::collections::BTreeSet;

use crate::facts::ObjectName;
use crate::facts::workload::WorkloadKind;

/// A workload of apps/v1 by its kind and name.
pub type WorkloadName = (WorkloadKind, ObjectName);

/// What somebody is about to do, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// What.
    pub action: Action,
    /// The flags of `kubectl drain`, for a drain.
    pub drain: DrainFlags,
}

/// What somebody is about to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// `kubectl drain NODE…`: all are cordoned first, then one after the other is drained.
    Drain(Vec<String>),
    /// A new pod template, as `kubectl rollout restart` makes one.
    Rollout(WorkloadName),
    /// `kubectl scale --replicas`.
    Scale(WorkloadName, i64),
    /// `kubectl delete pod`, with a grace period in seconds where one is given.
    Delete(Vec<ObjectName>, Option<i64>),
    /// The eviction API, for one pod each.
    Evict(Vec<ObjectName>),
}

/// The flags of `kubectl drain`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrainFlags {
    /// `--ignore-daemonsets`.
    pub ignore_daemonsets: bool,
    /// `--delete-emptydir-data`.
    pub delete_emptydir_data: bool,
    /// `--force`: pods without a controller go too.
    pub force: bool,
    /// `--grace-period`, in seconds; `None` is each pod's own.
    pub grace_seconds: Option<i64>,
    /// `--timeout`, in seconds, for each node; 0 is none.
    pub timeout_seconds: i64,
    /// `--disable-eviction`: plain deletes, which no budget holds up.
    pub disable_eviction: bool,
    /// `--pod-selector`: only these pods.
    pub only: Option<BTreeSet<ObjectName>>,
}

impl Default for DrainFlags {
    fn default() -> Self {
        Self {
            ignore_daemonsets: true,
            delete_emptydir_data: false,
            force: false,
            grace_seconds: None,
            timeout_seconds: 0,
            disable_eviction: false,
            only: None,
        }
    }
}
