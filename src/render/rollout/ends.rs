//! How did a pod end, and when?

use chrono::{DateTime, Utc};

use crate::report::v1::PodLife;

/// What a process ends with that SIGKILL ended: 128 and the signal's number.
const KILLED: i32 = 137;

/// Did SIGKILL end one of its containers?
pub(in crate::render) fn killed(pod: &PodLife) -> bool {
    pod.exit_codes.iter().any(|(container, code)| {
        let why = pod.exit_reasons.get(container);
        *code == KILLED && why.is_none_or(|why| why != "OOMKilled")
    })
}

/// When its last container had ended. The kubelet tells whole seconds: what ends in the second of its SIGTERM would seem to end before.
pub(in crate::render) fn ended(pod: &PodLife) -> Option<DateTime<Utc>> {
    let signal = pod.sigterm_at.map(|signal| signal.min);
    let after = signal.or(pod.deleted_at);
    pod.ended_at
        .map(|at| after.map_or(at, |after| at.max(after)))
}
