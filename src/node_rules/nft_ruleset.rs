//! kube-proxy's table of nftables: what `nft` prints of it, as JSON or as text, comes to this.

use std::collections::HashMap;
use std::net::IpAddr;

use crate::facts::cidr::Cidr;
use crate::facts::service::{Family, Protocol};

/// A field of a packet that rules read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Source,
    Destination,
    Protocol,
    Port,
    /// `fib saddr type`.
    SourceType,
    /// `fib daddr type`.
    DestinationType,
    /// `ct state`.
    State,
    /// The interface that a packet comes in through.
    Interface,
}

/// One value, to compare a field with.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Value {
    Address(IpAddr),
    Protocol(Protocol),
    Port(u16),
    Word(String),
    /// A mark, or the place in a list.
    Number(u64),
}

/// What a field is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    One(Value),
    Range(Cidr),
    Addresses(IpAddr, IpAddr),
    Ports(u16, u16),
}

/// A list of elements, each with what it leads to; those of single values found at once.
#[derive(Debug, Clone)]
pub(super) struct Elements<T> {
    pub(super) exact: HashMap<Vec<Value>, T>,
    pub(super) ranges: Vec<(Vec<Wanted>, T)>,
}

impl<T> Default for Elements<T> {
    fn default() -> Self {
        Self {
            exact: HashMap::new(),
            ranges: Vec::new(),
        }
    }
}

impl<T> Elements<T> {
    pub(super) fn push(&mut self, key: Vec<Wanted>, value: T) {
        let exact: Option<Vec<Value>> = key
            .iter()
            .map(|one| match one {
                Wanted::One(value) => Some(value.clone()),
                _ => None,
            })
            .collect();
        match exact {
            Some(exact) => {
                self.exact.insert(exact, value);
            }
            None => self.ranges.push((key, value)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.ranges.is_empty()
    }
}

/// What becomes of a packet at a rule or an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    Accept,
    Drop,
    Reject,
    Return,
    Goto(String),
    Jump(String),
    Unknown(String),
}

/// Where a DNAT leads.
#[derive(Debug, Clone)]
pub(super) enum To {
    One(IpAddr, u16),
    /// By chance to one of a list: the first place, how many, and the list.
    Random(u64, u64, Endpoints),
    Unknown(String),
}

/// A list of endpoints, by their places.
#[derive(Debug, Clone)]
pub(super) enum Endpoints {
    Here(HashMap<u64, (IpAddr, u16)>),
    Named(String),
}

/// What a rule compares with.
#[derive(Debug, Clone)]
pub(super) enum Right {
    Elements(Elements<()>),
    Set(String),
}

/// Where a verdict map stands.
#[derive(Debug, Clone)]
pub(super) enum Verdicts {
    Here(Elements<Action>),
    Named(String),
}

/// One statement of a rule.
#[derive(Debug, Clone)]
pub(super) enum Statement {
    Match {
        fields: Vec<Field>,
        not: bool,
        right: Right,
    },
    /// What the kernel remembers of clients, or something else that may hold or not: `saddr @affinity-…`.
    Lookup(Vec<Field>, Verdicts),
    /// A verdict by chance: the first place, how many, and the map.
    Random(u64, u64, Verdicts),
    Do(Action),
    Dnat(To),
    Unknown(String),
}

/// One rule: its statements in order.
pub(super) type Rule = Vec<Statement>;

/// Where a base chain is hooked in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hook {
    pub(super) name: String,
    pub(super) priority: i64,
}

/// One chain.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain {
    pub(super) hook: Option<Hook>,
    pub(super) rules: Vec<Rule>,
}

/// A named set. One that the kernel fills itself (`flags dynamic`) may hold any client.
#[derive(Debug, Clone, Default)]
pub(super) struct Set {
    pub(super) dynamic: bool,
    /// Some element was not understood: it may hold anything.
    pub(super) unread: bool,
    pub(super) elements: Elements<()>,
}

/// A map from places to endpoints.
pub(super) type Shared = HashMap<u64, (IpAddr, u16)>;

/// kube-proxy's table of one family.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) family: Family,
    pub(super) chains: HashMap<String, Chain>,
    pub(super) sets: HashMap<String, Set>,
    pub(super) maps: HashMap<String, Elements<Action>>,
    pub(super) shared: HashMap<String, Shared>,
    /// The comments of elements that have one, by what they are about: the Service of what has no endpoint.
    pub(super) comments: HashMap<Vec<Value>, String>,
}

impl Table {
    pub(super) fn new(family: Family) -> Self {
        Self {
            family,
            chains: HashMap::new(),
            sets: HashMap::new(),
            maps: HashMap::new(),
            shared: HashMap::new(),
            comments: HashMap::new(),
        }
    }

    /// Are Services programmed at all? kube-proxy writes its base chains before them.
    pub(super) fn is_synced(&self) -> bool {
        let filled = |name: &str| self.maps.get(name).is_some_and(|map| !map.is_empty());
        self.chains.contains_key("services")
            && (filled("service-ips") || filled("no-endpoint-services"))
    }
}

/// The words that `nft` has for a field, as text or in a `type`.
pub(super) fn field(words: &[&str]) -> Option<Field> {
    Some(match words {
        ["ip" | "ip6", "saddr"] => Field::Source,
        ["ip" | "ip6", "daddr"] => Field::Destination,
        ["meta", "l4proto"] | ["ip", "protocol"] | ["ip6", "nexthdr"] => Field::Protocol,
        ["th" | "tcp" | "udp" | "sctp", "dport"] => Field::Port,
        ["fib", "saddr", "type"] => Field::SourceType,
        ["fib", "daddr", "type"] => Field::DestinationType,
        ["ct", "state"] => Field::State,
        ["iif" | "iifname"] | ["meta", "iif" | "iifname"] => Field::Interface,
        _ => return None,
    })
}

/// The port of a name in /etc/services, as `nft` without `-n` prints it; only names that the registry has for ports that Services use.
fn service_name(word: &str) -> Option<u16> {
    Some(match word {
        "ssh" => 22,
        "smtp" => 25,
        "domain" => 53,
        "http" => 80,
        "ldap" => 389,
        "https" => 443,
        "ldaps" => 636,
        "mysql" => 3306,
        "postgresql" => 5432,
        "http-alt" => 8080,
        _ => return None,
    })
}

/// A value of a field, as `nft` writes it: an address or a range of them, a protocol or a port by name or number.
pub(super) fn wanted(field: Field, text: &str) -> Option<Wanted> {
    let text = text.trim();
    Some(match field {
        Field::Source | Field::Destination => {
            if let Ok(address) = text.parse() {
                Wanted::One(Value::Address(address))
            } else if let Some((from, to)) = text.split_once('-') {
                Wanted::Addresses(from.trim().parse().ok()?, to.trim().parse().ok()?)
            } else {
                Wanted::Range(text.parse().ok()?)
            }
        }
        Field::Protocol => Wanted::One(Value::Protocol(super::save::protocol(text)?)),
        Field::Port => match text.split_once('-') {
            Some((from, to)) if from.parse::<u16>().is_ok() => {
                Wanted::Ports(from.parse().ok()?, to.parse().ok()?)
            }
            _ => {
                let number = text.parse().ok().or_else(|| service_name(text));
                Wanted::One(Value::Port(number?))
            }
        },
        Field::SourceType | Field::DestinationType | Field::State | Field::Interface => {
            Wanted::One(Value::Word(text.trim_matches('"').to_owned()))
        }
    })
}

/// The fields of a `type` of a set or map.
pub(super) fn of_type<'w>(words: impl Iterator<Item = &'w str>) -> Option<Vec<Field>> {
    words
        .map(|word| match word.trim() {
            "ipv4_addr" | "ipv6_addr" => Some(Field::Destination),
            "inet_proto" => Some(Field::Protocol),
            "inet_service" => Some(Field::Port),
            _ => None,
        })
        .collect()
}
