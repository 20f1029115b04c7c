//! What delays SIGTERM and what does not, and which signal is sent.

use drain_check::facts::pod_spec::Handler;
use drain_check::gates::kubelet::Kubelet;
use drain_check::gates::state::Overrides;
use drain_check::shutdown::{Delete, Moment, Reason, Span, shutdown};

use super::{UNKNOWN, app, exec, hooks_take, plain, pod, with_hook};

#[test]
fn hooks_that_cannot_delay_say_why() {
    // `handlers.go`; KEP-3960, KEP-4818.
    let sleep = |seconds| Handler::Sleep(seconds);
    for (version, handler, reason) in [
        ("1.36", Handler::TcpSocket, Reason::TcpSocketFails),
        ("1.36", Handler::Empty, Reason::EmptyHookFails),
        ("1.28", sleep(5), Reason::SleepNotKnown),
        ("1.29", sleep(5), Reason::SleepSwitchedOff),
        ("1.33", sleep(0), Reason::SleepOfZero),
        ("1.36", exec(), Reason::HookTakesNoTime),
    ] {
        let spec = pod(30, vec![with_hook("app", handler)]);
        let all = plain(&spec, version, hooks_take(Span::ZERO));
        let end = &all.containers[0];
        assert_eq!(end.sigterm_at, Span::ZERO);
        assert_eq!(end.sigkill_at, Span::exactly(30));
        assert!(!end.pre_stop.as_ref().expect("a hook").delays);
        assert!(
            end.reasons.contains(&(Moment::PreStop, reason)),
            "{reason:?}"
        );
    }
    let spec = pod(30, vec![with_hook("app", sleep(5))]);
    let end = &plain(&spec, "1.30", UNKNOWN).containers[0];
    assert_eq!(end.sigterm_at, Span::exactly(5));
}

#[test]
fn a_hook_that_nobody_knows_is_a_range_up_to_the_grace_period() {
    let spec = pod(30, vec![with_hook("app", exec())]);
    let new = &plain(&spec, "1.36", UNKNOWN).containers[0];
    assert_eq!(new.sigterm_at, Span::seconds(0, 30));
    assert_eq!(new.sigkill_at, Span::seconds(30, 32));
    for reason in [
        Reason::HookTimeUnknown,
        Reason::AfterPreStop,
        Reason::SignalWhenGraceIsUsedUp,
        Reason::KillWhenGraceIsUsedUp,
        Reason::TwoSecondMinimum,
    ] {
        assert!(new.has(reason), "{reason:?}");
    }
    let old = &plain(&spec, "1.27", UNKNOWN).containers[0];
    assert_eq!(old.sigkill_at, Span::seconds(30, 60));
}

#[test]
fn a_fraction_of_a_second_is_not_subtracted() {
    let spec = pod(30, vec![with_hook("app", exec())]);
    let end = &plain(&spec, "1.36", hooks_take(Span::millis(4200, 4200))).containers[0];
    assert_eq!(end.sigkill_at, Span::millis(30_200, 30_200));
    assert!(end.has(Reason::WholeSecondsCount));
}

#[test]
fn a_stop_signal_of_the_containers_own_counts_with_its_gate_only() {
    // KEP-4960.
    let mut container = app();
    container.lifecycle.stop_signal = Some("SIGQUIT".to_owned());
    let spec = pod(30, vec![container]);
    let end = &plain(&spec, "1.36", UNKNOWN).containers[0];
    assert_eq!(end.stop_signal, None);
    assert!(end.has(Reason::StopSignalNotHeeded));
    let gate = Overrides::from([("ContainerStopSignals".to_owned(), true)]);
    let kubelet = Kubelet::new("1.36".parse().expect("a version"), &gate);
    let all = shutdown(&spec, &kubelet, Delete::default(), &UNKNOWN);
    assert_eq!(all.containers[0].stop_signal.as_deref(), Some("SIGQUIT"));
}
