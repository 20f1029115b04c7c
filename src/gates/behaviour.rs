//! What does a kube-proxy of some version, mode and gates do? The switches that its algorithm reads.

use super::state;
use super::state::Overrides;
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::version::KubeVersion;

/// The oldest minor version whose behaviour is known.
pub const OLDEST_MINOR: u16 = 19;

/// The newest minor version whose source was read. Later ones are assumed to behave like it.
pub const NEWEST_MINOR: u16 = 36;

/// The newest minor version of which something is known: its release notes, its pull requests. Nothing noted there changes which
/// endpoints kube-proxy selects, so the behaviour of [`NEWEST_MINOR`] is taken (news.rs).
pub const NEWEST_ANNOUNCED: u16 = 37;

/// The first minor version whose source was not read.
const NEWEST_FOLLOWING: u16 = NEWEST_MINOR + 1;

/// How a version stands to those whose source was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Older than all of them; assumed to behave like [`OLDEST_MINOR`].
    Older,
    /// One of them.
    Yes,
    /// Newer than all of them; its release notes were read, and nothing in them changes what [`NEWEST_MINOR`] does.
    Announced,
    /// Newer than all that is known; assumed to behave like [`NEWEST_MINOR`].
    Newer,
}

/// Is this version one of those whose source was read?
#[must_use]
pub const fn known(version: KubeVersion) -> Known {
    match version.minor {
        ..OLDEST_MINOR => Known::Older,
        OLDEST_MINOR..=NEWEST_MINOR => Known::Yes,
        NEWEST_FOLLOWING..=NEWEST_ANNOUNCED => Known::Announced,
        _ => Known::Newer,
    }
}

/// Which of the released algorithms selects endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// 1.19 and 1.20: topology keys, then ready endpoints.
    TopologyKeys,
    /// 1.21: one filter (keys, internal policy or hints), then ready endpoints.
    OneFilter,
    /// 1.22 and 1.23: as 1.21, and a Local external policy may fall back to terminating endpoints (KEP-1669, alpha).
    LocalFallback,
    /// 1.24 and later: a cluster list and a local list (`CategorizeEndpoints`, kubernetes#106497).
    Categorised,
}

/// How an endpoint is known to be on this node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Locality {
    /// The topology key `kubernetes.io/hostname`.
    Hostname,
    /// `nodeName`, else the topology key.
    NodeNameOrHostname,
    /// `nodeName` only.
    NodeName,
}

/// What makes two entries of slices the same endpoint, and which of them wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Duplicates {
    /// Up to 1.21: the same IP; a later local one wins.
    ByIpLocalWins,
    /// 1.22 to 1.35: the same IP and port (kubernetes#101935); a later local one wins.
    ByEndpointLocalWins,
    /// 1.36: the same IP and port; a later one that is not terminating wins (kubernetes#135593).
    ByEndpointLiveWins,
}

/// Which annotation values let kube-proxy use zone hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HintAnnotation {
    /// 1.21.0: `auto` only.
    LowerAuto,
    /// 1.21.1 to 1.26: `Auto` or `auto` (kubernetes#100728).
    Auto,
    /// 1.27 and later: either annotation, any value but empty and `Disabled`.
    AnyButDisabled,
    /// Not looked at.
    NotNeeded,
}

/// Over which endpoints hints must be complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HintScope {
    /// All of them (1.21, 1.22).
    All,
    /// The ready ones (1.23 and later, kubernetes#106507).
    Ready,
}

/// What one kube-proxy does: everything about its version, mode and gates that selection depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Behaviour {
    /// `--proxy-mode`.
    pub mode: ProxyMode,
    /// Which algorithm.
    pub generation: Generation,
    /// Endpoints that are not ready are discarded when a slice is read.
    pub drops_not_ready: bool,
    /// How locality is known.
    pub locality: Locality,
    /// What happens to duplicates.
    pub duplicates: Duplicates,
    /// Endpoints are read from `Endpoints` objects rather than slices.
    pub reads_endpoints_object: bool,
    /// Slices of addressType `IP` are read.
    pub reads_type_ip: bool,
    /// `spec.topologyKeys` counts.
    pub topology_keys: bool,
    /// `spec.internalTrafficPolicy` counts.
    pub internal_policy: bool,
    /// Zone hints are read.
    pub zone_hints: bool,
    /// Node hints are read.
    pub node_hints: bool,
    /// The annotation that zone hints need.
    pub hint_annotation: HintAnnotation,
    /// Which endpoints must carry hints.
    pub hint_scope: HintScope,
    /// The labels of the node are known to kube-proxy.
    pub knows_node_labels: bool,
    /// With no ready endpoint, serving terminating ones are used (KEP-1669).
    pub terminating_fallback: bool,
    /// Unusable endpoints count as endpoints when it decides between reject and forward (1.22.0 to 1.22.3).
    pub counts_unusable: bool,
    /// A Local external policy counts for a ClusterIP Service with external IPs (1.29).
    pub external_policy_on_cluster_ip: bool,
    /// External IPs follow the external policy (always, but for a gate of 1.19).
    pub external_policy_on_external_ips: bool,
    /// `ipMode: Proxy` takes a load balancer's address out of the rules.
    pub ip_mode: bool,
    /// `spec.externalIPs` gets rules.
    pub external_ips: bool,
    /// The label `service.kubernetes.io/headless` on a Service hides it (up to 1.35).
    pub headless_label_hides_service: bool,
    /// The label `service.kubernetes.io/service-proxy-name` on a slice hides it (up to 1.35).
    pub proxy_name_label_hides_slice: bool,
    /// nftables: connections from the node itself are not short-circuited under a Local external policy, because the test for
    /// local sources never matches (kubernetes#134024: 1.33.0 to 1.33.5, 1.34.0, 1.34.1).
    pub node_source_missed: bool,
    /// nftables: where a node has no local endpoint, connections from the node itself are dropped before they can be
    /// short-circuited (kubernetes#132456: up to 1.33.5).
    pub node_source_dropped: bool,
    /// A hint for the zone "" counts on a node without zone: the zone label is not asked for (`pkg/proxy/topology.go` of 1.33).
    pub empty_zone_hint: bool,
    /// An IPv6 address in a slice of `addressType: IPv4` is taken over, and the whole IPv4 sync fails on it; up to 1.32 it is dropped. Seen
    /// with 1.33.13 and 1.36.3 in iptables and nftables mode.
    pub fails_on_other_family: bool,
    /// iptables: nothing refuses the node's own connections to external IPs of a Service without usable endpoint, because
    /// KUBE-EXTERNAL-SERVICES is not reached from OUTPUT; likewise [`Behaviour::own_load_balancer_unrejected`].
    pub own_external_unrejected: bool,
    /// The same for load balancers' addresses, whose REJECT moved there in 1.20.
    pub own_load_balancer_unrejected: bool,
    /// Each family's proxier answers healthCheckNodePort for itself. In iptables and ipvs mode before 1.36 both want one socket, and the
    /// first to get it answers for both (kubernetes#137370).
    pub health_by_family: bool,
    /// winkernel: terminating endpoints are used for Services with a load balancer IP (kubernetes#113776).
    pub windows_terminating: bool,
    /// winkernel: `internalTrafficPolicy: Local` counts (kubernetes#114407).
    pub windows_internal_policy: bool,
    /// winkernel: a Local external policy is honoured through direct server return (1.20).
    pub windows_local_dsr: bool,
}

impl Behaviour {
    /// What a data plane does in kube-proxy's place whose rules are known, in the terms of kube-proxy's newest version: both policies,
    /// and endpoints by their conditions. Zones are left out, because whether it prefers them depends on settings that are not read.
    #[must_use]
    pub fn of_data_plane(falls_back: bool) -> Self {
        Self {
            terminating_fallback: falls_back,
            fails_on_other_family: false,
            own_external_unrejected: false,
            own_load_balancer_unrejected: false,
            zone_hints: false,
            node_hints: false,
            ..Self::new(
                KubeVersion::minor(NEWEST_MINOR),
                ProxyMode::Iptables,
                &Overrides::new(),
            )
        }
    }

    /// What kube-proxy of this version and mode does with these gate overrides.
    ///
    /// A version newer than [`NEWEST_MINOR`] behaves like it as far as gates allow.
    #[must_use]
    pub fn new(version: KubeVersion, mode: ProxyMode, overrides: &Overrides) -> Self {
        let minor = version.minor;
        let gate = |name| state::in_effect(name, version, overrides);
        let generation = match minor {
            0..=20 => Generation::TopologyKeys,
            21 => Generation::OneFilter,
            22 | 23 => Generation::LocalFallback,
            _ => Generation::Categorised,
        };
        let without_annotation = minor >= 33 || (minor >= 30 && gate("ServiceTrafficDistribution"));
        let windows_backport = match minor {
            0..=23 => false,
            24 => version.at_least(24, 10),
            25 => version.at_least(25, 6),
            26 => version.at_least(26, 1),
            _ => true,
        };
        Self {
            mode,
            generation,
            drops_not_ready: minor <= 20,
            locality: match minor {
                20 if gate("EndpointSliceNodeName") => Locality::NodeName,
                0..=20 => Locality::Hostname,
                21 => Locality::NodeNameOrHostname,
                _ => Locality::NodeName,
            },
            duplicates: match minor {
                0..=21 => Duplicates::ByIpLocalWins,
                22..=35 => Duplicates::ByEndpointLocalWins,
                _ => Duplicates::ByEndpointLiveWins,
            },
            reads_endpoints_object: if mode == ProxyMode::Winkernel {
                !gate("WindowsEndpointSliceProxying")
            } else {
                !gate("EndpointSliceProxying")
            },
            reads_type_ip: minor <= 19,
            topology_keys: gate("ServiceTopology") && gate("EndpointSliceProxying"),
            internal_policy: minor >= 21 && gate("ServiceInternalTrafficPolicy"),
            zone_hints: minor >= 33 || (minor >= 21 && gate("TopologyAwareHints")),
            node_hints: minor >= 33 && gate("PreferSameTrafficDistribution"),
            hint_annotation: if without_annotation {
                HintAnnotation::NotNeeded
            } else if minor >= 27 {
                HintAnnotation::AnyButDisabled
            } else if version.at_least(21, 1) {
                HintAnnotation::Auto
            } else {
                HintAnnotation::LowerAuto
            },
            hint_scope: if minor >= 23 {
                HintScope::Ready
            } else {
                HintScope::All
            },
            knows_node_labels: match minor {
                0..=20 => gate("ServiceTopology") && !gate("IPv6DualStack"),
                21 => {
                    (gate("ServiceTopology") || gate("TopologyAwareHints"))
                        && (version.at_least(21, 1) || !gate("IPv6DualStack"))
                }
                22 | 23 => gate("TopologyAwareHints"),
                _ => true,
            },
            terminating_fallback: minor >= 22 && gate("ProxyTerminatingEndpoints"),
            counts_unusable: minor == 22 && !version.at_least(22, 4),
            external_policy_on_cluster_ip: minor >= 29,
            external_policy_on_external_ips: gate("ExternalPolicyForExternalIP"),
            ip_mode: minor >= 29 && gate("LoadBalancerIPMode"),
            external_ips: minor < 36 || gate("AllowServiceExternalIPs"),
            headless_label_hides_service: minor <= 35,
            proxy_name_label_hides_slice: minor <= 35,
            node_source_missed: mode == ProxyMode::Nftables
                && ((minor == 33 && !version.at_least(33, 6))
                    || (minor == 34 && !version.at_least(34, 2))),
            node_source_dropped: mode == ProxyMode::Nftables && !version.at_least(33, 6),
            empty_zone_hint: minor >= 33,
            fails_on_other_family: minor >= 33
                && matches!(mode, ProxyMode::Iptables | ProxyMode::Nftables),
            own_external_unrejected: mode == ProxyMode::Iptables,
            own_load_balancer_unrejected: mode == ProxyMode::Iptables && minor >= 20,
            health_by_family: minor >= 36 || mode == ProxyMode::Nftables,
            // Backports: 1.24.10, 1.25.6 (absent in 1.25.4, present in 1.25.6) and 1.26.1.
            windows_terminating: windows_backport
                && (minor >= 28 || gate("ProxyTerminatingEndpoints")),
            windows_internal_policy: windows_backport,
            windows_local_dsr: minor >= 20,
        }
    }
}
