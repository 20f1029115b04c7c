//! What becomes of new connections to a Service, all paths and nodes taken together?

use std::collections::BTreeSet;

use super::cluster::Cluster;
use super::paths;
use super::paths::{Outcome, PortCheck, Question};
use super::service::State;
use crate::proxy::lists::Using;
use crate::proxy::reason::Verdict;

/// All outcomes of a Service in a few words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrafficSummary {
    /// How many addresses get connections because they are ready.
    pub ready: usize,
    /// How many addresses get connections although they are terminating.
    pub terminating: usize,
    /// Some node refuses on some path.
    pub refuses: bool,
    /// Some node drops on some path.
    pub drops: bool,
}

/// The address of an `ip:port`.
#[must_use]
pub fn address(endpoint: &str) -> &str {
    endpoint
        .rsplit_once(':')
        .map_or(endpoint, |(ip, _)| ip.trim_matches(['[', ']']))
}

/// Every outcome of these ports.
pub fn outcomes<'p>(ports: &'p [PortCheck<'_>]) -> impl Iterator<Item = &'p Outcome> {
    ports
        .iter()
        .flat_map(|port| &port.paths)
        .flat_map(|path| &path.outcomes)
}

impl TrafficSummary {
    /// Sums the outcomes of every port up; `None` where there is none, because kube-proxy does not handle the Service.
    #[must_use]
    pub fn of(ports: &[PortCheck<'_>]) -> Option<Self> {
        outcomes(ports).next()?;
        let (mut ready, mut terminating) = (BTreeSet::new(), BTreeSet::new());
        let mut traffic = Self::default();
        for outcome in outcomes(ports) {
            match outcome.verdict {
                Verdict::Forward => {
                    let addresses = outcome.backends().map(address);
                    match outcome.using {
                        Some(Using::Terminating) => terminating.extend(addresses),
                        _ => ready.extend(addresses),
                    }
                }
                Verdict::Reject => traffic.refuses = true,
                Verdict::Drop => traffic.drops = true,
            }
        }
        traffic.ready = ready.len();
        traffic.terminating = terminating.len();
        Some(traffic)
    }

    /// The same of nodes that nobody needs the names of.
    #[must_use]
    pub fn told(cluster: &Cluster<'_>, question: Question<'_, '_>) -> Option<Self> {
        let service = question.service;
        let (mut ready, mut terminating) = (BTreeSet::new(), BTreeSet::new());
        let mut traffic = None;
        for port in service.ports.iter().enumerate() {
            for family in paths::families(service) {
                paths::ask(cluster, question, port, family, |_, claims, answers| {
                    for answer in answers {
                        let traffic: &mut Self = traffic.get_or_insert_with(Self::default);
                        match answer.verdict {
                            Verdict::Forward => {
                                let chosen = claims.iter().zip(&answer.list.reasons);
                                let chosen = chosen.filter(|(_, reason)| reason.selected());
                                let addresses = chosen.map(|(claim, _)| claim.entries()[0].ip);
                                match answer.list.using {
                                    Some(Using::Terminating) => terminating.extend(addresses),
                                    _ => ready.extend(addresses),
                                }
                            }
                            Verdict::Reject => traffic.refuses = true,
                            Verdict::Drop => traffic.drops = true,
                        }
                    }
                });
            }
        }
        Some(Self {
            ready: ready.len(),
            terminating: terminating.len(),
            ..traffic?
        })
    }

    /// The worst that is true.
    #[must_use]
    pub const fn state(self) -> State {
        match (self.ready > 0, self.terminating > 0) {
            (false, false) => State::NoBackends,
            (false, true) => State::TerminatingOnly,
            (true, false) if !self.refuses && !self.drops => State::Healthy,
            (true, _) => State::Degraded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_an_endpoint_has_no_port_and_no_brackets() {
        assert_eq!(address("10.0.0.1:80"), "10.0.0.1");
        assert_eq!(address("[fd00::1]:80"), "fd00::1");
    }

    #[test]
    fn the_state_is_the_worst_that_is_true() {
        let traffic = |ready, terminating, drops| TrafficSummary {
            ready,
            terminating,
            refuses: false,
            drops,
        };
        assert_eq!(traffic(2, 0, false).state(), State::Healthy);
        assert_eq!(traffic(2, 0, true).state(), State::Degraded);
        assert_eq!(traffic(2, 1, false).state(), State::Degraded);
        assert_eq!(traffic(0, 1, true).state(), State::TerminatingOnly);
        assert_eq!(traffic(0, 0, true).state(), State::NoBackends);
    }
}
