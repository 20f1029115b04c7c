//! A change that cures what was found, and what speaks against making it without asking anybody.

use serde::Serialize;
use serde_json::Value;

/// A strategic merge patch that cures what a rule found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Patch {
    /// What is to change, from the object's root.
    pub change: Value,
    /// What the change depends on and the input does not tell; `None` where it is certain.
    #[serde(skip)]
    pub doubt: Option<Doubt>,
}

/// What a patch depends on that nobody said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Doubt {
    /// The newest known version is assumed, and older ones drop the sleep action from the object.
    Version,
    /// How long others go on sending is a rule of thumb.
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
                "the sleep action needs kubelets and an API server of 1.30 or later; say which version it is with --kube-version"
            }
            Self::Sources => "nobody is known to send, so the seconds are a rule of thumb",
            Self::Container => "no container declares the port, so another one may be meant",
            Self::HookTime => "how long preStop takes is only known in part",
            Self::ApplicationTime => "how long the application needs is not in the manifest",
            Self::Room => "whether there is room for one more pod is not in the manifest",
            Self::Availability => "how many pods may be missing at a time is for a person to say",
        }
    }
}

impl Patch {
    /// A change that follows from what is written alone.
    pub(super) const fn certain(change: Value) -> Self {
        Self {
            change,
            doubt: None,
        }
    }

    /// A change that also depends on something else.
    pub(super) const fn doubtful(change: Value, doubt: Doubt) -> Self {
        Self {
            change,
            doubt: Some(doubt),
        }
    }

    /// The same, with a doubt if there is one; the first doubt stays.
    pub(super) fn unless(mut self, doubtful: bool, doubt: Doubt) -> Self {
        if doubtful && self.doubt.is_none() {
            self.doubt = Some(doubt);
        }
        self
    }
}
