//! Which entries of which slices become endpoints of a Service port in this kube-proxy?
//!
//! Sources: `pkg/proxy/endpointslicecache.go`, `pkg/proxy/endpointschangetracker.go`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use crate::facts::cidr;
use crate::facts::node::HOSTNAME_LABEL;
use crate::facts::service::{Family, Service, ServicePort};
use crate::facts::slice::{AddressType, Endpoint, EndpointSlice};
use crate::gates::behaviour::{Behaviour, Duplicates, Locality};

/// The label that gives a Service, or a slice, to another proxy than kube-proxy.
pub const PROXY_NAME: &str = "service.kubernetes.io/service-proxy-name";

const HEADLESS: &str = "service.kubernetes.io/headless";

/// The switches of a kube-proxy that affect how it reads slices: versions with the same switches read the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// See [`Behaviour::reads_endpoints_object`].
    pub endpoints_object: bool,
    proxy_name_label_hides_slice: bool,
    reads_type_ip: bool,
    drops_not_ready: bool,
    by_ip: bool,
    locality: Locality,
}

impl From<&Behaviour> for Reading {
    fn from(behaviour: &Behaviour) -> Self {
        Self {
            endpoints_object: behaviour.reads_endpoints_object,
            proxy_name_label_hides_slice: behaviour.proxy_name_label_hides_slice,
            reads_type_ip: behaviour.reads_type_ip,
            drops_not_ready: behaviour.drops_not_ready,
            by_ip: behaviour.duplicates == Duplicates::ByIpLocalWins,
            locality: behaviour.locality,
        }
    }
}

/// An endpoint as kube-proxy sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// `ip:port`, with brackets around an IPv6 address.
    pub endpoint: Arc<str>,
    /// The IP as kube-proxy keeps it.
    pub ip: IpAddr,
    /// The node that it is local to.
    pub node: Option<&'a str>,
    /// `conditions.ready`; true where it is not set.
    pub ready: bool,
    /// `conditions.serving`; true where it is not set, whatever `ready` is.
    pub serving: bool,
    /// `conditions.terminating`; false where it is not set.
    pub terminating: bool,
    /// The entry of the slice.
    pub written: &'a Endpoint,
    /// The place of its slice among the Service's.
    pub slice: usize,
}

impl Candidate<'_> {
    /// Serving and terminating: what the fallback may use.
    #[must_use]
    pub const fn can_fall_back(&self) -> bool {
        self.serving && self.terminating
    }

    /// Is the other entry the same, as far as selection reads it? A pod's name or a zone is not read, nor hints where they are not.
    fn same(&self, other: &Self, hints: bool) -> bool {
        let read = |entry: &Self| (entry.ready, entry.serving, entry.terminating);
        let hinted = |entry: &Self| {
            (
                entry.written.zone_hints.clone(),
                entry.written.node_hints.clone(),
            )
        };
        self.endpoint == other.endpoint
            && self.node == other.node
            && read(self) == read(other)
            && self.written.topology == other.written.topology
            && (!hints || hinted(self) == hinted(other))
    }
}

/// One endpoint, with every entry of a slice for it (usually one).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims<'a>(Vec<Candidate<'a>>);

impl<'a> Claims<'a> {
    /// The entry that counts on a node. kube-proxy visits slices in random order, so where several entries disagree this
    /// is one of the possible answers: see [`Claims::ambiguous`].
    #[must_use]
    pub fn on_node(&self, node: &str, behaviour: &Behaviour) -> &Candidate<'a> {
        let first = &self.0[0];
        let winner = match behaviour.duplicates {
            Duplicates::ByIpLocalWins | Duplicates::ByEndpointLocalWins => {
                self.0.iter().rev().find(|entry| {
                    entry
                        .node
                        .is_some_and(|name| name == node && !node.is_empty())
                })
            }
            Duplicates::ByEndpointLiveWins => self.0.iter().rev().find(|entry| !entry.terminating),
        };
        winner.unwrap_or(first)
    }

    /// Entries disagree in what a kube-proxy reads of them.
    #[must_use]
    pub fn ambiguous(&self) -> bool {
        let first = &self.0[0];
        self.0.iter().any(|entry| !entry.same(first, true))
    }

    /// The entries that count on a node, as slices are read in one order or another. Within a slice the order is fixed.
    fn rivals(&self, node: Option<&str>, behaviour: &Behaviour) -> Vec<&Candidate<'a>> {
        let wins = |entry: &Candidate<'a>| match behaviour.duplicates {
            Duplicates::ByIpLocalWins | Duplicates::ByEndpointLocalWins => {
                node.is_some() && entry.node == node
            }
            Duplicates::ByEndpointLiveWins => !entry.terminating,
        };
        let mut last: BTreeMap<usize, &Candidate<'a>> = BTreeMap::new();
        let mut first: BTreeMap<usize, &Candidate<'a>> = BTreeMap::new();
        for entry in &self.0 {
            first.entry(entry.slice).or_insert(entry);
            if wins(entry) {
                last.insert(entry.slice, entry);
            }
        }
        let rivals = if last.is_empty() { first } else { last };
        rivals.into_values().collect()
    }

    /// Does the entry that counts on some node depend on the order in which this kube-proxy happens to read slices?
    #[must_use]
    pub fn undecided(&self, behaviour: &Behaviour) -> bool {
        if self.0.len() == 1 {
            return false;
        }
        let hints = behaviour.zone_hints || behaviour.node_hints;
        let mut nodes = self.nodes().map(Some).chain([None]);
        nodes.any(|node| {
            let rivals = self.rivals(node, behaviour);
            rivals.iter().any(|entry| !entry.same(rivals[0], hints))
        })
    }

    /// Every node that one of the entries is local to.
    pub fn nodes(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.0.iter().filter_map(|entry| entry.node)
    }

    /// The entries themselves.
    #[must_use]
    pub fn entries(&self) -> &[Candidate<'a>] {
        &self.0
    }
}

/// Are these the same endpoints, read of the same slices?
#[must_use]
pub fn alike(claims: &[Claims<'_>], others: &[Claims<'_>]) -> bool {
    let same = |(one, other): (&Candidate<'_>, &Candidate<'_>)| {
        std::ptr::eq(one.written, other.written)
            && one.endpoint == other.endpoint
            && one.node == other.node
            && one.slice == other.slice
    };
    claims.len() == others.len()
        && claims.iter().zip(others).all(|(one, other)| {
            one.0.len() == other.0.len() && one.0.iter().zip(&other.0).all(same)
        })
}

/// Does kube-proxy handle this Service for this family at all?
#[must_use]
pub fn proxied(service: &Service, family: Family, behaviour: &Behaviour) -> bool {
    use crate::facts::service::ServiceType;
    !(service.labels.contains_key(PROXY_NAME)
        || behaviour.headless_label_hides_service && service.labels.contains_key(HEADLESS)
        || service.headless
        || service.kind == ServiceType::ExternalName)
        && service
            .cluster_ips
            .iter()
            .any(|ip| Family::of(*ip) == family)
}

/// Is this slice one of the Service's, as this kube-proxy sees it?
#[must_use]
pub fn belongs(slice: &EndpointSlice, service: &Service, reading: Reading) -> bool {
    slice.is_of(&service.name)
        && !slice.labels.contains_key(HEADLESS)
        && !(reading.proxy_name_label_hides_slice && slice.labels.contains_key(PROXY_NAME))
}

fn family_fits(slice: &EndpointSlice, family: Family, reading: Reading) -> bool {
    match slice.address_type {
        AddressType::V4 => family == Family::V4,
        AddressType::V6 => family == Family::V6,
        AddressType::Ip => reading.reads_type_ip,
        AddressType::Fqdn => false,
    }
}

fn local_to(endpoint: &Endpoint, reading: Reading) -> Option<&str> {
    let by_name = endpoint.node.as_deref();
    // The API server translates nodeName into this key for discovery v1beta1, so either spelling may be what was recorded.
    let by_key = endpoint.topology.get(HOSTNAME_LABEL).map(String::as_str);
    match reading.locality {
        Locality::Hostname => by_key.or(by_name),
        Locality::NodeNameOrHostname => by_name.or(by_key),
        Locality::NodeName => by_name,
    }
}

/// `ip:port`, by way of a text that is there for all of them.
fn written_as(text: &mut String, address: SocketAddr) -> Arc<str> {
    text.clear();
    // A text takes everything.
    let _ = write!(text, "{address}");
    Arc::from(text.as_str())
}

/// The endpoints of one Service port for one family, sorted by `ip:port` as text.
#[must_use]
pub fn candidates<'a>(
    service: &Service,
    port: &ServicePort,
    family: Family,
    slices: &[&'a EndpointSlice],
    reading: Reading,
) -> Vec<Claims<'a>> {
    let mut found: BTreeMap<(IpAddr, u16), Vec<Candidate<'a>>> = BTreeMap::new();
    let mut text = String::new();
    for (place, slice) in slices.iter().enumerate() {
        if !belongs(slice, service, reading) || !family_fits(slice, family, reading) {
            continue;
        }
        for entry in &slice.ports {
            if entry.name.as_ref() != Some(&port.name) || entry.protocol != port.protocol {
                continue;
            }
            let Some(number) = entry.port.filter(|number| *number != 0) else {
                continue;
            };
            for written in &slice.endpoints {
                let Some(ip) = written
                    .addresses
                    .first()
                    .and_then(|text| cidr::address(text))
                    .filter(|ip| Family::of(*ip) == family)
                else {
                    continue;
                };
                let ready = written.conditions.ready.unwrap_or(true);
                if reading.drops_not_ready && !ready {
                    continue;
                }
                let key = (ip, if reading.by_ip { 0 } else { number });
                // Hardly ever is there a second one.
                let same = found.entry(key).or_insert_with(|| Vec::with_capacity(1));
                same.push(Candidate {
                    endpoint: written_as(&mut text, SocketAddr::new(ip, number)),
                    ip,
                    node: local_to(written, reading),
                    ready,
                    serving: written.conditions.serving.unwrap_or(true),
                    terminating: written.conditions.terminating.unwrap_or(false),
                    written,
                    slice: place,
                });
            }
        }
    }
    let mut all: Vec<_> = found.into_values().map(Claims).collect();
    // Of a thousand endpoints, what is compared stands together.
    all.sort_by_cached_key(|claims| Arc::clone(&claims.0[0].endpoint));
    all
}
