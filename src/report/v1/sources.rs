//! Traffic sources and what they ask for, as the report tells it.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{Seconds, moment};

/// A traffic source of the Service's pods.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TrafficSource {
    /// Its id in the catalogue; `docs/sources.md` has a section for each.
    pub id: &'static str,
    /// As people call it.
    pub name: &'static str,
    /// When it opens its last new connection, or sends its last new request, after the delete.
    pub last_new_connection: Moment,
    /// What it does now instead, where no other pod is ready; null where `lastNewConnection` holds for the pods that terminate now.
    pub now: Option<GoesOn>,
    /// When the last connection that it had ends, after the delete.
    pub in_flight_done: Moment,
    /// What shows that it is in use; empty for kube-proxy, which is assumed, and where `--source` said so.
    pub evidence: Vec<Evidence>,
    /// What it may be, where it stands for one that is not identified.
    pub may_be: Vec<MayBe>,
    /// How sure the figures are.
    pub confidence: &'static str,
    /// What helps where waiting does not, or what to do about it in general.
    pub advice: Option<&'static str>,
}

/// What an unidentified traffic source may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MayBe {
    /// Its id in the catalogue.
    pub id: &'static str,
    /// As people call it.
    pub name: &'static str,
    /// When it opens its last new connection then, after the delete.
    pub last_new_connection: Moment,
}

/// It goes on to terminating pods, because no other is ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GoesOn {
    /// Always `pod-ready-or-last-gone`: until another pod is Ready, or the last of those is gone.
    pub until: &'static str,
    /// When the last of them is gone at the latest; null where that is not known.
    #[serde(serialize_with = "moment")]
    pub by: Option<DateTime<Utc>>,
    /// It does so on every way that forwards; otherwise on some nodes or paths.
    pub everywhere: bool,
    /// A clause for people, after the source's name.
    pub text: String,
}

/// A moment after the delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Moment {
    /// Its seconds; null where it is no number.
    pub seconds: Option<Seconds>,
    /// `seconds`, `pod-is-gone`, `unlimited` or `unknown`.
    pub until: &'static str,
}

/// What shows that a traffic source is in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The object.
    pub object: String,
    /// The field; null where the object itself is enough.
    pub field: Option<String>,
    /// What stands there.
    pub value: Option<String>,
    /// How sure that is, or what else to know; null where the object says it itself.
    pub note: Option<String>,
}

/// What the traffic sources ask of a workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// The minimum preStop delay.
    pub pre_stop: Sum,
    /// The smallest safe terminationGracePeriodSeconds.
    pub grace_period: Sum,
    /// Traffic sources that send until the pod is gone, with what helps instead of waiting.
    pub until_pod_is_gone: Vec<Advice>,
    /// Traffic sources of whom nobody knows when they stop.
    pub unknown: Vec<String>,
    /// Settings that could not be read; their defaults were taken.
    pub problems: Vec<String>,
}

/// What helps against a traffic source that cannot be outwaited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Advice {
    /// The traffic source's id.
    pub traffic_source: &'static str,
    /// What helps.
    pub advice: &'static str,
}

/// A number of seconds with what it is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sum {
    /// The sum, in whole seconds.
    pub seconds: u64,
    /// Something that it depends on is not known: it is a lower bound.
    pub at_least: bool,
    /// Why it is a lower bound; empty where it is none.
    pub because: Vec<Because>,
    /// The traffic source that decides it; null where nobody asks for any.
    pub slowest: Option<&'static str>,
    /// Its parts.
    pub terms: Vec<Term>,
    /// The sum written out.
    pub text: String,
}

/// Why a sum is a lower bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Because {
    /// `not-identified`, `stop-unknown`, `guessed`, `other-proxy`, `not-read`, `no-figure` or `longest-request`.
    pub reason: &'static str,
    /// The id of the traffic source that it is about; null where it is about none.
    pub traffic_source: Option<&'static str>,
    /// A sentence for people, with what to do about it.
    pub text: String,
}

/// A part of a sum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Term {
    /// Seconds; negative where it is taken away.
    pub seconds: Seconds,
    /// The part written out.
    pub text: String,
}
