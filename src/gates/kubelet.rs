//! What does a kubelet of some version and gates do while it terminates a pod?
//!
//! Sources: `pkg/kubelet/pod_workers.go` (`calculateEffectiveGracePeriod`), `pkg/kubelet/kuberuntime/kuberuntime_container.go`
//! (`killContainer`), `pkg/kubelet/lifecycle/handlers.go` and `pkg/kubelet/prober`, 1.21 to 1.36. 1.22 to 1.24 follow from the
//! issues and from 1.25. Two kubelets, 1.27.16 and 1.36.3, were measured (`tests/fixtures/oracle/kubelet`).

use super::state;
use super::state::Overrides;
use crate::facts::version::KubeVersion;

/// The shortest time, in seconds, between SIGTERM and SIGKILL (`minimumGracePeriodInSeconds`, 1.21 to 1.36).
pub const MINIMUM_SECONDS: i64 = 2;

/// What a granted grace period of 0 seconds comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZeroGrace {
    /// Up to 1.21: nothing is waited for; no preStop.
    Zero,
    /// 1.22 to 1.30: treated as not set, so the pod's own grace period counts in full (kubernetes#115819).
    NotSet,
    /// 1.31 and later, and 1.30.14 as read: one second (kubernetes#124063).
    One,
}

/// What a preStop of kind sleep does (KEP-3960).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SleepAction {
    /// The kubelet does not know it: the hook fails at once. Up to 1.28.
    Unknown,
    /// It knows it, and the gate is off: the hook returns at once, without an event. The default of 1.29.
    Off,
    /// It sleeps. The default since 1.30.
    On,
}

/// What becomes of native sidecars (KEP-753).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sidecars {
    /// An init container is an init container, whatever its restart policy.
    Unknown,
    /// They run beside the main containers, and all are stopped at the same time: 1.28 with the gate.
    Unordered,
    /// They are stopped after the main containers, the last one first. The default since 1.29.
    Ordered,
}

/// What one kubelet does while a pod terminates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kubelet {
    /// What a granted grace period of 0 seconds comes to.
    pub zero_grace: ZeroGrace,
    /// A negative grace period counts as one second: 1.22 (`staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go`). It is the API
    /// server that does it; a kubelet is never newer than its API server.
    pub negative_is_one: bool,
    /// After preStop a container gets the whole grace period again, and not even two seconds where that is less: 1.22 to 1.27
    /// (kubernetes#115817, kubernetes#117373, kubernetes#117798; fixed by kubernetes#115835). preStop then runs by the granted
    /// grace period, not by the one that 0 comes to.
    pub grace_twice: bool,
    /// The sleep action.
    pub sleep: SleepAction,
    /// The API accepts a sleep of zero seconds: by default since 1.33 (KEP-4818). The kubelet just returns.
    pub zero_sleep_valid: bool,
    /// Native sidecars.
    pub sidecars: Sidecars,
    /// `lifecycle.stopSignal` is honoured: with the gate `ContainerStopSignals`, off by default up to 1.36 (KEP-4960).
    pub stop_signal: bool,
    /// Liveness and startup probes stop when the end begins: 1.21 (kubernetes#98571).
    pub stops_liveness: bool,
    /// Readiness probes go on while the pod terminates. Not in 1.22.0 to 1.24.1 and their patch releases before the fix
    /// (kubernetes#110191, kubernetes#110417, kubernetes#110418): 1.22.11 and 1.23.8 are probable, not read.
    pub readiness_goes_on: bool,
    /// Results of exec readiness probes count while the pod terminates. Not in 1.35, nor from 1.36.3 on (kubernetes#140881,
    /// kubernetes#140509): the probe errs with "context canceled" and its result is discarded. 1.36.0 to 1.36.2 are fine, and
    /// 1.37 is expected to be (kubernetes#140882).
    pub exec_readiness_counts: bool,
    /// A probe's own `terminationGracePeriodSeconds` counts for the restarts it causes: by default since 1.25 (KEP-2238).
    pub probe_grace: bool,
    /// A deleted pod is moved to a terminal phase before it goes: 1.27 (kubernetes#115331).
    pub ends_phase: bool,
}

impl Kubelet {
    /// What a kubelet of this version does with these gate overrides. Versions newer than those that were read behave like them as
    /// far as gates allow.
    #[must_use]
    pub fn new(version: KubeVersion, overrides: &Overrides) -> Self {
        let minor = version.minor;
        let gate = |name| state::in_effect(name, version, overrides);
        Self {
            zero_grace: if minor <= 21 {
                ZeroGrace::Zero
            } else if version.at_least(30, 14) {
                ZeroGrace::One
            } else {
                ZeroGrace::NotSet
            },
            negative_is_one: minor >= 22,
            grace_twice: (22..=27).contains(&minor),
            sleep: match minor {
                ..=28 => SleepAction::Unknown,
                _ if gate("PodLifecycleSleepAction") => SleepAction::On,
                _ => SleepAction::Off,
            },
            zero_sleep_valid: minor >= 32 && gate("PodLifecycleSleepActionAllowZero"),
            sidecars: match minor {
                ..=27 => Sidecars::Unknown,
                _ if !gate("SidecarContainers") => Sidecars::Unknown,
                28 => Sidecars::Unordered,
                _ => Sidecars::Ordered,
            },
            stop_signal: minor >= 33 && gate("ContainerStopSignals"),
            stops_liveness: minor >= 21,
            readiness_goes_on: match minor {
                22 => version.at_least(22, 11),
                23 => version.at_least(23, 8),
                24 => version.at_least(24, 2),
                _ => true,
            },
            exec_readiness_counts: match minor {
                35 => false,
                36 => !version.at_least(36, 3),
                _ => true,
            },
            probe_grace: minor >= 21 && gate("ProbeTerminationGracePeriod"),
            ends_phase: minor >= 27,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kubelet(version: &str) -> Kubelet {
        Kubelet::new(version.parse().unwrap(), &Overrides::new())
    }

    #[test]
    fn the_grace_is_given_twice_from_1_22_to_1_27() {
        for (version, twice) in [
            ("1.21.14", false),
            ("1.22.0", true),
            ("1.25.9", true),
            ("1.27.16", true),
            ("1.28.0", false),
            ("1.36.3", false),
        ] {
            assert_eq!(kubelet(version).grace_twice, twice, "{version}");
        }
    }

    #[test]
    fn a_grace_of_zero_meant_zero_then_nothing_then_one() {
        for (version, means) in [
            ("1.21.14", ZeroGrace::Zero),
            ("1.22.0", ZeroGrace::NotSet),
            ("1.29.14", ZeroGrace::NotSet),
            ("1.30.13", ZeroGrace::NotSet),
            ("1.30.14", ZeroGrace::One),
            ("1.31.0", ZeroGrace::One),
        ] {
            assert_eq!(kubelet(version).zero_grace, means, "{version}");
        }
        assert!(!kubelet("1.21").negative_is_one && kubelet("1.22").negative_is_one);
    }

    #[test]
    fn the_sleep_action_was_unknown_then_off_then_on() {
        for (version, sleep) in [
            ("1.28", SleepAction::Unknown),
            ("1.29", SleepAction::Off),
            ("1.30", SleepAction::On),
            ("1.37", SleepAction::On),
        ] {
            assert_eq!(kubelet(version).sleep, sleep, "{version}");
        }
        assert!(!kubelet("1.32").zero_sleep_valid && kubelet("1.33").zero_sleep_valid);
    }

    #[test]
    fn native_sidecars_are_ordered_from_1_29_and_known_in_1_28_with_the_gate() {
        let gate = Overrides::from([("SidecarContainers".to_owned(), true)]);
        let with = |minor| Kubelet::new(KubeVersion::minor(minor), &gate).sidecars;
        assert_eq!(kubelet("1.28").sidecars, Sidecars::Unknown);
        assert_eq!(with(27), Sidecars::Unknown);
        assert_eq!(with(28), Sidecars::Unordered);
        assert_eq!(kubelet("1.29").sidecars, Sidecars::Ordered);
        assert_eq!(kubelet("1.37").sidecars, Sidecars::Ordered);
    }

    #[test]
    fn readiness_probes_stopped_at_the_deletion_in_some_releases() {
        for (version, goes_on) in [
            ("1.21.14", true),
            ("1.22.0", false),
            ("1.22.10", false),
            ("1.23.7", false),
            ("1.24.1", false),
            ("1.24.2", true),
            ("1.25.0", true),
        ] {
            assert_eq!(kubelet(version).readiness_goes_on, goes_on, "{version}");
        }
    }

    #[test]
    fn exec_readiness_probes_are_thrown_away_in_1_35_and_from_1_36_3() {
        for (version, counts) in [
            ("1.34.9", true),
            ("1.35.0", false),
            ("1.35.6", false),
            ("1.36.0", true),
            ("1.36.2", true),
            ("1.36.3", false),
            ("1.37.0", true),
        ] {
            assert_eq!(kubelet(version).exec_readiness_counts, counts, "{version}");
        }
    }

    #[test]
    fn a_stop_signal_of_the_containers_own_needs_its_gate() {
        let gate = Overrides::from([("ContainerStopSignals".to_owned(), true)]);
        assert!(!kubelet("1.36.3").stop_signal);
        assert!(Kubelet::new(KubeVersion::minor(33), &gate).stop_signal);
        assert!(!Kubelet::new(KubeVersion::minor(32), &gate).stop_signal);
    }

    #[test]
    fn liveness_probes_stop_with_the_pod_from_1_21() {
        assert!(!kubelet("1.20").stops_liveness && kubelet("1.21").stops_liveness);
    }

    #[test]
    fn a_deleted_pod_gets_a_terminal_phase_from_1_27() {
        assert!(!kubelet("1.26").ends_phase && kubelet("1.27").ends_phase);
    }

    #[test]
    fn a_probes_own_grace_counts_by_default_from_1_25() {
        assert!(!kubelet("1.24").probe_grace && kubelet("1.25").probe_grace);
        assert!(kubelet("1.36").probe_grace);
    }
}
