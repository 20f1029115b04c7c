//! What happens to a pod's containers after its delete, and when? The kubelet's own steps, as ranges of time.
//!
//! `grace.rs` is the grace that counts, `timeline.rs` the steps of each container, `readiness.rs` when Ready can turn false,
//! `proxies.rs` knows the proxies that run
//! beside applications, `phase.rs` where a terminating pod stands now and `stuck.rs` why it does not go; `reason.rs` holds the prose, `span.rs` the ranges.
#![deny(clippy::disallowed_methods)]

pub mod grace;
pub mod hook;
pub mod phase;
pub mod proxies;
pub mod readiness;
pub mod reason;
pub mod span;
pub mod stuck;
pub mod timeline;

use crate::facts::pod_spec::{Container, Handler};

pub use grace::{Delete, Grace};
pub use reason::{Moment, Reason};
pub use span::Span;
pub use timeline::{shutdown, shutdown_of};

/// How long what runs inside a container takes, as far as anybody can tell.
pub trait Durations {
    /// How long a preStop of kind exec or httpGet takes. It is not asked about the other kinds, which the kubelet itself decides.
    fn hook(&self, container: &Container, handler: &Handler) -> HookDuration;

    /// How long the container runs on after its SIGTERM; `None` where nobody said so.
    fn drain(&self, _container: &Container) -> Option<Span> {
        None
    }
}

/// A function that tells how long a hook takes is enough.
impl<F: Fn(&Container, &Handler) -> HookDuration> Durations for F {
    fn hook(&self, container: &Container, handler: &Handler) -> HookDuration {
        self(container, handler)
    }
}

/// How long a hook takes if it is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookDuration {
    /// So long; nothing at all for one that fails at once.
    Known(Span),
    /// It cannot be told: anything from this to the whole grace.
    Unknown {
        /// At least, in milliseconds.
        at_least: i64,
    },
}

/// What a container is in its pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContainerKind {
    /// One of `spec.containers`.
    Main,
    /// A native sidecar: an init container with `restartPolicy: Always` (KEP-753).
    Sidecar,
    /// Any other init container.
    Init,
    /// One of `spec.ephemeralContainers`.
    Ephemeral,
}

impl ContainerKind {
    /// The word that reports use.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Sidecar => "sidecar",
            Self::Init => "init",
            Self::Ephemeral => "ephemeral",
        }
    }
}

/// How a pod ends: every moment is a range of time since the delete was sent.
///
/// The kubelet learns of the delete a little later, usually well within two seconds; that delay is not in these numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shutdown {
    /// The grace.
    pub grace: Grace,
    /// The containers: main ones, sidecars, init and ephemeral ones, each in the order of the spec.
    pub containers: Vec<ContainerEnd>,
    /// When the last container has ended: the pod's network goes only then. The upper end is the last kill.
    pub ends_by: Span,
}

/// How a container ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerEnd {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ContainerKind,
    /// preStop, if it has one. It begins with the delete, in every container at the same time.
    pub pre_stop: Option<PreStop>,
    /// The signal that the spec asks for and the kubelet heeds; `None` is the image's `STOPSIGNAL`, else SIGTERM.
    pub stop_signal: Option<String>,
    /// When the SIGTERM is sent.
    pub sigterm_at: Span,
    /// When it is killed if it is still there.
    pub sigkill_at: Span,
    /// When it has ended, by itself or killed.
    pub ended_at: Span,
    /// Which rules decided that.
    pub reasons: Vec<(Moment, Reason)>,
}

impl ContainerEnd {
    /// Was this rule applied?
    #[must_use]
    pub fn has(&self, reason: Reason) -> bool {
        self.reasons.iter().any(|(_, found)| *found == reason)
    }
}

/// A container's preStop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreStop {
    /// What it does.
    pub handler: Handler,
    /// How long it runs if it is left alone; the kubelet waits for it no longer than the grace.
    pub takes: Span,
    /// It can hold the SIGTERM back.
    pub delays: bool,
}
