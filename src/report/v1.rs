//! The frozen shape of the report, `drain-check/v1`: `-o json`, `-o yaml` and what the table is drawn from.
//!
//! Unknown is `null`, never absent; lists are sorted; durations are seconds.

use chrono::{DateTime, Utc};
use serde::Serialize;

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
    /// The moment it judges by.
    pub as_of: Option<DateTime<Utc>>,
    /// Where the facts come from.
    pub source: Source,
    /// Versions of the whole cluster.
    pub versions: Versions,
    /// What could not be read.
    pub gaps: Vec<Gap>,
    /// One per Service.
    pub services: Vec<Service>,
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
    /// Files.
    Files {
        /// Their names as they were given.
        files: Vec<String>,
    },
}

/// Versions of the whole cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Versions {
    /// The API server's; null in files.
    pub server: Option<String>,
    /// What `--kube-version` said.
    pub assumed: Option<String>,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// The resource.
    pub resource: &'static str,
    /// `get` or `list`.
    pub verb: &'static str,
    /// Why.
    pub reason: &'static str,
    /// What is not known without it.
    pub consequence: &'static str,
}

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
    pub kind: &'static str,
    /// It has no cluster IP.
    pub headless: bool,
    /// `Cluster` or `Local`.
    pub internal_traffic_policy: &'static str,
    /// `Cluster`, `Local`, or null where the field is absent.
    pub external_traffic_policy: Option<&'static str>,
    /// `spec.publishNotReadyAddresses`.
    pub publish_not_ready_addresses: bool,
    /// The worst that is true.
    pub state: State,
    /// One sentence for people.
    pub summary: String,
    /// Its endpoints, by address.
    pub endpoints: Vec<Endpoint>,
    /// Its ports, as the Service lists them.
    pub ports: Vec<Port>,
    /// `spec.healthCheckNodePort` and what each node answers there.
    pub health_check_node_port: Option<HealthCheck>,
    /// The same question put to every version that the model knows.
    pub by_version: Vec<VersionRange>,
}

/// The worst that is true of a Service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// All paths on all nodes use ready endpoints.
    Healthy,
    /// Some node or path drops, rejects or uses terminating endpoints while others use ready ones.
    Degraded,
    /// Everything that forwards uses terminating endpoints, because none is ready.
    TerminatingOnly,
    /// No path on any node forwards.
    NoBackends,
    /// kube-proxy does not handle the Service.
    NotProxied,
}

/// One endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    /// Its address.
    pub address: String,
    /// The pod behind it.
    pub pod: Option<String>,
    /// Its node.
    pub node: Option<String>,
    /// Its zone.
    pub zone: Option<String>,
    /// The slices that list it.
    pub slices: Vec<String>,
    /// Its conditions as written.
    pub conditions: Conditions,
    /// The pod's STATUS, as kubectl prints it; null without the pod.
    pub pod_status: Option<String>,
    /// The pod's READY, as kubectl prints it; null without the pod.
    pub pod_ready: Option<String>,
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

/// One Service port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Port {
    /// Its name; empty where the Service gives none.
    pub name: String,
    /// Its number.
    pub port: u16,
    /// TCP, UDP or SCTP.
    pub protocol: &'static str,
    /// Its paths; only those that it has.
    pub paths: Vec<Path>,
}

/// One path of a port, from one kind of place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Path {
    /// `clusterIP`, `nodePort`, `loadBalancer` or `externalIP`.
    pub path: &'static str,
    /// `IPv4` or `IPv6`.
    pub family: &'static str,
    /// `anywhere`, `outside`, `inside`; `pods` and `node` where those two differ.
    pub from: &'static str,
    /// `Cluster` or `Local`.
    pub policy: &'static str,
    /// Nodes with the same answer together; every node is in exactly one.
    pub outcomes: Vec<Outcome>,
}

/// What some nodes do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Their names.
    pub nodes: Vec<String>,
    /// The kube-proxy that decides.
    pub kube_proxy: KubeProxy,
    /// `forward`, `reject` or `drop`.
    pub verdict: &'static str,
    /// `ready`, `terminating` or null.
    pub using: Option<&'static str>,
    /// `zone`, `node` or null.
    pub topology: Option<&'static str>,
    /// The endpoints that new connections go to.
    pub backends: Vec<String>,
    /// One for each endpoint.
    pub reasons: Vec<EndpointReason>,
}

/// The kube-proxy that decides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct KubeProxy {
    /// Its version.
    pub version: String,
    /// `iptables`, `nftables`, `ipvs` or `winkernel`.
    pub mode: &'static str,
}

/// Why one endpoint is used or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EndpointReason {
    /// `ip:port`.
    pub endpoint: String,
    /// `selected` or `rejected`.
    pub verdict: &'static str,
    /// The reason's id; `explain` tells more.
    pub reason: &'static str,
}

/// `spec.healthCheckNodePort`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HealthCheck {
    /// The port.
    pub port: u16,
    /// What nodes answer there.
    pub outcomes: Vec<HealthOutcome>,
}

/// What some nodes answer on the health check port while their kube-proxy is healthy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HealthOutcome {
    /// Their names.
    pub nodes: Vec<String>,
    /// 200 or 503.
    pub status: u16,
    /// How many ready endpoints each has.
    pub local_endpoints: usize,
}

/// A range of versions with the same answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VersionRange {
    /// The first version.
    pub from: String,
    /// The last version; null for the newest known and later ones.
    pub to: Option<String>,
    /// The answer.
    pub state: State,
    /// One sentence for people.
    pub summary: String,
}
