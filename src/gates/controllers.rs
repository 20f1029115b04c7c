//! What do the controllers of some version of kube-controller-manager do?

use super::state;
use super::state::{Overrides, TERMINATING};
use super::stateful_sets;
use crate::facts::version::KubeVersion;

/// What the controllers of one version do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Controllers {
    /// Pods that ended (`Succeeded`, `Failed`) are left out whatever their restart policy: 1.24.2 and 1.25
    /// (kubernetes#110255, kubernetes#110258).
    pub leaves_out_ended_pods: bool,
    /// Slices hold terminating pods, with `serving` and `terminating`: 1.22 (gate `EndpointSliceTerminatingCondition`).
    pub slices_hold_terminating: bool,
    /// Ports of native sidecars are found for slices: 1.33.
    pub sidecar_ports_in_slices: bool,
    /// Ports of native sidecars are found for Endpoints: 1.32 (`pkg/api/v1/pod/util.go`, `FindPort`).
    pub sidecar_ports_in_endpoints: bool,
    /// An `ExternalName` Service with a selector gets no Endpoints: 1.27.
    pub skips_external_name: bool,
    /// A pod on a node whose object is gone is left out of slices: 1.25.
    pub skips_pods_of_missing_nodes: bool,
    /// Endpoints are cut at 1000 addresses: 1.22 (kubernetes#103520).
    pub truncates_endpoints: bool,
    /// Running without the Endpoints controller is foreseen: 1.33 (KEP-4974).
    pub endpoints_may_be_off: bool,
    /// That slices hold terminating pods can be turned off: 1.22 to 1.25.
    pub terminating_may_be_off: bool,
    /// So long a node's kubelet may be silent before its status is `Unknown`, in seconds: 40, and 50 since 1.32
    /// (`--node-monitor-grace-period`, kubernetes#126287).
    pub node_monitor_grace_seconds: i64,
    /// A `StatefulSet` replaces as many pods at a time as `maxUnavailable` says (KEP-961), and not one.
    pub stateful_sets_go_by_max_unavailable: bool,
}

impl Controllers {
    /// What the controllers of this version do with these gates.
    #[must_use]
    pub fn new(version: KubeVersion, gates: &Overrides) -> Self {
        let minor = version.minor;
        let stage = state::find(TERMINATING).and_then(|gate| state::stage_in(gate, version));
        let unlocked = stage.is_some_and(|stage| !stage.locked);
        Self {
            leaves_out_ended_pods: version.at_least(24, 2),
            slices_hold_terminating: state::in_effect(TERMINATING, version, gates),
            terminating_may_be_off: unlocked,
            sidecar_ports_in_slices: minor >= 33,
            sidecar_ports_in_endpoints: minor >= 32,
            skips_external_name: minor >= 27,
            skips_pods_of_missing_nodes: minor >= 25,
            truncates_endpoints: minor >= 22,
            endpoints_may_be_off: minor >= 33,
            node_monitor_grace_seconds: if minor >= 32 { 50 } else { 40 },
            stateful_sets_go_by_max_unavailable: stateful_sets::honours_max_unavailable(
                version, gates,
            ),
        }
    }

    /// The same controllers with the gate for terminating pods off; `None` where it is off, or where they would not start so.
    #[must_use]
    pub fn without_terminating(self) -> Option<Self> {
        (self.slices_hold_terminating && self.terminating_may_be_off).then_some(Self {
            slices_hold_terminating: false,
            ..self
        })
    }
}
