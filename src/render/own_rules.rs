//! What a path's nodes have been told, where their own rules were given and do otherwise than the slices ask for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::text::safe;
use super::verdict::Sign;
use crate::report::v1::{Difference, NodeRules, Origin, Outcome, Path, Port, Service};
use crate::words::address;

/// How a node's own rules stand to a path, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OwnRules {
    /// They send to an address that is in no slice any more, and no sync is under way.
    Astray,
    /// They do otherwise.
    Otherwise,
    /// They do otherwise, and a sync may be under way.
    InFlight,
    /// They hold something that is not known.
    NotUnderstood,
}

impl From<&Difference> for OwnRules {
    fn from(difference: &Difference) -> Self {
        match (difference.kind, difference.in_flight) {
            ("not-understood", _) => Self::NotUnderstood,
            (_, Some(true)) => Self::InFlight,
            (_, Some(false)) if !difference.gone.is_empty() => Self::Astray,
            _ => Self::Otherwise,
        }
    }
}

impl OwnRules {
    /// The sign of a path on such nodes: what the slices ask for is not what connections meet.
    pub(super) const fn sign(self) -> Sign {
        match self {
            Self::Astray => Sign::Bad,
            Self::Otherwise => Sign::Warn,
            Self::InFlight | Self::NotUnderstood => Sign::Unknown,
        }
    }

    /// What the slices ask for, as that and no more: `by the slices 1 Ready pod; its own rules differ`.
    pub(super) fn beside(self, asked: &str, nodes: usize) -> String {
        let whose = if nodes == 1 { "its" } else { "their" };
        let does = match self {
            Self::Astray | Self::Otherwise => "differ",
            Self::InFlight => "differ, maybe only until the next sync",
            Self::NotUnderstood => "are not understood",
        };
        format!("by the slices {asked}; {whose} own rules {does}")
    }
}

/// Does a path's origin take in where a packet came from?
fn takes_in(origin: Origin, from: &str) -> bool {
    match origin {
        Origin::Anywhere => true,
        Origin::Outside => from == "outside",
        Origin::Inside => from != "outside",
        Origin::Pods => from == "pods",
        Origin::Node => from == "node",
    }
}

/// The nodes whose own rules treat an endpoint otherwise than the slices ask for.
#[derive(Default)]
pub(super) struct Contrary<'r> {
    /// They send new connections to it, and should not.
    send: BTreeSet<&'r str>,
    /// They send it none, and should.
    lack: BTreeSet<&'r str>,
    /// Some of that is not only until the next sync.
    lasts: bool,
}

impl Contrary<'_> {
    /// The sign of such an endpoint, which has one of its own.
    pub(super) fn sign(&self, own: Sign) -> Sign {
        match (self.send.is_empty() && self.lack.is_empty(), self.lasts) {
            (true, _) => own,
            (false, true) => own.min(Sign::Warn),
            (false, false) => own.min(Sign::Unknown),
        }
    }

    /// What follows after who should send to it: `no`, `, but node-a sends`.
    pub(super) fn words(&self) -> String {
        let one = |nodes: &BTreeSet<&str>| match nodes.iter().next() {
            Some(only) if nodes.len() == 1 => safe(only),
            _ => format!("{} nodes", nodes.len()),
        };
        let verb = if self.send.len() == 1 {
            "sends"
        } else {
            "send"
        };
        match (self.send.is_empty(), self.lack.is_empty()) {
            (true, true) => String::new(),
            (false, true) => format!(", but {} {verb}", one(&self.send)),
            (true, false) => format!(", but not {}", one(&self.lack)),
            (false, false) => {
                let (send, lack) = (one(&self.send), one(&self.lack));
                format!(", but {send} {verb} and {lack} not")
            }
        }
    }
}

/// The decisions of one Service in which nodes differ, each with its node.
pub(super) struct Differing<'r>(Vec<(&'r str, &'r Difference)>);

impl<'r> Differing<'r> {
    pub(super) fn of(service: &Service, all: &'r [NodeRules]) -> Self {
        let name = format!("{}/{}", service.namespace, service.name);
        let all = all.iter().flat_map(|node| {
            let own = |difference| (node.node.as_str(), difference);
            node.differences.iter().map(own)
        });
        Self(all.filter(|(_, each)| each.service == name).collect())
    }

    /// The nodes of an outcome, by how their rules stand to the path.
    pub(super) fn parted<'o>(
        &self,
        port: &Port,
        path: &Path,
        outcome: &'o Outcome,
    ) -> BTreeMap<Option<OwnRules>, Vec<&'o Arc<str>>> {
        let mut parted: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for node in &outcome.nodes {
            let rules = self.at(port, path, node);
            parted.entry(rules).or_default().push(node);
        }
        parted
    }

    /// Which nodes treat an endpoint of this address otherwise, on any path. What is not understood tells nothing of it.
    pub(super) fn about(&self, of: &str) -> Contrary<'r> {
        let mut contrary = Contrary::default();
        let has = |backends: &[String]| backends.iter().any(|each| address(each) == of);
        for (node, each) in &self.0 {
            let rules = OwnRules::from(*each);
            if rules == OwnRules::NotUnderstood {
                continue;
            }
            let nodes = match (has(&each.node.backends), has(&each.model.backends)) {
                (true, false) => &mut contrary.send,
                (false, true) => &mut contrary.lack,
                _ => continue,
            };
            nodes.insert(*node);
            contrary.lasts |= rules != OwnRules::InFlight;
        }
        contrary
    }

    /// How the rules of a node stand to a path; nothing where they do as they should, or were not given.
    fn at(&self, port: &Port, path: &Path, node: &str) -> Option<OwnRules> {
        let here = self.0.iter().filter(|(own, each)| {
            *own == node
                && each.port_name == port.name
                && each.protocol == port.protocol
                && (each.path, each.family) == (path.path, path.family)
                && each.source_ranges == path.source_ranges
                && takes_in(path.from, each.from)
        });
        here.map(|(_, each)| OwnRules::from(*each)).min()
    }
}
