//! What has a node's kernel been told to do with new connections? Dumps of its rules are read, and packets walked through them.
//!
//! ```text
//! text ─ format ─→ save (iptables) │ json, text (nftables) │ ipvs ─→ Rules ─ a packet ─→ Decision
//! ```
//!
//! Nothing is matched line by line: a packet takes the way that the kernel would take, and ends where it ends. What is not understood is
//! said, never guessed. Written after kube-proxy's own writers (`pkg/proxy/iptables/proxier.go`, `pkg/proxy/nftables/proxier.go`,
//! `pkg/proxy/ipvs/proxier.go`) and the formats of iptables-save(8), libnftables-json(5) and ipvsadm(8).
#![deny(clippy::disallowed_methods)]

mod format;
mod iptables;
mod ipvs;
mod nft_json;
mod nft_ruleset;
mod nft_text;
mod nftables;
mod packet;
mod save;
mod unread;

pub use format::{Format, read};
pub use packet::{Decision, From, Packet, Verdict};
pub use unread::Unread;

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::facts::kube_proxy::ProxyMode;
use crate::facts::service::{Family, Protocol};

/// An address that a dump has rules for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Programmed {
    /// The address; `None` for a port of the node.
    pub address: Option<IpAddr>,
    /// The port.
    pub port: u16,
    /// The protocol.
    pub protocol: Protocol,
    /// The Service that the dump names for it: `namespace/name`, with `:port` where it has a name.
    pub service: Option<String>,
}

/// The rules of one dump for one family.
#[derive(Debug)]
pub struct Rules {
    /// The family.
    pub family: Family,
    /// The format.
    pub format: Format,
    /// What to know of the dump although it could be read.
    pub notes: BTreeSet<&'static str>,
    kernel: Kernel,
}

#[derive(Debug)]
enum Kernel {
    Iptables(iptables::Tables),
    Nftables(nft_ruleset::Table),
    Ipvs(ipvs::Servers),
}

impl Rules {
    /// The mode of the kube-proxy that writes such rules.
    #[must_use]
    pub const fn mode(&self) -> ProxyMode {
        match &self.kernel {
            Kernel::Iptables(_) => ProxyMode::Iptables,
            Kernel::Nftables(_) => ProxyMode::Nftables,
            Kernel::Ipvs(_) => ProxyMode::Ipvs,
        }
    }

    /// What becomes of a new connection.
    #[must_use]
    pub fn decide(&self, packet: &Packet) -> Decision {
        match &self.kernel {
            Kernel::Iptables(tables) => iptables::decide(tables, packet),
            Kernel::Nftables(table) => nftables::decide(table, packet),
            Kernel::Ipvs(servers) => ipvs::decide(servers, packet),
        }
    }

    /// What there are rules for.
    #[must_use]
    pub fn programmed(&self) -> BTreeSet<Programmed> {
        match &self.kernel {
            Kernel::Iptables(tables) => iptables::programmed(tables),
            Kernel::Nftables(table) => nftables::programmed(table),
            Kernel::Ipvs(servers) => ipvs::programmed(servers),
        }
    }

    /// Real servers with weight 0: they keep the connections that they have, and get no new ones.
    #[must_use]
    pub fn draining(&self, packet: &Packet) -> BTreeSet<std::net::SocketAddr> {
        match &self.kernel {
            Kernel::Ipvs(servers) => ipvs::draining(servers, packet),
            Kernel::Iptables(_) | Kernel::Nftables(_) => BTreeSet::new(),
        }
    }

    /// The node's addresses that node ports answer on, where the dump says so.
    #[must_use]
    pub fn node_addresses(&self) -> BTreeSet<IpAddr> {
        match &self.kernel {
            Kernel::Nftables(table) => nftables::node_addresses(table),
            Kernel::Iptables(_) | Kernel::Ipvs(_) => BTreeSet::new(),
        }
    }

    /// Is an address in any range that the rules tell sources apart by? One that is in none stands for all others.
    #[must_use]
    pub fn tells_apart(&self, source: IpAddr) -> bool {
        match &self.kernel {
            Kernel::Iptables(tables) => iptables::tells_apart(tables, source),
            Kernel::Nftables(table) => nftables::tells_apart(table, source),
            Kernel::Ipvs(_) => false,
        }
    }
}
