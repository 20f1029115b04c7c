//! What is asked for, and what comes of it.

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

/// Each recording and its namespace.
const RECORDINGS: [(&str, &str); 11] = [
    ("all-terminating-serving", "all-terminating"),
    ("all-terminating-unready", "all-terminating"),
    ("large-truncated-endpoints", "large"),
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
    for (name, namespace) in RECORDINGS {
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
    for (name, namespace) in RECORDINGS {
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
                    selector.iter().all(|(key, value)| pod.labels.get(key) == Some(value))
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
    // Its object, slices and Endpoints; nodes; kube-proxy by two labels; two ConfigMaps; the version: all under way at once.
    api.wait_for_crowd(9);
    let setup = Setup::new(&api, "policies");
    setup.observe(&named(&["svc/api-node"])).expect("a snapshot");
    let asked = api.asked();
    assert_eq!(asked.len(), 10, "{:#?}", api.paths());
    assert_eq!(api.round_trips(), 2, "{asked:#?}");
    for one in &asked {
        assert_eq!(one.method, "GET");
        assert!(!one.path.contains("secret"), "{}", one.path);
        let agent = one.header("user-agent").unwrap_or_default();
        assert!(agent.starts_with("kubectl-drain-check/"), "{agent}");
    }
    let last = &asked[9].path;
    assert!(last.starts_with("/api/v1/namespaces/policies/pods?labelSelector=app%3Dapi"), "{last}");
}
