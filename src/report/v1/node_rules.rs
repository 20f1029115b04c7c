//! What nodes' kernels do, as their dumped rules say, held against what they should do.

use serde::Serialize;

use super::{Family, PathKind, Protocol, ProxyMode, Seconds, SourceRanges};

/// One node whose rules were given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeRules {
    /// The node.
    pub node: String,
    /// The mode whose rules they are; null where none could be read.
    pub mode: Option<ProxyMode>,
    /// The families that were dumped.
    pub family: Vec<Family>,
    /// All files of the node could be read.
    pub read: bool,
    /// Why a file could not be read, or why the rules may not be this node's; null without such.
    pub problem: Option<String>,
    /// What to know besides.
    pub notes: Vec<String>,
    /// How long its rules may lag behind the slices; null where none could be read.
    pub longest_sync: Option<LongestSync>,
    /// How many decisions the Services of the input ask for.
    pub decisions: usize,
    /// In how many the node does as it should.
    pub agree: usize,
    /// The others.
    pub differences: Vec<Difference>,
    /// What the node has rules for that no Service asks for; null where not all Services were read.
    pub orphans: Option<Vec<Orphan>>,
}

/// How long a node's rules may lag behind the slices although its kube-proxy works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LongestSync {
    /// Seconds.
    pub seconds: Seconds,
    /// `config` (kube-proxy's ConfigMap), `default` (it sets none) or `assumed` (it was not read).
    pub from: &'static str,
}

/// A decision in which a node differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// `namespace/name`.
    pub service: String,
    /// The Service port's name.
    pub port_name: String,
    /// The protocol.
    pub protocol: Protocol,
    /// The family of the address.
    pub family: Family,
    /// The path.
    pub path: PathKind,
    /// The address.
    pub address: String,
    /// The port.
    pub port: u16,
    /// `outside`, `pods` or `node`.
    pub from: &'static str,
    /// How they stand to the source ranges.
    pub source_ranges: Option<SourceRanges>,
    /// `stale`, `missing`, `different` or `not-understood`.
    pub kind: &'static str,
    /// A sync may be under way; null where nothing tells when the slices changed.
    pub in_flight: Option<bool>,
    /// Where the node sends to, though no slice of the Service has it any more.
    pub gone: Vec<String>,
    /// What the node does.
    pub node: Does,
    /// What it should do.
    pub model: Does,
    /// The same in a few words.
    pub text: String,
}

/// What becomes of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Does {
    /// The verdict.
    pub verdict: &'static str,
    /// Where it may go.
    pub backends: Vec<String>,
}

/// Rules that no Service asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Orphan {
    /// The address; null for a port of the node.
    pub address: Option<String>,
    /// The port.
    pub port: u16,
    /// The protocol.
    pub protocol: Protocol,
    /// The Service that the rules name; null where they name none.
    pub service: Option<String>,
}
