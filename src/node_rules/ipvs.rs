//! `ipvsadm -S -n`: virtual servers and their real servers. Read in `pkg/proxy/ipvs/proxier.go` and ipvsadm(8); no recorded dump stands behind it.

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;

use super::Programmed;
use super::packet::{Decision, Packet, Verdict};
use super::unread::Unread;
use crate::facts::service::{Family, Protocol};

/// Real servers with their weights, by virtual server.
#[derive(Debug, Default)]
pub(super) struct Servers {
    by_address: HashMap<(Protocol, SocketAddr), Vec<(SocketAddr, u32)>>,
}

fn protocol(flag: &str) -> Option<Protocol> {
    match flag {
        "-t" | "--tcp-service" => Some(Protocol::Tcp),
        "-u" | "--udp-service" => Some(Protocol::Udp),
        "--sctp-service" => Some(Protocol::Sctp),
        _ => None,
    }
}

/// Reads a dump into its families.
pub(super) fn read(text: &str) -> Result<Vec<(Family, Servers)>, Unread> {
    let mut families: Vec<(Family, Servers)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        let words: Vec<_> = line.split_whitespace().collect();
        let Some((command, rest)) = words.split_first() else {
            continue;
        };
        let flag = |names: [&str; 2]| {
            let at = rest.iter().position(|word| names.contains(word))?;
            rest.get(at + 1).copied()
        };
        let unread = |what: &str| Unread::Line(number, what.to_owned());
        // A virtual server of marked packets is none of kube-proxy's.
        if rest.first() == Some(&"-f") {
            continue;
        }
        let (Some(protocol), Some(address)) = (
            rest.first().and_then(|flag| protocol(flag)),
            rest.get(1).and_then(|text| text.parse::<SocketAddr>().ok()),
        ) else {
            return Err(unread("is no line of ipvsadm -S -n (with numbers: -n)"));
        };
        let family = Family::of(address.ip());
        let at = families.iter().position(|(known, _)| *known == family);
        let at = at.unwrap_or_else(|| {
            families.push((family, Servers::default()));
            families.len() - 1
        });
        let servers = families[at].1.by_address.entry((protocol, address));
        let servers = servers.or_default();
        match *command {
            "-A" => {}
            "-a" => {
                let real = flag(["-r", "--real-server"]);
                let real = real.and_then(|text| text.parse().ok());
                let weight = flag(["-w", "--weight"]).map_or(Ok(1), str::parse);
                match (real, weight) {
                    (Some(real), Ok(weight)) => servers.push((real, weight)),
                    _ => return Err(unread("names no real server, or no weight")),
                }
            }
            _ => return Err(unread("is no line of ipvsadm -S -n")),
        }
    }
    if families.is_empty() {
        return Err(Unread::NotSynced);
    }
    Ok(families)
}

fn real<'s>(servers: &'s Servers, packet: &Packet) -> Option<&'s Vec<(SocketAddr, u32)>> {
    let address = SocketAddr::new(packet.destination, packet.port);
    servers.by_address.get(&(packet.protocol, address))
}

/// What becomes of a packet. A virtual server without a real server that takes connections refuses (`ip_vs_leave`).
pub(super) fn decide(servers: &Servers, packet: &Packet) -> Decision {
    let real = real(servers, packet);
    let takes = real.into_iter().flatten().filter(|(_, weight)| *weight > 0);
    let backends: BTreeSet<_> = takes.map(|(server, _)| *server).collect();
    let verdict = match (real, backends.is_empty()) {
        (None, _) => Verdict::NotProgrammed,
        (Some(_), true) => Verdict::Reject,
        (Some(_), false) => Verdict::Forward,
    };
    Decision { verdict, backends }
}

/// Real servers that keep what they have.
pub(super) fn draining(servers: &Servers, packet: &Packet) -> BTreeSet<SocketAddr> {
    let all = real(servers, packet).into_iter().flatten();
    let drained = all.filter(|(_, weight)| *weight == 0);
    drained.map(|(server, _)| *server).collect()
}

/// What there are virtual servers for; node ports among them by the node's addresses.
pub(super) fn programmed(servers: &Servers) -> BTreeSet<Programmed> {
    let all = servers.by_address.keys();
    all.map(|(protocol, address)| Programmed {
        address: Some(address.ip()),
        port: address.port(),
        protocol: *protocol,
        service: None,
    })
    .collect()
}
