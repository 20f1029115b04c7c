//! What is asked for, and what comes of it.

use drain_check::collect::Request;
use drain_check::facts::kube_proxy::ProxyMode;
use drain_check::facts::{Snapshot, Source};
use serde_json::{Value, json};

use super::harness::{Setup, everything, from_file, named};
use crate::fake_api::{FakeApi, Fault, kube_proxy, recording};

/// Both in one order, and only what both can hold: files have workloads and no kube-proxy.
fn sorted(mut snapshot: Snapshot) -> Snapshot {
    snapshot.services.sort_by(|a, b| a.name.cmp(&b.name));
    snapshot.slices.sort_by(|a, b| a.name.cmp(&b.name));
    snapshot.endpoints.sort_by(|a, b| a.name.cmp(&b.name));
    snapshot.pods.sort_by(|a, b| a.name.cmp(&b.name));
    snapshot.nodes.sort_by(|a, b| a.name.cmp(&b.name));
    Snapshot {
        services: snapshot.services,
        slices: snapshot.slices,
        endpoints: snapshot.endpoints,
        pods: snapshot.pods,
        nodes: snapshot.nodes,
        ..Snapshot::default()
    }
}

/// A thousand endpoints, and their namespace.
const LARGE: (&str, &str) = ("large-truncated-endpoints", "large");

/// Every other recording and its namespace.
pub(crate) const SMALL: [(&str, &str); 10] = [
    ("all-terminating-serving", "all-terminating"),
    ("all-terminating-unready", "all-terminating"),
    ("policies-node-a-terminating", "policies"),
    ("prestop-and-sidecars", "sidecars"),
    ("publish-not-ready", "database"),
    ("random-pods", "truth-11"),
    ("rollout-midway", "rollout"),
    ("rollout-starts", "rollout"),
    ("selectorless-mirrored", "legacy"),
    ("stuck-past-grace", "stuck"),
];

#[test]
fn a_namespace_comes_out_of_the_api_as_out_of_a_file() {
    for (name, namespace) in SMALL.into_iter().chain([LARGE]) {
        let api = FakeApi::of(name);
        let asked = Setup::new(&api, namespace).observe(&everything());
        let asked = asked.expect("a snapshot");
        assert_eq!(asked.gaps, [], "{name}");
        assert_eq!(
            asked.source,
            Source::Cluster {
                context: Some("here".to_owned()),
                namespace: Some(namespace.to_owned())
            }
        );
        assert!(asked.server.is_some() && asked.taken_at.is_some());
        assert_eq!(sorted(asked), sorted(from_file(&recording(name))), "{name}");
    }
}

#[test]
fn a_named_service_comes_with_its_own_slices_endpoints_and_pods_only() {
    for (name, namespace) in SMALL {
        let api = FakeApi::of(name);
        let setup = Setup::new(&api, namespace);
        let file = from_file(&recording(name));
        // One of many says as much as each of them.
        for service in file.services.iter().take(6) {
            let mut expected = file.clone();
            expected.services.retain(|other| other == service);
            expected.slices.retain(|slice| {
                slice.labels.get("kubernetes.io/service-name") == Some(&service.name.name)
            });
            expected.endpoints.retain(|one| one.name == service.name);
            expected.pods.retain(|pod| {
                service.selector.as_ref().is_some_and(|selector| {
                    selector
                        .iter()
                        .all(|(key, value)| pod.labels.get(key) == Some(value))
                })
            });
            let asked = setup.observe(&named(&[&service.name.name]));
            let asked = asked.expect("a snapshot");
            assert_eq!(asked.gaps, [], "{}", service.name);
            assert_eq!(sorted(asked), sorted(expected), "{}", service.name);
        }
    }
}

#[test]
fn one_service_takes_two_round_trips_of_gets_that_touch_no_secret() {
    let api = FakeApi::of("policies-node-a-terminating");
    // Its object, slices and Endpoints; nodes; kube-proxy by two labels; two ConfigMaps; the version; what is installed,
    // Ingresses and data planes; four kinds of workloads, autoscalers, two lists of Events; what the API server calls: all under way at once.
    api.wait_for_crowd(22);
    let setup = Setup::new(&api, "policies");
    setup
        .observe(&named(&["svc/api-node"]))
        .expect("a snapshot");
    let asked = api.asked();
    assert_eq!(asked.len(), 23, "{:#?}", api.paths());
    assert_eq!(api.round_trips(), 2, "{asked:#?}");
    for one in &asked {
        assert_eq!(one.method, "GET");
        assert!(!one.path.contains("secret"), "{}", one.path);
        let agent = one.header("user-agent").unwrap_or_default();
        assert!(agent.starts_with("kubectl-drain-check/"), "{agent}");
    }
    let last = &asked[22].path;
    assert!(
        last.starts_with("/api/v1/namespaces/policies/pods?labelSelector=app%3Dapi"),
        "{last}"
    );
}

#[test]
fn a_namespace_takes_one_round_trip_and_a_workload_two() {
    let api = FakeApi::of("rollout-midway");
    api.wait_for_crowd(20);
    let setup = Setup::new(&api, "rollout");
    setup.observe(&everything()).expect("a snapshot");
    assert_eq!(api.round_trips(), 1, "{:#?}", api.paths());

    let api = FakeApi::of("rollout-midway");
    api.wait_for_crowd(23);
    let setup = Setup::new(&api, "rollout");
    setup.observe(&named(&["deploy/web"])).expect("a snapshot");
    assert_eq!(api.round_trips(), 2, "{:#?}", api.paths());
}

/// The names of the Services, and how many pods, slices and Endpoints came with them.
fn found(snapshot: &Snapshot) -> (Vec<String>, [usize; 3]) {
    let mut names: Vec<String> = snapshot
        .services
        .iter()
        .map(|service| service.name.to_string())
        .collect();
    names.sort();
    let counts = [
        snapshot.pods.len(),
        snapshot.slices.len(),
        snapshot.endpoints.len(),
    ];
    (names, counts)
}

#[test]
fn several_named_services_come_together_and_twice_named_ones_once() {
    let api = FakeApi::of("policies-node-a-terminating");
    let setup = Setup::new(&api, "policies");
    let request = named(&["api-node", "svc/api-zone", "service/api-node"]);
    let asked = setup.observe(&request).expect("a snapshot");
    let names = ["policies/api-node", "policies/api-zone"];
    assert_eq!(
        found(&asked),
        (names.map(str::to_owned).to_vec(), [6, 2, 2])
    );
    assert!(
        api.paths()
            .iter()
            .any(|path| path.contains("in%20%28api-node%2Capi-zone%29"))
    );
}

#[test]
fn pods_and_workloads_lead_to_the_services_that_select_them() {
    let api = FakeApi::of("rollout-midway");
    let setup = Setup::new(&api, "rollout");
    let web = (vec!["rollout/web".to_owned()], [8, 1, 1]);
    for target in [
        "deploy/web",
        "rs/web-5cdf74f576",
        "pod/web-5cdf74f576-29g75",
        "po/web-6b8546897-z7cq2",
    ] {
        let asked = setup.observe(&named(&[target])).expect("a snapshot");
        assert_eq!(found(&asked), web, "{target}");
        assert_eq!(asked.gaps, [], "{target}");
    }
    // A Service and what leads to the same one: still one.
    let asked = setup.observe(&named(&["svc/web", "deploy/web"]));
    assert_eq!(found(&asked.expect("a snapshot")), web);

    let api = FakeApi::of("publish-not-ready");
    let setup = Setup::new(&api, "database");
    let asked = setup.observe(&named(&["sts/db"])).expect("a snapshot");
    let names = ["database/db", "database/db-read"];
    assert_eq!(
        found(&asked),
        (names.map(str::to_owned).to_vec(), [3, 2, 2])
    );
}

fn service(namespace: &str, name: &str, tier: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Service",
        "metadata": {"namespace": namespace, "name": name, "labels": {"tier": tier}},
        "spec": {"clusterIP": "10.0.0.9", "ports": [{"port": 80}], "selector": {"app": name}}})
}

fn slice(namespace: &str, service: &str) -> Value {
    json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
        "metadata": {"namespace": namespace, "name": format!("{service}-1"),
            "labels": {"kubernetes.io/service-name": service}},
        "endpoints": [], "ports": []})
}

fn shop_and_bank() -> FakeApi {
    FakeApi::serving(vec![
        service("shop", "cart", "front"),
        slice("shop", "cart"),
        service("shop", "stock", "back"),
        slice("shop", "stock"),
        service("bank", "cart", "front"),
        slice("bank", "cart"),
    ])
}

#[test]
fn a_label_selector_chooses_services_and_what_belongs_to_them() {
    let api = shop_and_bank();
    let setup = Setup::new(&api, "shop");
    let request = Request {
        selector: Some("tier=back".to_owned()),
        ..everything()
    };
    let asked = setup.observe(&request).expect("a snapshot");
    assert_eq!(found(&asked), (vec!["shop/stock".to_owned()], [0, 1, 0]));
}

#[test]
fn all_namespaces_are_one_list_each_and_n_wins_over_the_context() {
    let api = shop_and_bank();
    let setup = Setup::new(&api, "shop");
    let all = Request {
        all_namespaces: true,
        ..everything()
    };
    let asked = setup.observe(&all).expect("a snapshot");
    let names = ["bank/cart", "shop/cart", "shop/stock"];
    assert_eq!(
        found(&asked),
        (names.map(str::to_owned).to_vec(), [0, 3, 0])
    );
    assert!(
        api.paths()
            .contains(&"/api/v1/services?limit=500".to_owned())
    );
    let Source::Cluster { namespace, .. } = asked.source else {
        panic!("a cluster");
    };
    assert_eq!(namespace, None);

    let bank = Request {
        namespace: Some("bank".to_owned()),
        ..everything()
    };
    let asked = setup.observe(&bank).expect("a snapshot");
    assert_eq!(found(&asked), (vec!["bank/cart".to_owned()], [0, 1, 0]));
}

#[test]
fn nothing_named_and_nothing_there_is_an_empty_snapshot() {
    let api = shop_and_bank();
    let asked = Setup::new(&api, "empty").observe(&everything());
    assert_eq!(found(&asked.expect("a snapshot")), (vec![], [0, 0, 0]));
}

#[test]
fn a_long_list_comes_in_pages_and_every_object_once() {
    let expected = sorted(from_file(&recording("large-truncated-endpoints")));
    for (size, pages) in [(usize::MAX, 3), (109, 10)] {
        let api = FakeApi::of("large-truncated-endpoints");
        api.pages_of(size);
        let asked = Setup::new(&api, "large").observe(&everything());
        let asked = asked.expect("a snapshot");
        assert_eq!(asked.gaps, []);
        assert_eq!(sorted(asked), expected);
        let paths = api.paths();
        let pods = paths
            .iter()
            .filter(|path| path.starts_with("/api/v1/namespaces/large/pods"));
        assert_eq!(pods.count(), pages);
    }
}

const PODS: &str = "/api/v1/namespaces/large/pods";

#[test]
fn a_list_that_expires_between_two_pages_is_read_again_as_a_whole() {
    let api = FakeApi::of("large-truncated-endpoints");
    let gone = Fault::Status(410, "The provided continue parameter is too old");
    api.fault_times(&format!("{PODS}?continue="), 1, gone);
    let asked = Setup::new(&api, "large").observe(&everything());
    let asked = asked.expect("a snapshot");
    assert_eq!(asked.gaps, []);
    assert_eq!(asked.pods.len(), 1090);
    let paths = api.paths();
    assert!(
        paths.contains(&PODS.to_owned()),
        "without a limit: {paths:#?}"
    );
}

#[test]
fn a_list_that_never_ends_is_a_gap_and_no_half() {
    let api = FakeApi::of("large-truncated-endpoints");
    let endless = json!({"kind": "PodList", "apiVersion": "v1", "metadata": {"continue": "x"},
        "items": recording("large-truncated-endpoints").into_iter()
            .find(|object| object["kind"] == "Pod").into_iter().collect::<Vec<_>>()});
    api.fault(&format!("{PODS}?continue="), Fault::Status(410, "too old"));
    api.fault(PODS, Fault::Body("application/json", endless.to_string()));
    let asked = Setup::new(&api, "large").observe(&everything());
    let asked = asked.expect("a snapshot");
    assert_eq!(asked.gaps.len(), 1, "{:?}", asked.gaps);
    assert!(asked.pods.is_empty());
}

#[test]
fn a_server_before_1_21_is_asked_for_v1beta1_slices() {
    let mut objects = [recording("rollout-midway"), kube_proxy()].concat();
    for object in &mut objects {
        if object["kind"] != "EndpointSlice" {
            continue;
        }
        object["apiVersion"] = json!("discovery.k8s.io/v1beta1");
        for endpoint in object["endpoints"].as_array_mut().into_iter().flatten() {
            let fields = endpoint.as_object_mut().expect("an endpoint");
            let node = fields.remove("nodeName").expect("a node");
            let zone = fields.remove("zone").expect("a zone");
            fields.insert(
                "topology".to_owned(),
                json!({"kubernetes.io/hostname": node, "topology.kubernetes.io/zone": zone}),
            );
        }
    }
    let api = FakeApi::serving(objects);
    api.fault(
        "/apis/discovery.k8s.io/v1/",
        Fault::Status(404, "404 page not found"),
    );
    let asked = Setup::new(&api, "rollout").observe(&everything());
    let asked = asked.expect("a snapshot");
    assert_eq!(asked.gaps, []);
    let zones = |snapshot: &Snapshot| -> Vec<_> {
        let endpoints = snapshot.slices.iter().flat_map(|slice| &slice.endpoints);
        endpoints
            .map(|endpoint| {
                (
                    endpoint.addresses.clone(),
                    endpoint.node.clone(),
                    endpoint.zone.clone(),
                )
            })
            .collect()
    };
    assert_eq!(
        zones(&asked),
        zones(&from_file(&recording("rollout-midway")))
    );
    assert_ne!(zones(&asked), []);
}

#[test]
fn kube_proxys_own_version_and_mode_are_read() {
    let api = FakeApi::of("rollout-midway");
    let asked = Setup::new(&api, "rollout").observe(&everything());
    let proxies = asked.expect("a snapshot").kube_proxies;
    assert_eq!(proxies.pods.len(), 1);
    assert_eq!(proxies.pods[0].node, "node-a");
    assert_eq!(proxies.pods[0].version, "1.36.3".parse().ok());
    let mode = proxies.config.and_then(|config| config.mode);
    assert_eq!(mode, Some(ProxyMode::Nftables));
}

#[test]
fn the_moment_is_the_servers_own_whatever_the_clock_here_says() {
    let api = FakeApi::of("rollout-midway");
    let date = "Tue, 01 Jan 2030 00:00:07 GMT";
    api.fault("/version", Fault::Header("date", date.to_owned()));
    let asked = Setup::new(&api, "rollout").observe(&everything());
    let moment = asked.expect("a snapshot").taken_at.expect("a moment");
    assert_eq!(moment.to_rfc3339(), "2030-01-01T00:00:07+00:00");
}
