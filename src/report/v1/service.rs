//! A Service as the report tells it.

use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};

use super::ids::{
    Family, InEndpoints, ModeSource, Origin, PathKind, Protocol, ProxyMode, ServiceType, State,
    Topology, TrafficPolicy, Using, Verdict, VersionSource,
};
use super::{Cause, Change, Evidence, Moments, Shutdown, TrafficSource, moment};
use crate::facts::names::Names;

/// The answer for one Service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Service {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// `spec.type`.
    #[serde(rename = "type")]
    pub kind: ServiceType,
    /// It has no cluster IP on purpose.
    pub headless: bool,
    /// Its cluster IPs.
    #[serde(rename = "clusterIPs")]
    pub cluster_ips: Vec<String>,
    /// `Cluster` or `Local`.
    pub internal_traffic_policy: TrafficPolicy,
    /// `Cluster`, `Local`, or null where the field is absent.
    pub external_traffic_policy: Option<TrafficPolicy>,
    /// `spec.publishNotReadyAddresses`.
    pub publish_not_ready_addresses: bool,
    /// The worst that is true.
    pub state: State,
    /// The state as far as could be read, for people; `None` where no path was.
    #[serde(skip)]
    pub state_as_read: Option<State>,
    /// Why kube-proxy does not handle it; null if it does.
    pub not_proxied_because: Option<&'static str>,
    /// One or two sentences for people.
    pub summary: String,
    /// Why it has no ready pod, or fewer than wanted; what holds back most first.
    pub causes: Vec<Cause>,
    /// What happens next to new connections if nothing changes, in order.
    pub forecast: Vec<Change>,
    /// What to know about the answer.
    pub notes: Vec<Note>,
    /// `spec.sessionAffinity: ClientIP` and what it means; null without it.
    pub session_affinity: Option<SessionAffinity>,
    /// Terminating pods that the EndpointSlices leave out, by name: they get no new connections.
    pub left_out: Vec<LeftOut>,
    /// What DNS returns for a Service without cluster IP; null for others.
    pub dns: Option<Dns>,
    /// Its endpoints, by node, pod and address.
    pub endpoints: Vec<Endpoint>,
    /// Its ports, as the Service lists them.
    pub ports: Vec<Port>,
    /// `spec.healthCheckNodePort` and what each node answers there.
    pub health_check_node_port: Option<HealthCheck>,
    /// The same question put to every version that the model knows, with default feature gates.
    pub by_version: Vec<VersionRange>,
    /// What routes it in kube-proxy's place; null where kube-proxy does.
    pub data_plane: Option<DataPlane>,
    /// The traffic sources of its pods, by their last new connection after a delete.
    pub traffic_sources: Vec<TrafficSource>,
    /// The shutdown of each workload behind the Service; null where it was not worked out.
    pub shutdown: Option<Vec<Shutdown>>,
}

/// What routes a Service in kube-proxy's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DataPlane {
    /// Its id in the catalogue; `docs/sources.md` has a section for each.
    pub id: &'static str,
    /// As people call it.
    pub name: &'static str,
    /// Its release, by the images of its agents; null where they do not tell.
    pub version: Option<String>,
    /// How sure its rules are.
    pub confidence: &'static str,
    /// What shows it.
    pub evidence: Vec<Evidence>,
}

impl DataPlane {
    /// Its name, with its release where that is known.
    #[must_use]
    pub fn named(&self) -> String {
        match &self.version {
            Some(version) => format!("{} {version}", self.name),
            None => self.name.to_owned(),
        }
    }
}

/// Something to know about the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The note's id; `explain` tells more.
    pub id: &'static str,
    /// One or two sentences for people.
    pub text: String,
}

/// `spec.sessionAffinity`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionAffinity {
    /// Always `ClientIP`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// For how long a client stays with its pod at most.
    pub timeout_seconds: i64,
    /// What becomes of a pod's clients when it turns terminating, for people.
    pub text: String,
}

/// A terminating pod that is in no EndpointSlice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Its name.
    pub pod: String,
    /// Its node; null without one.
    pub node: Option<String>,
    /// Always `terminating-not-in-slices`.
    pub reason: &'static str,
    /// The same in words, after the pod's name.
    pub text: &'static str,
}

/// What DNS returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dns {
    /// The addresses of a headless Service.
    pub addresses: Vec<String>,
    /// The name that an `ExternalName` Service is an alias of.
    pub alias: Option<String>,
}

/// One endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    /// Its address.
    pub address: String,
    /// The pod that it names.
    pub pod: Option<String>,
    /// Its node.
    pub node: Option<String>,
    /// Its zone.
    pub zone: Option<String>,
    /// The slices that list it.
    pub slices: Vec<String>,
    /// Its conditions as written.
    pub conditions: Conditions,
    /// What its conditions should be, predicted from the pod or the Endpoints object; null without those.
    pub expected_conditions: Option<Conditions>,
    /// Where the Endpoints object lists it; null without one.
    pub endpoints_object: Option<InEndpoints>,
    /// The pod's STATUS, as kubectl prints it; null without the pod.
    pub pod_status: Option<String>,
    /// The pod's READY, as kubectl prints it; null without the pod.
    pub pod_ready: Option<String>,
    /// The pod's end; null if none was asked for, or without the pod.
    pub termination: Option<Termination>,
}

/// Conditions; null where the slice is silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Conditions {
    /// `ready`.
    pub ready: Option<bool>,
    /// `serving`.
    pub serving: Option<bool>,
    /// `terminating`.
    pub terminating: Option<bool>,
}

/// A pod's end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Termination {
    /// When it was asked for.
    #[serde(serialize_with = "moment")]
    pub requested_at: Option<DateTime<Utc>>,
    /// When the grace ends.
    #[serde(serialize_with = "moment")]
    pub deadline: Option<DateTime<Utc>>,
    /// The grace that was granted.
    pub grace_seconds: Option<i64>,
    /// How far it is; null where the moment to judge by is not known.
    pub phase: Option<&'static str>,
    /// Why it is still there although it should have gone; null if that is not so.
    pub stuck: Option<&'static str>,
    /// What was observed that tells that cause.
    pub evidence: Vec<String>,
    /// Who deleted it, where the pod says so.
    pub by: Option<&'static str>,
    /// The phase, or why it is stuck, in one sentence; null where neither is known.
    pub text: Option<&'static str>,
    /// When each container gets SIGTERM and SIGKILL, main ones first; empty where it is not known.
    pub containers: Vec<ContainerStop>,
}

/// A container's end in a pod that is being deleted, as moments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerStop {
    /// Its name.
    pub name: String,
    /// `main`, `sidecar`, `init` or `ephemeral`.
    pub kind: &'static str,
    /// When it gets its SIGTERM; null where it ended before.
    pub sigterm_at: Option<Moments>,
    /// When it is killed if it is still there; null where it ended before.
    pub sigkill_at: Option<Moments>,
    /// When it ended; null where it runs, or where its status does not say.
    #[serde(serialize_with = "moment")]
    pub ended_at: Option<DateTime<Utc>>,
    /// What it ended with; null likewise.
    pub exit_code: Option<i32>,
    /// Why these are ranges, or other than the template lets expect: ids and sentences.
    pub reasons: Vec<Note>,
}

/// One Service port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Port {
    /// Its name; empty where the Service gives none.
    pub name: String,
    /// Its number.
    pub port: u16,
    /// What the pods listen on: a number, or the name of a container's port.
    pub target_port: String,
    /// The port on every node.
    pub node_port: Option<u16>,
    /// TCP, UDP or SCTP.
    pub protocol: Protocol,
    /// Its paths; only those that it has.
    pub paths: Vec<Path>,
}

impl Port {
    /// Its name, or its number if it has none.
    #[must_use]
    pub fn label(&self) -> String {
        if self.name.is_empty() {
            self.port.to_string()
        } else {
            self.name.clone()
        }
    }
}

/// One path of a port, from one kind of place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Path {
    /// The address that connections are made to.
    pub path: PathKind,
    /// Its family.
    pub family: Family,
    /// Where connections come from: `anywhere`, `outside`, `inside`; `pods` and `node` where those two differ.
    pub from: Origin,
    /// How those who connect stand to `spec.loadBalancerSourceRanges`; null where that holds nobody back.
    pub source_ranges: Option<SourceRanges>,
    /// The policy that decides.
    pub policy: TrafficPolicy,
    /// Nodes with the same answer together; every node is in exactly one.
    pub outcomes: Vec<Outcome>,
}

/// How those who connect stand to `spec.loadBalancerSourceRanges`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceRanges {
    /// In one of them.
    In,
    /// In none of them: dropped, as the Service asks for.
    Out,
}

/// What some nodes do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Their names.
    #[serde(serialize_with = "names")]
    pub nodes: Names,
    /// The kube-proxy that decides; null where another data plane does.
    pub kube_proxy: Option<KubeProxy>,
    /// What happens to a new connection.
    pub verdict: Verdict,
    /// Which kind of endpoints it goes to; null if it goes nowhere.
    pub using: Option<Using>,
    /// How topology narrowed them; null if it did not.
    pub topology: Option<Topology>,
    /// The endpoints that new connections go to.
    pub backends: Vec<String>,
    /// One for each endpoint.
    pub reasons: Vec<EndpointReason>,
}

/// The kube-proxy that decides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KubeProxy {
    /// Its version.
    pub version: String,
    /// How its version is known.
    pub version_from: VersionSource,
    /// Its mode.
    pub mode: ProxyMode,
    /// How its mode is known.
    pub mode_from: ModeSource,
}

/// Why one endpoint is used or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EndpointReason {
    /// `ip:port`.
    pub endpoint: String,
    /// `selected` or `rejected`.
    pub verdict: &'static str,
    /// The reason's id; `explain` tells more.
    pub reason: Why,
}

/// Why an endpoint is used or not. JSON has the id; the words are for tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Why {
    /// Its place among all reasons, what tells least first.
    pub rank: usize,
    /// The id.
    pub id: &'static str,
    /// One sentence.
    pub text: &'static str,
    /// A few words, as a part of a sentence; empty for what needs none.
    pub phrase: &'static str,
}

impl Serialize for Why {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        self.id.serialize(out)
    }
}

/// `spec.healthCheckNodePort`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HealthCheck {
    /// The port.
    pub port: u16,
    /// What nodes answer there.
    pub outcomes: Vec<HealthOutcome>,
}

impl HealthCheck {
    /// How many nodes there are, as those say that are asked over a family.
    #[must_use]
    pub fn nodes(&self, family: Option<Family>) -> usize {
        let outcomes = self.outcomes.iter();
        let these = outcomes.filter(|outcome| outcome.family == family);
        these.map(|outcome| outcome.nodes.len()).sum()
    }
}

/// What some nodes answer on the health check port while their kube-proxy is healthy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HealthOutcome {
    /// Their names.
    #[serde(serialize_with = "names")]
    pub nodes: Names,
    /// The family of the address that is asked; null for every family of the Service.
    pub family: Option<Family>,
    /// 200 or 503.
    pub status: u16,
    /// How many ready endpoints each has.
    pub local_endpoints: usize,
}

/// A range of versions with the same answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionRange {
    /// The first version.
    pub from: String,
    /// The last version; null for the newest known and later ones.
    pub to: Option<String>,
    /// Some kube-proxy of this cluster has such a version.
    pub this_cluster: bool,
    /// The answer.
    pub state: State,
    /// A few words for people.
    pub summary: String,
}

fn names<S: Serializer>(names: &Names, out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(names.iter().map(|name| &**name))
}
