//! Other servers than today's: older and newer ones, with another clock, or with a part that is down.

use serde_json::{Value, json};

use super::ended::Ended;
use super::harness::Setup;
use crate::fake_api::{FakeApi, Fault, kube_proxy, recording};

/// Nine seconds after the pods of a recording were deleted.
const NOW: &str = "2026-11-21T00:38:15Z";

#[test]
fn an_api_whose_server_is_down_leaves_a_gap_that_names_it() {
    let route = json!({"apiVersion": "route.openshift.io/v1", "kind": "Route",
        "metadata": {"namespace": "rollout", "name": "r"},
        "spec": {"to": {"kind": "Service", "name": "web"}}});
    for groups_only in [false, true] {
        let api = FakeApi::serving(
            [
                recording("rollout-midway"),
                kube_proxy(),
                vec![route.clone()],
            ]
            .concat(),
        );
        if groups_only {
            api.discovers_groups_only();
        }
        let setup = Setup::new(&api, "rollout");
        let whole = Ended::of(&setup, &["svc/web", "--as-of", NOW]);
        api.fault(
            "/apis/route.openshift.io",
            Fault::Status(503, "the server is currently unable to handle the request"),
        );
        let ended = Ended::of(&setup, &["svc/web", "--as-of", NOW]);
        ended.is_no_better_than(&whole).expect("no better");
        let gaps = ended.gaps();
        let gap = gaps
            .iter()
            .find(|gap| gap["resource"] == "routes.route.openshift.io");
        let gap = gap.unwrap_or_else(|| panic!("{gaps:?}"));
        assert_eq!(gap["reason"], "failed");
        assert_eq!(gap["canI"], Value::Null);
        assert_eq!(ended.states(), whole.states());
    }
}

#[test]
fn the_servers_clock_counts_and_not_this_machines() {
    let api = FakeApi::of("all-terminating-serving");
    // Nine seconds after the pods were deleted, years before or after this machine's now.
    api.fault(
        "/",
        Fault::Header("date", "Sat, 21 Nov 2026 00:38:15 GMT".to_owned()),
    );
    let setup = Setup::new(&api, "all-terminating");
    let live = Ended::of(&setup, &["svc/the-app"]);
    let fixed = Ended::of(&setup, &["svc/the-app", "--as-of", NOW]);
    assert_eq!(live.report()["asOf"], NOW);
    assert_eq!(live.report(), fixed.report());
}

#[test]
fn a_server_of_1_19_is_answered_for() {
    let mut objects = [recording("rollout-midway"), kube_proxy()].concat();
    for object in &mut objects {
        if object["kind"] == "EndpointSlice" {
            object["apiVersion"] = json!("discovery.k8s.io/v1beta1");
            for endpoint in object["endpoints"].as_array_mut().expect("endpoints") {
                let node = endpoint.as_object_mut().expect("fields").remove("nodeName");
                endpoint.as_object_mut().expect("fields").remove("zone");
                endpoint["topology"] = json!({"kubernetes.io/hostname": node});
            }
        }
        if object["kind"] == "Node" {
            object["status"]["nodeInfo"]["kubeletVersion"] = json!("v1.19.16");
        }
        if object["kind"] == "Pod" && object["metadata"]["namespace"] == "kube-system" {
            object["spec"]["containers"][0]["image"] =
                json!("registry.example/kube-proxy:v1.19.16");
        }
    }
    let api = FakeApi::serving(objects);
    api.is_version("v1.19.16");
    api.discovers_groups_only();
    for later in ["discovery.k8s.io/v1", "networking.k8s.io/v1"] {
        api.lacks(later);
    }
    let setup = Setup::new(&api, "rollout");
    for arguments in [&["svc/web"][..], &["-A"], &["deploy/web"]] {
        let ended = Ended::of(&setup, arguments);
        assert!(ended.code < 2, "{ended:?}");
        let gaps = ended.gaps();
        assert!(gaps.is_empty(), "{gaps:?}");
        let report = ended.report();
        assert_eq!(report["versions"]["server"], "1.19.16");
        let states = ended.states();
        assert!(
            states.iter().all(|(_, state)| *state != "unknown"),
            "{states:?}"
        );
        let outcome = &report["services"][0]["ports"][0]["paths"][0]["outcomes"][0];
        assert_eq!(outcome["kubeProxy"]["version"], "1.19.16");
    }
}

#[test]
fn a_server_newer_than_known_is_taken_for_the_newest_known_and_that_is_said() {
    let mut objects = [recording("rollout-midway"), kube_proxy()].concat();
    for object in &mut objects {
        if object["kind"] == "Pod" && object["metadata"]["namespace"] == "kube-system" {
            object["spec"]["containers"][0]["image"] = json!("registry.example/kube-proxy:v1.77.1");
        }
    }
    let api = FakeApi::serving(objects);
    api.is_version("v1.77.1");
    let ended = Ended::of(&Setup::new(&api, "rollout"), &["svc/web"]);
    let report = ended.report();
    assert_eq!(report["versions"]["server"], "1.77.1");
    let notes = report["services"][0]["notes"].to_string();
    assert!(
        notes.contains("newer-than-known") && notes.contains("1.77.1"),
        "{notes}"
    );
}
