//! How long does a new pod take to become Ready, and what else is given?

use std::collections::BTreeMap;

use super::scenario::WorkloadName;
use crate::facts::Snapshot;
use crate::facts::pod::Pod;
use crate::facts::workload::Workload;

/// Where nothing tells: a container that starts at once and a readiness probe with the default period, in milliseconds.
const UNKNOWN: i64 = 10_000;

/// What is given.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// `--ready-after`, in milliseconds from creation to Ready, for all workloads that are not named.
    pub ready_after: Option<i64>,
    /// The same for some.
    pub ready_after_of: BTreeMap<WorkloadName, i64>,
    /// `--drain-seconds`: how long applications take to end after SIGTERM.
    pub drain_seconds: Option<i64>,
    /// Applications whose end nobody says take all of their grace period; else they end with SIGTERM.
    pub end_late: bool,
    /// How long pods take from their delete until they are gone, in milliseconds, in place of what the shutdown model says: for nodes that
    /// only pretend to be some.
    pub gone_after: Option<i64>,
}

/// How long new pods of a workload take, and how that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadyAfter {
    /// Somebody said so.
    Given(i64),
    /// The median of so many of its own pods, and the slowest.
    Measured {
        /// The median.
        median: i64,
        /// The slowest.
        slowest: i64,
        /// Of so many.
        pods: usize,
    },
    /// Its readiness probe's own delay and period.
    Probe(i64),
    /// Nothing tells.
    Unknown,
}

impl ReadyAfter {
    /// In milliseconds from creation to Ready.
    #[must_use]
    pub const fn millis(self) -> i64 {
        match self {
            Self::Given(millis) | Self::Probe(millis) => millis,
            Self::Measured { median, .. } => median,
            Self::Unknown => UNKNOWN,
        }
    }
}

/// From creation to Ready, by the pod's own conditions; `None` for one that restarted, or was never Ready.
fn took(pod: &Pod) -> Option<i64> {
    if pod.statuses.iter().any(|status| status.restarts > 0) {
        return None;
    }
    let ready = pod.condition("Ready").filter(|ready| ready.is_true)?;
    let took = ready.changed? - pod.created?;
    // What flapped later is no start; a quarter of an hour is.
    (0..=900_000)
        .contains(&took.num_milliseconds())
        .then(|| took.num_milliseconds())
}

/// How long new pods of a workload take, whose pods these are.
pub(super) fn ready_after<'p>(
    name: Option<&WorkloadName>,
    pods: impl Iterator<Item = &'p Pod>,
    template: Option<&Workload>,
    settings: &Settings,
) -> ReadyAfter {
    let named = name.and_then(|name| settings.ready_after_of.get(name).copied());
    if let Some(given) = named.or(settings.ready_after) {
        return ReadyAfter::Given(given);
    }
    let mut all: Vec<_> = pods.filter_map(took).collect();
    all.sort_unstable();
    if let Some(slowest) = all.last().copied() {
        return ReadyAfter::Measured {
            median: all[all.len() / 2],
            slowest,
            pods: all.len(),
        };
    }
    let containers = template.map(|one| &one.template.spec.containers);
    let probes = containers.into_iter().flatten();
    let probes = probes.filter_map(|container| container.readiness.as_ref());
    let slowest = probes.map(|probe| (probe.initial_delay_seconds + probe.period_seconds) * 1000);
    slowest.max().map_or(ReadyAfter::Unknown, ReadyAfter::Probe)
}

/// The workload that is meant by a kind and a name.
pub(super) fn find<'f>(facts: &'f Snapshot, name: &WorkloadName) -> Option<&'f Workload> {
    let mut all = facts.workloads.iter();
    all.find(|one| one.kind == name.0 && one.name == name.1)
}
