//! Has what began come to its end? A rollout or a drain that was seen begin has settled once no pod terminates, each workload has what it
//! wants at its own generation, and nothing has changed for a while.

use chrono::{DateTime, Utc};

use super::moments::later;
use super::world::Touched;
use crate::facts::workload::{Kind, Strategy, Workload, WorkloadKind};
use crate::facts::{ObjectName, Snapshot};

/// So long nothing may have changed, in milliseconds.
const QUIET: i64 = 5_000;

/// Whether something began, and when something changed last.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settling {
    began: Option<DateTime<Utc>>,
    changed: Option<DateTime<Utc>>,
}

/// Does a workload have what it wants?
fn is_there(workload: &Workload) -> bool {
    // Old ReplicaSets are their Deployment's, and so is the new one.
    if workload.kind == Kind::Apps(WorkloadKind::ReplicaSet) {
        return true;
    }
    let Some(status) = &workload.status else {
        return true;
    };
    let seen = match (workload.generation, status.observed) {
        (Some(wanted), Some(seen)) => seen >= wanted,
        _ => true,
    };
    let wanted = status.desired.or(workload.replicas).unwrap_or(1);
    let to_update = match workload.strategy {
        _ if workload.paused => 0,
        Strategy::RollingUpdate { partition, .. } => wanted - partition,
        Strategy::Recreate => wanted,
        // Nothing is replaced by itself.
        Strategy::OnDelete | Strategy::None => 0,
    };
    seen && status.ready >= wanted && status.updated >= to_update
}

impl Settling {
    /// Takes in what a change altered; an Event alone is no change. What the first lists show is where everything begins.
    pub fn see(&mut self, touched: &Touched, facts: &Snapshot, at: DateTime<Utc>, listed: bool) {
        let something =
            !touched.pods.is_empty() || !touched.gone.is_empty() || !touched.services.is_empty();
        if !something {
            return;
        }
        self.changed = Some(at);
        let leaving = |name: &ObjectName| {
            // A world's pods are in the order of their names.
            let found = facts.pods.binary_search_by(|pod| pod.name.cmp(name));
            found.is_ok_and(|at| facts.pods[at].deletion.is_some())
        };
        if !listed || touched.pods.iter().any(leaving) {
            self.began.get_or_insert(at);
        }
    }

    /// When something was first seen to begin.
    #[must_use]
    pub const fn began(&self) -> Option<DateTime<Utc>> {
        self.began
    }

    /// Has it come to its end?
    #[must_use]
    pub fn settled(&self, facts: &Snapshot, now: DateTime<Utc>) -> bool {
        self.began.is_some()
            && self
                .changed
                .is_none_or(|changed| now >= later(changed, QUIET))
            && facts.pods.iter().all(|pod| pod.deletion.is_none())
            && facts.workloads.iter().all(is_there)
    }
}
