//! Which rule of the kubelet sets a moment of the shutdown? The only place for their sentences.

/// Which moment of a container's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// preStop: whether it runs and how long it takes.
    PreStop,
    /// When SIGTERM is sent.
    Sigterm,
    /// When SIGKILL is sent.
    Sigkill,
}

impl Moment {
    /// The field of the report that holds it.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::PreStop => "preStop",
            Self::Sigterm => "sigtermAt",
            Self::Sigkill => "sigkillAt",
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
    /// The delete names a grace period (`DeleteOptions.gracePeriodSeconds`).
    GraceOfDelete "grace-of-delete"
        "The delete request sets the grace period."
    /// `spec.terminationGracePeriodSeconds`.
    GraceOfPod "grace-of-pod"
        "The grace period is the pod's terminationGracePeriodSeconds."
    /// `pkg/apis/core/v1/defaults.go`, `SetDefaults_PodSpec`.
    GraceByDefault "grace-by-default"
        "The pod does not set terminationGracePeriodSeconds, so the grace period is 30 seconds."
    /// `registry/rest/delete.go`, `BeforeDelete`, 1.22 and later.
    NegativeIsOne "negative-is-one"
        "A negative grace period counts as one second."
    /// `pod_workers.go`, kubernetes#124063.
    ZeroIsOne "zero-is-one"
        "The kubelet treats a grace period of 0 as one second."
    /// `pod_workers.go`, 1.22 to 1.30, kubernetes#115819.
    ZeroIsNotSaid "zero-is-not-said"
        "This kubelet treats a grace period of 0 as not set and grants the pod's own grace period in full."
    /// No hook.
    NoPreStop "no-pre-stop"
        "There is no preStop hook, so SIGTERM is sent at once."
    /// A hook that fails, returns at once or is not run.
    HookGivesNoDelay "hook-gives-no-delay"
        "preStop does not delay SIGTERM, so it is sent at once."
    /// `executePreStopHook`.
    AfterPreStop "after-pre-stop"
        "SIGTERM is sent when preStop has ended."
    /// The spec does not show what the hook does.
    HookTimeUnknown "hook-time-unknown"
        "The spec does not show how long preStop takes; the kubelet waits for it until the grace period is used up."
    /// The kubelet stops waiting and does not abort the handler.
    SignalWhenGraceIsUsedUp "signal-when-grace-is-used-up"
        "preStop takes the whole grace period; the kubelet then stops waiting and sends SIGTERM, and preStop goes on beside it."
    /// `handlers.go`: no branch for it.
    TcpSocketFails "tcp-socket-fails-at-once"
        "No kubelet implements tcpSocket for hooks: it fails at once, and SIGTERM is sent without any delay."
    /// A handler that an API server dropped.
    EmptyHookFails "empty-hook-fails-at-once"
        "preStop has no handler, so it fails at once, and SIGTERM is sent without any delay."
    /// Kubelets up to 1.28 (`handlers.go`, default branch).
    SleepNotKnown "sleep-not-known"
        "This kubelet does not know the sleep action: the hook fails at once, and SIGTERM is sent without any delay."
    /// 1.29 by default (`runSleepHandler`).
    SleepSwitchedOff "sleep-switched-off"
        "The gate PodLifecycleSleepAction is off on this kubelet: the hook returns at once, without any delay and without an event."
    /// KEP-4818.
    SleepOfZero "sleep-of-zero"
        "A sleep of zero seconds gives no delay."
    /// The hook is known to return or to fail at once.
    HookTakesNoTime "hook-takes-no-time"
        "preStop returns or fails at once, so it gives no delay."
    /// `killContainer`: the hook runs only if the grace period is more than zero.
    HookNotRun "hook-not-run"
        "This kubelet does not run preStop when the grace period is 0."
    /// KEP-4960.
    StopSignalNotHeeded "stop-signal-not-heeded"
        "This kubelet ignores lifecycle.stopSignal (gate ContainerStopSignals off); the image's STOPSIGNAL is sent, else SIGTERM."
    /// `kuberuntime_termination_order.go`.
    SidecarWaitsForMain "sidecar-waits-for-main"
        "A native sidecar gets SIGTERM when every main container has ended."
    /// `kuberuntime_termination_order.go`.
    SidecarWaitsForLater "sidecar-waits-for-later-sidecars"
        "Native sidecars are stopped in reverse order: this one waits for those declared after it."
    /// `waitForTurn`: at most what is left of the grace period.
    SidecarWaitUsesUpGrace "sidecar-wait-uses-up-grace"
        "The grace period is used up while the sidecar waits for its turn, so it gets SIGTERM then."
    /// 1.28, and kubelets that do not know native sidecars.
    SidecarWithoutOrder "sidecar-without-order"
        "This kubelet does not order the end of native sidecars: it stops them together with the main containers."
    /// `StopContainer`.
    KillWhenGraceIsUsedUp "kill-when-grace-is-used-up"
        "SIGKILL is sent when the grace period is used up, counted from the delete."
    /// `killContainer` subtracts whole seconds.
    WholeSecondsCount "whole-seconds-count"
        "Only whole seconds of preStop and of waiting are subtracted from the grace period, so SIGKILL is sent up to a second later for each."
    /// `minimumGracePeriodInSeconds`.
    TwoSecondMinimum "two-second-minimum"
        "However little is left of the grace period, SIGKILL is sent at least two seconds after SIGTERM."
    /// 1.22 to 1.27, kubernetes#115817.
    GraceTwice "grace-twice"
        "This kubelet grants the whole grace period again after preStop (a defect of 1.22 to 1.27)."
    /// 1.22 to 1.27: the override comes after the minimum.
    NoTwoSecondMinimum "no-two-second-minimum"
        "This kubelet does not grant the minimum of two seconds between SIGTERM and SIGKILL (a defect of 1.22 to 1.27)."
    /// Measured with containerd; kubernetes#83916.
    SecondDeleteChangesNothing "second-delete-changes-nothing"
        "A second delete with a shorter grace period does not shorten a stop that is under way, as measured with containerd: SIGKILL is sent at the end of the first grace period at the latest."
    /// `BeforeDelete` rewrites what the first delete wrote.
    FirstDeleteNotSeen "first-delete-not-seen"
        "The pod shows a shorter grace period than its own, and one look cannot tell whether it was deleted once, or first with its own grace period and then again: these moments hold for both."
    /// `BeforeDelete`, 1.33 and later.
    FirstDeleteMayBeEarlier "first-delete-may-be-earlier"
        "This API server writes a second delete whose grace period is over as one that ends at that moment, so the first delete may have been earlier than the pod shows."
    /// The event Killing is older than the delete that the pod shows.
    DeletedTwice "deleted-twice"
        "The event Killing shows that the stop began before the delete that the pod shows, so it was deleted twice, and the first grace period counts."
    /// `status.containerStatuses`.
    EndedBeforeDelete "ended-before-delete"
        "It had ended before the pod was deleted, so it gets no signal."
    /// `status.containerStatuses`.
    EndedBeforeSigterm "ended-before-sigterm"
        "It ended by itself before SIGTERM was due."
    /// `status.containerStatuses`.
    EndedBeforeSigkill "ended-before-sigkill"
        "It ended before SIGKILL was due."
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
