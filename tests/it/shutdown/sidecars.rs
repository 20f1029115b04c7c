//! Who waits for whom.

use drain_check::shutdown::{ContainerKind, Delete, Reason, Span, shutdown_of};

use super::{
    Takes, UNKNOWN, app, drains_take, exec, hooks_take, kubelet, plain, pod, recorded, sidecar,
};

#[test]
fn native_sidecars_wait_for_main_containers_and_share_the_grace() {
    // `kuberuntime_termination_order.go`, 1.29 and later.
    let mut spec = pod(30, vec![app()]);
    spec.init_containers = vec![app(), sidecar("first"), sidecar("second")];
    spec.init_containers[0].name = "setup".to_owned();
    let at = |version: &str, drain| {
        let all = plain(&spec, version, drains_take(drain));
        assert_eq!(
            all.containers.len(),
            3,
            "the ordinary init container is over"
        );
        let of = |name: &str| {
            let found = all.containers.iter().find(|end| end.name == name);
            let end = found.expect("the container");
            (end.sigterm_at, end.sigkill_at)
        };
        (of("second"), of("first"))
    };
    let exact = |sigterm, sigkill| (Span::exactly(sigterm), Span::exactly(sigkill));
    assert_eq!(at("1.36", 3), (exact(3, 30), exact(6, 30)));
    assert_eq!(at("1.29", 20), (exact(20, 30), exact(30, 32)));
    assert_eq!(at("1.29", 30), (exact(30, 32), exact(30, 32)));
    // 1.28 and before: no order.
    assert_eq!(at("1.28", 20), (exact(0, 30), exact(0, 30)));
    let all = plain(&spec, "1.29", UNKNOWN);
    let last = &all.containers[1];
    assert_eq!(
        (last.name.as_str(), last.kind),
        ("first", ContainerKind::Sidecar)
    );
    assert_eq!(last.sigterm_at, Span::seconds(0, 30));
    assert_eq!(last.sigkill_at, Span::seconds(30, 32));
    assert!(last.has(Reason::SidecarWaitsForMain) && last.has(Reason::SidecarWaitsForLater));
    let old = plain(&spec, "1.28", UNKNOWN);
    assert!(old.containers[1].has(Reason::SidecarWithoutOrder));
}

#[test]
fn a_sidecars_own_hook_runs_from_the_beginning_and_one_that_takes_all_does_not_wait() {
    let mut spec = pod(10, vec![app()]);
    let mut proxy = sidecar("proxy");
    proxy.lifecycle.pre_stop = Some(exec());
    spec.init_containers = vec![proxy];
    let at = |hook| {
        let takes = Takes {
            drain: Some(Span::exactly(6)),
            ..hooks_take(Span::exactly(hook))
        };
        let end = plain(&spec, "1.36", takes).containers.remove(1);
        (end.sigterm_at, end.sigkill_at)
    };
    assert_eq!(at(4), (Span::exactly(6), Span::exactly(10)));
    assert_eq!(at(8), (Span::exactly(8), Span::exactly(10)));
    assert_eq!(at(15), (Span::exactly(10), Span::exactly(12)));
}

#[test]
fn an_init_container_that_still_runs_is_stopped_with_the_others() {
    let mut spec = pod(30, vec![app()]);
    let mut setup = app();
    setup.name = "setup".to_owned();
    spec.init_containers = vec![setup];
    let runs = |name: &str| name == "setup";
    let all = shutdown_of(&spec, runs, &kubelet("1.36"), Delete::default(), &UNKNOWN);
    let [end] = all.containers.as_slice() else {
        panic!("{:?}", all.containers);
    };
    assert_eq!(
        (end.name.as_str(), end.kind),
        ("setup", ContainerKind::Init)
    );
    assert_eq!(end.sigterm_at, Span::ZERO);
}

#[test]
fn whole_seconds_of_hook_and_wait_are_counted_apart() {
    // Two milliseconds of preStop, then 27.999 s of waiting: 27 whole seconds, so three are left of thirty.
    let mut spec = pod(30, vec![app()]);
    let mut proxy = sidecar("proxy");
    proxy.lifecycle.pre_stop = Some(exec());
    spec.init_containers = vec![proxy];
    let sigkill = |hook| {
        let takes = Takes {
            drain: Some(Span::millis(28_001, 28_001)),
            ..hooks_take(hook)
        };
        plain(&spec, "1.36", takes).containers[1].sigkill_at
    };
    assert_eq!(sigkill(Span::millis(2, 2)), Span::millis(31_001, 31_001));
    assert!(sigkill(Span::millis(0, 3)).max() >= 31_001);
}

#[test]
fn recorded_pods_with_a_mesh_and_with_a_hook_longer_than_the_grace() {
    let (pods, _) = recorded("prestop-and-sidecars");
    let of = |prefix: &str| {
        let mut pods = pods.iter();
        let pod = pods.find(|pod| pod.name.name.starts_with(prefix));
        let all = plain(
            &pod.expect("the pod").spec,
            "1.36.3",
            hooks_take(Span::exactly(62)),
        );
        let rows = all.containers.iter().map(|end| {
            let (sigterm, sigkill) = (end.sigterm_at, end.sigkill_at);
            format!("{} {}: {sigterm}, {sigkill}", end.kind.id(), end.name)
        });
        (rows.collect::<Vec<_>>(), all.ends_by.to_string())
    };
    let (hn, ends) = of("hn-");
    assert_eq!(hn, ["main app: 60 s, 62 s"]);
    assert_eq!(ends, "60 to 62 s");
    // The proxy's hook takes as long here; with nothing left of the grace it does not wait for its turn.
    let (mesh, _) = of("mesh-");
    assert_eq!(
        mesh,
        [
            "main app: 50 s, 60 s",
            "main log-shipper: 0 s, 60 s",
            "sidecar istio-proxy: 60 s, 62 s",
        ]
    );
}
