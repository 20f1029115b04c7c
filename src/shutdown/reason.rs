//! Which of the kubelet's rules decided a moment? The only place for their prose.

/// Which moment of a container's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// preStop: whether it runs and how long it takes.
    PreStop,
    /// The SIGTERM.
    StopSignal,
    /// The kill.
    Kill,
}

impl Moment {
    /// The field of the report that holds it.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::PreStop => "preStop",
            Self::StopSignal => "sigtermAt",
            Self::Kill => "sigkillAt",
        }
    }
}

macro_rules! reasons {
    ($($(#[doc = $doc:literal])+ $name:ident $id:literal $sentence:literal)*) => {
        /// A rule of the kubelet that was applied. Where a moment is a range, every rule that decides it somewhere in that range.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason { $($(#[doc = $doc])+ $name,)* }

        impl Reason {
            /// Every reason, for documentation and completeness tests.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable id that reports and `explain` use.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// One sentence for people.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence,)* }
            }
        }
    };
}

reasons! {
    /// The delete named a grace (`DeleteOptions.gracePeriodSeconds`).
    GraceOfDelete "grace-of-delete"
        "The delete itself says how long the grace is."
    /// `spec.terminationGracePeriodSeconds`.
    GraceOfPod "grace-of-pod"
        "The grace is the pod's terminationGracePeriodSeconds."
    /// `pkg/apis/core/v1/defaults.go`, `SetDefaults_PodSpec`.
    GraceByDefault "grace-by-default"
        "The pod says no terminationGracePeriodSeconds, so the grace is 30 seconds."
    /// `registry/rest/delete.go`, `BeforeDelete`, 1.22 and later.
    NegativeIsOne "negative-is-one"
        "A negative grace counts as one second."
    /// `pod_workers.go`, kubernetes#124063.
    ZeroIsOne "zero-is-one"
        "The kubelet takes a grace of 0 for one second."
    /// `pod_workers.go`, 1.22 to 1.30, kubernetes#115819.
    ZeroIsNotSaid "zero-is-not-said"
        "This kubelet takes a grace of 0 for \"not said\" and grants the pod's own grace in full."
    /// No hook.
    NoPreStop "no-pre-stop"
        "There is no preStop, so the SIGTERM is sent at once."
    /// A hook that fails, returns at once or is not run.
    HookGivesNoDelay "hook-gives-no-delay"
        "preStop does not hold the SIGTERM back, so it is sent at once."
    /// `executePreStopHook`.
    AfterPreStop "after-pre-stop"
        "The SIGTERM is sent when preStop has ended."
    /// What the hook does cannot be told from the spec.
    HookTimeUnknown "hook-time-unknown"
        "How long preStop takes cannot be told from the spec; the kubelet waits for it until the grace is used up."
    /// The kubelet stops waiting and does not abort the handler.
    SignalWhenGraceIsUsedUp "signal-when-grace-is-used-up"
        "preStop takes the whole grace; the kubelet then sends the SIGTERM without waiting any longer, and preStop goes on beside it."
    /// `handlers.go`: no branch for it.
    TcpSocketFails "tcp-socket-fails-at-once"
        "No kubelet implements tcpSocket for hooks: it fails at once, and the SIGTERM follows without any delay."
    /// A handler that an API server dropped.
    EmptyHookFails "empty-hook-fails-at-once"
        "preStop has no handler, so it fails at once, and the SIGTERM follows without any delay."
    /// Kubelets up to 1.28 (`handlers.go`, default branch).
    SleepNotKnown "sleep-not-known"
        "This kubelet does not know the sleep action: the hook fails at once, and the SIGTERM follows without any delay."
    /// 1.29 by default (`runSleepHandler`).
    SleepSwitchedOff "sleep-switched-off"
        "The gate PodLifecycleSleepAction is off on this kubelet: the hook returns at once, without any delay and without an event."
    /// KEP-4818.
    SleepOfZero "sleep-of-zero"
        "A sleep of zero seconds gives no delay."
    /// The hook is known to return or to fail at once.
    HookTakesNoTime "hook-takes-no-time"
        "preStop returns or fails at once, so it gives no delay."
    /// `killContainer`: the hook runs only if the grace is more than zero.
    HookNotRun "hook-not-run"
        "This kubelet does not run preStop when the grace is 0."
    /// KEP-4960.
    StopSignalNotHeeded "stop-signal-not-heeded"
        "This kubelet does not heed lifecycle.stopSignal (gate ContainerStopSignals); the image's signal is sent."
    /// `kuberuntime_termination_order.go`.
    SidecarWaitsForMain "sidecar-waits-for-main"
        "A native sidecar gets its SIGTERM when every main container has ended."
    /// `kuberuntime_termination_order.go`.
    SidecarWaitsForLater "sidecar-waits-for-later-sidecars"
        "Native sidecars are stopped in reverse order: this one waits for those declared after it."
    /// `waitForTurn`: at most what is left of the grace.
    SidecarWaitUsesUpGrace "sidecar-wait-uses-up-grace"
        "The grace is used up while the sidecar waits for its turn, so it gets its SIGTERM then."
    /// 1.28, and kubelets that do not know native sidecars.
    SidecarWithoutOrder "sidecar-without-order"
        "This kubelet does not order the end of native sidecars: it stops them together with the main containers."
    /// `StopContainer`.
    KillWhenGraceIsUsedUp "kill-when-grace-is-used-up"
        "The kill comes when the grace is used up, counted from the delete."
    /// `killContainer` subtracts whole seconds.
    WholeSecondsCount "whole-seconds-count"
        "Only whole seconds of preStop and of waiting are subtracted from the grace, so the kill comes up to a second later for each."
    /// `minimumGracePeriodInSeconds`.
    TwoSecondMinimum "two-second-minimum"
        "However little is left of the grace, two seconds lie between the SIGTERM and the kill."
    /// 1.22 to 1.27, kubernetes#115817.
    GraceTwice "grace-twice"
        "This kubelet gives the whole grace once more after preStop (a defect of 1.22 to 1.27)."
    /// 1.22 to 1.27: the override comes after the minimum.
    NoTwoSecondMinimum "no-two-second-minimum"
        "This kubelet does not grant the minimum of two seconds (a defect of 1.22 to 1.27)."
    /// Measured with containerd; kubernetes#83916.
    SecondDeleteChangesNothing "second-delete-changes-nothing"
        "A second, shorter delete does not change a stop that is under way, as measured with containerd: the kill comes at the latest at the first grace."
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_reason_has_an_id_of_its_own_and_a_sentence() {
        let ids: BTreeSet<_> = Reason::ALL.iter().map(|reason| reason.id()).collect();
        assert_eq!(ids.len(), Reason::ALL.len());
        for reason in Reason::ALL {
            let id = reason.id();
            assert!(
                id.chars()
                    .all(|sign| sign.is_ascii_lowercase() || sign == '-')
            );
            assert!(reason.sentence().ends_with('.'), "{id}");
        }
    }
}
