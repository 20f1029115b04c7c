//! What of a version is known beside gates and switches: noted in its changelog, in pull requests or by its authors, and not read in its
//! source. Data with its evidence; no answer is worked out from it.

/// How certain something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The change was merged, and its text was read.
    Merged,
    /// Its authors plan it.
    Planned,
}

impl Certainty {
    /// In a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Merged => "merged",
            Self::Planned => "planned",
        }
    }
}

/// Something that a version brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct News {
    /// The minor version.
    pub minor: u16,
    /// A stable id.
    pub id: &'static str,
    /// What it is, as a sentence.
    pub what: &'static str,
    /// Where that is written.
    pub source: &'static str,
    /// How certain it is.
    pub certainty: Certainty,
}

const fn merged(minor: u16, id: &'static str, what: &'static str, source: &'static str) -> News {
    News {
        minor,
        id,
        what,
        source,
        certainty: Certainty::Merged,
    }
}

const fn planned(minor: u16, id: &'static str, what: &'static str, source: &'static str) -> News {
    News {
        minor,
        id,
        what,
        source,
        certainty: Certainty::Planned,
    }
}

/// Everything, by version.
pub static NEWS: &[News] = &[
    merged(
        35,
        "stateful-max-unavailable-off-again",
        "1.35.4 turns MaxUnavailableStatefulSet off again, which 1.35.0 had turned on: with podManagementPolicy Parallel a rollout could stick.",
        "kubernetes#137904, kubernetes#137926, kubernetes#137409",
    ),
    merged(
        37,
        "selection-unchanged",
        "No change to the types of Services and EndpointSlices, and none noted to which endpoints kube-proxy selects.",
        "CHANGELOG-1.37",
    ),
    merged(
        37,
        "iptables-still-default",
        "iptables is still kube-proxy's default mode on Linux: where no mode is set it warns, and kubeadm writes mode iptables. nftables as the default is argued for from 1.39.",
        "kubernetes#139957, kubernetes#139777, KEP-5343",
    ),
    merged(
        37,
        "nftables-single-endpoint",
        "nftables: a list of one endpoint is written without a map (dnat to its address).",
        "kubernetes#140723",
    ),
    merged(
        37,
        "nftables-netlink",
        "nftables is written over netlink in place of the program nft (gate NFTablesNetlink).",
        "kubernetes#137536",
    ),
    merged(
        37,
        "full-syncs-skipped",
        "Full syncs are skipped where a node's rules have more than 1000 endpoints: what a partial sync leaves stays for up to syncPeriod (30 s).",
        "kubernetes#138571",
    ),
    merged(
        37,
        "udp-stale-flows",
        "Stale UDP flows are removed also where a Service has no serving endpoint left.",
        "kubernetes#139629",
    ),
    merged(
        37,
        "exits-on-new-node-addresses",
        "kube-proxy exits, and is started again, when its Node's addresses change.",
        "kubernetes#138183",
    ),
    merged(
        37,
        "exec-readiness-fixed",
        "Results of exec readiness probes count again while a pod terminates; backports to 1.35 and 1.36 were open in July 2026.",
        "kubernetes#140882, kubernetes#141005, kubernetes#141006",
    ),
    merged(
        37,
        "stateful-max-unavailable",
        "StatefulSets honour maxUnavailable by default; with Parallel, old pods that are unavailable no longer count.",
        "kubernetes#139466, kubernetes#137666, KEP-961",
    ),
    merged(
        37,
        "stateful-recreate",
        "StatefulSets know updateStrategy Recreate (gate StatefulSetRecreateStrategy): all pods are deleted, and created when all have ended.",
        "kubernetes#137187, KEP-3541",
    ),
    merged(
        37,
        "node-conditions",
        "Nodes may carry the conditions DrainInProgress, Drained, Maintenance and GracefulNodeShutdownInProgress (alpha): signals, which the controllers ignore.",
        "CHANGELOG-1.37",
    ),
    merged(
        37,
        "eviction-requests",
        "Eviction and EvictionRequest of lifecycle.k8s.io/v1alpha1, and spec.evictionResponders of pods (alpha, off).",
        "kubernetes#137050, KEP-4563",
    ),
    merged(
        37,
        "eviction-causes",
        "An eviction that is refused names its causes as data.",
        "kubernetes#138003",
    ),
    merged(
        37,
        "probe-protocol",
        "Probes of kind httpGet take a protocol (httpGet.protocol).",
        "kubernetes#139429",
    ),
    merged(
        37,
        "stop-signals-still-alpha",
        "ContainerStopSignals is still alpha: the code for beta missed the freeze, and is aimed at 1.38.",
        "enhancements#4960, enhancements#6410",
    ),
    merged(
        37,
        "sidecars-not-restartable-yet",
        "SidecarsRestartableDuringPodTermination is not in it: kubernetes#140133 was still open.",
        "kubernetes#140133, KEP-4438",
    ),
    merged(
        37,
        "ipvs-gate",
        "The mode ipvs, deprecated since 1.35, has a gate (KubeProxyIPVS, on).",
        "kubernetes#139397, KEP-5495",
    ),
    planned(
        40,
        "ipvs-off",
        "KubeProxyIPVS is off by default: kube-proxy does not start in ipvs mode unless it is turned on. The mode is gone in 1.43.",
        "KEP-5495",
    ),
];

/// What a version brings.
pub fn of(minor: u16) -> impl Iterator<Item = &'static News> {
    NEWS.iter().filter(move |news| news.minor == minor)
}
