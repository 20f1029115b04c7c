//! A packet's way through iptables' tables nat and filter, as far as kube-proxy's chains lead.

use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, SocketAddr};

use super::Programmed;
use super::packet::{Decision, Ends, From, Packet, Reach, Verdict, Walked};
use super::unread::Unread;
use crate::facts::cidr::Cidr;
use crate::facts::service::{Family, Protocol};

/// What a rule asks of a packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Match {
    Always,
    Never,
    /// Chance decides.
    Maybe,
    Source(Cidr),
    Destination(Cidr),
    Protocol(Protocol),
    Port(u16, u16),
    LocalDestination,
    LocalSource,
    /// It comes in through an interface: kube-proxy asks for pods' only (`--detect-local-mode`).
    FromPod,
    Unknown(String),
}

/// What a rule does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Target {
    #[default]
    Continue,
    Chain(String),
    Goto(String),
    Accept,
    Drop,
    Reject,
    Return,
    Dnat(SocketAddr),
    Unknown(String),
}

/// One rule.
#[derive(Debug, Clone, Default)]
pub(super) struct Rule {
    /// Each with whether it must not be so.
    pub(super) matches: Vec<(Match, bool)>,
    pub(super) target: Target,
    pub(super) comment: String,
    pub(super) line: usize,
}

impl Rule {
    /// The one address and the one port that it is about.
    fn key(&self) -> (Option<IpAddr>, Option<u16>) {
        let mut key = (None, None);
        for (found, not) in &self.matches {
            match found {
                Match::Destination(range) if !not && *range == Cidr::one(range.nth(0)) => {
                    key.0 = Some(range.nth(0));
                }
                Match::Port(from, to) if !not && from == to => key.1 = Some(*from),
                _ => {}
            }
        }
        key
    }
}

/// A chain's rules in order, found by the address and the port that they are about: KUBE-SERVICES has one for each of a cluster's.
#[derive(Debug, Default)]
pub(super) struct Chain {
    rules: Vec<Rule>,
    by_key: HashMap<(Option<IpAddr>, Option<u16>), Vec<usize>>,
}

impl Chain {
    pub(super) fn push(&mut self, rule: Rule) {
        let at = self.rules.len();
        self.by_key.entry(rule.key()).or_default().push(at);
        self.rules.push(rule);
    }

    /// The rules that a packet to this address and port may match, in order.
    fn about(&self, address: IpAddr, port: u16) -> Vec<&Rule> {
        let (address, port) = (Some(address), Some(port));
        let keys = [(address, port), (address, None), (None, port), (None, None)];
        let of = keys.iter().filter_map(|key| self.by_key.get(key));
        let mut places: Vec<_> = of.flatten().copied().collect();
        places.sort_unstable();
        places.iter().map(|at| &self.rules[*at]).collect()
    }

    /// The family of the first address in it.
    pub(super) fn family(&self) -> Option<Family> {
        let matches = self.rules.iter().flat_map(|rule| &rule.matches);
        let mut found = matches.filter_map(|(found, _)| match found {
            Match::Source(range) | Match::Destination(range) => Some(range.family()),
            _ => None,
        });
        found.next()
    }
}

/// One table.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) chains: HashMap<String, Chain>,
}

/// Both tables that kube-proxy writes Services to.
#[derive(Debug)]
pub(super) struct Tables {
    nat: Table,
    filter: Option<Table>,
    pub(super) family: Family,
    pub(super) legacy: bool,
}

const SERVICES: &str = "KUBE-SERVICES";

/// The chains of table filter that decide about new connections to Services.
const FILTERS: [&str; 4] = [
    "KUBE-PROXY-FIREWALL",
    SERVICES,
    "KUBE-EXTERNAL-SERVICES",
    "KUBE-NODEPORTS",
];

impl Tables {
    /// Refuses what holds no rules of kube-proxy.
    pub(super) fn new(
        nat: Table,
        filter: Option<Table>,
        family: Option<Family>,
        legacy: bool,
    ) -> Result<Self, Unread> {
        match nat.chains.get(SERVICES) {
            None => return Err(Unread::NotKubeProxys),
            Some(services) if services.rules.is_empty() => return Err(Unread::NotSynced),
            Some(_) => {}
        }
        let family = family.ok_or(Unread::NotSynced)?;
        Ok(Self {
            nat,
            filter,
            family,
            legacy,
        })
    }

    pub(super) const fn has_filter(&self) -> bool {
        self.filter.is_some()
    }
}

/// Does a rule match?
enum Answer {
    No,
    Maybe,
    Yes,
    Unknown(String),
}

fn asks(rule: &Rule, packet: &Packet) -> Answer {
    let (mut maybe, mut unknown) = (false, None);
    for (found, not) in &rule.matches {
        let is = match found {
            Match::Always => true,
            Match::Never => false,
            Match::Maybe => {
                maybe = true;
                continue;
            }
            Match::Source(range) => range.contains(packet.source),
            Match::Destination(range) => range.contains(packet.destination),
            Match::Protocol(protocol) => *protocol == packet.protocol,
            Match::Port(from, to) => (*from..=*to).contains(&packet.port),
            Match::LocalDestination => packet.local,
            Match::LocalSource => packet.from == From::Node,
            Match::FromPod => packet.from == From::Pod,
            Match::Unknown(what) => {
                unknown.get_or_insert_with(|| format!("line {}: {what}", rule.line));
                continue;
            }
        };
        if is == *not {
            return Answer::No;
        }
    }
    match unknown {
        Some(what) => Answer::Unknown(what),
        None if maybe => Answer::Maybe,
        None => Answer::Yes,
    }
}

/// One packet's way through one table.
struct Walk<'t> {
    table: &'t Table,
    packet: &'t Packet,
    walked: Walked<'t>,
}

impl<'t> Walk<'t> {
    fn new(table: &'t Table, packet: &'t Packet) -> Self {
        Self {
            table,
            packet,
            walked: Walked::default(),
        }
    }

    fn chain(&mut self, name: &'t str, depth: usize) -> Reach {
        let Some(chain) = self.table.chains.get(name) else {
            return Reach::end(Ends::unknown(format!("there is no chain {name}")));
        };
        if let Some(known) = self.walked.begin(name, depth) {
            return known;
        }
        let rules = chain.about(self.packet.destination, self.packet.port);
        let reach = self.rules(&rules, depth);
        self.walked.end(name, reach)
    }

    /// Where the target of a rule leads, and whether what comes out goes on behind the rule; else it leaves the chain.
    fn target(&mut self, rule: &'t Rule, depth: usize) -> (Reach, bool) {
        let end = |ends| (Reach::end(ends), true);
        match &rule.target {
            Target::Continue => (Reach::through(), true),
            Target::Chain(name) => (self.chain(name, depth + 1), true),
            Target::Goto(name) => (self.chain(name, depth + 1), false),
            Target::Return => (Reach::through(), false),
            Target::Accept => end(Ends::accepted()),
            Target::Drop => end(Ends::dropped()),
            Target::Reject => end(Ends::rejected()),
            Target::Dnat(to) => end(Ends::at(*to)),
            Target::Unknown(what) => end(Ends::unknown(format!("line {}: {what}", rule.line))),
        }
    }

    fn rules(&mut self, rules: &[&'t Rule], depth: usize) -> Reach {
        let mut ends = Ends::default();
        let mut leaves = false;
        for rule in rules {
            let answer = asks(rule, self.packet);
            if matches!(answer, Answer::No) || rule.target == Target::Continue {
                continue;
            }
            let (reach, goes_on) = self.target(rule, depth);
            if let Answer::Unknown(what) = &answer {
                ends.add(&Ends::unknown(what.clone()));
            }
            ends.add(&reach.ends);
            leaves |= reach.falls && !goes_on;
            if matches!(answer, Answer::Yes) && !(reach.falls && goes_on) {
                return Reach {
                    ends,
                    falls: leaves,
                };
            }
        }
        Reach { ends, falls: true }
    }

    /// The rules of a hook: those that lead to kube-proxy's chains, and others' before them, as far as they are understood.
    fn hook(&mut self, name: &str, ours: &[&str]) -> Reach {
        let Some(hook) = self.table.chains.get(name) else {
            return Reach::through();
        };
        let is_ours = |rule: &&Rule| match &rule.target {
            Target::Chain(name) | Target::Goto(name) => ours.contains(&name.as_str()),
            _ => false,
        };
        let rules = hook.about(self.packet.destination, self.packet.port);
        let mut reach = Reach::through();
        for rule in rules {
            let one = self.rules(&[rule], 0);
            // A network plugin's own rules may hold what is not known here; they are not kube-proxy's answer.
            if is_ours(&rule) || (one.ends.unknown.is_none() && !one.ends.backends.is_empty()) {
                reach.then(|| one);
            }
        }
        reach
    }
}

/// What becomes of a packet.
pub(super) fn decide(tables: &Tables, packet: &Packet) -> Decision {
    let own = packet.from == From::Node;
    let nat = if own { "OUTPUT" } else { "PREROUTING" };
    let mut reach = Walk::new(&tables.nat, packet).hook(nat, &[SERVICES]);
    if !reach.falls {
        return reach.decision();
    }
    let Some(filter) = &tables.filter else {
        let untouched = reach.ends == Ends::default();
        let decision = reach.decision();
        return if untouched {
            Decision {
                verdict: Verdict::NotForwarded,
                ..decision
            }
        } else {
            decision
        };
    };
    // What was not translated meets the table filter with the address that it came with.
    let hooks: &[&str] = match (own, packet.local) {
        (true, true) => &["OUTPUT", "INPUT"],
        (true, false) => &["OUTPUT"],
        (false, true) => &["INPUT"],
        (false, false) => &["FORWARD"],
    };
    let mut walk = Walk::new(filter, packet);
    for hook in hooks {
        reach.then(|| walk.hook(hook, &FILTERS));
    }
    reach.decision()
}

/// The Service in a comment: `shop/web:http cluster IP` → `shop/web:http`.
fn service(comment: &str) -> Option<String> {
    let first = comment.split(' ').next()?;
    first.contains('/').then(|| first.to_owned())
}

/// What there are rules for.
pub(super) fn programmed(tables: &Tables) -> BTreeSet<Programmed> {
    let filter = tables.filter.iter();
    let mut all = BTreeSet::new();
    let nat = std::iter::once((&tables.nat, [SERVICES, "KUBE-NODEPORTS"]));
    let filters = filter.map(|table| (table, [SERVICES, "KUBE-EXTERNAL-SERVICES"]));
    for (table, names) in nat.chain(filters) {
        let chains = names.iter().filter_map(|name| table.chains.get(*name));
        for rule in chains.flat_map(|chain| &chain.rules) {
            let (address, Some(port)) = rule.key() else {
                continue;
            };
            let protocol = rule.matches.iter().find_map(|(found, _)| match found {
                Match::Protocol(protocol) => Some(*protocol),
                _ => None,
            });
            // What is only the node port on loopback, or somebody else's.
            let loopback = |(found, _): &(Match, bool)| matches!(found, Match::Destination(range) if range.nth(0).is_loopback());
            if rule.matches.iter().any(loopback) {
                continue;
            }
            all.extend(protocol.map(|protocol| Programmed {
                address,
                port,
                protocol,
                service: service(&rule.comment),
            }));
        }
    }
    all
}

/// Is an address in any range of sources?
pub(super) fn tells_apart(tables: &Tables, source: IpAddr) -> bool {
    let kube = |name: &str| {
        ["KUBE-EXT-", "KUBE-FW-", "KUBE-XLB-"]
            .iter()
            .any(|kind| name.starts_with(kind))
    };
    let chains = tables.nat.chains.iter().filter(|(name, _)| kube(name));
    let rules = chains.flat_map(|(_, chain)| &chain.rules);
    let mut matches = rules.flat_map(|rule| &rule.matches);
    matches.any(|(found, _)| matches!(found, Match::Source(range) if range.contains(source)))
}
