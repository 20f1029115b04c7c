//! A change that fixes a finding, and the reason not to make it without asking.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;

/// A strategic merge patch that fixes a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The change, from the object's root.
    pub change: Change,
    /// What the change depends on that the input does not show; `None` where it is certain.
    pub doubt: Option<Doubt>,
}

/// A change as JSON text: as a value it would take thirty times the memory, and thousands of findings may have one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change(Arc<str>);

impl Change {
    /// The change, from the object's root.
    #[must_use]
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

impl From<&Value> for Change {
    fn from(change: &Value) -> Self {
        Self(change.to_string().into())
    }
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

/// What a patch depends on that the input does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Doubt {
    /// The newest known version is assumed, and older ones drop the sleep action from the object.
    Version,
    /// No traffic source is known, so how long they send is a rule of thumb.
    Sources,
    /// Several containers may be the one that listens.
    Container,
    /// Part of the time that the hook takes.
    HookTime,
    /// How long the application needs.
    ApplicationTime,
    /// Whether there is room for one more pod.
    Room,
    /// How many pods may be missing.
    Availability,
}

impl Doubt {
    /// The doubt in words.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Version => {
                "the sleep action needs kubelets and an API server of 1.30 or later; set the version with --kube-version"
            }
            Self::Sources => "no traffic source was detected, so the seconds are a rule of thumb",
            Self::Container => "no container declares the port, so another one may serve it",
            Self::HookTime => "how long preStop takes is only known in part",
            Self::ApplicationTime => "how long the application needs is not in the manifest",
            Self::Room => "whether there is room for one more pod is not in the manifest",
            Self::Availability => {
                "how many pods may be missing at a time is for a person to decide"
            }
        }
    }
}

impl Patch {
    /// A change that depends on nothing else.
    pub(super) fn certain(change: &Value) -> Self {
        Self {
            change: change.into(),
            doubt: None,
        }
    }

    /// A change that also depends on something else.
    pub(super) fn doubtful(change: &Value, doubt: Doubt) -> Self {
        Self {
            change: change.into(),
            doubt: Some(doubt),
        }
    }

    /// The same, with a doubt if the condition holds; the first doubt stays.
    pub(super) fn unless(mut self, doubtful: bool, doubt: Doubt) -> Self {
        if doubtful && self.doubt.is_none() {
            self.doubt = Some(doubt);
        }
        self
    }
}
