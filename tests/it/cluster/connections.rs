//! How many connections does one run make?

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::harness::{Setup, run};
use crate::fake_api::{FakeApi, Fault, kube_proxy, recording};

fn web() -> Vec<Value> {
    [recording("rollout-midway"), kube_proxy()].concat()
}

fn check(api: &FakeApi) -> Value {
    Setup::with_user(api, "rollout", &json!({"token": "t"}))
        .run(&["svc/web", "-o", "json", "--as-of", "2026-11-21T00:38:15Z"])
        .report()
}

#[test]
fn a_check_asks_everything_over_one_connection_where_the_server_speaks_http2() {
    let (one, many) = (FakeApi::serving_tls(web()), FakeApi::serving_http1(web()));
    let report = check(&one);
    assert_eq!(one.connections(), 1);
    assert!(one.paths().len() > 10, "{:?}", one.paths());
    for asked in one.asked() {
        assert_eq!(asked.header("authorization"), Some("Bearer t"));
    }

    // Where it does not, requests go side by side all the same.
    assert_eq!(check(&many), report);
    assert!(many.connections() > 1 && many.connections() <= many.paths().len());
    assert_eq!(many.round_trips(), one.round_trips());
    let paths = |api: &FakeApi| api.paths().into_iter().collect::<BTreeSet<_>>();
    assert_eq!(paths(&many), paths(&one));
}

#[test]
fn http2_can_be_switched_off_as_for_kubectl() {
    let api = FakeApi::serving_tls(web());
    let setup = Setup::new(&api, "rollout");
    let file = setup.kubeconfig.to_str().expect("UTF-8");
    let arguments = ["svc/web", "-o", "json", "--kubeconfig", file];
    let home = setup.folder.path();
    run(home, &arguments, &[("DISABLE_HTTP2", "")]).report();
    assert_eq!(api.connections(), 1);
    run(home, &arguments, &[("DISABLE_HTTP2", "1")]).report();
    assert!(api.connections() > 2);
}

#[test]
fn requests_side_by_side_share_a_connection_that_is_still_being_made() {
    let api = FakeApi::serving_tls(web());
    // Nobody is answered before all have asked: all of them are under way at once.
    api.wait_for_crowd(8);
    check(&api);
    assert!(!api.waited_in_vain());
    assert_eq!(api.connections(), 1);
}

#[test]
fn a_server_that_sends_its_clients_elsewhere_is_asked_again_over_a_new_connection() {
    let api = FakeApi::serving_tls(web());
    let usual = check(&api);
    let before = api.connections();
    api.fault_times("/", 3, Fault::GoAway);
    assert_eq!(check(&api), usual);
    let more = api.connections() - before;
    assert!((2..=4).contains(&more), "{more}");
}

#[test]
fn what_breaks_within_a_connection_is_asked_again() {
    let api = FakeApi::serving_tls(web());
    let usual = check(&api);
    for fault in [Fault::Silent, Fault::Cut] {
        api.start_over();
        api.fault_times("/api/v1/namespaces/rollout/pods", 1, fault);
        assert_eq!(check(&api), usual);
        let pods = api.paths();
        let pods = pods.iter().filter(|path| path.contains("/rollout/pods"));
        assert_eq!(pods.count(), 2);
    }
}

#[test]
fn a_server_that_cannot_be_reached_is_tried_once_and_not_for_each_request() {
    // Takes connections in, and says nothing of TLS.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("https://{}", listener.local_addr().expect("an address"));
    let (counted, count) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // Dropped at once; the test may have ended.
            let _ = counted.send(stream.is_ok());
        }
    });
    let home = tempfile::tempdir().expect("a folder");
    let arguments = ["svc/web", "--server", &url, "-n", "rollout"];
    run(home.path(), &arguments, &[]).refused(&["cannot talk to", &url]);
    assert_eq!(count.try_iter().count(), 1);
}
