//! What if something may not be watched, or credentials expire? And nothing but GET is ever sent.

use drain_check::facts::{Gap, GapReason, Resource};
use drain_check::recording::line::Said;
use serde_json::json;

use super::harness::{Watching, pod, shop, word, words};
use crate::cluster::harness::{Setup, everything, named};
use crate::cluster::permissions::{allowed, role};
use crate::fake_api::{Change, FakeApi, Fault};

fn gap(resource: Resource, verb: &'static str, namespace: Option<&str>) -> Gap {
    Gap {
        resource,
        verb,
        namespace: namespace.map(str::to_owned),
        reason: GapReason::Forbidden,
    }
}

#[test]
fn what_may_not_be_watched_is_a_gap_and_the_rest_goes_on() {
    let api = FakeApi::serving(shop(&["a"]));
    api.fault(
        "/api/v1/namespaces/shop/pods?watch=true",
        Fault::Status(403, "no"),
    );
    let setup = Setup::new(&api, "shop");
    let watching = Watching::start(setup.connection(), named(&["svc/web"]));
    let wanted = gap(Resource::Pods, "watch", Some("shop"));
    assert!(
        watching.begun.gaps.contains(&wanted),
        "{:?}",
        watching.begun.gaps
    );
    let told = words(&watching.lists);
    assert!(told.contains(&"LIST pods 1".to_owned()), "{told:?}");
    assert!(told.contains(&"LOST pods".to_owned()), "{told:?}");
    assert_eq!(
        told.iter().filter(|word| word.starts_with("LOST")).count(),
        1
    );
    api.happens(Change::Put, pod("b", "b", "web"));
    let mut node =
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-a", "uid": "n"}});
    node["metadata"]["labels"] = json!({"topology.kubernetes.io/zone": "z"});
    api.happens(Change::Put, node);
    assert_eq!(words(&watching.until(|_| true)), ["+nodes/node-a"]);
    assert!(watching.end().gaps.contains(&wanted));
}

#[test]
fn what_may_not_be_listed_is_a_gap_and_has_no_list() {
    let api = FakeApi::serving(shop(&["a"]));
    api.fault("/api/v1/nodes", Fault::Status(403, "no"));
    let setup = Setup::new(&api, "shop");
    let watching = Watching::start(setup.connection(), named(&["svc/web"]));
    let of_nodes = watching
        .begun
        .gaps
        .iter()
        .filter(|gap| gap.resource == Resource::Nodes);
    assert_eq!(
        of_nodes.collect::<Vec<_>>(),
        [&gap(Resource::Nodes, "list", None)]
    );
    let told = words(&watching.lists);
    assert!(
        !told.iter().any(|word| word.starts_with("LIST nodes")),
        "{told:?}"
    );
    assert!(told.contains(&"LOST nodes".to_owned()), "{told:?}");
}

#[test]
fn what_was_allowed_once_is_asked_for_again() {
    let api = FakeApi::serving(shop(&["a"]));
    let setup = Setup::new(&api, "shop");
    let watching = Watching::start(setup.connection(), named(&["svc/web"]));
    // A server that starts may not know its roles yet.
    api.fault_times(
        "/api/v1/namespaces/shop/pods?watch=true",
        2,
        Fault::Status(403, "no"),
    );
    api.ends_watches(true);
    let lines = watching.until(|line| line.said == Said::Back);
    assert_eq!(words(&lines), ["LOST pods", "BACK pods"]);
    assert_eq!(
        watching
            .begun
            .gaps
            .iter()
            .filter(|gap| gap.verb == "watch")
            .count(),
        0
    );
}

#[test]
fn credentials_that_are_no_longer_taken_are_fetched_anew() {
    let api = FakeApi::serving_tls(shop(&["a"]));
    let folder = tempfile::tempdir().expect("a folder");
    let token = folder.path().join("token");
    std::fs::write(&token, "old").expect("a file");
    let setup = Setup::with_user(&api, "shop", &json!({"tokenFile": token}));
    let watching = Watching::start(setup.connection(), named(&["svc/web"]));
    assert_eq!(api.connections(), 1);
    std::fs::write(&token, "new").expect("a file");
    api.start_over();
    api.fault_times(
        "/api/v1/namespaces/shop/pods?watch=true",
        1,
        Fault::Status(401, "expired"),
    );
    api.ends_watches(true);
    let lines = watching.until(|line| line.said == Said::Back);
    assert_eq!(words(&lines), ["LOST pods", "BACK pods"]);
    let pods = api
        .asked()
        .into_iter()
        .filter(|asked| asked.path.contains("/pods?"));
    let tokens: Vec<_> = pods
        .map(|asked| asked.header("authorization").unwrap_or_default().to_owned())
        .collect();
    assert_eq!(tokens, ["Bearer old", "Bearer new"]);
    api.happens(Change::Put, pod("b", "b", "web"));
    assert_eq!(word(&watching.until(|_| true)[0]), "+pods/b");
}

#[test]
fn nothing_but_get_list_and_watch_is_asked_for_and_no_secret() {
    let role = role();
    for request in [named(&["svc/web"]), named(&["deploy/web"]), everything()] {
        let api = FakeApi::of("rollout-midway");
        let setup = Setup::new(&api, "rollout");
        let watching = Watching::start(setup.connection(), request);
        let asked = api.asked();
        assert!(
            asked
                .iter()
                .filter(|one| one.path.contains("watch=true"))
                .count()
                >= 10
        );
        for one in asked {
            assert_eq!(one.method, "GET", "{}", one.path);
            assert!(!one.path.contains("secrets"), "{}", one.path);
            assert!(allowed(&role, &one.path), "{}", one.path);
        }
        drop(watching);
    }
}
