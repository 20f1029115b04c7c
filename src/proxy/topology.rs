//! Which endpoints topology lets a node use: hints (KEP-2433, KEP-4444, KEP-3015) and, up to 1.21, topology keys.
//!
//! Source: `pkg/proxy/topology.go`.

use std::collections::BTreeMap;

use super::ingest::Candidate;
use crate::facts::service::Service;
use crate::gates::behaviour::{Behaviour, HintAnnotation, HintScope};

const HINTS_ANNOTATION: &str = "service.kubernetes.io/topology-aware-hints";
const MODE_ANNOTATION: &str = "service.kubernetes.io/topology-mode";

/// How topology narrows the endpoints of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topology {
    /// To those hinted to its zone.
    Zone,
    /// To those hinted to the node itself.
    Node,
}

/// Does the Service's annotation let this kube-proxy use zone hints?
#[must_use]
pub fn annotation_allows(service: &Service, behaviour: &Behaviour) -> bool {
    let old = service.annotations.get(HINTS_ANNOTATION);
    match behaviour.hint_annotation {
        HintAnnotation::NotNeeded => true,
        HintAnnotation::LowerAuto => old.is_some_and(|value| value == "auto"),
        HintAnnotation::Auto => old.is_some_and(|value| value == "auto" || value == "Auto"),
        HintAnnotation::AnyButDisabled => old
            .or_else(|| service.annotations.get(MODE_ANNOTATION))
            .is_some_and(|value| !matches!(value.as_str(), "" | "Disabled" | "disabled")),
    }
}

/// Is this endpoint hinted to the node, in the way that was found usable?
#[must_use]
pub fn hinted(
    candidate: &Candidate<'_>,
    topology: Topology,
    node: &str,
    zone: Option<&str>,
) -> bool {
    match topology {
        Topology::Node => candidate.written.node_hints.iter().any(|hint| hint == node),
        Topology::Zone => candidate
            .written
            .zone_hints
            .iter()
            .any(|hint| hint == zone.unwrap_or_default()),
    }
}

/// Why a node does not use hints that exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HintsRefused {
    /// This kube-proxy does not read such hints: its version is too old, or a gate is off.
    NotRead,
    /// This kube-proxy wants an annotation on the Service that is not there.
    NotAnnotated,
    /// The node has no zone that kube-proxy knows of.
    NoZone,
    /// Some endpoint that counts carries no hint; it is all or nothing.
    Incomplete,
    /// No endpoint that counts is hinted to this node or its zone.
    NoneForThisNode,
}

impl HintsRefused {
    /// Every reason, for documentation and completeness tests.
    pub const ALL: [Self; 5] = [
        Self::NotRead,
        Self::NotAnnotated,
        Self::NoZone,
        Self::Incomplete,
        Self::NoneForThisNode,
    ];

    /// The stable id that reports and `explain` use.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::NotRead => "hints-not-read",
            Self::NotAnnotated => "service-not-annotated",
            Self::NoZone => "node-without-zone",
            Self::Incomplete => "hints-incomplete",
            Self::NoneForThisNode => "no-hint-for-node",
        }
    }
}

/// Which hints this node may use: all or nothing over the endpoints in scope. Without a usable hint, the error is the first condition that is not met.
pub fn judge_hints(
    service: &Service,
    candidates: &[&Candidate<'_>],
    node: &str,
    zone: Option<&str>,
    behaviour: &Behaviour,
) -> Result<Topology, HintsRefused> {
    let scope: Vec<_> = candidates
        .iter()
        .filter(|candidate| behaviour.hint_scope == HintScope::All || candidate.ready)
        .collect();
    let complete = |topology: Topology, has_hints: fn(&Candidate<'_>) -> bool| {
        if scope.is_empty() || !scope.iter().all(|candidate| has_hints(candidate)) {
            Err(HintsRefused::Incomplete)
        } else if scope
            .iter()
            .any(|candidate| hinted(candidate, topology, node, zone))
        {
            Ok(topology)
        } else {
            Err(HintsRefused::NoneForThisNode)
        }
    };
    if behaviour.node_hints {
        let by_node = complete(Topology::Node, |c| !c.written.node_hints.is_empty());
        if by_node.is_ok() {
            return by_node;
        }
    }
    if !behaviour.zone_hints {
        return Err(HintsRefused::NotRead);
    }
    if !annotation_allows(service, behaviour) {
        return Err(HintsRefused::NotAnnotated);
    }
    let by_zone = complete(Topology::Zone, |c| !c.written.zone_hints.is_empty());
    let no_zone = !behaviour.knows_node_labels || zone.is_none();
    if no_zone && !(behaviour.empty_zone_hint && by_zone.is_ok()) {
        return Err(HintsRefused::NoZone);
    }
    by_zone
}

/// Which hints this node uses, if any.
#[must_use]
pub fn usable_hints(
    service: &Service,
    candidates: &[&Candidate<'_>],
    node: &str,
    zone: Option<&str>,
    behaviour: &Behaviour,
) -> Option<Topology> {
    judge_hints(service, candidates, node, zone, behaviour).ok()
}

/// The indexes of the candidates that `spec.topologyKeys` leaves, in order.
#[must_use]
pub fn matching_keys(
    keys: &[String],
    candidates: &[&Candidate<'_>],
    labels: &BTreeMap<String, String>,
) -> Vec<usize> {
    let all = || (0..candidates.len()).collect();
    if keys.is_empty() {
        return all();
    }
    if labels.is_empty() {
        return if keys.last().is_some_and(|key| key == "*") {
            all()
        } else {
            Vec::new()
        };
    }
    for key in keys {
        if key == "*" {
            return all();
        }
        let Some(value) = labels.get(key) else {
            continue;
        };
        let matches: Vec<_> = (0..candidates.len())
            .filter(|index| candidates[*index].written.topology.get(key) == Some(value))
            .collect();
        if !matches.is_empty() {
            return matches;
        }
    }
    Vec::new()
}
