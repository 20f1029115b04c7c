//! What becomes of new connections to a Service, all paths and nodes taken together?

use std::collections::BTreeSet;

use super::paths::{self, Outcome, PortPaths, Question};
use super::state::State;
use crate::proxy::answer::{Answer, Ranges};
use crate::proxy::lists::Using;
use crate::proxy::reason::Verdict;
use crate::words::address;

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

/// Every outcome of these ports.
pub fn outcomes<'p>(ports: &'p [PortPaths<'_>]) -> impl Iterator<Item = &'p Outcome> {
    ports
        .iter()
        .flat_map(|port| &port.paths)
        .flat_map(|path| &path.outcomes)
}

/// Outcomes that are being summed up, with the addresses that get connections.
#[derive(Debug)]
struct Tally<A> {
    ready: BTreeSet<A>,
    terminating: BTreeSet<A>,
    /// `None` before the first outcome.
    summary: Option<TrafficSummary>,
}

impl<A: Ord> Tally<A> {
    const fn new() -> Self {
        Self {
            ready: BTreeSet::new(),
            terminating: BTreeSet::new(),
            summary: None,
        }
    }

    fn add(&mut self, verdict: Verdict, using: Option<Using>, addresses: impl Iterator<Item = A>) {
        let summary = self.summary.get_or_insert_with(TrafficSummary::default);
        match (verdict, using) {
            (Verdict::Forward, Some(Using::Terminating)) => self.terminating.extend(addresses),
            (Verdict::Forward, _) => self.ready.extend(addresses),
            (Verdict::Reject, _) => summary.refuses = true,
            (Verdict::Drop, _) => summary.drops = true,
            // The same Service refuses others, which tells enough.
            (Verdict::Pass, _) => {}
        }
    }

    fn summary(self) -> Option<TrafficSummary> {
        Some(TrafficSummary {
            ready: self.ready.len(),
            terminating: self.terminating.len(),
            ..self.summary?
        })
    }
}

impl TrafficSummary {
    /// Sums the outcomes of every port up; `None` where there is none, because kube-proxy does not handle the Service.
    #[must_use]
    pub fn of(ports: &[PortPaths<'_>]) -> Option<Self> {
        let mut tally = Tally::new();
        for outcome in outcomes(ports) {
            let addresses = outcome.backends().map(address);
            tally.add(outcome.verdict, outcome.using, addresses);
        }
        tally.summary()
    }

    /// The same, asked of nodes that need no names: nothing is folded, and no path is kept.
    #[must_use]
    pub fn asked(question: Question<'_, '_>) -> Option<Self> {
        let service = question.service;
        let mut tally = Tally::new();
        for port in service.ports.iter().enumerate() {
            for family in paths::families(service) {
                paths::ask(question, port, family, |_, claims, answers| {
                    let counts = |answer: &Answer| answer.ranges != Ranges::Out;
                    for answer in answers.into_iter().filter(counts) {
                        let chosen = claims.iter().zip(&answer.list.reasons);
                        let chosen = chosen.filter(|(_, reason)| reason.selected());
                        let addresses = chosen.map(|(claim, _)| claim.entries()[0].ip);
                        tally.add(answer.verdict, answer.list.using, addresses);
                    }
                });
            }
        }
        tally.summary()
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
