//! The frozen shape of the report, `drain-check/v1`: `-o json`, `-o yaml` and what the table is drawn from.
//!
//! Unknown is `null`, never absent; lists are sorted; times are RFC 3339 in UTC; durations are seconds, in fields that end in
//! `Seconds`. `docs/schema/report-v1.json` says the same to machines.

mod causes;
mod finding;
mod ids;
mod node_rules;
mod object;
mod recognised;
mod seconds;
mod service;
mod shutdown;
mod sources;
mod timeline;

pub use causes::{Cause, Change, Moments};
pub use finding::{Finding, Location, Suppressed, Template};
pub use ids::{
    Family, InEndpoints, ModeSource, Origin, PathKind, Protocol, ProxyMode, ServiceType, Severity,
    State, Suppressor, Topology, TrafficPolicy, Using, Verdict, VersionSource, When,
};
pub use node_rules::{Difference, Does, LongestSync, NodeRules, Orphan};
pub use object::Object;
pub use recognised::{Figure, Known, KnownSource, Other, Recognised, ServiceSources};
pub use seconds::Seconds;
pub use service::{
    Conditions, ContainerStop, DataPlane, Dns, Endpoint, EndpointReason, HealthCheck,
    HealthOutcome, KubeProxy, LeftOut, Note, Outcome, Path, Port, Service, SessionAffinity,
    SourceRanges, Termination, VersionRange, Why,
};
pub use shutdown::{Container, Owner, PreStop, Reason, Shutdown, Span, Takes};
pub use sources::{
    Advice, Because, Budget, Evidence, GoesOn, MayBe, Moment, Sum, Term, TrafficSource,
};

pub use timeline::{
    Assumption, Eviction, EvictionBudget, LateEnds, Latency, MomentRange, PodLife, Probe,
    ProbeFailure, Remedy, ServiceTimeline, Signal, StateSpan, Timeline, TimelineSummary, Unheard,
    Window, WindowKind, written,
};

use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};

/// The whole answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Always `drain-check/v1`.
    pub api_version: &'static str,
    /// Always `Report`.
    pub kind: &'static str,
    /// What wrote it.
    pub tool: Tool,
    /// The moment it judges by; null where files hold no moment.
    #[serde(serialize_with = "moment")]
    pub as_of: Option<DateTime<Utc>>,
    /// Where the facts come from.
    pub source: Source,
    /// Versions of the whole cluster.
    pub versions: Versions,
    /// What could not be read.
    pub gaps: Vec<Gap>,
    /// One per Service, by namespace and name.
    pub services: Vec<Service>,
    /// What the rules have to say: worst first, or of manifests by file and line.
    pub findings: Vec<Finding>,
    /// What they would have said, had nobody suppressed it, in the same order.
    pub suppressed: Vec<Suppressed>,
    /// How much there is of what.
    pub summary: Summary,
    /// What `lint` read and judged; null elsewhere.
    pub read: Option<Read>,
    /// What nodes' kernels do (`--node-rules`); null where no rules were given.
    pub node_rules: Option<Vec<NodeRules>>,
}

/// What was read of manifests, and what of it was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Read {
    /// Files that hold something of Kubernetes.
    pub files: usize,
    /// Documents in them.
    pub documents: usize,
    /// The objects that rules judged, by kind.
    pub judged: Vec<Counted>,
    /// What was not judged, and where to look instead.
    pub not_judged: Vec<Counted>,
}

/// So many of something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// A kind, or what it is: `HelmRelease`, `Helm chart`.
    pub kind: String,
    /// How many.
    pub count: usize,
    /// Where to look instead; null for what was judged.
    pub help: Option<String>,
}

/// What wrote the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// The package's name.
    pub name: &'static str,
    /// The package's version.
    pub version: &'static str,
}

/// Where the facts come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Source {
    /// A cluster.
    Cluster {
        /// The kubeconfig's context; null without one.
        context: Option<String>,
        /// The namespace that was asked; null for all of them.
        namespace: Option<String>,
    },
    /// Files.
    Files {
        /// Their names as they were given.
        files: Vec<String>,
    },
    /// A recording of a watch.
    Recording {
        /// Its name as it was given.
        file: String,
    },
    /// A scenario that was played forward from what a cluster or files hold.
    Scenario {
        /// In words: `drain node-a`.
        scenario: String,
    },
}

/// Versions of the whole cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Versions {
    /// The API server's, and so the controllers'; null where only a lower bound is known.
    pub server: Option<String>,
    /// What `--kube-version` said.
    pub assumed: Option<String>,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// The resource.
    pub resource: &'static str,
    /// `get` or `list`.
    pub verb: &'static str,
    /// The namespace in which it was tried; null for all of them, and for what belongs to none.
    pub namespace: Option<String>,
    /// Why.
    pub reason: &'static str,
    /// The error's words, where there are any.
    pub message: Option<String>,
    /// The command that asks the API server whether it is allowed; null where the permission is not what is missing.
    pub can_i: Option<String>,
    /// What is not known without it.
    pub consequence: &'static str,
}

/// How much there is of what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Services that were judged.
    pub services: usize,
    /// Findings by severity.
    pub error: usize,
    /// Findings by severity.
    pub warning: usize,
    /// Findings by severity.
    pub info: usize,
    /// Findings that are suppressed, of whatever severity.
    pub suppressed: usize,
}

// Serde hands a reference to the field over.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn moment_of<S: Serializer>(moment: &DateTime<Utc>, out: S) -> Result<S::Ok, S::Error> {
    let text = moment.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    text.serialize(out)
}

// Serde hands a reference to the field over.
#[allow(clippy::ref_option)]
fn moment<S: Serializer>(moment: &Option<DateTime<Utc>>, out: S) -> Result<S::Ok, S::Error> {
    let text = moment.map(|moment| moment.to_rfc3339_opts(chrono::SecondsFormat::Secs, true));
    text.serialize(out)
}
