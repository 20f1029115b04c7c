//! Why is a sum only a lower bound? The one place that decides it; without a reason the sum is the minimum itself.

use super::amount::Amount;
use super::catalogue::{Class, catalogue};
use super::detected::DetectedSources;
use super::timing::SourceTiming;
use crate::facts::{Gap, GapReason};
use crate::words::list;

/// A reason.
#[derive(Debug, Clone, PartialEq)]
pub enum AtLeast {
    /// Something names a traffic source, and nothing tells which it is.
    NotIdentified {
        /// The id of what stands for it.
        id: &'static str,
        /// Its name.
        name: &'static str,
        /// The objects that name it, each with what it says: `Service shop/web (spec.type: LoadBalancer)`.
        seen: Vec<String>,
        /// What it may be, and the last new connection then, seconds from the delete.
        may_be: Vec<(&'static str, Amount)>,
        /// How to name it.
        advice: &'static str,
    },
    /// The traffic source is known, and nobody knows until when it sends.
    StopUnknown {
        /// Its id.
        id: &'static str,
        /// Its name.
        name: &'static str,
    },
    /// What was seen would look the same for others.
    Guessed {
        /// The id of the one that is counted.
        id: &'static str,
        /// Its name.
        name: &'static str,
        /// Why it is a guess, from the catalogue.
        note: String,
    },
    /// A label of the Service leaves it to another proxy.
    OtherProxy(String),
    /// Objects that show traffic sources were not read, as `kubectl auth can-i` takes them.
    NotRead {
        /// Which.
        resources: Vec<&'static str>,
        /// Files leave them out; otherwise an API server did not show them.
        files: bool,
    },
    /// No figure can be added up: all of them send until the pod is gone.
    NoFigure,
    /// How long the longest request takes was not declared; it matters for the grace period only.
    LongestRequest,
}

impl AtLeast {
    /// The stable id that reports use.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::NotIdentified { .. } => "not-identified",
            Self::StopUnknown { .. } => "stop-unknown",
            Self::Guessed { .. } => "guessed",
            Self::OtherProxy(_) => "other-proxy",
            Self::NotRead { .. } => "not-read",
            Self::NoFigure => "no-figure",
            Self::LongestRequest => "longest-request",
        }
    }

    /// The id of the traffic source that it is about, if it is about one.
    #[must_use]
    pub const fn source(&self) -> Option<&'static str> {
        match self {
            Self::NotIdentified { id, .. }
            | Self::StopUnknown { id, .. }
            | Self::Guessed { id, .. } => Some(id),
            _ => None,
        }
    }

    /// A clause for people, without what to do about it.
    #[must_use]
    pub fn clause(&self) -> String {
        match self {
            Self::NotIdentified { name, seen, .. } => {
                format!("{name} ({}): name it with --source", list(seen))
            }
            Self::StopUnknown { name, .. } => format!("it is not known when {name} stops"),
            Self::Guessed { name, .. } => format!("{name} is a guess"),
            Self::OtherProxy(name) => format!("nothing is known of the proxy {name}"),
            Self::NotRead { files: true, .. } => {
                "Ingresses and routes are not in the input".to_owned()
            }
            Self::NotRead { resources, .. } => format!("{} could not be read", list(resources)),
            Self::NoFigure => "every traffic source sends until the pod is gone".to_owned(),
            Self::LongestRequest => "the longest request was not declared".to_owned(),
        }
    }
}

impl std::fmt::Display for AtLeast {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotIdentified {
                name,
                seen,
                may_be,
                advice,
                ..
            } => {
                write!(f, "{name}: {} names one, and until when it sends is not known.", list(seen))?;
                if !may_be.is_empty() {
                    let may_be = may_be.iter().map(|(name, amount)| format!("{name}: {amount}"));
                    write!(f, " It may be one of these, with its last new connection: {}.", list(may_be))?;
                }
                write!(f, " {advice}")
            }
            Self::StopUnknown { name, .. } => {
                write!(f, "it is not known when {name} stops sending.")
            }
            Self::Guessed { name, note, .. } => write!(f, "{name} is a guess: {note}."),
            Self::OtherProxy(name) => {
                write!(f, "a label leaves the Service to the proxy {name}, of which nothing is known.")
            }
            Self::NotRead { resources, files } => {
                let cure = if *files {
                    "Add what `kubectl get ingresses,httproutes -o yaml` prints, or use `kubectl drain-check snapshot`."
                } else {
                    "Traffic sources that they would show are not counted."
                };
                let which = if *files {
                    "Ingresses and routes are not in the input: traffic sources besides kube-proxy are not known."
                        .to_owned()
                } else {
                    format!("{} could not be read.", list(resources))
                };
                write!(f, "{which} {cure}")
            }
            Self::NoFigure => f.write_str("every traffic source sends until the pod is gone."),
            Self::LongestRequest => f.write_str(
                "how long the longest request takes was not declared (--drain-seconds, drain-check/drain-seconds).",
            ),
        }
    }
}

/// Why the minimum preStop delay of a Service's pods is only a lower bound.
pub(super) fn reasons(detected: &DetectedSources<'_>, timings: &[SourceTiming]) -> Vec<AtLeast> {
    let mut reasons: Vec<_> = timings.iter().filter_map(of_source).collect();
    let known_plane = timings
        .iter()
        .any(|timing| timing.source.class == Class::Dataplane);
    let other = detected.other_proxy.clone();
    reasons.extend(other.filter(|_| !known_plane).map(AtLeast::OtherProxy));
    let (left_out, failed): (Vec<&Gap>, Vec<&Gap>) = detected
        .not_read
        .iter()
        .partition(|gap| gap.reason == GapReason::NotInInput);
    for (gaps, files) in [(left_out, true), (failed, false)] {
        let mut resources: Vec<_> = gaps.iter().map(|gap| gap.resource.name()).collect();
        resources.dedup();
        if !resources.is_empty() {
            reasons.push(AtLeast::NotRead { resources, files });
        }
    }
    reasons
}

fn of_source(timing: &SourceTiming) -> Option<AtLeast> {
    let source = timing.source;
    let (id, name) = (source.id.as_str(), source.name.as_str());
    let unknown = timing.last_new_connection.amount == Amount::Unknown;
    if unknown && catalogue().is_unidentified(id) {
        let seen = timing.evidence.iter().map(ToString::to_string);
        let may_be = timing.may_be.iter();
        return Some(AtLeast::NotIdentified {
            id,
            name,
            seen: seen.collect(),
            may_be: may_be
                .map(|one| (one.source.name.as_str(), one.last_new_connection))
                .collect(),
            advice: source.advice.as_deref().unwrap_or_default(),
        });
    }
    if unknown {
        return Some(AtLeast::StopUnknown { id, name });
    }
    timing.guessed.then(|| AtLeast::Guessed {
        id,
        name,
        note: timing
            .evidence
            .iter()
            .find_map(|evidence| evidence.note.clone())
            .unwrap_or_default(),
    })
}
