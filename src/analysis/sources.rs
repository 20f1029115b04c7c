//! What do the traffic sources of a Service ask of a workload's preStop and grace period?

use super::declarations::Declarations;
use crate::facts::pod_spec::PodSpec;
use crate::shutdown::Shutdown;
use crate::sources::PodTiming;

/// Seconds as the figures of traffic sources have them.
#[allow(clippy::cast_precision_loss)]
const fn seconds(whole: i64) -> f64 {
    whole as f64
}

/// What is known of a workload's pods, whichever traffic source sends to them: their grace period, and the longest that a main
/// container was declared to take after SIGTERM.
pub(super) fn pod_timing(
    spec: &PodSpec,
    declared: &Declarations,
    shutdown: &Shutdown,
) -> PodTiming {
    let mains = spec.containers.iter();
    let drains = mains.filter_map(|main| declared.drain_of(&main.name));
    PodTiming {
        grace_period: Some(seconds(shutdown.grace.seconds)),
        longest_request: drains.max().map(seconds),
    }
}
