//! Which endpoints does kube-proxy put into its two lists for a Service port on a node: for policy Cluster, and for policy Local?
//!
//! Sources: `pkg/proxy/topology.go` (`CategorizeEndpoints`, since 1.24; `FilterEndpoints` before), `pkg/proxy/iptables/proxier.go`.

use std::collections::{BTreeMap, BTreeSet};

use super::ingest::Candidate;
use super::reason::Reason;
use super::topology;
use super::topology::Topology;
use crate::facts::node::Node;
use crate::facts::service::Service;
use crate::gates::behaviour::{Behaviour, Generation};

/// The node whose kube-proxy selects, as far as that depends on the node.
#[derive(Debug, Clone, Copy)]
pub struct NodeView<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its zone, if it has one.
    pub zone: Option<&'a str>,
    /// Its labels, which only topology keys read.
    pub labels: &'a BTreeMap<String, String>,
}

impl<'a> From<&'a Node> for NodeView<'a> {
    fn from(node: &'a Node) -> Self {
        Self {
            name: &node.name,
            zone: node.zone(),
            labels: &node.labels,
        }
    }
}

/// Which kind of endpoints a list holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Using {
    /// Ready ones.
    Ready,
    /// Terminating ones that still serve.
    Terminating,
}

/// A list with one reason for each candidate, in the candidates' order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// One per candidate.
    pub reasons: Vec<Reason>,
    /// What the list holds; `None` when it is empty.
    pub using: Option<Using>,
    /// How topology narrowed it.
    pub topology: Option<Topology>,
}

impl List {
    /// Does it hold nothing?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.using.is_none()
    }
}

/// What the policies of a Service port come to, for one family and one kube-proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policies {
    /// `internalTrafficPolicy: Local` counts.
    pub internal_local: bool,
    /// `externalTrafficPolicy: Local` counts.
    pub external_local: bool,
    /// The port can be reached from outside.
    pub externally_accessible: bool,
}

/// Both lists, and whether the Service counts as having endpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists {
    /// For policy Cluster.
    pub cluster: List,
    /// For policy Local.
    pub local: List,
    /// A usable endpoint exists somewhere; if not, every path rejects.
    pub any: bool,
}

/// Why an endpoint in scope is not used, given what the list holds instead.
fn passed_over(candidate: &Candidate<'_>, chosen: Option<Using>, fallback: bool) -> Reason {
    if !candidate.terminating {
        return Reason::NotReady;
    }
    match (candidate.serving, chosen) {
        (false, _) => Reason::NotServing,
        (true, Some(Using::Ready)) => Reason::TerminatingWhileReady,
        (true, _) if !fallback => Reason::NoFallback,
        (true, _) => Reason::NotReady,
    }
}

/// Is a candidate in scope, or why not?
type Scope = Result<(), Reason>;

/// Makes a list: the ready candidates in scope, else (with `terminating`) the terminating ones in scope that still serve.
fn pick(
    candidates: &[&Candidate<'_>],
    scope: impl Iterator<Item = Scope> + Clone,
    ready: Reason,
    terminating: Option<Reason>,
) -> List {
    let scoped = candidates.iter().zip(scope);
    let within = || scoped.clone().filter(|(_, scope)| scope.is_ok());
    let using = if within().any(|(candidate, _)| candidate.ready) {
        Some(Using::Ready)
    } else if terminating.is_some() && within().any(|(candidate, _)| candidate.can_fall_back()) {
        Some(Using::Terminating)
    } else {
        None
    };
    let reasons = scoped
        .map(|(candidate, scope)| match (scope, using, terminating) {
            (Err(why), _, _) => why,
            (Ok(()), Some(Using::Ready), _) if candidate.ready => ready,
            (Ok(()), Some(Using::Terminating), Some(why)) if candidate.can_fall_back() => why,
            _ => passed_over(candidate, using, terminating.is_some()),
        })
        .collect();
    List {
        reasons,
        using,
        topology: None,
    }
}

fn on_node(candidate: &Candidate<'_>, node: &NodeView<'_>) -> bool {
    !node.name.is_empty() && candidate.node == Some(node.name)
}

/// The ready endpoints of this node, else (with `fallback`) its terminating ones that still serve.
pub(super) fn on_this_node(
    candidates: &[&Candidate<'_>],
    node: &NodeView<'_>,
    fallback: bool,
) -> List {
    let scope = candidates.iter().map(|candidate| {
        on_node(candidate, node)
            .then_some(())
            .ok_or(Reason::OnOtherNode)
    });
    pick(
        candidates,
        scope,
        Reason::ReadyOnNode,
        fallback.then_some(Reason::TerminatingFallbackOnNode),
    )
}

/// The lists of a node.
#[must_use]
pub fn lists(
    service: &Service,
    policies: Policies,
    candidates: &[&Candidate<'_>],
    node: &NodeView<'_>,
    behaviour: &Behaviour,
) -> Lists {
    match behaviour.generation {
        Generation::Categorised => categorised(service, policies, candidates, node, behaviour),
        _ => filtered(service, policies, candidates, node, behaviour),
    }
}

/// 1.24 and later: `CategorizeEndpoints`.
fn categorised(
    service: &Service,
    policies: Policies,
    candidates: &[&Candidate<'_>],
    node: &NodeView<'_>,
    behaviour: &Behaviour,
) -> Lists {
    let fallback = behaviour.terminating_fallback;
    let uses_cluster = !policies.internal_local || policies.externally_accessible;
    let uses_local =
        policies.internal_local || (policies.external_local && policies.externally_accessible);
    let hints = topology::usable_hints(service, candidates, node.name, node.zone, behaviour);
    let ready = match hints {
        None => Reason::Ready,
        Some(Topology::Zone) => Reason::HintedToZone,
        Some(Topology::Node) => Reason::HintedToNode,
    };
    let allowed = |candidate: &Candidate<'_>| match hints {
        Some(by) if candidate.ready && !topology::hinted(candidate, by, node.name, node.zone) => {
            Err(Reason::HintedElsewhere)
        }
        _ => Ok(()),
    };
    let mut cluster = pick(
        candidates,
        candidates.iter().map(|candidate| allowed(candidate)),
        ready,
        fallback.then_some(Reason::TerminatingFallback),
    );
    cluster.topology = hints.filter(|_| cluster.using == Some(Using::Ready));
    let local = on_this_node(candidates, node, fallback);
    let usable =
        |candidate: &&Candidate<'_>| candidate.ready || (fallback && candidate.can_fall_back());
    let any =
        (uses_cluster && !cluster.is_empty()) || (uses_local && candidates.iter().any(usable));
    Lists {
        cluster,
        local,
        any,
    }
}

/// 1.19 to 1.23: one filter for every path, then the ready endpoints of what is left.
fn filtered(
    service: &Service,
    policies: Policies,
    candidates: &[&Candidate<'_>],
    node: &NodeView<'_>,
    behaviour: &Behaviour,
) -> Lists {
    let labels_known = BTreeMap::new();
    let labels = if behaviour.knows_node_labels {
        node.labels
    } else {
        &labels_known
    };
    let mut hints = None;
    // Does the filter keep each candidate, or why not?
    let mut filter: Vec<Scope> = vec![Ok(()); candidates.len()];
    // Up to 1.23 a Local external policy switches every other filter off (kubernetes#105470).
    if !policies.external_local && !behaviour.reads_endpoints_object {
        if behaviour.topology_keys {
            let left = topology::matching_keys(&service.topology_keys, candidates, labels);
            let left: BTreeSet<usize> = left.into_iter().collect();
            for (index, verdict) in filter.iter_mut().enumerate() {
                if !left.contains(&index) {
                    *verdict = Err(Reason::TopologyKeysElsewhere);
                }
            }
        } else if policies.internal_local {
            for (candidate, verdict) in candidates.iter().zip(&mut filter) {
                if !on_node(candidate, node) {
                    *verdict = Err(Reason::OnOtherNode);
                }
            }
        } else {
            hints = topology::usable_hints(service, candidates, node.name, node.zone, behaviour);
            if let Some(by) = hints {
                for (candidate, verdict) in candidates.iter().zip(&mut filter) {
                    if !topology::hinted(candidate, by, node.name, node.zone)
                        && (behaviour.hint_scope == crate::gates::behaviour::HintScope::All
                            || candidate.ready)
                    {
                        *verdict = Err(Reason::HintedElsewhere);
                    }
                }
            }
        }
    }
    let ready = match hints {
        Some(Topology::Zone) => Reason::HintedToZone,
        Some(Topology::Node) => Reason::HintedToNode,
        None if policies.internal_local && !policies.external_local => Reason::ReadyOnNode,
        None => Reason::Ready,
    };
    let mut cluster = pick(candidates, filter.iter().copied(), ready, None);
    cluster.topology = hints.filter(|_| cluster.using == Some(Using::Ready));
    let local_fallback = policies.external_local
        && behaviour.generation == Generation::LocalFallback
        && behaviour.terminating_fallback;
    let here = candidates.iter().zip(&filter).map(|(candidate, scope)| {
        if on_node(candidate, node) {
            *scope
        } else {
            Err(Reason::OnOtherNode)
        }
    });
    let local = pick(
        candidates,
        here,
        Reason::ReadyOnNode,
        local_fallback.then_some(Reason::TerminatingFallbackOnNode),
    );
    let any = !cluster.is_empty()
        || (local_fallback && candidates.iter().any(|candidate| candidate.can_fall_back()))
        || (behaviour.counts_unusable && filter.iter().any(Result::is_ok));
    Lists {
        cluster,
        local,
        any,
    }
}
