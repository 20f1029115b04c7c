//! A pod's life, as far as it was seen: created, scheduled, started, ready, deleted, SIGTERM, each container's end, gone.
//!
//! The API writes most of it in whole seconds, and says nothing at all of signals. The moment at which a change was heard narrows that.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use super::moments::{Moments, later};
use crate::facts::ObjectName;
use crate::facts::pod::{Condition, ContainerState, NODE_SHUTS_DOWN, Pod};
use crate::facts::pod_spec::PodSpec;
use crate::facts::service::{Service, TargetPort};
use crate::shutdown::ContainerKind;
use crate::shutdown::phase::Terminating;

/// How far what was heard may lie behind what the API wrote, in milliseconds, before the latter counts: what was heard is then about
/// something older, after a time without connection.
const HEARD_LATE: i64 = 2_000;

/// A moment that nobody reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal {
    /// The earliest and the latest moment.
    pub at: Moments,
    /// Something that was seen narrowed it; else it is the shutdown model's alone.
    pub measured: bool,
}

/// How a container ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// When: between the second that the kubelet wrote and the moment it was heard.
    pub at: Moments,
    /// The second that the kubelet wrote; `None` where it did not.
    pub written: Option<DateTime<Utc>>,
    /// `exitCode`.
    pub code: i32,
    /// `reason`, in the runtime's words.
    pub reason: String,
}

/// A time in which a container of a pod that nobody deleted did not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// The container.
    pub container: String,
    /// How it had ended.
    pub end: End,
    /// When it ran again.
    pub back: DateTime<Utc>,
}

/// A pod's life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Life {
    /// Namespace and name.
    pub name: ObjectName,
    /// `metadata.uid`.
    pub uid: Option<String>,
    /// Its node.
    pub node: Option<String>,
    /// Its labels, as they were at last.
    pub labels: BTreeMap<String, String>,
    /// Its spec.
    pub spec: Arc<PodSpec>,
    /// When it was created.
    pub created: Option<DateTime<Utc>>,
    /// When it was bound to its node.
    pub scheduled: Option<DateTime<Utc>>,
    /// When all its containers ran for the first time.
    pub started: Option<DateTime<Utc>>,
    /// When it was Ready for the first time.
    pub ready: Option<DateTime<Utc>>,
    /// When its delete was requested.
    pub deleted: Option<DateTime<Utc>>,
    /// The grace period that was granted, in seconds.
    pub grace_seconds: Option<i64>,
    /// When its first main container got SIGTERM.
    pub sigterm: Option<Signal>,
    /// When its last container gets SIGKILL if it is still there.
    pub sigkill: Option<Signal>,
    /// When it was no longer Ready, or its endpoint no longer serving, before it ended.
    pub unready: Option<DateTime<Utc>>,
    /// How its containers ended, by name.
    pub ends: BTreeMap<String, End>,
    /// Containers that ended and ran again.
    pub outages: Vec<Outage>,
    /// When it was out of the slices.
    pub left_slices: Option<DateTime<Utc>>,
    /// When the machine that it ran on went off; only known of what is foreseen.
    pub silent: Option<DateTime<Utc>>,
    /// Its kubelet ended it because the node shuts down (`status.reason` `Terminated`, `pkg/kubelet/nodeshutdown`).
    pub shut_down: bool,
    /// When the object was gone.
    pub gone: Option<DateTime<Utc>>,
    was_ready: bool,
    seen: bool,
}

/// A moment that was heard now, which the API writes in whole seconds: what was heard, unless it is about something older, as what a list
/// holds is.
fn narrowed(
    (heard, listed): (DateTime<Utc>, bool),
    written: Option<DateTime<Utc>>,
) -> DateTime<Utc> {
    match written {
        Some(written) if listed || heard > later(written, 1000 + HEARD_LATE) => written,
        _ => heard,
    }
}

/// What both looks allow; where they contradict each other, the first one: it was nearer.
fn narrower(known: Option<Signal>, new: Moments) -> Moments {
    let Some(Signal { at: known, .. }) = known else {
        return new;
    };
    let both = (known.0.max(new.0), known.1.min(new.1));
    if both.0 <= both.1 { both } else { known }
}

/// A condition, where it holds.
fn holding<'p>(pod: &'p Pod, kind: &str) -> Option<&'p Condition> {
    pod.condition(kind).filter(|condition| condition.is_true)
}

impl Life {
    /// The beginning of a life.
    #[must_use]
    pub fn new(pod: &Pod, at: (DateTime<Utc>, bool)) -> Self {
        Self {
            name: pod.name.clone(),
            uid: pod.uid.clone(),
            node: None,
            labels: BTreeMap::new(),
            spec: Arc::clone(&pod.spec),
            created: Some(narrowed(at, pod.created)),
            scheduled: None,
            started: None,
            ready: None,
            deleted: None,
            grace_seconds: None,
            sigterm: None,
            sigkill: None,
            unready: None,
            ends: BTreeMap::new(),
            outages: Vec::new(),
            left_slices: None,
            silent: None,
            shut_down: false,
            gone: None,
            was_ready: false,
            seen: false,
        }
    }

    /// Is it the same pod, and no later one of its name?
    #[must_use]
    pub fn is(&self, uid: Option<&str>) -> bool {
        match (self.uid.as_deref(), uid) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        }
    }

    /// Takes in how the pod looks at a moment, which a list or a change told; `stands` is where it stands if it is being deleted.
    pub fn see(&mut self, pod: &Pod, stands: Option<&Terminating>, heard: (DateTime<Utc>, bool)) {
        let (at, _) = heard;
        self.node.clone_from(&pod.node);
        self.labels.clone_from(&pod.labels);
        if let Some(condition) = holding(pod, "PodScheduled") {
            self.scheduled
                .get_or_insert_with(|| narrowed(heard, condition.changed));
        }
        self.shut_down |= pod.deletion.is_none() && pod.reason == NODE_SHUTS_DOWN;
        self.see_containers(pod, at);
        let ready = holding(pod, "Ready");
        if let Some(condition) = ready {
            self.ready
                .get_or_insert_with(|| narrowed(heard, condition.changed));
        } else if self.was_ready && self.ends.is_empty() {
            self.unready.get_or_insert(at);
        }
        self.was_ready = ready.is_some();
        self.seen = true;
        // Nobody is there any more who would send a signal.
        if pod.deletion.is_some() && self.silent.is_some() {
            self.deleted
                .get_or_insert_with(|| narrowed(heard, pod.requested_at()));
            self.grace_seconds = pod.deletion_grace_seconds;
        } else if pod.deletion.is_some() {
            self.see_delete(pod, stands, heard);
        }
    }

    fn see_delete(
        &mut self,
        pod: &Pod,
        stands: Option<&Terminating>,
        heard: (DateTime<Utc>, bool),
    ) {
        let grace = pod.deletion_grace_seconds;
        let deleted = *self
            .deleted
            .get_or_insert_with(|| narrowed(heard, pod.requested_at()));
        // The kubelet's own last delete has none; a second delete may grant less.
        if self.grace_seconds.is_none() || grace.is_some_and(|grace| grace > 0) {
            self.grace_seconds = grace;
        }
        let Some(stands) = stands else { return };
        let stops = stands.containers.iter();
        let seen = !self.ends.is_empty();
        let terms = stops
            .clone()
            .filter(|stop| stop.kind == ContainerKind::Main);
        let first = terms.filter_map(|stop| stop.sigterm_at);
        let first = first.reduce(|one, other| (one.0.min(other.0), one.1.min(other.1)));
        if let Some((min, max)) = first {
            let ended = self.ends.values().map(|end| end.at.1).min();
            let min = min.max(deleted);
            let max = ended.map_or(max, |ended| max.min(ended)).max(min);
            self.sigterm = Some(Signal {
                at: narrower(self.sigterm, (min, max)),
                measured: seen,
            });
        }
        let kills = stops.filter_map(|stop| stop.sigkill_at);
        let last = kills.reduce(|one, other| (one.0.max(other.0), one.1.max(other.1)));
        if let Some((min, max)) = last {
            let min = min.max(deleted);
            self.sigkill = Some(Signal {
                at: narrower(self.sigkill, (min, max.max(min))),
                measured: false,
            });
        }
    }

    fn see_containers(&mut self, pod: &Pod, at: DateTime<Utc>) {
        let statuses = &pod.statuses;
        let runs = |state: &ContainerState| *state == ContainerState::Running;
        if !statuses.is_empty() && statuses.iter().all(|status| runs(&status.state)) {
            // What ran when it was first seen began to at some time before.
            if self.seen {
                self.started.get_or_insert(at);
            }
        }
        for status in statuses {
            match &status.state {
                ContainerState::Terminated {
                    exit_code,
                    reason,
                    finished,
                    ..
                } => {
                    let since = self.sigterm.map(|signal| signal.at.0).or(self.deleted);
                    self.ends.entry(status.name.clone()).or_insert_with(|| End {
                        at: ended(*finished, since, at),
                        written: *finished,
                        code: *exit_code,
                        reason: reason.clone(),
                    });
                }
                ContainerState::Running if pod.deletion.is_none() => {
                    if let Some(end) = self.ends.remove(&status.name) {
                        self.outages.push(Outage {
                            container: status.name.clone(),
                            end,
                            back: at,
                        });
                    }
                }
                _ => {}
            }
        }
    }

    /// It is gone, and looked like this at last.
    pub fn end(&mut self, at: DateTime<Utc>) {
        self.gone.get_or_insert(at);
    }

    /// When the last of its containers had ended, in the seconds that the kubelet wrote; `None` where not all were seen to end.
    #[must_use]
    pub fn ended(&self) -> Option<DateTime<Utc>> {
        let names = self.spec.containers.iter();
        let ends = names.map(|container| self.ends.get(&container.name)?.written);
        ends.reduce(|one, other| Some(one?.max(other?))).flatten()
    }

    /// The end of the first of its containers that serve a Service: those that declare a port that it leads to, else all.
    #[must_use]
    pub fn serving_end(&self, service: &Service) -> Option<(&str, &End)> {
        let ends = self.serving(service).into_iter();
        let ends = ends.filter_map(|name| Some((name, self.ends.get(name)?)));
        ends.min_by_key(|(_, end)| end.at)
    }

    /// Is a container one of those?
    #[must_use]
    pub fn serves(&self, container: &str, service: &Service) -> bool {
        self.serving(service).contains(&container)
    }

    fn serving(&self, service: &Service) -> Vec<&str> {
        let containers = self.spec.containers.iter();
        let leads = |port: &crate::facts::pod_spec::ContainerPort| {
            let mut ports = service.ports.iter();
            ports.any(|to| match &to.target {
                TargetPort::Number(number) => *number == port.number,
                TargetPort::Name(name) => *name == port.name,
            })
        };
        let found = containers
            .clone()
            .filter(|container| container.ports.iter().any(leads));
        let declared: Vec<_> = found.map(|container| container.name.as_str()).collect();
        if declared.is_empty() {
            return containers
                .map(|container| container.name.as_str())
                .collect();
        }
        declared
    }
}

/// When a container ended: in the second that the kubelet wrote, and before that was heard. A signal that it got in that same second
/// was before.
fn ended(
    written: Option<DateTime<Utc>>,
    signal: Option<DateTime<Utc>>,
    heard: DateTime<Utc>,
) -> Moments {
    let Some(written) = written else {
        return (signal.unwrap_or(heard).min(heard), heard);
    };
    let latest = later(written, 999).min(heard);
    // The node's clock may be ahead of the one that heard.
    let latest = if latest < written { heard } else { latest };
    let earliest = written.min(latest);
    let same_second = signal.filter(|signal| *signal - earliest < TimeDelta::seconds(1));
    let earliest = same_second.map_or(earliest, |signal| earliest.max(signal.min(latest)));
    (earliest, latest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(millis).expect("a moment")
    }

    #[test]
    fn an_end_lies_in_the_second_that_was_written_after_the_signal_and_before_it_was_heard() {
        for (written, signal, heard, expected) in [
            (Some(5000), None, 9000, (5000, 5999)),
            (Some(5000), None, 5400, (5000, 5400)),
            (Some(5000), Some(5200), 9000, (5200, 5999)),
            // The signal came long before.
            (Some(5000), Some(2000), 9000, (5000, 5999)),
            // A crash before any signal.
            (Some(5000), Some(8000), 9000, (5000, 5999)),
            (None, Some(2000), 9000, (2000, 9000)),
            (None, None, 9000, (9000, 9000)),
            // The node's clock is ahead.
            (Some(7000), None, 5000, (5000, 5000)),
        ] {
            let found = ended(written.map(at), signal.map(at), at(heard));
            let expected = (at(expected.0), at(expected.1));
            assert_eq!(found, expected, "{written:?} {signal:?} {heard}");
        }
    }

    #[test]
    fn what_was_heard_long_after_it_happened_is_taken_as_written() {
        assert_eq!(narrowed((at(5400), false), Some(at(5000))), at(5400));
        assert_eq!(narrowed((at(5400), true), Some(at(5000))), at(5000));
        assert_eq!(narrowed((at(9000), false), Some(at(5000))), at(5000));
        assert_eq!(narrowed((at(9000), true), None), at(9000));
    }
}
