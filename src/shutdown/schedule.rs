//! When does each container of a pod that is being deleted get SIGTERM and SIGKILL, as far as one look at the pod tells?
//!
//! The countdown runs by the grace period of the delete that began the stop. The pod shows the last delete: a second one with a shorter
//! grace period rewrites it (`BeforeDelete`) and does not shorten the stop, as measured (`tests/fixtures/oracle/kubelet`). Where the
//! pod shows less than its own grace period, both stories are possible, and each moment is a range over them.

use chrono::{DateTime, TimeDelta, Utc};

use super::grace_period::DEFAULT_SECONDS;
use super::pod_state::statuses;
use super::reason::{Moment, Reason};
use super::{ContainerEnd, ContainerKind, Delete, Durations, Shutdown, shutdown_of};
use crate::facts::moments::{Moments, later};
use crate::facts::pod::{ContainerState, ContainerStatus, Pod};
use crate::facts::pod_spec::PodSpec;
use crate::gates::api_server::ApiServer;
use crate::gates::kubelet::Kubelet;

/// The exit code of a process that SIGKILL ended: 128 and the signal's number.
const KILLED: i32 = 137;

/// How far a node's clock, and what is written in whole seconds, may be off: a margin of our own, in milliseconds. A kubelet also
/// notices a delete up to two seconds late.
const BLUR: i64 = 2_000;

/// How long after the last SIGKILL a pod may still be there, in milliseconds: the kubelet notices the delete within two seconds, and the
/// pods that were measured were gone 0.9 s after SIGKILL; the rest is a margin of our own.
pub(super) const SLACK: i64 = 5_000;

/// A look at a pod that is being deleted.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// When.
    pub as_of: DateTime<Utc>,
    /// What the API server writes when a pod is deleted again.
    pub api_server: ApiServer,
    /// When its kubelet began to stop it, by the first event `Killing` about that; `None` where no event tells. The event is written before
    /// preStop runs.
    pub stop_began: Option<DateTime<Utc>>,
}

/// A container's end on the clock. Moments count from the delete as the pod shows it: in whole seconds, and without the time until the
/// kubelet notices, which is well within two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerStop {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ContainerKind,
    /// When SIGTERM, or the configured stop signal, is sent; `None` where it ended before that.
    pub sigterm_at: Option<Moments>,
    /// When SIGKILL is sent if it is still there; `None` where it ended before that.
    pub sigkill_at: Option<Moments>,
    /// When it ended; `None` where it runs, or where its status does not say.
    pub ended_at: Option<DateTime<Utc>>,
    /// What it ended with, likewise.
    pub exit_code: Option<i32>,
    /// Why these are ranges, or other than the pod's own grace period lets expect.
    pub reasons: Vec<Reason>,
}

/// How a pod's end lies on the clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Schedule {
    pub(super) containers: Vec<ContainerStop>,
    /// When the last container has ended at the latest.
    pub(super) ends_by: DateTime<Utc>,
}

/// What may have happened: when the delete that began the stop was requested, and what follows from it.
struct Story {
    began: Moments,
    shutdown: Shutdown,
}

fn hull(moments: impl Iterator<Item = Moments>) -> Option<Moments> {
    moments.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
}

impl Story {
    fn moments(&self, of: &str, at: impl Fn(&ContainerEnd) -> super::Span) -> Option<Moments> {
        let end = self.end(of)?;
        let span = at(end);
        Some((
            later(self.began.0, span.min()),
            later(self.began.1, span.max()),
        ))
    }

    fn end(&self, name: &str) -> Option<&ContainerEnd> {
        let mut ends = self.shutdown.containers.iter();
        ends.find(|end| end.name == name)
    }
}

/// How a pod ends that is deleted like this, by its containers that are reported as running; by all of them where none is.
pub(super) fn expected(
    pod: &Pod,
    kubelet: &Kubelet,
    delete: Delete,
    durations: &dyn Durations,
) -> Shutdown {
    let is_running = |status: &&ContainerStatus| status.state == ContainerState::Running;
    if !statuses(pod).any(|status| is_running(&status)) {
        return super::shutdown(&pod.spec, kubelet, delete, durations);
    }
    let runs = |name: &str| {
        let mut running = statuses(pod).filter(is_running);
        running.any(|status| status.name == name)
    };
    shutdown_of(&pod.spec, runs, kubelet, delete, durations)
}

/// What may have happened to a pod that shows this delete, with the reason why there is more than one story.
struct Stories {
    all: Vec<Story>,
    why: Vec<Reason>,
}

/// The pod's own grace period, in seconds.
fn own_grace(spec: &PodSpec) -> i64 {
    spec.grace_seconds.unwrap_or(DEFAULT_SECONDS)
}

impl Stories {
    /// `grace` is the grace period that the pod shows, `requested_at` when it was requested by that.
    fn new(
        pod: &Pod,
        (requested_at, grace): (DateTime<Utc>, i64),
        expect: impl Fn(Delete) -> Shutdown,
        look: &Look,
    ) -> Self {
        let own = own_grace(&pod.spec);
        let once = expect(Delete {
            grace_seconds: Some(grace),
            ..Delete::default()
        });
        let blur = TimeDelta::milliseconds(BLUR);
        // A kubelet that learns of a delete late grants the whole grace period from then on.
        let began_late = look.stop_began.filter(|began| *began >= requested_at);
        let began_before = look.stop_began.filter(|began| *began < requested_at - blur);
        let began = began_late.unwrap_or(requested_at);
        let once = Story {
            began: (began, began),
            shutdown: once,
        };
        if grace >= own {
            return Self {
                all: vec![once],
                why: Vec::new(),
            };
        }
        // The first delete granted the pod's own grace period, or less, but more than the second. Between the two no moment is earlier
        // than with the one or later than with the other.
        let firsts = [grace.saturating_add(1), own];
        let moved = look.api_server.late_delete_ends_now && grace <= 1;
        let twice = firsts.into_iter().map(|first| {
            let shutdown = expect(Delete {
                grace_seconds: Some(first),
                again_grace_seconds: Some(grace),
            });
            let began = match look.stop_began {
                Some(at) => (at, at),
                None if moved => (earliest(pod, requested_at, grace, &shutdown), began),
                None => (began, began),
            };
            Story { began, shutdown }
        });
        let mut all: Vec<_> = twice.collect();
        let mut why = vec![Reason::SecondDeleteChangesNothing];
        if began_before.is_some() {
            why.insert(0, Reason::DeletedTwice);
        } else {
            why.insert(0, Reason::FirstDeleteNotSeen);
            all.push(once);
        }
        if moved && look.stop_began.is_none() {
            why.push(Reason::FirstDeleteMayBeEarlier);
        }
        Self { all, why }
    }
}

/// When the first delete may have been at the earliest, if the pod was still there at the second: its stop had not ended.
fn earliest(pod: &Pod, requested_at: DateTime<Utc>, grace: i64, first: &Shutdown) -> DateTime<Utc> {
    let second = later(requested_at, grace.saturating_mul(1000));
    let lasts = TimeDelta::try_milliseconds(first.ends_by.max().saturating_add(SLACK));
    let since = lasts.and_then(|lasts| second.checked_sub_signed(lasts));
    let since = since.unwrap_or(DateTime::<Utc>::MIN_UTC);
    since.max(pod.created.unwrap_or(since)).min(requested_at)
}

/// What a status says of a container that ended.
struct Ended<'a> {
    at: Option<DateTime<Utc>>,
    exit_code: i32,
    reason: &'a str,
}

fn ended<'a>(pod: &'a Pod, name: &str) -> Option<Ended<'a>> {
    let status = statuses(pod).find(|status| status.name == name)?;
    match &status.state {
        ContainerState::Terminated {
            exit_code,
            reason,
            finished,
            ..
        } => Some(Ended {
            at: *finished,
            exit_code: *exit_code,
            reason,
        }),
        _ => None,
    }
}

impl ContainerStop {
    /// Takes in what its status says: it has ended.
    fn narrow(&mut self, ended: &Ended<'_>, began: DateTime<Utc>) {
        self.ended_at = ended.at;
        self.exit_code = Some(ended.exit_code);
        let blur = TimeDelta::milliseconds(BLUR);
        let killed = ended.exit_code == KILLED && ended.reason != "OOMKilled";
        let Some(at) = ended.at else {
            if !killed {
                self.sigkill_at = None;
                self.reasons.push(Reason::EndedBeforeSigkill);
            }
            return;
        };
        if at < began - blur {
            (self.sigterm_at, self.sigkill_at) = (None, None);
            self.reasons = vec![Reason::EndedBeforeDelete];
            return;
        }
        match self.sigterm_at {
            Some((min, _)) if at < min - blur => {
                (self.sigterm_at, self.sigkill_at) = (None, None);
                self.reasons.push(Reason::EndedBeforeSigterm);
                return;
            }
            Some((min, max)) => self.sigterm_at = Some((min.min(at), max.min(at))),
            None => {}
        }
        match self.sigkill_at {
            Some((min, _)) if killed && at >= min - blur => self.sigkill_at = Some((at, at)),
            _ => {
                self.sigkill_at = None;
                self.reasons.push(Reason::EndedBeforeSigkill);
            }
        }
    }
}

/// The rules that explain a moment: those by which it is a range, and those that the pod's own grace period would not have brought.
fn rules(name: &str, stories: &[Story], own: &Shutdown) -> Vec<Reason> {
    let usual = own.containers.iter().find(|end| end.name == name);
    let mut found = Vec::new();
    for end in stories.iter().filter_map(|story| story.end(name)) {
        for (moment, reason) in &end.reasons {
            let at = match moment {
                Moment::Sigkill => end.sigkill_at,
                Moment::PreStop | Moment::Sigterm => end.sigterm_at,
            };
            let new = usual.is_none_or(|usual| !usual.has(*reason));
            if (new || !at.is_exact()) && !found.contains(reason) {
                found.push(*reason);
            }
        }
    }
    found
}

/// The schedule of a pod that shows this grace period, requested at this moment by that.
pub(super) fn schedule(
    pod: &Pod,
    shown: (DateTime<Utc>, i64),
    kubelet: &Kubelet,
    durations: &dyn Durations,
    look: &Look,
) -> Schedule {
    let expect = |delete| expected(pod, kubelet, delete, durations);
    let stories = Stories::new(pod, shown, expect, look);
    let own = expect(Delete::default());
    let first_began = stories.all.iter().map(|story| story.began.0).min();
    let mut containers: Vec<_> = own
        .containers
        .iter()
        .map(|end| {
            let over = |at: fn(&ContainerEnd) -> super::Span| {
                let stories = stories.all.iter();
                hull(stories.filter_map(|story| story.moments(&end.name, at)))
            };
            let mut stop = ContainerStop {
                name: end.name.clone(),
                kind: end.kind,
                sigterm_at: over(|end| end.sigterm_at),
                sigkill_at: over(|end| end.sigkill_at),
                ended_at: None,
                exit_code: None,
                reasons: stories.why.clone(),
            };
            for reason in rules(&end.name, &stories.all, &own) {
                if !stop.reasons.contains(&reason) {
                    stop.reasons.push(reason);
                }
            }
            if let Some(ended) = ended(pod, &end.name) {
                stop.narrow(&ended, first_began.unwrap_or(shown.0));
            }
            stop
        })
        .collect();
    containers.extend(ended_while_others_run(pod, &own));
    containers.sort_by_key(|stop| (stop.kind, place(&pod.spec, &stop.name)));
    let ends = stories.all.iter();
    let ends = ends.map(|story| later(story.began.1, story.shutdown.ends_by.max()));
    Schedule {
        containers,
        ends_by: ends.max().unwrap_or(shown.0),
    }
}

/// A container's place in its list of the spec.
fn place(spec: &PodSpec, name: &str) -> Option<usize> {
    let lists = [
        &spec.containers,
        &spec.init_containers,
        &spec.ephemeral_containers,
    ];
    let mut places = lists.into_iter().filter_map(|list| {
        let mut names = list.iter().map(|container| container.name.as_str());
        names.position(|other| other == name)
    });
    places.next()
}

/// Containers that had ended when the kubelet last wrote the pod's status, while others run: it writes once when it begins to stop a pod
/// and again when all have ended, so these had ended before.
fn ended_while_others_run(pod: &Pod, own: &Shutdown) -> Vec<ContainerStop> {
    let mains = pod.spec.containers.iter();
    let mains = mains.map(|container| (container, ContainerKind::Main));
    let sidecars = pod.spec.sidecars();
    let sidecars = sidecars.map(|container| (container, ContainerKind::Sidecar));
    let known = |name: &str| own.containers.iter().any(|end| end.name == name);
    let missing = mains
        .chain(sidecars)
        .filter(|(container, _)| !known(&container.name));
    missing
        .filter_map(|(container, kind)| {
            let ended = ended(pod, &container.name)?;
            Some(ContainerStop {
                name: container.name.clone(),
                kind,
                sigterm_at: None,
                sigkill_at: None,
                ended_at: ended.at,
                exit_code: Some(ended.exit_code),
                reasons: vec![Reason::EndedBeforeDelete],
            })
        })
        .collect()
}
