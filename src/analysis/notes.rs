//! What should the reader know about an answer: why other tools show something else, and what it had to assume?

use std::collections::BTreeSet;
use std::net::SocketAddr;

use super::affinity::Affinity;
use super::cluster::Cluster;
use super::data_plane::DataPlane;
use super::health_check::HealthCheck;
use super::misfits::Misfit;
use super::paths::{self, PortPaths};
use super::reading::Read;
use super::traffic_summary::{TrafficSummary, outcomes};
use crate::facts::endpoints::Endpoints;
use crate::facts::kube_proxy::{ProxyMode, VersionSource};
use crate::facts::service::{Family, Service, TrafficPolicy};
use crate::facts::slice::EndpointSlice;
use crate::facts::version::KubeVersion;
use crate::gates::behaviour;
use crate::gates::behaviour::{NEWEST_MINOR, OLDEST_MINOR};
use crate::proxy::lists::Using;

/// Something to know about an answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Note {
    /// Terminating endpoints are used, because of KEP-1669.
    FallbackToTerminating,
    /// On Windows terminating endpoints are used.
    WindowsFallback,
    /// Another data plane routes it; its name, and how certain its rules are.
    OtherDataPlane(&'static str, &'static str),
    /// `kubectl get endpoints` shows no address although some get connections.
    EndpointsShowNone,
    /// `kubectl get endpoints` shows fewer addresses than get connections.
    EndpointsShowFewer {
        /// The addresses that it shows.
        shown: usize,
        /// The addresses that get connections.
        used: usize,
    },
    /// kube-proxy's version is not known, so the newest known is assumed.
    VersionNotKnown,
    /// kube-proxy is newer than the source that was read, and its release notes were.
    ReleaseNotesOnly(KubeVersion),
    /// kube-proxy is newer than what is known.
    NewerThanKnown(KubeVersion),
    /// kube-proxy is older than what is known.
    OlderThanKnown(KubeVersion),
    /// It is not known how kube-proxy tells pods from other sources.
    PodSourcesNotKnown,
    /// Slices contradict each other about these endpoints.
    SlicesContradict(BTreeSet<String>),
    /// kube-proxies fail to sync IPv4, because of an address in some slice.
    SyncFails(Misfit),
    /// On a dual-stack Service kube-proxy answers the health check port for one family only.
    HealthCheckOneFamily,
    /// In ipvs mode endpoints that end keep the connections that they have.
    IpvsWeightZero,
    /// Clients stay with their pods.
    StickyClients(Affinity),
    /// The controllers leave terminating pods out of slices, although they would not by default.
    TerminatingLeftOut,
}

impl Note {
    /// The stable id that reports and `explain` use.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::FallbackToTerminating => "fallback-to-terminating",
            Self::WindowsFallback => "windows-fallback",
            Self::OtherDataPlane(..) => "other-data-plane",
            Self::EndpointsShowNone => "endpoints-show-none",
            Self::EndpointsShowFewer { .. } => "endpoints-show-fewer",
            Self::VersionNotKnown => "version-not-known",
            Self::ReleaseNotesOnly(_) => "release-notes-only",
            Self::NewerThanKnown(_) => "newer-than-known",
            Self::OlderThanKnown(_) => "older-than-known",
            Self::PodSourcesNotKnown => "pod-sources-not-known",
            Self::SlicesContradict(_) => "slices-contradict",
            Self::SyncFails(_) => "sync-fails",
            Self::HealthCheckOneFamily => "health-check-one-family",
            Self::IpvsWeightZero => "ipvs-weight-zero",
            Self::StickyClients(_) => "sticky-clients",
            Self::TerminatingLeftOut => "terminating-left-out",
        }
    }

    /// One or two sentences for people.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::FallbackToTerminating => "Where no endpoint in scope is ready, kube-proxy sends new connections to terminating pods that still serve (the default since 1.26) instead of refusing or dropping them.".to_owned(),
            Self::WindowsFallback => "Where no endpoint in scope is ready, kube-proxy on Windows sends new connections to terminating pods that still serve.".to_owned(),
            Self::OtherDataPlane(name, certainty) => format!(
                "{name} routes it instead of kube-proxy: the answer follows its rules ({certainty}), without its zone preferences."
            ),
            Self::EndpointsShowNone => "`kubectl get endpoints` shows <none> because it lists ready addresses only.".to_owned(),
            Self::EndpointsShowFewer { shown, used } => format!(
                "`kubectl get endpoints` shows {shown} of the {used} addresses that get connections because it lists ready ones only."
            ),
            Self::VersionNotKnown => format!(
                "kube-proxy's version is not known: 1.{NEWEST_MINOR}, the newest known, is assumed. Add the nodes with their status to the input, or set --kube-version."
            ),
            Self::ReleaseNotesOnly(version) => format!(
                "kube-proxy {version}: its release notes note no change to the selection of endpoints, and its source was not read; the behaviour of 1.{NEWEST_MINOR} is taken."
            ),
            Self::NewerThanKnown(version) => format!(
                "kube-proxy {version} is newer than 1.{NEWEST_MINOR}, the newest version known; the behaviour of 1.{NEWEST_MINOR} is assumed."
            ),
            Self::OlderThanKnown(version) => format!(
                "kube-proxy {version} is older than 1.{OLDEST_MINOR}, the oldest version known; the behaviour of 1.{OLDEST_MINOR} is assumed."
            ),
            Self::PodSourcesNotKnown => "How kube-proxy tells connections from pods apart is not known here; by the cluster's CIDR is assumed. Set --cluster-cidr, or --cluster-cidr= if there is none.".to_owned(),
            Self::HealthCheckOneFamily => "Before 1.36 kube-proxy (other than in nftables mode) answers healthCheckNodePort for one IP family only, and which one varies from node to node: shown is that of the first cluster IP (kubernetes#137370).".to_owned(),
            Self::IpvsWeightZero => "In ipvs mode an endpoint that gets no new connections stays as a real server with weight 0 and keeps the TCP connections that it has until they end (kube-proxy looks once a minute); UDP and SCTP end at once.".to_owned(),
            Self::SyncFails(Misfit { slice, address }) => format!(
                "Slice {slice} is of addressType IPv4 and holds {address}: kube-proxy fails its whole IPv4 sync on that, for all Services, and leaves what nodes have as it was. What is shown is what the slices ask for."
            ),
            Self::StickyClients(affinity) => affinity.sentence(),
            Self::TerminatingLeftOut => "The EndpointSlices set ready and no other condition, and leave terminating pods out: kube-controller-manager's feature gate EndpointSliceTerminatingCondition is likely off. Terminating pods get no new connections, even if no other is Ready.".to_owned(),
            Self::SlicesContradict(endpoints) => {
                let first = endpoints.first().map_or("", String::as_str);
                let rest = match endpoints.len() {
                    0 | 1 => String::new(),
                    more => format!(" and {} more", more - 1),
                };
                format!(
                    "Slices contradict each other about {first}{rest}: kube-proxy reads slices in no fixed order, so a node may decide differently from what is shown here."
                )
            }
        }
    }
}

/// An answer that notes are about.
pub(super) struct Answer<'x, 'a> {
    pub(super) service: &'a Service,
    pub(super) slices: &'x [&'a EndpointSlice],
    pub(super) read: &'x Read<'x>,
    pub(super) endpoints_object: Option<&'a Endpoints>,
    pub(super) ports: &'x [PortPaths<'a>],
    pub(super) traffic: Option<TrafficSummary>,
    pub(super) data_plane: Option<&'x DataPlane>,
    pub(super) affinity: Option<&'x Affinity>,
    pub(super) gate_off: bool,
    pub(super) health: Option<&'x HealthCheck>,
}

/// What `kubectl get endpoints` hides of the addresses that get connections.
fn hidden(check: &Answer<'_, '_>) -> Option<Note> {
    let traffic = check.traffic?;
    let used = traffic.ready + traffic.terminating;
    let object = check.endpoints_object?;
    let shown: BTreeSet<_> = object
        .subsets
        .iter()
        .flat_map(|subset| &subset.ready)
        .map(|address| address.ip)
        .collect();
    // A truncated object has its own finding (DC110).
    if object.over_capacity.is_some() || used <= shown.len() {
        return None;
    }
    Some(if shown.is_empty() {
        Note::EndpointsShowNone
    } else {
        Note::EndpointsShowFewer {
            shown: shown.len(),
            used,
        }
    })
}

fn contradictions(check: &Answer<'_, '_>, cluster: &Cluster<'_>) -> Option<Note> {
    let service = check.service;
    let families = paths::families(service);
    let mut endpoints = BTreeSet::new();
    let behaviours = cluster.fleet.behaviours().map(|(behaviour, _)| behaviour);
    for behaviour in behaviours.filter(|behaviour| !behaviour.reads_endpoints_object) {
        for port in service.ports.iter().enumerate() {
            for family in &families {
                let claims = check.read.claims(port, *family, behaviour);
                let undecided = claims.iter().filter(|claim| claim.undecided(behaviour));
                endpoints.extend(undecided.map(|claim| claim.entries()[0].endpoint.to_string()));
            }
        }
    }
    (!endpoints.is_empty()).then_some(Note::SlicesContradict(endpoints))
}

/// The endpoints about which slices contradict each other.
pub(super) fn contradicted(notes: &[Note]) -> BTreeSet<SocketAddr> {
    let endpoints = notes.iter().filter_map(|note| match note {
        Note::SlicesContradict(endpoints) => Some(endpoints),
        _ => None,
    });
    let endpoints = endpoints.flatten();
    endpoints
        .filter_map(|endpoint| endpoint.parse().ok())
        .collect()
}

/// Everything to know about an answer.
#[must_use]
pub(super) fn notes(check: &Answer<'_, '_>, cluster: &Cluster<'_>) -> Vec<Note> {
    if check.traffic.is_none() {
        return Vec::new();
    }
    let falls_back = |windows: bool| {
        outcomes(check.ports).any(|outcome| {
            outcome.using == Some(Using::Terminating)
                && windows == (outcome.proxy.mode == ProxyMode::Winkernel)
        })
    };
    let mut notes = Vec::new();
    if let Some(plane) = check.data_plane {
        notes.push(Note::OtherDataPlane(
            &plane.source.name,
            plane.source.confidence.words(),
        ));
        notes.extend(hidden(check));
        notes.extend(check.affinity.cloned().map(Note::StickyClients));
        return notes;
    }
    if falls_back(false) {
        notes.push(Note::FallbackToTerminating);
    }
    if falls_back(true) {
        notes.push(Note::WindowsFallback);
    }
    notes.extend(hidden(check));
    notes.extend(contradictions(check, cluster));
    if paths::families(check.service).contains(&Family::V4) {
        notes.extend(cluster.misfit.clone().map(Note::SyncFails));
    }
    if check.health.is_some_and(|health| health.one_family) {
        notes.push(Note::HealthCheckOneFamily);
    }
    let ends = |slice: &&EndpointSlice| {
        let mut endpoints = slice.endpoints.iter();
        endpoints.any(|endpoint| endpoint.conditions.terminating == Some(true))
    };
    let ipvs = cluster
        .kinds
        .iter()
        .any(|proxy| proxy.mode == ProxyMode::Ipvs);
    if ipvs && check.slices.iter().any(ends) {
        notes.push(Note::IpvsWeightZero);
    }
    notes.extend(check.affinity.cloned().map(Note::StickyClients));
    notes.extend(check.gate_off.then_some(Note::TerminatingLeftOut));
    let proxies = || cluster.kinds.iter();
    if proxies().any(|proxy| proxy.version_source == VersionSource::NewestKnown) {
        notes.push(Note::VersionNotKnown);
    }
    let versions: BTreeSet<_> = proxies().map(|proxy| proxy.version).collect();
    let are = |wanted| move |version: &&KubeVersion| behaviour::known(**version) == wanted;
    if let Some(version) = versions.last().filter(are(behaviour::Known::Announced)) {
        notes.push(Note::ReleaseNotesOnly(*version));
    }
    if let Some(version) = versions.last().filter(are(behaviour::Known::Newer)) {
        notes.push(Note::NewerThanKnown(*version));
    }
    if let Some(version) = versions.first().filter(are(behaviour::Known::Older)) {
        notes.push(Note::OlderThanKnown(*version));
    }
    let service = check.service;
    let local = service.external_traffic_policy == Some(TrafficPolicy::Local);
    let families = || service.cluster_ips.iter().copied().map(Family::of);
    if local && families().any(|family| cluster.tells_pods.of(family).is_none()) {
        notes.push(Note::PodSourcesNotKnown);
    }
    notes
}
