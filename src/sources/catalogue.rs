//! Which traffic sources are there besides kube-proxy? `catalogue.yaml` as types; its figures are seconds.
//!
//! `build.rs` turns the YAML into JSON, which takes a fifth of the time to read. It is read on first use.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::figures::{Credit, Drain, Limit, Param, Stop, Tuning};
use super::release::Release;
use super::rule::DetectionRule;

/// The catalogue of traffic sources.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// Figures that hold for all traffic sources: `E` (an EndpointSlice update) and `margin`.
    pub constants: BTreeMap<String, Constant>,
    /// kube-proxy, which is not detected but assumed where no other data plane is in use.
    pub baseline: Option<TrafficSource>,
    /// What stands for a traffic source that something names and nobody knows.
    pub unidentified: Vec<TrafficSource>,
    /// What one of those may be.
    pub candidates: Vec<Candidates>,
    /// Whose an Ingress is, where no `IngressClass` says so.
    pub ingress_controllers: Vec<Controller>,
    /// Whose a Gateway is, where no `GatewayClass` says so.
    pub gateway_controllers: Vec<Controller>,
    /// All others.
    pub sources: Vec<TrafficSource>,
}

/// What an unidentified traffic source may be.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidates {
    /// The id of the unidentified one.
    pub of: String,
    /// Where nodes' `spec.providerID` begins so, and the Service has a Local policy.
    pub provider: Option<String>,
    /// Where the Ingress' class has this name.
    pub class: Option<String>,
    /// The ids of what it may be.
    pub ids: Vec<String>,
}

/// A controller, and what tells that an object is its where no class object was read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Controller {
    /// `spec.controller` of its `IngressClass`, or `spec.controllerName` of its `GatewayClass`.
    pub controller: String,
    /// Names that only it gives to its class.
    pub names: Vec<String>,
    /// What the keys of annotations begin with that only it reads.
    #[serde(default)]
    pub annotations: Vec<String>,
}

/// A figure that holds for all traffic sources.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// Seconds.
    pub seconds: f64,
    /// What it is.
    pub meaning: String,
    /// How sure it is.
    pub confidence: Confidence,
}

/// A traffic source: it sends traffic to pods, or changes until when others may.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficSource {
    /// The stable id: `aws-lbc-nlb-ip`.
    pub id: String,
    /// The product's name.
    pub name: String,
    /// What kind of thing it is.
    pub class: Class,
    /// What it chooses a backend for.
    pub level: Level,
    /// How sure the figures are.
    pub confidence: Confidence,
    /// The versions for which this holds.
    pub versions: String,
    /// The traffic source that this one is a special case of: where both are found, only this one is listed.
    pub alias_of: Option<String>,
    /// Traffic sources that are not listed where this one is found.
    #[serde(default)]
    pub supersedes: Vec<String>,
    /// How to see that it is in use.
    pub detect: Detect,
    /// What shows what it has programmed on a node, in place of kube-proxy's rules.
    pub programmed: Option<String>,
    /// Whose images tell which release runs.
    #[serde(default)]
    pub agents: Vec<Agent>,
    /// The kinds from which it learns endpoints.
    pub watches: Vec<String>,
    /// Which endpoints it uses, in its own terms.
    pub predicate: Option<String>,
    /// What it does with terminating pods.
    pub terminating: Terminating,
    /// What happens to open connections.
    pub connections: String,
    /// It tries another pod where one refuses a connection; where there is none, it does not, or nobody knows.
    pub tries_again: Option<TriesAgain>,
    /// When it stops opening new connections (L4) or sending new requests (L7).
    pub stop: Stop,
    /// How long it lets in-flight requests and open connections go on.
    pub drain: Drain,
    /// It limits the grace period, or for how long anything reaches the pod.
    pub limit: Option<Limit>,
    /// It provides time that preStop need not.
    pub credit: Option<Credit>,
    /// The names in its formulas.
    #[serde(default)]
    pub params: BTreeMap<String, Param>,
    /// What its owners can set, and where.
    #[serde(default)]
    pub tuning: Vec<Tuning>,
    /// What helps where a sleep does not, or what to do about it in general.
    pub advice: Option<String>,
    /// What earlier versions did.
    #[serde(default)]
    pub version_notes: Vec<VersionNote>,
    /// Where the facts come from: files of its code, pages, issues.
    pub references: Vec<String>,
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
    /// A load balancer outside of the cluster.
    CloudLb,
    /// Announces an address for a node, by ARP or BGP.
    Announcer,
    /// Answers names.
    Dns,
    /// Clients that choose a backend themselves.
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
    /// Documented.
    D,
    /// Reported by maintainers or users.
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
    /// It is in use for a Service for which one of these holds.
    #[serde(default)]
    pub service: Vec<DetectionRule>,
    /// It is installed where one of these holds. Where `service` is empty, it is then in use for every Service.
    #[serde(default)]
    pub cluster: Vec<DetectionRule>,
    /// A match in `service` counts only where one in `cluster` matches too.
    #[serde(default)]
    pub needs_cluster: bool,
    /// It is not in use for a Service for which one of these conditions holds.
    pub opt_out: Option<DetectionRule>,
    /// What to know about it.
    pub note: Option<String>,
}

/// A container on every node whose image tells which release of a traffic source runs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// The namespace of its DaemonSet; any where there is none.
    pub namespace: Option<String>,
    /// The DaemonSet.
    pub daemon_set: String,
    /// The container.
    pub container: String,
}

impl Agent {
    /// Is it this container of that DaemonSet?
    #[must_use]
    pub fn is(&self, namespace: &str, daemon_set: &str, container: &serde_json::Value) -> bool {
        self.namespace.as_ref().is_none_or(|own| own == namespace)
            && self.daemon_set == daemon_set
            && *container == *self.container
    }
}

/// What releases before one did otherwise.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Earlier {
    /// The first release that does as is said beside this.
    pub below: Release,
    /// What earlier ones did while other endpoints were ready.
    pub normal: Normal,
    /// What they did when no endpoint was ready.
    pub when_no_ready: WhenNoReady,
}

/// What a traffic source does with terminating pods.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terminating {
    /// While other endpoints are ready.
    pub normal: Normal,
    /// When no endpoint is ready.
    pub when_no_ready: WhenNoReady,
    /// With `publishNotReadyAddresses`.
    pub publish_not_ready: Option<PublishNotReady>,
    /// The first version that does so.
    pub since: Option<String>,
    /// The flag that switches it.
    pub flag: Option<String>,
    /// What earlier releases did.
    pub earlier: Option<Earlier>,
}

impl Terminating {
    /// Is a release too old for what is said here? Not as far as is known, where it is not known.
    #[must_use]
    pub fn is_earlier(&self, release: Option<Release>) -> bool {
        let first = self.earlier.as_ref().map(|earlier| earlier.below);
        first.zip(release).is_some_and(|(first, own)| own < first)
    }

    /// What a release does with them: while others are ready, and when none is.
    #[must_use]
    pub fn of(&self, release: Option<Release>) -> (Normal, WhenNoReady) {
        match &self.earlier {
            Some(earlier) if self.is_earlier(release) => (earlier.normal, earlier.when_no_ready),
            _ => (self.normal, self.when_no_ready),
        }
    }

    /// It sends to terminating pods while the nodes' data plane does because none is ready: by itself, as that does, or because it chooses
    /// nodes. `everywhere` says that no node uses ready pods, so that every node fails the health checks.
    #[must_use]
    pub fn follows_fallback(&self, everywhere: bool) -> bool {
        match (self.normal, self.when_no_ready) {
            (_, WhenNoReady::ServingTerminating | WhenNoReady::Dataplane)
            | (Normal::IgnoresPods, _) => true,
            (Normal::HealthCheckOnly, WhenNoReady::FailOpenAllTargets)
            | (Normal::DrainingHost, WhenNoReady::PanicAllHosts) => everywhere,
            _ => false,
        }
    }
}

/// What a terminating pod gets while other endpoints are ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Normal {
    /// Nothing new.
    Excluded,
    /// New traffic only from clients with a cookie for it.
    ExcludedStickyKept,
    /// New traffic, as any other.
    Kept,
    /// Nothing new; it is marked as draining.
    DrainingHost,
    /// As the nodes' data plane has it: the traffic source does not know pods.
    IgnoresPods,
    /// As before: only the answer to a health check changes.
    HealthCheckOnly,
    /// Nothing from clients that ask anew: DNS no longer answers with it.
    DnsRecordRemoved,
    /// Requests until it sends GOAWAY.
    UntilGoaway,
    /// New traffic: the delete itself waits.
    BlocksDeletion,
    /// It sends nothing.
    NotApplicable,
    /// Unknown.
    Unknown,
}

/// Which endpoints get traffic when none is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenNoReady {
    /// None.
    None,
    /// Those that terminate and still serve, as in kube-proxy (KEP-1669).
    ServingTerminating,
    /// All, those that fail their checks included (Envoy's panic mode).
    PanicAllHosts,
    /// All targets (a load balancer that fails open).
    FailOpenAllTargets,
    /// Those that the nodes' data plane chooses.
    Dataplane,
    /// It sends nothing.
    NotApplicable,
    /// Unknown.
    Unknown,
}

/// What `publishNotReadyAddresses` does to terminating pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublishNotReady {
    /// They keep getting new traffic.
    Kept,
    /// They do not.
    Excluded,
    /// Unknown.
    Unknown,
}

/// A traffic source tries another pod where one refuses a connection, by default, so that its clients hardly notice.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriesAgain {
    /// What makes it do so, and how often.
    pub how: String,
    /// The settings with which it does not, by the condition that they set: one of them is enough. `set` stands for any value.
    #[serde(default)]
    pub unless: BTreeMap<String, String>,
}

/// What earlier versions did.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionNote {
    /// Which versions.
    pub versions: String,
    /// What they did.
    pub effect: String,
}

static CATALOGUE: LazyLock<Catalogue> =
    // Tests read the whole catalogue, so it is never replaced by an empty one.
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
        let mut all = self.sources.iter().chain(&self.unidentified);
        all.find(|source| source.id == id)
    }

    /// Does the id stand for a traffic source that something names and nobody knows?
    #[must_use]
    pub fn is_unidentified(&self, id: &str) -> bool {
        self.unidentified.iter().any(|source| source.id == id)
    }

    /// A figure that holds for all traffic sources, in seconds.
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
