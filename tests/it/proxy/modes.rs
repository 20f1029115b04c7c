//! What ipvs, winkernel and nftables do differently. No recorded runs exist for the first two; the expectations are the rules
//! read in `pkg/proxy/ipvs/proxier.go` and `pkg/proxy/winkernel/proxier.go`, the last one kubernetes#132456 and #134024.

use drain_check::facts::kube_proxy::ProxyMode;
use drain_check::facts::service::{ServiceType, TrafficPolicy};
use drain_check::proxy::answer::{From, Path};
use drain_check::proxy::reason::Verdict;

use crate::build::{
    DRAINING, GONE_SILENT, READY, State, UNREADY, answers, behaviour, node, service, slice,
};

/// The answer of node `a` as a verdict and the last numbers of the selected addresses.
fn on_a(
    service: &drain_check::facts::service::Service,
    endpoints: &[(&str, State)],
    version: &str,
    mode: ProxyMode,
    path: Path,
    from: From,
) -> (Verdict, Vec<usize>) {
    let behaviour = behaviour(version, mode);
    let (_, all) = answers(service, &[slice(endpoints)], &node("a", "1"), &behaviour);
    let answer = all
        .iter()
        .find(|answer| answer.path == path && answer.from == from)
        .expect("the path");
    let selected = (1..)
        .zip(&answer.list.reasons)
        .filter(|(_, reason)| reason.selected())
        .map(|(number, _)| number)
        .collect();
    (answer.verdict, selected)
}

#[test]
fn ipvs_sends_local_policy_traffic_to_other_nodes_from_1_24_when_none_is_local() {
    let mut service = service();
    service.external_traffic_policy = Some(TrafficPolicy::Local);
    let elsewhere = [("b", READY), ("c", READY)];
    let ask = |version, endpoints: &[_]| {
        on_a(
            &service,
            endpoints,
            version,
            ProxyMode::Ipvs,
            Path::NodePort,
            From::Outside,
        )
    };
    assert_eq!(
        ask("1.24", &elsewhere),
        (Verdict::Drop, vec![]),
        "routed, but the reply has the pod's address: the client discards it"
    );
    let inside = |from| {
        on_a(
            &service,
            &elsewhere,
            "1.24",
            ProxyMode::Ipvs,
            Path::NodePort,
            from,
        )
    };
    assert_eq!(inside(From::Pod), (Verdict::Forward, vec![1, 2]));
    assert_eq!(inside(From::Node), (Verdict::Forward, vec![1, 2]));
    assert_eq!(ask("1.23", &elsewhere), (Verdict::Reject, vec![]));
    assert_eq!(
        ask("1.30", &[("a", READY), ("b", READY)]),
        (Verdict::Forward, vec![1])
    );
    assert_eq!(
        ask("1.30", &[("a", DRAINING), ("b", READY)]),
        (Verdict::Forward, vec![1]),
        "a local terminating endpoint comes before remote ready ones"
    );
}

#[test]
fn ipvs_leaves_a_local_cluster_ip_empty_unless_the_service_is_reachable_from_outside() {
    let elsewhere = [("b", READY)];
    let mut inside_only = service();
    inside_only.internal_local = true;
    inside_only.kind = ServiceType::ClusterIP;
    inside_only.external_ips.clear();
    inside_only.load_balancer_ingress.clear();
    inside_only.ports[0].node_port = None;
    let ask = |service| {
        on_a(
            service,
            &elsewhere,
            "1.30",
            ProxyMode::Ipvs,
            Path::ClusterIp,
            From::Anywhere,
        )
    };
    assert_eq!(ask(&inside_only), (Verdict::Reject, vec![]));
    let mut reachable = service();
    reachable.internal_local = true;
    assert_eq!(ask(&reachable), (Verdict::Forward, vec![1]));
}

#[test]
fn ipvs_gives_pods_no_short_cut() {
    let mut service = service();
    service.external_traffic_policy = Some(TrafficPolicy::Local);
    let endpoints = [("a", READY), ("b", READY)];
    for from in [From::Outside, From::Pod, From::Node] {
        let got = on_a(
            &service,
            &endpoints,
            "1.30",
            ProxyMode::Ipvs,
            Path::LoadBalancer,
            from,
        );
        assert_eq!(got, (Verdict::Forward, vec![1]), "{from:?}");
    }
}

#[test]
fn windows_uses_terminating_endpoints_only_for_services_with_a_load_balancer_ip() {
    let endpoints = [("a", DRAINING), ("b", DRAINING), ("b", GONE_SILENT)];
    let ask = |service: &_, version, path| {
        let from = if path == Path::ClusterIp {
            From::Anywhere
        } else {
            From::Outside
        };
        on_a(
            service,
            &endpoints,
            version,
            ProxyMode::Winkernel,
            path,
            from,
        )
    };
    let balanced = service();
    assert_eq!(
        ask(&balanced, "1.30", Path::ClusterIp),
        (Verdict::Forward, vec![1, 2])
    );
    assert_eq!(
        ask(&balanced, "1.30", Path::LoadBalancer),
        (Verdict::Forward, vec![1, 2])
    );
    assert_eq!(
        ask(&balanced, "1.30", Path::NodePort),
        (Verdict::Drop, vec![]),
        "no balancer is made for node ports while everything terminates"
    );
    let mut plain = service();
    plain.load_balancer_ingress.clear();
    assert_eq!(
        ask(&plain, "1.30", Path::ClusterIp),
        (Verdict::Drop, vec![])
    );
    assert_eq!(
        ask(&balanced, "1.25.4", Path::ClusterIp),
        (Verdict::Drop, vec![])
    );
    assert_eq!(
        ask(&balanced, "1.26.0", Path::ClusterIp),
        (Verdict::Drop, vec![])
    );
    assert_eq!(
        ask(&balanced, "1.26.1", Path::ClusterIp),
        (Verdict::Forward, vec![1, 2])
    );
}

#[test]
fn windows_keeps_every_endpoint_when_none_serves() {
    let endpoints = [("a", UNREADY), ("b", GONE_SILENT)];
    let service = service();
    let ask = |path, from| {
        on_a(
            &service,
            &endpoints,
            "1.30",
            ProxyMode::Winkernel,
            path,
            from,
        )
    };
    assert_eq!(
        ask(Path::ClusterIp, From::Anywhere),
        (Verdict::Forward, vec![1, 2])
    );
}

#[test]
fn nftables_lost_the_nodes_own_connections_until_1_33_6() {
    let mut service = service();
    service.external_traffic_policy = Some(TrafficPolicy::Local);
    let elsewhere = [("b", READY)];
    let ask = |version, path| {
        on_a(
            &service,
            &elsewhere,
            version,
            ProxyMode::Nftables,
            path,
            From::Node,
        )
        .0
    };
    assert_eq!(ask("1.32.13", Path::LoadBalancer), Verdict::Drop);
    assert_eq!(ask("1.32.13", Path::NodePort), Verdict::Forward);
    assert_eq!(
        ask("1.33.5", Path::NodePort),
        Verdict::Drop,
        "the local-source test missed"
    );
    assert_eq!(ask("1.33.6", Path::LoadBalancer), Verdict::Forward);
    assert_eq!(ask("1.34.1", Path::NodePort), Verdict::Drop);
    assert_eq!(ask("1.34.2", Path::NodePort), Verdict::Forward);
}

#[test]
fn ipvs_says_that_endpoints_that_end_keep_their_connections() {
    let ids = |arguments: &[&str]| -> Vec<String> {
        let report = crate::recording::report("rollout-midway", arguments);
        let notes = report["services"][0]["notes"]
            .as_array()
            .expect("a list")
            .clone();
        let ids = notes.iter().filter_map(|note| note["id"].as_str());
        ids.map(str::to_owned).collect()
    };
    let weight_zero = "ipvs-weight-zero".to_owned();
    assert!(ids(&["--proxy-mode", "ipvs"]).contains(&weight_zero));
    assert!(!ids(&["--proxy-mode", "iptables"]).contains(&weight_zero));
}
