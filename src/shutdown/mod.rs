//! What happens to a pod's containers after its delete, and when? The kubelet's own steps, as ranges of time.
//!
//! `grace_period.rs` is the grace period that counts, `hook.rs` how long an exec preStop takes, `timeline.rs` the steps of each container,
//! `readiness.rs` when Ready can turn false, `proxies.rs` knows the proxies that run beside applications, `phase.rs` says how far a
//! terminating pod has come, `schedule.rs` when its containers get their signals by the clock, and `stuck.rs` why it does not go (`pod_state.rs` is what both read); `reason.rs` holds the sentences, `span.rs`
//! the ranges.
#![deny(clippy::disallowed_methods)]

pub mod grace_period;
pub mod hook;
pub mod phase;
pub mod pod_state;
pub mod proxies;
pub mod readiness;
pub mod reason;
pub mod schedule;
pub mod span;
pub mod stuck;
pub mod timeline;

use crate::facts::pod_spec::{Container, Handler};

pub use grace_period::{Delete, GracePeriod};
pub use reason::{Moment, Reason};
pub use span::Span;
pub use timeline::{shutdown, shutdown_of};

/// How long what runs inside a container takes, as far as it is known.
pub trait Durations {
    /// How long a preStop of kind exec or httpGet takes. It is not asked about the other kinds, which the kubelet carries out itself.
    fn hook(&self, container: &Container, handler: &Handler) -> HookDuration;

    /// How long the container runs on after SIGTERM; `None` where nobody declared it.
    fn drain(&self, _container: &Container) -> Option<Span> {
        None
    }
}

/// A function that returns how long a hook takes is enough.
impl<F: Fn(&Container, &Handler) -> HookDuration> Durations for F {
    fn hook(&self, container: &Container, handler: &Handler) -> HookDuration {
        self(container, handler)
    }
}

/// How long a hook takes if it is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookDuration {
    /// This long; zero for one that fails at once.
    Known(Span),
    /// Not known: anything from this to the whole grace period.
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
    /// The grace period.
    pub grace: GracePeriod,
    /// The containers: main ones, sidecars, init and ephemeral ones, each in the order of the spec.
    pub containers: Vec<ContainerEnd>,
    /// When the last container has ended: the pod's network goes only then. The upper end is the last SIGKILL.
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
    /// `lifecycle.stopSignal`, if the kubelet honours it: it is then sent in place of SIGTERM. `None` is the image's `STOPSIGNAL`, else SIGTERM.
    pub stop_signal: Option<String>,
    /// When SIGTERM, or the configured stop signal, is sent.
    pub sigterm_at: Span,
    /// When SIGKILL is sent if it is still there.
    pub sigkill_at: Span,
    /// When it has ended, by itself or by SIGKILL.
    pub ended_at: Span,
    /// Which of the kubelet's rules set these moments.
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
    /// How long it runs if it is left alone; the kubelet waits for it no longer than the grace period.
    pub takes: Span,
    /// It can delay SIGTERM.
    pub delays: bool,
}
