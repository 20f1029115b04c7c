//! What changed in which version? One row for each switch of kube-proxy and the controllers that a release flipped.
//!
//! The code is what counts; these rows describe it. The test in `switches.rs` holds them against it in both directions.

use super::behaviour::OLDEST_MINOR;
use super::switches::Switch;
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::version::KubeVersion;

/// One change of behaviour with default gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The minor version.
    pub minor: u16,
    /// The patch release.
    pub patch: u16,
    /// The switch that it flips.
    pub switch: Switch,
    /// The only mode in which it does; `None` is every mode.
    pub mode: Option<ProxyMode>,
    /// What the version does, as a sentence.
    pub what: &'static str,
    /// The gate that did it, if one did.
    pub gate: Option<&'static str>,
    /// Where that is read: a KEP, a pull request or a file.
    pub source: &'static str,
}

impl Change {
    /// The first release with it.
    #[must_use]
    pub const fn version(&self) -> KubeVersion {
        KubeVersion::exact(self.minor, self.patch)
    }
}

const fn change(
    (minor, patch): (u16, u16),
    switch: Switch,
    what: &'static str,
    source: &'static str,
) -> Change {
    Change {
        minor,
        patch,
        switch,
        mode: None,
        what,
        gate: None,
        source,
    }
}

impl Change {
    const fn by(self, gate: &'static str) -> Self {
        Self {
            gate: Some(gate),
            ..self
        }
    }

    const fn only(self, mode: ProxyMode) -> Self {
        Self {
            mode: Some(mode),
            ..self
        }
    }
}

/// What the oldest version that is known does; everything after it is a change.
pub const BASELINE: &str = "kube-proxy sends new connections to ready endpoints only; it discards others when it reads them, and \
     slices hold no terminating pods unless publishNotReadyAddresses is set. It reads EndpointSlices on Linux and Endpoints on Windows. \
     Of the traffic policies only externalTrafficPolicy exists. (pkg/proxy/endpointslicecache.go, pkg/proxy/topology.go)";

/// The releases at which anything changed, oldest first, beginning with the oldest one known.
#[must_use]
pub fn turning_points() -> Vec<KubeVersion> {
    let mut points: Vec<_> = CHANGES.iter().map(Change::version).collect();
    points.push(KubeVersion::exact(OLDEST_MINOR, 0));
    points.sort_unstable();
    points.dedup();
    points
}

/// What changes from one version to another, oldest first.
#[must_use]
pub fn between(from: KubeVersion, to: KubeVersion) -> Vec<&'static Change> {
    let has = |version: KubeVersion, change: &Change| version.at_least(change.minor, change.patch);
    let all = CHANGES.iter();
    all.filter(|change| !has(from, change) && has(to, change))
        .collect()
}

/// Every change, oldest first.
pub static CHANGES: &[Change] = &[
    change(
        (20, 0),
        "reads_type_ip",
        "kube-proxy no longer reads slices of addressType IP.",
        "pkg/proxy/endpointslicecache.go",
    ),
    change(
        (20, 0),
        "windows_local_dsr",
        "Windows: externalTrafficPolicy Local is honoured through direct server return.",
        "pkg/proxy/winkernel/proxier.go",
    ),
    change(
        (20, 0),
        "own_load_balancer_unrejected",
        "iptables: nothing refuses the node's own connections to a load balancer's address without usable endpoint; they leave the node.",
        "pkg/proxy/iptables/proxier.go",
    )
    .only(ProxyMode::Iptables),
    change(
        (21, 0),
        "generation",
        "kube-proxy filters endpoints once (topology keys, internal policy or hints, each behind a gate) and then takes the ready ones.",
        "pkg/proxy/topology.go",
    ),
    change(
        (21, 0),
        "drops_not_ready",
        "kube-proxy keeps endpoints that are not ready, with their conditions, instead of discarding them when it reads a slice.",
        "pkg/proxy/endpointslicecache.go",
    ),
    change(
        (21, 0),
        "locality",
        "An endpoint's node is its nodeName, else the topology label kubernetes.io/hostname; before, only that label.",
        "pkg/proxy/endpointslicecache.go",
    ),
    change(
        (21, 0),
        "reads_endpoints_object",
        "Windows: kube-proxy reads EndpointSlices instead of Endpoints.",
        "KEP-752",
    )
    .only(ProxyMode::Winkernel)
    .by("WindowsEndpointSliceProxying"),
    change(
        (21, 1),
        "hint_annotation",
        "The annotation topology-aware-hints may say Auto as well as auto.",
        "kubernetes#100728",
    ),
    change(
        (22, 0),
        "generation",
        "Under externalTrafficPolicy Local a node may fall back to its terminating endpoints, with the gate ProxyTerminatingEndpoints (alpha).",
        "KEP-1669",
    ),
    change(
        (22, 0),
        "locality",
        "An endpoint's node is its nodeName only.",
        "pkg/proxy/endpointslicecache.go",
    ),
    change(
        (22, 0),
        "duplicates",
        "Endpoints are distinguished by IP and port; before, two with the same IP became one.",
        "kubernetes#101935",
    ),
    change(
        (22, 0),
        "internal_policy",
        "internalTrafficPolicy counts. Up to 1.23 Local limits connections from outside as well.",
        "KEP-2086",
    )
    .by("ServiceInternalTrafficPolicy"),
    change(
        (22, 0),
        "counts_unusable",
        "Endpoints that cannot be used keep a Service from refusing connections: they are neither forwarded nor refused.",
        "kubernetes#106030",
    ),
    change(
        (22, 0),
        "slices_hold_terminating",
        "Slices hold terminating pods, with the conditions serving and terminating.",
        "KEP-1672",
    )
    .by("EndpointSliceTerminatingCondition"),
    change(
        (22, 0),
        "truncates_endpoints",
        "Endpoints objects are cut at 1000 addresses.",
        "kubernetes#103520",
    ),
    change(
        (22, 4),
        "counts_unusable",
        "Connections to a Service without usable endpoints are refused again.",
        "kubernetes#106373",
    ),
    change(
        (23, 0),
        "hint_scope",
        "Only ready endpoints must carry hints for hints to be used.",
        "kubernetes#106507",
    ),
    change(
        (24, 0),
        "generation",
        "kube-proxy makes two lists, for the cluster and for the node. internalTrafficPolicy Local no longer limits connections from outside; \
         with the gate ProxyTerminatingEndpoints (alpha) both lists fall back to terminating endpoints.",
        "kubernetes#106497",
    ),
    change(
        (24, 0),
        "zone_hints",
        "Zone hints are used by default.",
        "KEP-2433",
    )
    .by("TopologyAwareHints"),
    change(
        (24, 0),
        "knows_node_labels",
        "kube-proxy always knows the labels of its node, its zone among them.",
        "cmd/kube-proxy/app/server.go",
    ),
    change(
        (24, 2),
        "leaves_out_ended_pods",
        "Pods that ended (Succeeded, Failed) are in neither Endpoints nor slices, whatever their restart policy.",
        "kubernetes#110258",
    ),
    change(
        (24, 10),
        "windows_internal_policy",
        "Windows: internalTrafficPolicy Local counts.",
        "kubernetes#114466",
    ),
    change(
        (25, 0),
        "windows_internal_policy",
        "Windows: internalTrafficPolicy Local does not count until 1.25.6.",
        "kubernetes#114407",
    ),
    change(
        (25, 0),
        "skips_pods_of_missing_nodes",
        "Pods on a node whose object is gone are left out of slices.",
        "pkg/controller/endpointslice/reconciler.go",
    ),
    change(
        (25, 6),
        "windows_internal_policy",
        "Windows: internalTrafficPolicy Local counts.",
        "kubernetes#114407 (backport)",
    ),
    change(
        (26, 0),
        "terminating_fallback",
        "Without a ready endpoint, connections go to terminating ones that still serve.",
        "KEP-1669",
    )
    .by("ProxyTerminatingEndpoints"),
    change(
        (26, 0),
        "windows_internal_policy",
        "Windows: internalTrafficPolicy Local does not count until 1.26.1.",
        "kubernetes#114407",
    ),
    change(
        (26, 1),
        "windows_internal_policy",
        "Windows: internalTrafficPolicy Local counts.",
        "kubernetes#114407 (backport)",
    ),
    change(
        (26, 1),
        "windows_terminating",
        "Windows: terminating endpoints are used for Services with a load balancer's IP.",
        "kubernetes#113776",
    )
    .by("ProxyTerminatingEndpoints"),
    change(
        (27, 0),
        "hint_annotation",
        "The annotation topology-mode is read as well, and any value but Disabled counts.",
        "KEP-2433",
    ),
    change(
        (27, 0),
        "skips_external_name",
        "An ExternalName Service with a selector gets no Endpoints any more.",
        "pkg/controller/endpoint/endpoints_controller.go",
    ),
    change(
        (29, 0),
        "external_policy_on_cluster_ip",
        "externalTrafficPolicy counts for a Service of type ClusterIP with external IPs.",
        "pkg/api/v1/service/util.go",
    ),
    change(
        (30, 0),
        "ip_mode",
        "ipMode Proxy takes a load balancer's IP out of the node's rules.",
        "KEP-1860",
    )
    .by("LoadBalancerIPMode"),
    change(
        (31, 0),
        "hint_annotation",
        "Hints count without any annotation on the Service.",
        "KEP-4444",
    )
    .by("ServiceTrafficDistribution"),
    change(
        (32, 0),
        "sidecar_ports_in_endpoints",
        "Named ports of native sidecars are found for Endpoints; for slices only in 1.33.",
        "pkg/api/v1/pod/util.go",
    ),
    change(
        (33, 0),
        "empty_zone_hint",
        "On a node without a zone label a zone hint with an empty name counts.",
        "pkg/proxy/topology.go",
    ),
    change(
        (33, 0),
        "fails_on_other_family",
        "iptables: an IPv6 address in an IPv4 slice fails the IPv4 sync, for all Services.",
        "pkg/proxy/endpointslicecache.go",
    )
    .only(ProxyMode::Iptables),
    change(
        (33, 0),
        "fails_on_other_family",
        "nftables: an IPv6 address in an IPv4 slice fails the IPv4 sync, for all Services.",
        "pkg/proxy/endpointslicecache.go",
    )
    .only(ProxyMode::Nftables),
    change(
        (33, 0),
        "node_source_missed",
        "nftables: connections from the node itself are not short-circuited under externalTrafficPolicy Local.",
        "kubernetes#134024",
    )
    .only(ProxyMode::Nftables),
    change(
        (33, 0),
        "sidecar_ports_in_slices",
        "Named ports of native sidecars are found for slices.",
        "KEP-753",
    ),
    change(
        (33, 0),
        "endpoints_may_be_off",
        "Endpoints are deprecated; a cluster may run without their controller.",
        "KEP-4974",
    ),
    change(
        (33, 6),
        "node_source_missed",
        "nftables: connections from the node itself are short-circuited again.",
        "kubernetes#134099",
    )
    .only(ProxyMode::Nftables),
    change(
        (33, 6),
        "node_source_dropped",
        "nftables: connections from the node itself are no longer dropped where a node has no endpoint of its own.",
        "kubernetes#133969",
    )
    .only(ProxyMode::Nftables),
    change(
        (34, 0),
        "node_hints",
        "Node hints are used.",
        "KEP-3015",
    )
    .by("PreferSameTrafficDistribution"),
    change(
        (34, 0),
        "node_source_missed",
        "nftables: connections from the node itself are not short-circuited under externalTrafficPolicy Local.",
        "kubernetes#134024",
    )
    .only(ProxyMode::Nftables),
    change(
        (34, 2),
        "node_source_missed",
        "nftables: connections from the node itself are short-circuited again.",
        "kubernetes#134118",
    )
    .only(ProxyMode::Nftables),
    change(
        (36, 0),
        "duplicates",
        "Where an endpoint is listed twice, the entry that is not terminating wins.",
        "kubernetes#135593",
    ),
    change(
        (36, 0),
        "headless_label_hides_service",
        "The label service.kubernetes.io/headless no longer hides a Service from kube-proxy.",
        "kubernetes#134321",
    ),
    change(
        (36, 0),
        "proxy_name_label_hides_slice",
        "The label service.kubernetes.io/service-proxy-name no longer hides a slice whose Service does not carry it.",
        "kubernetes#134321",
    ),
    change(
        (36, 0),
        "health_by_family",
        "Each IP family's proxier answers healthCheckNodePort for itself; before, the first to get the port answers for both.",
        "kubernetes#137370",
    )
    .only(ProxyMode::Iptables),
    change(
        (36, 0),
        "health_by_family",
        "Each IP family's proxier answers healthCheckNodePort for itself; before, the first to get the port answers for both.",
        "kubernetes#137370",
    )
    .only(ProxyMode::Ipvs),
    change(
        (36, 0),
        "health_by_family",
        "Each IP family's proxier answers healthCheckNodePort for itself; before, the first to get the port answers for both.",
        "kubernetes#137370",
    )
    .only(ProxyMode::Winkernel),
];
