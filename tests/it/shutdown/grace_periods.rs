//! Which grace period counts, how much of it is left after preStop, and which versions differ?

use drain_check::facts::pod_spec::PodSpec;
use drain_check::shutdown::Reason::{GraceByDefault, GraceOfDelete, GraceOfPod, NegativeIsOne};
use drain_check::shutdown::{Delete, Reason, Span, shutdown};

use super::{UNKNOWN, app, exec, hooked, hooks_take, kubelet, plain, pod, with_hook};

#[test]
fn worked_examples_of_a_hook_inside_a_grace_of_thirty() {
    // `killContainer`, 1.28 and later (kubernetes#115835).
    for (hook, sigterm, sigkill, reason) in [
        (5, 5, 30, Reason::KillWhenGraceIsUsedUp),
        (28, 28, 30, Reason::KillWhenGraceIsUsedUp),
        (29, 29, 31, Reason::TwoSecondMinimum),
        (30, 30, 32, Reason::TwoSecondMinimum),
        (45, 30, 32, Reason::TwoSecondMinimum),
    ] {
        let (sigterm_at, sigkill_at, end) = hooked("1.28", 30, hook);
        assert_eq!(sigterm_at, Span::exactly(sigterm), "{hook}");
        assert_eq!(sigkill_at, Span::exactly(sigkill), "{hook}");
        assert!(end.has(reason), "{hook}: {:?}", end.reasons);
        let used_up = end.has(Reason::SignalWhenGraceIsUsedUp);
        assert_eq!(used_up, hook >= 30, "{hook}");
    }
}

#[test]
fn from_1_22_to_1_27_the_grace_is_given_again_after_the_hook() {
    // kubernetes#115817, kubernetes#117373, kubernetes#117798; K:1.21 and K:1.28 without it.
    for (version, hook, sigkill) in [
        ("1.21", 5, 30),
        ("1.22", 5, 35),
        ("1.25", 5, 35),
        ("1.27.16", 5, 35),
        ("1.27.16", 30, 60),
        ("1.28.0", 5, 30),
        ("1.36.3", 5, 30),
    ] {
        let (sigterm_at, sigkill_at, end) = hooked(version, 30, hook);
        assert_eq!(sigterm_at, Span::exactly(hook));
        assert_eq!(sigkill_at, Span::exactly(sigkill), "{version}");
        assert_eq!(end.has(Reason::GraceTwice), sigkill > 30, "{version}");
    }
}

#[test]
fn two_seconds_lie_between_sigterm_and_sigkill_except_from_1_22_to_1_27() {
    // `minimumGracePeriodInSeconds`.
    for (version, sigkill) in [
        ("1.21", 2),
        ("1.22", 1),
        ("1.27", 1),
        ("1.28", 2),
        ("1.36", 2),
    ] {
        let all = plain(&pod(1, vec![app()]), version, UNKNOWN);
        let end = &all.containers[0];
        assert_eq!(end.sigkill_at, Span::exactly(sigkill), "{version}");
        assert_eq!(end.has(Reason::TwoSecondMinimum), sigkill == 2);
        assert_eq!(end.has(Reason::NoTwoSecondMinimum), sigkill == 1);
    }
}

#[test]
fn a_forced_delete_is_quick_or_takes_the_whole_grace_by_version() {
    // kubernetes#115819, kubernetes#124063; measured on 1.27.16 and 1.36.3.
    let spec = pod(30, vec![with_hook("app", exec())]);
    let delete = Delete {
        grace_seconds: Some(0),
        ..Delete::default()
    };
    for (version, sigterm, sigkill, reason) in [
        ("1.21", 0, 2, None),
        ("1.22", 0, 30, Some(Reason::ZeroIsNotSaid)),
        ("1.27", 0, 30, Some(Reason::ZeroIsNotSaid)),
        ("1.28", 5, 30, Some(Reason::ZeroIsNotSaid)),
        ("1.29", 5, 30, Some(Reason::ZeroIsNotSaid)),
        ("1.30.14", 1, 3, Some(Reason::ZeroIsOne)),
        ("1.31", 1, 3, Some(Reason::ZeroIsOne)),
        ("1.36.3", 1, 3, Some(Reason::ZeroIsOne)),
    ] {
        let all = shutdown(
            &spec,
            &kubelet(version),
            delete,
            &hooks_take(Span::exactly(5)),
        );
        let end = &all.containers[0];
        assert_eq!(end.sigterm_at, Span::exactly(sigterm), "{version}");
        assert_eq!(end.sigkill_at, Span::exactly(sigkill), "{version}");
        assert_eq!(all.grace.granted_seconds, 0);
        assert_eq!(all.grace.reasons.get(1).copied(), reason, "{version}");
        assert_eq!(end.has(Reason::HookNotRun), sigterm == 0, "{version}");
    }
}

#[test]
fn the_grace_is_the_deletes_else_the_pods_else_thirty_and_a_negative_one_is_a_second() {
    // `SetDefaults_PodSpec`; `BeforeDelete`.
    let seconds = |own, delete, version: &str| {
        let spec = PodSpec {
            grace_seconds: own,
            ..pod(0, vec![app()])
        };
        let delete = Delete {
            grace_seconds: delete,
            ..Delete::default()
        };
        let grace = shutdown(&spec, &kubelet(version), delete, &UNKNOWN).grace;
        (grace.seconds, grace.reasons)
    };
    assert_eq!(seconds(None, None, "1.36"), (30, vec![GraceByDefault]));
    assert_eq!(seconds(Some(60), None, "1.36"), (60, vec![GraceOfPod]));
    assert_eq!(seconds(Some(60), Some(3), "1.36"), (3, vec![GraceOfDelete]));
    assert_eq!(
        seconds(Some(-4), None, "1.22"),
        (1, vec![GraceOfPod, NegativeIsOne])
    );
    assert_eq!(seconds(Some(-4), None, "1.21"), (0, vec![GraceOfPod]));
    let endless = seconds(Some(i64::MAX), None, "1.36").0;
    assert!(endless > 1_000_000_000, "{endless}");
}

#[test]
fn a_second_shorter_delete_changes_nothing_and_says_so() {
    // Measured on 1.27.16 and 1.36.3 with containerd; kubernetes#83916.
    let spec = pod(20, vec![app()]);
    let delete = |again| Delete {
        again_grace_seconds: again,
        ..Delete::default()
    };
    let of = |again| shutdown(&spec, &kubelet("1.36"), delete(again), &UNKNOWN).containers;
    let [shortened] = of(Some(6)).try_into().expect("one");
    assert_eq!(shortened.sigkill_at, Span::exactly(20));
    assert!(shortened.has(Reason::SecondDeleteChangesNothing));
    // The API takes no longer one.
    assert!(!of(Some(60))[0].has(Reason::SecondDeleteChangesNothing));
}
