//! Why does kube-proxy use an endpoint or not, and what happens to a connection? The only place for these sentences.

/// Why one endpoint is or is not used on one path of one node. Each endpoint has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// It is ready and in scope.
    Ready,
    /// It is ready and on this node, as a Local policy demands.
    ReadyOnNode,
    /// It is ready and hinted to this node's zone.
    HintedToZone,
    /// It is ready and hinted to this node.
    HintedToNode,
    /// No endpoint is ready, so terminating ones that still serve are used.
    TerminatingFallback,
    /// No endpoint of this node is ready, so its terminating ones that still serve are used.
    TerminatingFallbackOnNode,
    /// On Windows: nothing in scope serves, so the filters are skipped and even unready endpoints are kept.
    KeptUnready,
    /// It is not ready and not terminating.
    NotReady,
    /// It is terminating and no longer serves.
    NotServing,
    /// It is terminating, and a ready endpoint is in scope.
    TerminatingWhileReady,
    /// It is terminating, and this kube-proxy never falls back to such endpoints here.
    NoFallback,
    /// A Local policy, and it is on another node.
    OnOtherNode,
    /// Its hints name other zones or nodes.
    HintedElsewhere,
    /// `spec.topologyKeys` does not match it.
    TopologyKeysElsewhere,
}

impl Reason {
    /// Every reason, for documentation and completeness tests.
    pub const ALL: [Self; 14] = [
        Self::Ready,
        Self::ReadyOnNode,
        Self::HintedToZone,
        Self::HintedToNode,
        Self::TerminatingFallback,
        Self::TerminatingFallbackOnNode,
        Self::KeptUnready,
        Self::NotReady,
        Self::NotServing,
        Self::TerminatingWhileReady,
        Self::NoFallback,
        Self::OnOtherNode,
        Self::HintedElsewhere,
        Self::TopologyKeysElsewhere,
    ];

    /// Is an endpoint with this reason used?
    #[must_use]
    pub const fn selected(self) -> bool {
        matches!(
            self,
            Self::Ready
                | Self::ReadyOnNode
                | Self::HintedToZone
                | Self::HintedToNode
                | Self::TerminatingFallback
                | Self::TerminatingFallbackOnNode
                | Self::KeptUnready
        )
    }

    /// The stable id that reports and `explain` use.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::ReadyOnNode => "ready-on-node",
            Self::HintedToZone => "hinted-to-zone",
            Self::HintedToNode => "hinted-to-node",
            Self::TerminatingFallback => "terminating-fallback",
            Self::TerminatingFallbackOnNode => "terminating-fallback-on-node",
            Self::KeptUnready => "kept-unready",
            Self::NotReady => "not-ready",
            Self::NotServing => "not-serving",
            Self::TerminatingWhileReady => "terminating-while-ready",
            Self::NoFallback => "no-fallback",
            Self::OnOtherNode => "on-other-node",
            Self::HintedElsewhere => "hinted-elsewhere",
            Self::TopologyKeysElsewhere => "topology-keys-elsewhere",
        }
    }

    /// A few words for a table; none where a plain yes says it all.
    #[must_use]
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Ready | Self::ReadyOnNode => "",
            Self::HintedToZone => "by zone hint",
            Self::HintedToNode => "by node hint",
            Self::TerminatingFallback => "none is ready",
            Self::TerminatingFallbackOnNode => "none is ready there",
            Self::KeptUnready => "nothing serves",
            Self::NotReady => "not ready",
            Self::NotServing => "not serving",
            Self::TerminatingWhileReady => "others are ready",
            Self::NoFallback => "never if terminating",
            Self::OnOtherNode => "on another node",
            Self::HintedElsewhere => "hinted elsewhere",
            Self::TopologyKeysElsewhere => "topologyKeys",
        }
    }

    /// One sentence for people.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Ready => "It is ready.",
            Self::ReadyOnNode => "It is ready and on this node, as the Local policy demands.",
            Self::HintedToZone => "It is ready, and its hints name this node's zone.",
            Self::HintedToNode => "It is ready, and its hints name this node.",
            Self::TerminatingFallback => {
                "No endpoint is ready, so new connections go to terminating ones that still serve."
            }
            Self::TerminatingFallbackOnNode => {
                "No endpoint on this node is ready, so new connections go to its terminating ones that still serve."
            }
            Self::KeptUnready => {
                "It is not ready, but nothing in scope serves and kube-proxy on Windows then keeps every endpoint."
            }
            Self::NotReady => "It is not ready.",
            Self::NotServing => {
                "It is terminating and its pod is no longer ready, so it does not serve."
            }
            Self::TerminatingWhileReady => {
                "It is terminating, and a ready endpoint is there to use."
            }
            Self::NoFallback => {
                "It is terminating, and this data plane does not fall back to terminating endpoints."
            }
            Self::OnOtherNode => "It is on another node, and the policy is Local.",
            Self::HintedElsewhere => "Its hints name other zones or nodes.",
            Self::TopologyKeysElsewhere => "The Service's topologyKeys do not match it.",
        }
    }
}

/// What a node does with a new connection on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It goes to one of the selected endpoints.
    Forward,
    /// It is refused at once (ICMP port unreachable).
    Reject,
    /// It is dropped, so clients time out.
    Drop,
    /// kube-proxy has no rule for it: it leaves the node as if there were no such Service, and clients mostly time out.
    Pass,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_reason_has_an_id_of_its_own_and_a_sentence() {
        let ids: BTreeSet<_> = Reason::ALL.iter().map(|reason| reason.id()).collect();
        assert_eq!(ids.len(), Reason::ALL.len());
        assert!(
            Reason::ALL
                .iter()
                .all(|reason| reason.sentence().ends_with('.'))
        );
    }
}
