//! When Ready turns false while a pod ends.

use drain_check::facts::pod_spec::{Handler, PodSpec, Probe, ProbeHandler};
use drain_check::shutdown::Span;
use drain_check::shutdown::readiness::ReadinessReason;

use super::{UNKNOWN, app, kubelet, plain, pod, with_hook};

fn probed(exec: bool) -> PodSpec {
    let mut container = with_hook("app", Handler::Sleep(5));
    container.readiness = Some(Probe {
        handler: if exec {
            ProbeHandler::Exec(vec!["check".to_owned()])
        } else {
            ProbeHandler::Grpc(9000)
        },
        initial_delay_seconds: 0,
        period_seconds: 10,
        timeout_seconds: 1,
        success_threshold: 1,
        failure_threshold: 3,
        grace_seconds: None,
    });
    pod(30, vec![container])
}

#[test]
fn a_default_readiness_probe_notices_a_failing_application_only_at_the_end() {
    // `prober/worker.go`: 20 to 31 s after SIGTERM at 5.
    let spec = probed(false);
    let all = plain(&spec, "1.36", UNKNOWN);
    let ready = &all.readiness(&spec, &kubelet("1.36"))[0];
    assert_eq!(ready.by_probe, Some(Span::seconds(25, 36)));
    assert!(ready.probe_may_be_in_time(&all.containers[0]));
    // The application may end at once, and is killed at 30.
    assert_eq!(ready.turns_false, Span::seconds(5, 30));
}

#[test]
fn some_kubelets_never_turn_readiness_false_before_the_end() {
    // kubernetes#110191, kubernetes#110417, kubernetes#110418; kubernetes#140881.
    use ReadinessReason::{ExecResultLost, ProbeFails, ProbesStop};
    for (version, exec, reason) in [
        ("1.21", true, ProbeFails),
        ("1.22.0", false, ProbesStop),
        ("1.24.1", false, ProbesStop),
        ("1.24.2", false, ProbeFails),
        ("1.25.0", true, ProbeFails),
        ("1.34", true, ProbeFails),
        ("1.35.0", true, ExecResultLost),
        ("1.35.0", false, ProbeFails),
        ("1.36.2", true, ProbeFails),
        ("1.36.3", true, ExecResultLost),
        ("1.37", true, ProbeFails),
    ] {
        let spec = probed(exec);
        let all = plain(&spec, version, UNKNOWN);
        let ready = &all.readiness(&spec, &kubelet(version))[0];
        assert_eq!(ready.reason, reason, "{version}");
        assert_eq!(ready.by_probe.is_some(), reason == ProbeFails, "{version}");
    }
    let spec = pod(30, vec![app()]);
    let all = plain(&spec, "1.36", UNKNOWN);
    let ready = &all.readiness(&spec, &kubelet("1.36"))[0];
    assert_eq!(ready.reason, ReadinessReason::NoProbe);
}
