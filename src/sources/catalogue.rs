//! Who sends traffic besides kube-proxy? The catalogue `catalogue.yaml` as types; its figures are seconds.
//!
//! `build.rs` turns the YAML into JSON, which takes a fifth of the time to read at start-up.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::figures::{Credit, Drain, Limit, Param, Stop, Tuning};
use super::rule::Rule;

/// Everything that the catalogue knows.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// Figures that hold for everyone: `E` and `margin`.
    pub constants: BTreeMap<String, Constant>,
    /// kube-proxy, which is not detected but assumed where no other data plane is in use.
    pub baseline: Option<TrafficSource>,
    /// Everyone else.
    pub sources: Vec<TrafficSource>,
}

/// A figure that holds for everyone.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// Seconds.
    pub seconds: f64,
    /// What it stands for.
    pub meaning: String,
    /// How sure it is.
    pub confidence: Confidence,
}

/// Somebody who sends traffic to pods, or changes until when others may.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficSource {
    /// The stable id: `aws-lbc-nlb-ip`.
    pub id: String,
    /// As people call it.
    pub name: String,
    /// What kind of thing it is.
    pub class: Class,
    /// What it chooses a backend for.
    pub level: Level,
    /// How sure the figures are.
    pub confidence: Confidence,
    /// The versions for which this was found out.
    pub versions: String,
    /// The traffic source that this one is at heart; where both are seen, this one is the better name.
    pub alias_of: Option<String>,
    /// Traffic sources that this one takes the place of where both are seen.
    #[serde(default)]
    pub supersedes: Vec<String>,
    /// How to see that it is in use.
    pub detect: Detect,
    /// The kinds that it learns endpoints from.
    pub watches: Vec<String>,
    /// Which endpoints it takes, in its own terms.
    pub predicate: Option<String>,
    /// What it does with terminating pods.
    pub terminating: Terminating,
    /// What becomes of connections that exist.
    pub connections: String,
    /// When it stops opening new connections (L4) or sending new requests (L7).
    pub stop: Stop,
    /// How long it keeps existing connections.
    pub drain: Drain,
    /// It bounds the pod's life or what reaches it.
    pub limit: Option<Limit>,
    /// It gives time that preStop need not.
    pub credit: Option<Credit>,
    /// What the formulas' names stand for.
    #[serde(default)]
    pub params: BTreeMap<String, Param>,
    /// Where its owner can set something.
    #[serde(default)]
    pub tuning: Vec<Tuning>,
    /// What helps where a sleep does not, or what to do about it in general.
    pub advice: Option<String>,
    /// What earlier versions did.
    #[serde(default)]
    pub version_notes: Vec<VersionNote>,
    /// Where the facts come from.
    pub sources: Vec<String>,
}

/// What kind of thing a traffic source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Routes Services on the nodes in kube-proxy's place.
    Dataplane,
    /// Serves Ingresses.
    Ingress,
    /// Serves Gateways.
    Gateway,
    /// Proxies beside the pods.
    Mesh,
    /// A load balancer outside the cluster.
    CloudLb,
    /// Attracts an address to a node.
    Announcer,
    /// Answers names.
    Dns,
    /// Clients that balance for themselves.
    Client,
    /// Sends nothing itself but changes when pods or proxies end.
    Mitigation,
    /// Removes nodes.
    NodeLifecycle,
}

impl Class {
    /// It sends traffic itself.
    #[must_use]
    pub const fn sends(self) -> bool {
        !matches!(self, Self::Mitigation | Self::NodeLifecycle)
    }
}

/// What a traffic source chooses a backend for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Level {
    /// Connections.
    L4,
    /// Requests.
    L7,
    /// It chooses nodes; the nodes' data plane chooses pods.
    #[serde(rename = "node")]
    Node,
    /// It answers names; clients choose.
    #[serde(rename = "DNS")]
    Dns,
}

/// How sure a fact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Confidence {
    /// Read in the code.
    C,
    /// Said by the documentation.
    D,
    /// Said by maintainers or users.
    M,
    /// Deduced.
    A,
    /// Not verified.
    #[serde(rename = "?")]
    Unverified,
}

impl Confidence {
    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::C => "read in its code",
            Self::D => "documented",
            Self::M => "reported by maintainers or users",
            Self::A => "deduced",
            Self::Unverified => "not verified",
        }
    }
}

/// How to see that a traffic source is in use.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detect {
    /// One of these makes it in use for a Service.
    #[serde(default)]
    pub service: Vec<Rule>,
    /// One of these shows that it is installed; where `service` is empty, that makes it in use for every Service.
    #[serde(default)]
    pub cluster: Vec<Rule>,
    /// `service` alone does not tell: `cluster` must match too.
    #[serde(default)]
    pub needs_cluster: bool,
    /// Takes a Service out.
    pub opt_out: Option<Rule>,
    /// What to know about it.
    pub note: Option<String>,
}

/// What a traffic source does with terminating pods.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terminating {
    /// While others are ready.
    pub normal: Normal,
    /// When none is ready.
    pub when_no_ready: WhenNoReady,
    /// With `publishNotReadyAddresses`.
    pub publish_not_ready: Option<PublishNotReady>,
    /// The version that began with it.
    pub since: Option<String>,
    /// What switches it.
    pub flag: Option<String>,
}

/// What becomes of a terminating pod while others are ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Normal {
    /// It gets nothing new.
    Excluded,
    /// Nothing new but from clients with a cookie.
    ExcludedStickyKept,
    /// It gets new traffic like any other.
    Kept,
    /// It is marked, and gets nothing new.
    DrainingHost,
    /// The traffic source does not know pods.
    IgnoresPods,
    /// Only the answer to a health check changes.
    HealthCheckOnly,
    /// Its name is no longer answered.
    DnsRecordRemoved,
    /// It gets requests until it says that it goes away.
    UntilGoaway,
    /// The deletion itself waits.
    BlocksDeletion,
    /// It sends nothing.
    NotApplicable,
    /// Nobody knows.
    Unknown,
}

/// What becomes of terminating pods when none is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenNoReady {
    /// Nobody gets anything.
    None,
    /// Those that still serve get everything (KEP-1669).
    ServingTerminating,
    /// Everyone gets some, dead ones too.
    PanicAllHosts,
    /// Every target gets some.
    FailOpenAllTargets,
    /// The data plane decides.
    Dataplane,
    /// It sends nothing.
    NotApplicable,
    /// Nobody knows.
    Unknown,
}

/// What `publishNotReadyAddresses` does to terminating pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublishNotReady {
    /// They go on getting traffic.
    Kept,
    /// They do not.
    Excluded,
    /// Nobody knows.
    Unknown,
}

/// What earlier versions did.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionNote {
    /// Which.
    pub versions: String,
    /// What.
    pub effect: String,
}

static CATALOGUE: LazyLock<Catalogue> =
    // Tests read all of it, so the empty one never stands in for it.
    LazyLock::new(|| {
        let text = include_str!(concat!(env!("OUT_DIR"), "/catalogue.json"));
        serde_json::from_str(text).unwrap_or_default()
    });

/// The catalogue, read on first use.
#[must_use]
pub fn catalogue() -> &'static Catalogue {
    &CATALOGUE
}

impl Catalogue {
    /// A traffic source by its id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&TrafficSource> {
        self.sources.iter().find(|source| source.id == id)
    }

    /// One of the figures that hold for everyone, in seconds.
    #[must_use]
    pub fn constant(&self, name: &str) -> f64 {
        self.constants
            .get(name)
            .map_or(0.0, |constant| constant.seconds)
    }
}

#[cfg(test)]
#[path = "catalogue_tests.rs"]
mod tests;
