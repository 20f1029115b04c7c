//! What does somebody declare of how long things take in a pod: annotations and `--drain-seconds`, beside what a hook's text tells?

use std::collections::BTreeMap;

use crate::facts::pod_spec::{Container, Handler};
use crate::shutdown::hook::{self, Duration, Steps};
use crate::shutdown::{Durations, HookDuration, Span};

/// How long the preStop hooks take, where their text cannot tell: `10`, or `app=10,proxy=5`.
pub const PRESTOP_SECONDS: &str = "drain-check/prestop-seconds";

/// How long the application takes to end after its SIGTERM: `10`, or `app=10,proxy=5`.
pub const DRAIN_SECONDS: &str = "drain-check/drain-seconds";

/// Seconds that somebody declared, for all containers or for some.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seconds {
    all: Option<i64>,
    of: BTreeMap<String, i64>,
    /// The parts that are no seconds, as written.
    pub wrong: Vec<String>,
}

impl Seconds {
    /// Reads what an annotation says; what cannot be read is kept in `wrong`.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut declared = Self::default();
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (name, seconds) = match part.split_once('=') {
                Some((name, seconds)) => (Some(name.trim()), seconds.trim()),
                None => (None, part),
            };
            let number = seconds.strip_suffix('s').unwrap_or(seconds).parse();
            match (name, number) {
                (None, Ok(seconds)) if seconds >= 0 => declared.all = Some(seconds),
                (Some(name), Ok(seconds)) if seconds >= 0 => {
                    declared.of.insert(name.to_owned(), seconds);
                }
                _ => declared.wrong.push(part.to_owned()),
            }
        }
        declared
    }

    /// What was declared for a container, in seconds.
    #[must_use]
    pub fn of(&self, container: &str) -> Option<i64> {
        self.of.get(container).copied().or(self.all)
    }
}

/// What is known of how long things take in a pod.
#[derive(Debug, Clone, Default)]
pub struct Declarations {
    hooks: Seconds,
    drains: Seconds,
    /// `--drain-seconds`.
    drain_seconds: Option<i64>,
    /// How far a hook is read.
    steps: Steps,
}

impl Declarations {
    /// What the annotations of a pod or template say, and `--drain-seconds`.
    #[must_use]
    pub fn new(annotations: &BTreeMap<String, String>, drain_seconds: Option<i64>) -> Self {
        let read = |key: &str| {
            annotations
                .get(key)
                .map(|text| Seconds::read(text))
                .unwrap_or_default()
        };
        Self {
            hooks: read(PRESTOP_SECONDS),
            drains: read(DRAIN_SECONDS),
            drain_seconds,
            steps: Steps::default(),
        }
    }

    /// The same, with no more steps for each hook.
    #[must_use]
    pub fn within(self, steps: Steps) -> Self {
        Self { steps, ..self }
    }

    /// The same, whatever `--drain-seconds` says.
    #[must_use]
    pub fn without_drain_seconds(self) -> Self {
        Self {
            drain_seconds: None,
            ..self
        }
    }

    /// What the text of an exec hook tells.
    #[must_use]
    pub fn read_hook(&self, container: &Container, command: &[String]) -> hook::Hook {
        hook::read_within(command, &env(container), self.steps)
    }

    /// How long a main container takes to end after its signal, in seconds, if somebody said so.
    #[must_use]
    pub fn drain_of(&self, container: &str) -> Option<i64> {
        self.drains.of(container).or(self.drain_seconds)
    }

    /// Annotations that could not be read: the key and the wrong part.
    pub fn wrong(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let hooks = self
            .hooks
            .wrong
            .iter()
            .map(|part| (PRESTOP_SECONDS, part.as_str()));
        let drains = self
            .drains
            .wrong
            .iter()
            .map(|part| (DRAIN_SECONDS, part.as_str()));
        hooks.chain(drains)
    }
}

/// The literal environment of a container.
fn env(container: &Container) -> BTreeMap<String, String> {
    container
        .env
        .iter()
        .filter_map(|each| Some((each.name.clone(), each.value.clone()?)))
        .collect()
}

fn millis(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Durations for Declarations {
    fn hook(&self, container: &Container, handler: &Handler) -> HookDuration {
        if let Some(seconds) = self.hooks.of(&container.name) {
            return HookDuration::Known(Span::exactly(seconds));
        }
        let Handler::Exec(command) = handler else {
            return HookDuration::Unknown { at_least: 0 };
        };
        match self.read_hook(container, command).duration {
            Duration::Known { min_ms, max_ms } => {
                HookDuration::Known(Span::millis(millis(min_ms), millis(max_ms)))
            }
            Duration::Unknown { at_least_ms } => HookDuration::Unknown {
                at_least: millis(at_least_ms),
            },
            Duration::Endless => HookDuration::Known(Span::millis(i64::MAX, i64::MAX)),
        }
    }

    fn drain(&self, container: &Container) -> Option<Span> {
        // What is said of the application as a whole is not said of a proxy beside it.
        let seconds = if container.restarts_always {
            self.drains.of.get(&container.name).copied()
        } else {
            self.drain_of(&container.name)
        };
        seconds.map(Span::exactly)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_declared_for_all_containers_or_for_some() {
        let declared = Seconds::read("10, proxy=5s");
        assert_eq!(declared.of("app"), Some(10));
        assert_eq!(declared.of("proxy"), Some(5));
        let one = Seconds::read("proxy=5");
        assert_eq!(one.of("app"), None);
        assert!(one.wrong.is_empty());
        assert_eq!(Seconds::read("soon,app=-1").wrong, ["soon", "app=-1"]);
    }
}
