//! `iptables-save` and `ip6tables-save` → tables, chains and rules.
//!
//! Every option that kube-proxy writes is known; any other makes a rule one that is not understood, which matters only to a packet that comes
//! to it.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use super::iptables::{Chain, Match, Rule, Table, Tables, Target};
use super::unread::Unread;
use crate::facts::cidr::Cidr;
use crate::facts::service::{Family, Protocol};

/// The words of a line; a quoted one may hold blanks.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let (mut quoted, mut begun) = (false, false);
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '"' => {
                quoted = !quoted;
                begun = true;
            }
            '\\' if quoted => word.extend(signs.next()),
            ' ' | '\t' if !quoted => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            sign => {
                word.push(sign);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

pub(super) fn protocol(word: &str) -> Option<Protocol> {
    match word {
        "tcp" | "6" => Some(Protocol::Tcp),
        "udp" | "17" => Some(Protocol::Udp),
        "sctp" | "132" => Some(Protocol::Sctp),
        _ => None,
    }
}

fn cidr(word: &str) -> Option<Cidr> {
    word.parse()
        .ok()
        .or_else(|| word.parse::<IpAddr>().ok().map(Cidr::one))
}

/// `80`, or `80:90`.
fn ports(word: &str) -> Option<(u16, u16)> {
    match word.split_once(':') {
        Some((from, to)) => Some((from.parse().ok()?, to.parse().ok()?)),
        None => word.parse().ok().map(|port| (port, port)),
    }
}

/// `10.0.0.1:80`, `[fd00::1]:80`.
fn socket(word: &str) -> Option<SocketAddr> {
    word.parse().ok()
}

fn target(name: &str, rest: &mut impl Iterator<Item = String>) -> Target {
    match name {
        "ACCEPT" => Target::Accept,
        // What is marked to be dropped is dropped in the table filter (up to 1.24).
        "DROP" | "KUBE-MARK-DROP" => Target::Drop,
        "REJECT" => Target::Reject,
        "RETURN" => Target::Return,
        "DNAT" => {
            let mut to = rest.skip_while(|word| word != "--to-destination").skip(1);
            match (to.next().as_deref().and_then(socket), to.next()) {
                (Some(to), None) => Target::Dnat(to),
                _ => Target::Unknown("DNAT".to_owned()),
            }
        }
        "MARK" | "CONNMARK" | "LOG" | "NFLOG" | "TRACE" | "CT" | "TCPMSS" | "MASQUERADE"
        | "SNAT" | "NOTRACK" | "SET" | "AUDIT" => Target::Continue,
        "REDIRECT" | "TPROXY" | "NFQUEUE" | "NETMAP" | "CLUSTERIP" | "QUEUE" => {
            Target::Unknown(name.to_owned())
        }
        chain => Target::Chain(chain.to_owned()),
    }
}

/// What a rule asks of a packet, and what it does.
fn rule(words: Vec<String>, line: usize) -> Rule {
    let mut rule = Rule {
        line,
        ..Rule::default()
    };
    let mut words = words.into_iter();
    let mut not = false;
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_default();
        let unknown = |value: &str| Match::Unknown(format!("{word} {value}"));
        let found = match word.as_str() {
            "!" => {
                not = true;
                continue;
            }
            "-m" | "--match" | "--seconds" | "--hitcount" | "--name" | "--mask"
            | "--probability" | "--nfacct-name" | "--every" | "--packet" => {
                value();
                continue;
            }
            "--comment" => {
                rule.comment = value();
                continue;
            }
            "--reap" | "--rsource" | "--rdest" | "--set" | "--rttl" => continue,
            "-s" | "--source" | "-d" | "--destination" => {
                let text = value();
                match cidr(&text) {
                    Some(range) if word.starts_with("-s") || word == "--source" => {
                        Match::Source(range)
                    }
                    Some(range) => Match::Destination(range),
                    None => unknown(&text),
                }
            }
            "-p" | "--protocol" => {
                let text = value();
                match (protocol(&text), text.as_str()) {
                    (Some(protocol), _) => Match::Protocol(protocol),
                    // No Service has another protocol.
                    (None, "all" | "0") => continue,
                    (None, _) => Match::Never,
                }
            }
            "--dport" | "--destination-port" => {
                let text = value();
                ports(&text).map_or_else(|| unknown(&text), |(from, to)| Match::Port(from, to))
            }
            "--dst-type" | "--src-type" => match (value().as_str(), word.as_str()) {
                ("LOCAL", "--dst-type") => Match::LocalDestination,
                ("LOCAL", _) => Match::LocalSource,
                (text, _) => unknown(text),
            },
            "--ctstate" | "--state" => {
                let states = value();
                if states.split(',').any(|state| state == "NEW") {
                    Match::Always
                } else {
                    // It is a new connection's, and before translation no DNAT has happened to it.
                    Match::Never
                }
            }
            "--mode" => {
                value();
                Match::Maybe
            }
            // It asks for a client that was here before (sessionAffinity): a new one has no such rule.
            "--rcheck" | "--update" => Match::Never,
            "-i" | "--in-interface" => {
                value();
                Match::FromPod
            }
            "-j" | "--jump" => {
                let name = value();
                rule.target = target(&name, &mut words);
                break;
            }
            "-g" | "--goto" => {
                rule.target = Target::Goto(value());
                break;
            }
            // Counters behind a rule.
            "-c" | "--set-counters" => {
                value();
                value();
                continue;
            }
            _ => Match::Unknown(word.clone()),
        };
        rule.matches.push((found, std::mem::take(&mut not)));
    }
    rule
}

/// Reads a dump.
pub(super) fn read(text: &str) -> Result<Tables, Unread> {
    let mut tables: HashMap<&str, Table> = HashMap::new();
    let mut open: Option<(&str, usize)> = None;
    let mut family = None;
    let (mut legacy, mut commits) = (false, 0_usize);
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        let line = line.trim();
        let first = line.chars().next();
        match first {
            None => {}
            Some('#') => {
                if line.contains("iptables-legacy tables present") {
                    legacy = true;
                }
                if let Some(by) = line.strip_prefix("# Generated by ") {
                    family = Some(if by.starts_with("ip6tables") {
                        Family::V6
                    } else {
                        Family::V4
                    });
                }
            }
            Some('*') => {
                if let Some((table, begun)) = open {
                    return Err(Unread::Cut(format!(
                        "table {table} of line {begun} has no COMMIT"
                    )));
                }
                let name = line[1..].trim();
                tables.entry(name).or_default();
                open = Some((name, number));
            }
            Some(':') => {
                let name = line[1..].split_whitespace().next().unwrap_or_default();
                if let Some((table, _)) = open
                    && let Some(table) = tables.get_mut(table)
                {
                    table.chains.entry(name.to_owned()).or_default();
                }
            }
            _ if line == "COMMIT" => {
                open = None;
                commits += 1;
            }
            _ => {
                let mut words = words(line);
                // Counters stand before a rule with -c.
                if words.first().is_some_and(|word| word.starts_with('[')) {
                    words.remove(0);
                }
                if words.first().map(String::as_str) != Some("-A") || words.len() < 2 {
                    return Err(Unread::Line(
                        number,
                        "is no line of iptables-save".to_owned(),
                    ));
                }
                let Some(table) = open.and_then(|(table, _)| tables.get_mut(table)) else {
                    return Err(Unread::Line(number, "is in no table".to_owned()));
                };
                let chain = words.remove(1);
                words.remove(0);
                let rule = rule(words, number);
                table.chains.entry(chain).or_default().push(rule);
            }
        }
    }
    if let Some((table, begun)) = open {
        return Err(Unread::Cut(format!(
            "table {table} of line {begun} has no COMMIT"
        )));
    }
    if commits == 0 {
        return Err(Unread::Cut("there is no table in it".to_owned()));
    }
    let mut take = |name| tables.remove(name);
    let nat = take("nat").ok_or_else(|| Unread::Lacks("the table nat".to_owned()))?;
    let filter = take("filter");
    let of_rules = nat.chains.values().find_map(Chain::family);
    Tables::new(nat, filter, family.or(of_rules), legacy)
}
