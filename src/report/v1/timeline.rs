//! A rollout or a drain over time: what `watch`, `replay` and `what-if` tell. Times carry milliseconds.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};

use super::{Finding, Gap, Source, State, Tool, TrafficSource, Versions};

/// What happened to some Services between two moments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    /// Always `drain-check/v1`.
    pub api_version: &'static str,
    /// Always `Timeline`.
    pub kind: &'static str,
    /// What wrote it.
    pub tool: Tool,
    /// Versions of the whole cluster.
    pub versions: Versions,
    /// Where the changes come from.
    pub source: Source,
    /// What could not be read.
    pub gaps: Vec<Gap>,
    /// The first moment that something is known of.
    #[serde(serialize_with = "exact")]
    pub from: DateTime<Utc>,
    /// The last one.
    #[serde(serialize_with = "exact")]
    pub to: DateTime<Utc>,
    /// Times in which nothing was heard although something was listened to.
    pub unheard: Vec<Unheard>,
    /// What was taken for granted.
    pub assumptions: Vec<Assumption>,
    /// One per Service, by namespace and name.
    pub services: Vec<ServiceTimeline>,
    /// What becomes of each eviction of a drain; null but for `what-if drain`.
    pub evictions: Option<Vec<Eviction>>,
    /// What would help, with what would be left then; null but for `what-if`, empty where nothing was found.
    pub remedies: Option<Vec<Remedy>>,
    /// What it comes to where applications take all of their grace period to end; null but for `what-if`, and where that changes nothing.
    pub late_ends: Option<LateEnds>,
    /// What the probe's own connections met; null without a probe.
    pub probe: Option<Probe>,
    /// The traffic sources of all these Services, by their last new connection after a delete.
    pub traffic_sources: Vec<TrafficSource>,
    /// What the rules say at the last moment: worst first.
    pub findings: Vec<Finding>,
    /// The figures.
    pub summary: TimelineSummary,
}

/// A time in which nothing was heard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unheard {
    /// The resource.
    pub resource: String,
    /// When the connection was lost.
    #[serde(serialize_with = "exact")]
    pub from: DateTime<Utc>,
    /// When it was there again; null where it never was.
    #[serde(serialize_with = "perhaps_exact")]
    pub to: Option<DateTime<Utc>>,
    /// Why, in one sentence.
    pub text: String,
}

/// Something that was taken for granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assumption {
    /// Its id.
    pub id: &'static str,
    /// One sentence for people.
    pub text: String,
}

/// One Service over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServiceTimeline {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// What the slices made of it, one after the other; neighbours differ.
    pub states: Vec<StateSpan>,
    /// When connections may have failed, or went to terminating pods alone; by their beginning.
    pub windows: Vec<Window>,
    /// Its pods, by their creation.
    pub pods: Vec<PodLife>,
}

/// A time in which the answer for a Service stayed the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StateSpan {
    /// Its first moment.
    #[serde(serialize_with = "exact")]
    pub from: DateTime<Utc>,
    /// The moment of the next one, or the last moment of all.
    #[serde(serialize_with = "exact")]
    pub to: DateTime<Utc>,
    /// The worst that is true.
    pub state: State,
    /// How many addresses get connections because they are ready.
    pub ready: usize,
    /// How many get connections although they are terminating.
    pub terminating: usize,
    /// One sentence for people.
    pub summary: String,
}

/// What a window says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WindowKind {
    /// A path refuses or drops.
    NoUsableEndpoint,
    /// A traffic source may still send to a pod whose application no longer accepts.
    AtRisk,
    /// New connections go to terminating pods alone.
    TerminatingOnly,
}

impl WindowKind {
    /// The word that reports have for it.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::NoUsableEndpoint => "no-usable-endpoint",
            Self::AtRisk => "at-risk",
            Self::TerminatingOnly => "terminating-only",
        }
    }
}

/// A time in which connections may fail, or are served by terminating pods alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Window {
    /// The earliest moment of its beginning.
    #[serde(serialize_with = "exact")]
    pub from: DateTime<Utc>,
    /// The latest moment of its end; the Timeline's last moment where it has not ended.
    #[serde(serialize_with = "exact")]
    pub to: DateTime<Utc>,
    /// The moments between which it begins, where that is a range.
    pub from_range: Option<MomentRange>,
    /// The moments between which it ends, where that is a range.
    pub to_range: Option<MomentRange>,
    /// It had not ended at the Timeline's last moment.
    pub open: bool,
    /// What it says.
    pub kind: WindowKind,
    /// The path; null where it is about a pod.
    pub path: Option<&'static str>,
    /// Where connections come from, on that path.
    pub origin: Option<&'static str>,
    /// The Service's ports that it is about, by name or number; empty for all of them.
    pub ports: Vec<String>,
    /// The nodes whose connections it is about; empty for all of them.
    pub nodes: Vec<String>,
    /// The pods that it is about.
    pub pods: Vec<String>,
    /// The traffic source that may still send, by its id.
    pub traffic_source: Option<&'static str>,
    /// New connections surely met this, if there were any.
    pub certain: bool,
    /// Why: an id.
    pub reason: &'static str,
    /// The same in one sentence.
    pub text: String,
}

/// Two moments between which something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MomentRange {
    /// The earliest.
    #[serde(serialize_with = "exact")]
    pub min: DateTime<Utc>,
    /// The latest.
    #[serde(serialize_with = "exact")]
    pub max: DateTime<Utc>,
}

/// A moment that nobody reports: a range, from the model or narrowed by what was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Signal {
    /// The earliest.
    #[serde(serialize_with = "exact")]
    pub min: DateTime<Utc>,
    /// The latest.
    #[serde(serialize_with = "exact")]
    pub max: DateTime<Utc>,
    /// Something that was seen narrowed it; else it is the shutdown model's alone.
    pub measured: bool,
}

/// A pod's life, as far as it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodLife {
    /// Its name.
    pub name: String,
    /// Its uid, where it is known: a StatefulSet gives one name to many.
    pub uid: Option<String>,
    /// Its node.
    pub node: Option<String>,
    /// When it was created.
    #[serde(serialize_with = "perhaps_exact")]
    pub created_at: Option<DateTime<Utc>>,
    /// When it was bound to its node.
    #[serde(serialize_with = "perhaps_exact")]
    pub scheduled_at: Option<DateTime<Utc>>,
    /// When all its containers ran for the first time.
    #[serde(serialize_with = "perhaps_exact")]
    pub started_at: Option<DateTime<Utc>>,
    /// When it was Ready for the first time.
    #[serde(serialize_with = "perhaps_exact")]
    pub ready_at: Option<DateTime<Utc>>,
    /// When its delete was requested; the first, where there were several.
    #[serde(serialize_with = "perhaps_exact")]
    pub deleted_at: Option<DateTime<Utc>>,
    /// The grace period that the API server granted, in seconds.
    pub grace_seconds: Option<i64>,
    /// When its first container got SIGTERM.
    pub sigterm_at: Option<Signal>,
    /// When its last container gets SIGKILL if it is still there.
    pub sigkill_at: Option<Signal>,
    /// When it was no longer Ready, or its endpoint no longer serving, before it ended.
    #[serde(serialize_with = "perhaps_exact")]
    pub unready_at: Option<DateTime<Utc>>,
    /// When its last container had ended, as the kubelet reported it: whole seconds.
    #[serde(serialize_with = "perhaps_exact")]
    pub ended_at: Option<DateTime<Utc>>,
    /// What its containers ended with.
    pub exit_codes: BTreeMap<String, i32>,
    /// Why they ended, in the kubelet's words, where it said so.
    pub exit_reasons: BTreeMap<String, String>,
    /// When it was out of the slices.
    #[serde(serialize_with = "perhaps_exact")]
    pub left_slices_at: Option<DateTime<Utc>>,
    /// When the object was gone.
    #[serde(serialize_with = "perhaps_exact")]
    pub gone_at: Option<DateTime<Utc>>,
}

/// What becomes of an eviction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Eviction {
    /// The pod, with its namespace.
    pub pod: String,
    /// Its node.
    pub node: String,
    /// When it is allowed, refused or given up.
    #[serde(serialize_with = "perhaps_exact")]
    pub at: Option<DateTime<Utc>>,
    /// `allowed`, `waits`, `never` or `refused`.
    pub decision: &'static str,
    /// Why, in one sentence.
    pub because: String,
    /// The budget that decides; null without one.
    pub budget: Option<EvictionBudget>,
}

/// The numbers of a budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvictionBudget {
    /// Its name.
    pub name: String,
    /// How many healthy pods it asks for.
    pub needs: i64,
    /// How many there are.
    pub has: i64,
}

/// What would help: the same scenario, played as if this had been set for long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Remedy {
    /// What would be set: `deploy/web.replicas=2`, as `--set` takes it.
    pub set: Vec<String>,
    /// No window would be left, and no eviction held up.
    pub loses_nothing: bool,
    /// The figures that would be left.
    pub summary: TimelineSummary,
    /// How many Services would still have a window.
    pub services: usize,
    /// How many evictions would never be allowed, or be refused.
    pub held_evictions: usize,
}

/// The same, where applications whose end nobody says take all of their grace period, and not none of it. The truth lies between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LateEnds {
    /// The last moment.
    #[serde(serialize_with = "exact")]
    pub to: DateTime<Utc>,
    /// The figures.
    pub summary: TimelineSummary,
    /// How many evictions would never be allowed, or be refused.
    pub held_evictions: usize,
}

/// What the probe's own connections met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Probe {
    /// The address.
    pub url: String,
    /// How many connections were opened.
    pub sent: usize,
    /// How many failed.
    pub failed: usize,
    /// How many of those lie in no window.
    pub unexplained: usize,
    /// Those that failed, in order.
    pub failures: Vec<ProbeFailure>,
    /// How long the others took.
    pub latency_ms: Option<Latency>,
}

/// A connection of the probe that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProbeFailure {
    /// When it was opened.
    #[serde(serialize_with = "exact")]
    pub at: DateTime<Utc>,
    /// `refused`, `reset`, `timeout`, `tls`, `status` or `other`.
    pub kind: String,
    /// The HTTP status, where that is what failed.
    pub status: Option<u16>,
    /// The place of the window that explains it, among those of all Services in their order; null for none.
    pub window: Option<usize>,
}

/// How long connections took, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Latency {
    /// Half of them took at most this.
    pub p50: super::Seconds,
    /// 99 of 100 took at most this.
    pub p99: super::Seconds,
}

/// For how long some Service had what, in seconds; times at which several had it count once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TimelineSummary {
    /// Some path refused or dropped.
    pub no_usable_endpoint_seconds: super::Seconds,
    /// New connections went to terminating pods alone.
    pub terminating_only_seconds: super::Seconds,
    /// A traffic source may have sent to a pod that no longer accepted.
    pub at_risk_seconds: super::Seconds,
}

impl Timeline {
    /// How many Services have a window.
    #[must_use]
    pub fn losing(&self) -> usize {
        let services = self.services.iter();
        services.filter(|one| !one.windows.is_empty()).count()
    }
}

/// A moment to the millisecond.
#[must_use]
pub fn written(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Millis, true)
}

// Serde hands a reference to the field over.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn exact<S: Serializer>(moment: &DateTime<Utc>, out: S) -> Result<S::Ok, S::Error> {
    written(*moment).serialize(out)
}

// Serde hands a reference to the field over.
#[allow(clippy::ref_option)]
fn perhaps_exact<S: Serializer>(moment: &Option<DateTime<Utc>>, out: S) -> Result<S::Ok, S::Error> {
    moment.map(written).serialize(out)
}
