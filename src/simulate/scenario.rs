//! What somebody is about to do.

use std::collections::BTreeSet;

use crate::facts::ObjectName;
use crate::facts::version::KubeVersion;
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
    /// `kubectl drain NODE…`: all are cordoned first, then one after the other is drained, unless the flags say one by one.
    Drain(Vec<String>),
    /// A new pod template, as `kubectl rollout restart` makes one.
    Rollout(WorkloadName),
    /// `kubectl scale --replicas`.
    Scale(WorkloadName, i64),
    /// `kubectl delete pod`, with a grace period in seconds where one is given.
    Delete(Vec<ObjectName>, Option<i64>),
    /// The eviction API, for one pod each.
    Evict(Vec<ObjectName>),
    /// Machines go off without a word.
    Lose(Lost),
    /// Machines go away after a notice.
    Interrupt(Warned),
    /// The control plane gets another version, and then one node after the other, which is drained first.
    Upgrade {
        /// The nodes, in this order.
        nodes: Vec<String>,
        /// The version.
        to: KubeVersion,
    },
}

/// Machines that go off without a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// Their nodes.
    pub nodes: Vec<String>,
    /// So many milliseconds later the nodes' objects are removed, as cloud controllers do; `None` is never.
    pub removed_after: Option<i64>,
}

/// Machines that go away after a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warned {
    /// Their nodes.
    pub nodes: Vec<String>,
    /// How long it is, in milliseconds.
    pub notice: i64,
    /// Who makes use of it.
    pub by: Notified,
}

/// Who makes use of a notice?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notified {
    /// The kubelet ends the pods (graceful node shutdown, KEP-2000).
    Kubelet,
    /// Something drains the node: a termination handler, Karpenter.
    Drain,
    /// Nobody: the machine goes off once it is over.
    Nobody,
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
    /// Not as `kubectl drain NODE…`: each node is cordoned when its turn comes, and takes pods again once it is drained.
    pub one_by_one: bool,
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
            one_by_one: false,
            only: None,
        }
    }
}
