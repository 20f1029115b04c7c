//! A packet's way through kube-proxy's table of nftables, hook by hook.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use super::Programmed;
use super::nft_ruleset::{
    Action, Chain, Elements, Endpoints, Field, Right, Rule, Shared, Statement, Table, To, Value,
    Verdicts, Wanted,
};
use super::packet::{Decision, Ends, From, Packet, Reach, Walked};

/// A list has at most so many places: more endpoints than a Service can have.
const PLACES: u64 = 200_000;

/// What a field of the packet is; `None` where a rule may see one thing or another.
fn value(field: Field, packet: &Packet) -> Value {
    let kind = |local| Value::Word(if local { "local" } else { "unicast" }.to_owned());
    match field {
        Field::Source => Value::Address(packet.source),
        Field::Destination => Value::Address(packet.destination),
        Field::Protocol => Value::Protocol(packet.protocol),
        Field::Port => Value::Port(packet.port),
        Field::SourceType => kind(packet.from == From::Node),
        Field::DestinationType => kind(packet.local),
        Field::State => Value::Word("new".to_owned()),
        // kube-proxy asks for pods' interfaces only (`--detect-local-mode`).
        Field::Interface => Value::Word(String::new()),
    }
}

fn is(value: &Value, wanted: &Wanted) -> bool {
    match (value, wanted) {
        (value, Wanted::One(other)) => value == other,
        (Value::Address(address), Wanted::Range(range)) => range.contains(*address),
        (Value::Address(address), Wanted::Addresses(from, to)) => (from..=to).contains(&address),
        (Value::Port(port), Wanted::Ports(from, to)) => (from..=to).contains(&port),
        _ => false,
    }
}

fn find<'e, T>(elements: &'e Elements<T>, key: &[Value]) -> Option<&'e T> {
    let within = |wanted: &[Wanted]| {
        wanted.len() == key.len() && key.iter().zip(wanted).all(|(value, one)| is(value, one))
    };
    elements.exact.get(key).or_else(|| {
        let mut ranges = elements.ranges.iter();
        ranges
            .find(|(wanted, _)| within(wanted))
            .map(|(_, found)| found)
    })
}

struct Walk<'t> {
    table: &'t Table,
    packet: &'t Packet,
    walked: Walked<'t>,
}

/// Does a statement let the packet go on to the next one?
enum Step {
    No,
    Yes,
    /// It leads here; the rule goes on behind it if it does not end there.
    Leads(Reach, bool),
}

impl<'t> Walk<'t> {
    fn key(&self, fields: &[Field]) -> Vec<Value> {
        let fields = fields.iter();
        fields.map(|field| value(*field, self.packet)).collect()
    }

    fn chain(&mut self, name: &str, depth: usize) -> Reach {
        let Some((name, chain)) = self.table.chains.get_key_value(name) else {
            return Reach::end(Ends::unknown(format!("there is no chain {name}")));
        };
        if let Some(known) = self.walked.begin(name, depth) {
            return known;
        }
        let reach = self.rules(chain, depth);
        self.walked.end(name, reach)
    }

    /// Where an action leads, and whether what comes out goes on behind it; else it leaves the chain.
    fn action(&mut self, action: &Action, depth: usize) -> (Reach, bool) {
        let end = |ends| (Reach::end(ends), true);
        match action {
            Action::Accept => end(Ends::accepted()),
            Action::Drop => end(Ends::dropped()),
            Action::Reject => end(Ends::rejected()),
            Action::Return => (Reach::through(), false),
            Action::Goto(name) => (self.chain(name, depth + 1), false),
            Action::Jump(name) => (self.chain(name, depth + 1), true),
            Action::Unknown(what) => end(Ends::unknown(what.clone())),
        }
    }

    fn verdicts(&self, verdicts: &'t Verdicts) -> Result<&'t Elements<Action>, Step> {
        match verdicts {
            Verdicts::Here(elements) => Ok(elements),
            Verdicts::Named(name) => self.table.maps.get(name).ok_or_else(|| {
                Step::Leads(
                    Reach::end(Ends::unknown(format!("there is no map {name}"))),
                    true,
                )
            }),
        }
    }

    fn matches(&self, fields: &[Field], not: bool, right: &'t Right) -> Step {
        let elements = match right {
            Right::Elements(elements) => elements,
            Right::Set(name) => match self.table.sets.get(name) {
                // The kernel fills it with clients that were here before (sessionAffinity); a new one is not in it.
                Some(set) if set.dynamic => return if not { Step::Yes } else { Step::No },
                Some(set) if set.unread => {
                    let ends = Ends::unknown(format!("set {name} holds what is not known"));
                    return Step::Leads(Reach::end(ends), true);
                }
                Some(set) => &set.elements,
                None => {
                    let ends = Ends::unknown(format!("there is no set {name}"));
                    return Step::Leads(Reach::end(ends), true);
                }
            },
        };
        let found = if fields == [Field::Interface] {
            self.packet.from == From::Pod
        } else {
            find(elements, &self.key(fields)).is_some()
        };
        if found == not { Step::No } else { Step::Yes }
    }

    /// Every place of a list, as chance will have it. A place without an element lets the packet go on behind the rule.
    fn random(&mut self, first: u64, many: u64, map: &'t Elements<Action>, depth: usize) -> Step {
        if many == 0 || many > PLACES {
            return Step::Leads(Reach::end(Ends::unknown("numgen of too many")), true);
        }
        let mut all = Reach::default();
        let mut goes_on = false;
        for place in first..first.saturating_add(many) {
            let Some(action) = map.exact.get(&vec![Value::Number(place)]) else {
                all.falls = true;
                goes_on = true;
                continue;
            };
            let (reach, on) = self.action(action, depth);
            all.ends.add(&reach.ends);
            all.falls |= reach.falls;
            goes_on |= reach.falls && on;
        }
        Step::Leads(all, goes_on)
    }

    fn dnat(&self, to: &'t To) -> Reach {
        let (first, many, list) = match to {
            To::One(address, port) => {
                return Reach::end(Ends::at(SocketAddr::new(*address, *port)));
            }
            To::Unknown(what) => return Reach::end(Ends::unknown(what.clone())),
            To::Random(first, many, list) => (*first, *many, list),
        };
        let none = Shared::new();
        let list = match list {
            Endpoints::Here(list) => list,
            Endpoints::Named(name) => self.table.shared.get(name).unwrap_or(&none),
        };
        if many == 0 || many > PLACES {
            return Reach::end(Ends::unknown("numgen of too many"));
        }
        let mut reach = Reach::default();
        for place in first..first.saturating_add(many) {
            match list.get(&place) {
                Some((address, port)) => {
                    let to = SocketAddr::new(*address, *port);
                    reach.ends.backends.insert(to);
                }
                None => reach.falls = true,
            }
        }
        reach
    }

    fn step(&mut self, statement: &'t Statement, depth: usize) -> Step {
        match statement {
            Statement::Match { fields, not, right } => self.matches(fields, *not, right),
            Statement::Lookup(fields, map) => {
                let map = match self.verdicts(map) {
                    Ok(map) => map,
                    Err(step) => return step,
                };
                match find(map, &self.key(fields)) {
                    None => Step::Yes,
                    Some(action) => {
                        let (reach, on) = self.action(action, depth);
                        Step::Leads(reach, on)
                    }
                }
            }
            Statement::Random(first, many, map) => match self.verdicts(map) {
                Ok(map) => self.random(*first, *many, map, depth),
                Err(step) => step,
            },
            Statement::Do(action) => {
                let (reach, on) = self.action(action, depth);
                Step::Leads(reach, on)
            }
            Statement::Dnat(to) => Step::Leads(self.dnat(to), true),
            Statement::Unknown(what) => Step::Leads(Reach::end(Ends::unknown(what.clone())), true),
        }
    }

    /// Where one rule leads: whether the packet goes on to the next rule, and whether it leaves the chain.
    fn rule(&mut self, rule: &'t Rule, depth: usize) -> (Ends, bool, bool) {
        let mut ends = Ends::default();
        for statement in rule {
            match self.step(statement, depth) {
                Step::No => return (ends, true, false),
                Step::Yes => {}
                Step::Leads(reach, on) => {
                    ends.add(&reach.ends);
                    if !reach.falls {
                        return (ends, false, false);
                    }
                    if !on {
                        return (ends, false, true);
                    }
                }
            }
        }
        (ends, true, false)
    }

    fn rules(&mut self, chain: &'t Chain, depth: usize) -> Reach {
        let mut ends = Ends::default();
        let mut leaves = false;
        for rule in &chain.rules {
            let (these, next, out) = self.rule(rule, depth);
            ends.add(&these);
            leaves |= out;
            if !next {
                return Reach {
                    ends,
                    falls: leaves,
                };
            }
        }
        Reach { ends, falls: true }
    }
}

/// What becomes of a packet: through the base chains of each hook that it meets, in their order. What is translated goes to its endpoint: the
/// checks behind that ask for the address that it had.
pub(super) fn decide(table: &Table, packet: &Packet) -> Decision {
    let hooks: &[&str] = match (packet.from == From::Node, packet.local) {
        (true, true) => &["output", "input"],
        (true, false) => &["output"],
        (false, true) => &["prerouting", "input"],
        (false, false) => &["prerouting", "forward"],
    };
    let mut walk = Walk {
        table,
        packet,
        walked: Walked::default(),
    };
    let mut reach = Reach::through();
    for hook in hooks {
        let bases = table.chains.iter().filter_map(|(name, chain)| {
            let base = chain.hook.as_ref().filter(|base| base.name == *hook)?;
            Some((base.priority, name))
        });
        let bases: BTreeSet<_> = bases.collect();
        for (_, name) in bases {
            reach.then(|| {
                let mut one = walk.chain(name, 0);
                // Accepted is accepted by this base chain only.
                one.falls |= std::mem::take(&mut one.ends.accepted);
                one
            });
        }
    }
    reach.decision()
}

/// The Service in a chain's name: `external-WHCOXQNT-shop/web/tcp/http` → `shop/web:http`.
fn service(chain: &str) -> Option<String> {
    let rest = chain.split_once('-')?.1.split_once('-')?.1;
    let mut parts = rest.split("__").next()?.split('/');
    let (namespace, name) = (parts.next()?, parts.next()?);
    let port = parts.nth(1).filter(|port| !port.is_empty());
    let port = port.map_or_else(String::new, |port| format!(":{port}"));
    Some(format!("{namespace}/{name}{port}"))
}

/// What there are elements for.
pub(super) fn programmed(table: &Table) -> BTreeSet<Programmed> {
    let maps = [
        "service-ips",
        "no-endpoint-services",
        "service-nodeports",
        "no-endpoint-nodeports",
    ];
    let maps = maps.iter().filter_map(|name| table.maps.get(*name));
    let elements = maps.flat_map(|map| &map.exact);
    elements
        .filter_map(|(key, action)| {
            let (address, protocol, port) = match key.as_slice() {
                [
                    Value::Address(address),
                    Value::Protocol(protocol),
                    Value::Port(port),
                ] => (Some(*address), *protocol, *port),
                [Value::Protocol(protocol), Value::Port(port)] => (None, *protocol, *port),
                _ => return None,
            };
            let chain = match action {
                Action::Goto(chain) | Action::Jump(chain) => service(chain),
                _ => None,
            };
            Some(Programmed {
                address,
                port,
                protocol,
                service: table.comments.get(key).cloned().or(chain),
            })
        })
        .collect()
}

/// The addresses that node ports answer on.
pub(super) fn node_addresses(table: &Table) -> BTreeSet<IpAddr> {
    let set = table.sets.get("nodeport-ips");
    let keys = set.into_iter().flat_map(|set| set.elements.exact.keys());
    keys.filter_map(|key| match key.first() {
        Some(Value::Address(address)) => Some(*address),
        _ => None,
    })
    .collect()
}

/// Is an address in any range that rules of Services compare sources with?
pub(super) fn tells_apart(table: &Table, source: IpAddr) -> bool {
    let kinds = ["external-", "firewall-"];
    let chains = table.chains.iter();
    let chains = chains.filter(|(name, _)| kinds.iter().any(|kind| name.starts_with(kind)));
    let rules = chains.flat_map(|(_, chain)| chain.rules.iter().flatten());
    let source = Value::Address(source);
    rules
        .filter_map(|statement| match statement {
            Statement::Match {
                fields,
                right: Right::Elements(elements),
                ..
            } if fields == &[Field::Source] => Some(elements),
            _ => None,
        })
        .any(|elements| find(elements, std::slice::from_ref(&source)).is_some())
}
