//! A new connection's first packet, and where it ends.

use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, SocketAddr};

use crate::facts::service::Protocol;

/// Where a packet comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum From {
    /// From off the cluster.
    Outside,
    /// From a pod.
    Pod,
    /// From a process of the node itself, or a pod on its network.
    Node,
}

/// The first packet of a new connection.
#[derive(Debug, Clone, Copy)]
pub struct Packet {
    /// Where it comes from.
    pub from: From,
    /// The address that it comes from.
    pub source: IpAddr,
    /// The address that it goes to.
    pub destination: IpAddr,
    /// The port that it goes to.
    pub port: u16,
    /// Its protocol.
    pub protocol: Protocol,
    /// The address that it goes to is one of the node's.
    pub local: bool,
}

/// What becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It goes to one of these.
    Forward,
    /// It is refused.
    Reject,
    /// It is dropped.
    Drop,
    /// No rule of kube-proxy is about it.
    NotProgrammed,
    /// It is not forwarded; whether it is refused or dropped is in a table that the dump does not have.
    NotForwarded,
    /// By chance it goes to one of these or meets something else: a list of endpoints that has a hole.
    Mixed,
    /// The rules hold something that is not known here.
    NotUnderstood(String),
}

/// What becomes of a packet, and to which endpoints it may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What becomes of it.
    pub verdict: Verdict,
    /// Where it may go.
    pub backends: BTreeSet<SocketAddr>,
}

/// Every end that a packet may come to, as chance will have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) backends: BTreeSet<SocketAddr>,
    pub(super) rejected: bool,
    pub(super) dropped: bool,
    /// A rule lets it pass.
    pub(super) accepted: bool,
    /// What was met and is not known.
    pub(super) unknown: Option<String>,
}

impl Ends {
    /// A rule lets it pass.
    pub(super) fn accepted() -> Self {
        Self {
            accepted: true,
            ..Self::default()
        }
    }

    pub(super) fn dropped() -> Self {
        Self {
            dropped: true,
            ..Self::default()
        }
    }

    pub(super) fn rejected() -> Self {
        Self {
            rejected: true,
            ..Self::default()
        }
    }

    /// It goes to this endpoint.
    pub(super) fn at(backend: SocketAddr) -> Self {
        Self {
            backends: BTreeSet::from([backend]),
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.backends.extend(&other.backends);
        self.rejected |= other.rejected;
        self.dropped |= other.dropped;
        self.accepted |= other.accepted;
        if self.unknown.is_none() {
            self.unknown.clone_from(&other.unknown);
        }
    }

    pub(super) fn unknown(what: impl Into<String>) -> Self {
        Self {
            unknown: Some(what.into()),
            ..Self::default()
        }
    }
}

/// Where a chain leads to: its ends, and whether a packet may come out of it at its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) ends: Ends,
    pub(super) falls: bool,
}

impl Reach {
    /// A packet comes out as it went in.
    pub(super) fn through() -> Self {
        Self {
            ends: Ends::default(),
            falls: true,
        }
    }

    /// It ends here.
    pub(super) fn end(ends: Ends) -> Self {
        Self { ends, falls: false }
    }

    /// What comes out of this one goes into the next.
    pub(super) fn then(&mut self, next: impl FnOnce() -> Self) {
        if self.falls {
            let next = next();
            self.ends.add(&next.ends);
            self.falls = next.falls;
        }
    }

    pub(super) fn decision(self) -> Decision {
        let Ends {
            backends,
            rejected,
            dropped,
            accepted,
            unknown,
        } = self.ends;
        let passes = accepted || self.falls;
        let verdict = match (!backends.is_empty(), rejected, dropped, passes) {
            _ if unknown.is_some() => Verdict::NotUnderstood(unknown.unwrap_or_default()),
            (true, false, false, false) => Verdict::Forward,
            (false, true, false, false) => Verdict::Reject,
            (false, false, true, false) => Verdict::Drop,
            (false, false, false, _) => Verdict::NotProgrammed,
            _ => Verdict::Mixed,
        };
        Decision { verdict, backends }
    }
}

/// How deep chains may lead into each other: kube-proxy's have five levels.
const DEPTH: usize = 64;

/// Where chains lead. For one packet that depends on nothing else, so each is walked once.
#[derive(Debug, Default)]
pub(super) struct Walked<'t>(HashMap<&'t str, Reach>);

impl<'t> Walked<'t> {
    /// Begins to walk a chain; where it leads, if it need not be walked.
    pub(super) fn begin(&mut self, name: &'t str, depth: usize) -> Option<Reach> {
        if let Some(known) = self.0.get(name) {
            return Some(known.clone());
        }
        if depth > DEPTH {
            let endless = Ends::unknown("chains lead into each other without end");
            return Some(Reach::end(endless));
        }
        // A chain that leads back into itself ends here.
        let circle = Ends::unknown(format!("chain {name} leads into itself"));
        self.0.insert(name, Reach::end(circle));
        None
    }

    /// It was walked, and leads there.
    pub(super) fn end(&mut self, name: &'t str, reach: Reach) -> Reach {
        self.0.insert(name, reach.clone());
        reach
    }
}
