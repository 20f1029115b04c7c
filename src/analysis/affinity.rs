//! With `sessionAffinity: ClientIP`, what becomes of the clients of a pod that turns terminating?
//!
//! `pkg/proxy/iptables/proxier.go`, `pkg/proxy/nftables/proxier.go`, `pkg/proxy/ipvs/proxier.go`; kubernetes#106030, kubernetes#110302.

use std::collections::BTreeSet;

use super::data_plane::DataPlane;
use super::state::State;
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::service::Service;
use crate::gates::behaviour::Behaviour;

/// `sessionAffinity: ClientIP`, and what the data plane makes of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Affinity {
    /// `timeoutSeconds`.
    pub seconds: i64,
    /// What becomes of the clients of a pod that turns terminating while another is ready: one for each kind of kube-proxy here; none where
    /// kube-proxy does not handle the Service.
    pub at_terminating: BTreeSet<StickyClients>,
}

/// What becomes of the clients of a pod that turns terminating while another is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StickyClients {
    /// iptables: the pod has no rule any more; the kernel still lists its clients (module `recent`).
    RuleGone,
    /// iptables 1.22.0 to 1.22.3: there are rules for pods that may not be used, too.
    RuleStays,
    /// nftables: nothing asks the pod's set of clients any more.
    SetNotAsked,
    /// ipvs: the pod has weight 0, and kube-proxy sets `expire_quiescent_template`.
    TemplateExpires,
    /// Another data plane, or Windows: it was not read.
    NotKnown,
}

impl StickyClients {
    const fn of(behaviour: &Behaviour) -> Self {
        match behaviour.mode {
            ProxyMode::Iptables if behaviour.counts_unusable => Self::RuleStays,
            ProxyMode::Iptables => Self::RuleGone,
            ProxyMode::Nftables => Self::SetNotAsked,
            ProxyMode::Ipvs => Self::TemplateExpires,
            ProxyMode::Winkernel => Self::NotKnown,
        }
    }

    /// What happens, as a sentence.
    const fn sentence(self) -> &'static str {
        match self {
            Self::RuleGone => {
                "When the pod turns terminating and another is Ready, its clients' new connections go to others (iptables: the pod's rule goes; if it turns Ready again in that time, it gets them back)."
            }
            Self::RuleStays => {
                "When the pod turns terminating, its clients' new connections still go to it (iptables of 1.22.0 to 1.22.3)."
            }
            Self::SetNotAsked => {
                "When the pod turns terminating and another is Ready, its clients' new connections go to others (nftables: the pod's set of clients is not asked any more)."
            }
            Self::TemplateExpires => {
                "When the pod turns terminating and another is Ready, its clients' new connections go to others (ipvs: the pod's weight is 0, and expire_quiescent_template drops what ties a client to it)."
            }
            Self::NotKnown => {
                "What becomes of a pod's clients when it turns terminating is not known for this data plane."
            }
        }
    }
}

impl Affinity {
    /// What it does, in a few sentences.
    #[must_use]
    pub fn sentence(&self) -> String {
        if self.at_terminating.is_empty() {
            return "sessionAffinity ClientIP has no effect: kube-proxy does not handle this Service.".to_owned();
        }
        let at_terminating = self.at_terminating.iter();
        let sentences: Vec<_> = at_terminating.map(|one| one.sentence()).collect();
        format!(
            "sessionAffinity ClientIP: a client stays with its pod for up to {} s, as long as that pod may be used. {}",
            self.seconds,
            sentences.join(" ")
        )
    }
}

/// The affinity of a Service; `None` without one.
pub(super) fn affinity<'b>(
    service: &Service,
    state: State,
    behaviours: impl Iterator<Item = &'b Behaviour>,
    data_plane: Option<&DataPlane>,
) -> Option<Affinity> {
    let seconds = service.affinity_seconds?;
    Some(Affinity {
        seconds,
        at_terminating: match (data_plane, state) {
            (Some(_), _) => BTreeSet::from([StickyClients::NotKnown]),
            (None, State::NotProxied(_)) => BTreeSet::new(),
            (None, _) => behaviours.map(StickyClients::of).collect(),
        },
    })
}
