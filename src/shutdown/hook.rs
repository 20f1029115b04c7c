//! How long does an exec hook take, as far as its text tells, what does it need, and whom does it signal?
//!
//! ```text
//! argv ─ run ─→ programs: sleep, timeout, env …
//!         └───→ sh -c ─ tokens, grammar ─→ a script, which run follows ─→ clock
//! ```
//!
//! What it reads is what published hooks use (docs/shutdown.md, "What is read of a hook"); `bounds` says how much one may cost.
//!
//! The kubelet hands the command to the runtime as it stands: no shell, no `$(NAME)` expansion (`pkg/kubelet/lifecycle/handlers.go`,
//! Run; kubernetes/kubernetes#129502). The process has the container's environment, so a shell does expand `$NAME`.
//! The time that starting a process takes is not counted.

use std::collections::BTreeMap;

mod bounds;
mod clock;
pub mod first;
mod grammar;
mod programs;
mod run;
mod tokens;

use bounds::Bounds;
pub use bounds::Steps;
use clock::{Clock, ENDLESS};

/// What the text of an exec hook tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// How long it takes, if nothing ends it from outside.
    pub duration: Duration,
    /// The lower bound counts commands that only run if others succeed, and that those do is likely, not certain
    /// (`curl … && sleep 5`).
    pub assumes_success: bool,
    /// What the image must have for this.
    pub needs: Needs,
    /// Signals to the container's main process, or to what may be it, in the order of the text.
    pub signals: Vec<Signal>,
    /// What cannot be what its author meant, in the order of the text.
    pub mistakes: Vec<Mistake>,
}

/// How long a command takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duration {
    /// Between two bounds, which are mostly the same.
    Known {
        /// At least, in milliseconds.
        min_ms: u64,
        /// At most, in milliseconds.
        max_ms: u64,
    },
    /// The text gives no upper bound.
    Unknown {
        /// At least, in milliseconds.
        at_least_ms: u64,
    },
    /// It never ends by itself.
    Endless,
}

impl Duration {
    /// The lower bound in milliseconds; the largest number there is for a command without end.
    #[must_use]
    pub fn at_least_ms(self) -> u64 {
        match self {
            Self::Known { min_ms, .. } => min_ms,
            Self::Unknown { at_least_ms } => at_least_ms,
            Self::Endless => ENDLESS,
        }
    }

    /// The upper bound in milliseconds, if the text gives one.
    #[must_use]
    pub fn at_most_ms(self) -> Option<u64> {
        match self {
            Self::Known { max_ms, .. } => Some(max_ms),
            Self::Unknown { .. } | Self::Endless => None,
        }
    }
}

impl From<Clock> for Duration {
    fn from(clock: Clock) -> Self {
        match (clock.min, clock.max) {
            (ENDLESS, _) => Self::Endless,
            (min_ms, Some(max_ms)) if max_ms != ENDLESS => Self::Known { min_ms, max_ms },
            (at_least_ms, _) => Self::Unknown { at_least_ms },
        }
    }
}

/// What the image must have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// A shell: `sh`, `bash` and their like.
    pub shell: bool,
    /// The program `sleep`.
    pub sleep: bool,
}

/// A signal that the hook sends itself: from then on the container may be stopping, whatever the hook still does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// To whom.
    pub target: Target,
    /// Its name without `SIG`, in capitals, or its number if that differs between machines.
    pub signal: String,
    /// When, from the start of the hook.
    pub after: Duration,
    /// It may also not be sent.
    pub conditional: bool,
}

/// Whom a signal goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Process 1, which is the main process unless the pod shares its process namespace.
    ProcessOne,
    /// The server that a command of its own stops: `nginx -s quit`.
    Server,
    /// A process by name or by an unknown number, which may be the main one.
    Perhaps,
}

/// What cannot be what the author meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mistake {
    /// The command is empty; the API server refuses it.
    Empty,
    /// No program has this name: a whole command line in one word, or a word that only a shell knows.
    NotAProgram(String),
    /// `sleep` without a time; it fails at once.
    SleepsForNothing,
    /// `sleep` refuses this operand and fails at once.
    NotATime(String),
    /// `$(NAME)`, which the kubelet expands in commands, arguments and probes, but not in hooks.
    NotExpanded(String),
}

/// Reads the command of an exec hook. `env` is what the container's `env` sets to literal values.
#[must_use]
pub fn read(command: &[String], env: &BTreeMap<String, String>) -> Hook {
    read_within(command, env, Steps::default())
}

/// The same, in so many steps: what would take more is unknown from there on.
#[must_use]
pub fn read_within(command: &[String], env: &BTreeMap<String, String>, steps: Steps) -> Hook {
    let bounds = Bounds {
        steps: steps.0,
        ..Bounds::HOOK
    };
    run::Runner::new(env, bounds).hook(command)
}

/// How long the command of an exec hook takes; [`read`] tells more.
#[must_use]
pub fn duration(command: &[String], env: &BTreeMap<String, String>) -> Duration {
    read(command, env).duration
}
