//! The shutdown of a workload's pods as the report tells it: seconds after the delete.

use serde::Serialize;

use super::{Budget, Seconds};

/// One workload behind the Service, or one pod without owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shutdown {
    /// Whose pods they are.
    pub workload: Owner,
    /// How many of its pods are alike.
    pub pods: usize,
    /// The kubelet's version that was taken; null where none is known.
    pub kubelet: Option<String>,
    /// The grace period that the kubelet gives.
    pub grace_seconds: Seconds,
    /// The rules that led to that grace period.
    pub grace_period_reasons: Vec<Reason>,
    /// Its containers: main ones, sidecars in the order in which they stop, others.
    pub containers: Vec<Container>,
    /// When the last of them is gone at the latest.
    pub ends_by_seconds: Seconds,
    /// What the traffic sources ask for; null where it was not worked out.
    pub budget: Option<Budget>,
}

/// Whose pods they are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Owner {
    /// `Deployment`, `StatefulSet`, ..., or `Pod`.
    pub kind: String,
    /// Its name.
    pub name: String,
}

/// One container's end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Container {
    /// Its name.
    pub name: String,
    /// `main`, `sidecar`, `init` or `ephemeral`.
    pub kind: &'static str,
    /// Its preStop hook; null without one.
    pub pre_stop: Option<PreStop>,
    /// When it gets its SIGTERM.
    pub sigterm_at: Span,
    /// When it is killed if it is still there.
    pub sigkill_at: Span,
    /// When it has ended, by itself if somebody declared how long that takes, else killed at the latest.
    pub ended_at: Span,
    /// The kubelet's rules that led to these moments.
    pub reasons: Vec<Reason>,
}

/// A preStop hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreStop {
    /// `exec`, `httpGet`, `tcpSocket` or `sleep`.
    pub handler: &'static str,
    /// How long it takes by itself.
    pub seconds: Takes,
    /// It puts the SIGTERM off.
    pub delays: bool,
}

/// How long something takes that may have no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Takes {
    /// At least; null for what never ends by itself.
    pub min: Option<Seconds>,
    /// At most; null where nothing limits it.
    pub max: Option<Seconds>,
}

/// A rule that led to a moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// `graceSeconds`, `preStop`, `stopSignalAt` or `killAt`.
    pub at: &'static str,
    /// The reason's id; `explain` tells more.
    pub reason: &'static str,
    /// One sentence for people.
    pub text: &'static str,
}

/// From the earliest to the latest possible moment; the same where it does not depend on how long the application takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The earliest.
    pub min: Seconds,
    /// The latest.
    pub max: Seconds,
}
