//! What happens when the server refuses, fails or talks nonsense: an error for what was asked, a gap for the rest.

use std::time::{Duration, Instant};

use drain_check::facts::{GapReason, Resource, Snapshot};
use serde_json::{Value, json};

use super::harness::{Setup, ask, everything, named};
use crate::fake_api::{FakeApi, Fault, kube_proxy, recording};

const SERVICE: &str = "/api/v1/namespaces/policies/services/api-node";
const NODES: &str = "/api/v1/nodes";

fn policies() -> (FakeApi, Setup) {
    let api = FakeApi::of("policies-node-a-terminating");
    let setup = Setup::new(&api, "policies");
    (api, setup)
}

/// What may be missing, and the path under which it is.
const AROUND: [(Resource, &str); 7] = [
    (Resource::EndpointSlices, "/apis/discovery.k8s.io/"),
    (Resource::Endpoints, "/api/v1/namespaces/policies/endpoints"),
    (Resource::Pods, "/api/v1/namespaces/policies/pods"),
    (Resource::Nodes, NODES),
    (
        Resource::KubeProxyPods,
        "/api/v1/namespaces/kube-system/pods",
    ),
    (
        Resource::KubeProxyConfig,
        "/api/v1/namespaces/kube-system/configmaps",
    ),
    (Resource::Version, "/version"),
];

/// How much there is of each.
fn counts(snapshot: &Snapshot) -> [(Resource, usize); 7] {
    [
        (Resource::EndpointSlices, snapshot.slices.len()),
        (Resource::Endpoints, snapshot.endpoints.len()),
        (Resource::Pods, snapshot.pods.len()),
        (Resource::Nodes, snapshot.nodes.len()),
        (Resource::KubeProxyPods, snapshot.kube_proxies.pods.len()),
        (
            Resource::KubeProxyConfig,
            usize::from(snapshot.kube_proxies.config.is_some()),
        ),
        (Resource::Version, usize::from(snapshot.server.is_some())),
    ]
}

#[test]
fn whatever_else_is_forbidden_is_one_gap_and_the_rest_is_answered() {
    for request in [
        named(&["svc/api-node"]),
        everything(),
        named(&["deploy/api"]),
    ] {
        let (_api, setup) = policies();
        let whole = setup.observe(&request).expect("a snapshot");
        assert_eq!(whole.gaps, []);
        for (resource, path) in AROUND {
            let (api, setup) = policies();
            api.fault(
                path,
                Fault::Status(403, "forbidden: no RBAC policy matched"),
            );
            let asked = setup.observe(&request).expect("a snapshot");
            assert_eq!(asked.gaps.len(), 1, "{:?}", asked.gaps);
            assert_eq!(asked.gaps[0].resource, resource);
            assert_eq!(asked.gaps[0].reason, GapReason::Forbidden);
            assert_eq!(asked.services, whole.services);
            for ((_, before), (what, now)) in counts(&whole).into_iter().zip(counts(&asked)) {
                assert_ne!(before, 0, "{what:?}");
                assert_eq!(now, if what == resource { 0 } else { before }, "{what:?}");
            }
        }
    }
}

#[test]
fn what_is_forbidden_is_in_the_report() {
    for (resource, path) in AROUND {
        let (api, setup) = policies();
        api.fault(path, Fault::Status(403, "forbidden"));
        let ran = setup.run(&["svc/api-node", "-o", "json"]);
        let report = match resource {
            Resource::EndpointSlices => ran.report_without_verdict(),
            Resource::Pods => ran.report_of_a_part(),
            _ => ran.report(),
        };
        let gaps: Vec<&Value> = report["gaps"].as_array().into_iter().flatten().collect();
        let forbidden = gaps.iter().find(|gap| gap["reason"] == "forbidden");
        let forbidden = forbidden.unwrap_or_else(|| panic!("{resource:?}: {gaps:?}"));
        assert_eq!(forbidden["resource"], resource.name());
        assert_eq!(report["services"][0]["name"], "api-node");
    }
}

#[test]
fn everything_but_the_service_forbidden_is_still_an_answer() {
    let (api, setup) = policies();
    for (_, path) in AROUND {
        api.fault(path, Fault::Status(403, "forbidden"));
    }
    let asked = setup.observe(&named(&["api-node"])).expect("a snapshot");
    assert_eq!(asked.gaps.len(), 7, "{:?}", asked.gaps);
    let ran = setup.run(&["svc/api-node", "-o", "json"]);
    let report = ran.report_without_verdict();
    assert_eq!(report["gaps"].as_array().map(Vec::len), Some(7));
}

#[test]
fn a_forbidden_service_is_an_error_that_names_the_permission() {
    let (api, setup) = policies();
    let said = "services \"api-node\" is forbidden: User \"me\" cannot get resource";
    api.fault(
        "/api/v1/namespaces/policies/services",
        Fault::Status(403, said),
    );
    let ran = setup.run(&["svc/api-node"]);
    ran.refused(&[said, "kubectl auth can-i get services -n policies"]);
    let ran = setup.run(&["svc/api-node", "--as", "bob", "--as-group", "ops"]);
    ran.refused(&[
        "kubectl auth can-i get services -n policies ",
        " --as bob --as-group ops",
    ]);
    let ran = setup.run(&[]);
    ran.refused(&["kubectl auth can-i list services -n policies"]);

    let (api, setup) = policies();
    api.fault("/apis/apps/", Fault::Status(403, "no"));
    let error = setup
        .observe(&named(&["deploy/api"]))
        .expect_err("no answer");
    let help = error.help();
    assert!(
        help.contains("can-i get deployments.apps -n policies"),
        "{help}"
    );
}

#[test]
fn refused_credentials_are_an_error_with_a_cure() {
    let (api, setup) = policies();
    api.fault("/", Fault::Status(401, "Unauthorized"));
    for arguments in [&["svc/api-node"][..], &[]] {
        let ran = setup.run(arguments);
        ran.refused(&["refused the credentials", "log in", "kubectl auth whoami"]);
    }
}

#[test]
fn a_wrong_name_names_near_ones_and_the_namespace_that_has_it() {
    let (_api, setup) = policies();
    setup
        .run(&["svc/api-nodes"])
        .refused(&["\"api-nodes\"", "policies", "api-node"]);
    let ran = setup.run(&["svc/api-zone", "-n", "elsewhere"]);
    ran.refused(&["\"elsewhere\"", "-n policies"]);
    let ran = setup.run(&["svc/nothing-like-it"]);
    ran.refused(&["nothing-like-it", "kubectl get"]);
    let error = setup
        .observe(&named(&["deploy/apl"]))
        .expect_err("no answer");
    assert!(
        error.to_string().starts_with("deployment \"apl\""),
        "{error}"
    );
    assert!(error.help().contains("api"), "{}", error.help());
}

#[test]
fn a_wrong_name_is_an_error_even_where_names_must_not_be_listed() {
    let (api, setup) = policies();
    api.fault(
        "/api/v1/namespaces/policies/services?limit",
        Fault::Status(403, "no"),
    );
    api.fault("/api/v1/services", Fault::Status(403, "no"));
    let ran = setup.run(&["svc/api-nodes"]);
    ran.refused(&["\"api-nodes\"", "is not in namespace \"policies\""]);
}

/// How many errors were told.
fn errors(said: &str) -> usize {
    let begins = |line: &&str| line.starts_with("error: ");
    said.lines().filter(begins).count()
}

#[test]
fn one_target_that_fails_does_not_silence_the_others() {
    // Services only, and Services beside other kinds.
    for (found, words) in [
        ("api-node", &["svc/api-nodes", "svc/api-node"][..]),
        ("api-node", &["svc/api-node", "deploy/nothing"]),
    ] {
        let (_api, setup) = policies();
        let ran = setup.run(&[words, &["-o", "json"]].concat());
        let report = ran.report_of_a_part();
        let services = report["services"].as_array().expect("Services");
        assert_eq!(services.len(), 1, "{words:?}");
        assert_eq!(services[0]["name"], found);
        assert_eq!(errors(&ran.err), 1, "{}", ran.err);
        assert!(
            ran.err.contains("is not in namespace \"policies\""),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("  help: "), "{}", ran.err);
    }
    let (api, setup) = policies();
    api.fault(
        "/api/v1/namespaces/policies/services/api-zone",
        Fault::Status(403, "no"),
    );
    let ran = setup.run(&["svc", "api-zone", "api-node", "-o", "name"]);
    assert_eq!((ran.code, &*ran.out), (Some(2), "service/api-node\n"));
    assert!(ran.err.contains("may not get services"), "{}", ran.err);
    let ran = setup.run(&["snapshot", "svc/api-node", "svc/api-nodes"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.out.contains("name: api-node"), "{}", ran.out);
    assert!(
        ran.err.contains("\"api-nodes\" is not in namespace"),
        "{}",
        ran.err
    );
}

#[test]
fn where_every_target_fails_each_is_told_and_one_cause_is_told_once() {
    let (api, setup) = policies();
    let ran = setup.run(&["svc/api-nodes", "svc/nothing-like-it"]);
    ran.refused(&["\"api-nodes\"", "\"nothing-like-it\"", "api-node"]);
    assert_eq!(errors(&ran.err), 2, "{}", ran.err);
    api.fault(
        "/api/v1/namespaces/policies/services",
        Fault::Status(403, "no"),
    );
    let ran = setup.run(&["svc/api-node", "svc/api-zone"]);
    ran.refused(&["may not get services in namespace \"policies\": no"]);
    assert_eq!(errors(&ran.err), 1, "{}", ran.err);
    // Without a server there is one error, whatever was named.
    let setup = Setup::new(&api, "policies");
    let ran = setup.run(&["svc/a", "svc/b", "-s", "http://127.0.0.1:9"]);
    ran.refused(&["127.0.0.1:9"]);
    assert_eq!(errors(&ran.err), 1, "{}", ran.err);
}

#[test]
fn a_name_in_all_namespaces_is_an_error() {
    let (api, setup) = policies();
    let mut request = named(&["svc/api-node"]);
    request.all_namespaces = true;
    let error = setup.observe(&request).expect_err("no answer");
    assert!(error.to_string().contains("service/api-node"), "{error}");
    assert!(error.help().contains("-A"), "{}", error.help());
    assert_eq!(api.paths(), [""; 0]);
}

#[test]
fn names_that_would_lead_to_another_path_are_not_sent() {
    let (api, setup) = policies();
    for name in ["../../secrets/x", "..", "a%2fb"] {
        setup
            .run(&[&format!("svc/{name}")])
            .refused(&["not a name"]);
    }
    setup
        .run(&["svc/api-node", "-n", "../x"])
        .refused(&["not a name"]);
    assert_eq!(api.paths(), [""; 0]);
}

#[test]
fn a_busy_server_is_asked_again_when_it_says_so() {
    let (api, setup) = policies();
    api.fault_times(SERVICE, 1, Fault::ComeBack(429, "1"));
    let started = Instant::now();
    let asked = setup.observe(&named(&["api-node"])).expect("a snapshot");
    assert!(started.elapsed() >= Duration::from_secs(1));
    assert_eq!(asked.gaps, []);
    assert_eq!(asked.services.len(), 1);
}

#[test]
fn a_server_that_stays_busy_is_not_asked_for_ever() {
    let (api, setup) = policies();
    api.fault(SERVICE, Fault::ComeBack(429, "0"));
    api.fault(NODES, Fault::ComeBack(503, "0"));
    let ran = setup.run(&["api-node"]);
    ran.refused(&["429", "try again later"]);
    let tries = api.paths().iter().filter(|path| *path == SERVICE).count();
    assert_eq!(tries, 4);

    let (api, setup) = policies();
    api.fault(NODES, Fault::ComeBack(503, "0"));
    let asked = setup.observe(&named(&["api-node"])).expect("a snapshot");
    assert_eq!(asked.gaps.len(), 1);
    let tries = api
        .paths()
        .iter()
        .filter(|path| path.starts_with(NODES))
        .count();
    assert_eq!(tries, 4);
}

#[test]
fn a_request_takes_no_longer_than_its_limit() {
    let (api, setup) = policies();
    api.fault(SERVICE, Fault::Late(Duration::from_secs(60)));
    let started = Instant::now();
    let ran = setup.run(&["api-node", "--request-timeout", "300ms"]);
    ran.refused(&["300ms", "api-node", "--request-timeout"]);
    assert!(started.elapsed() < Duration::from_secs(30));

    let (api, setup) = policies();
    api.fault(NODES, Fault::Late(Duration::from_secs(60)));
    let mut connection = setup.connection();
    connection.request_timeout = Some(Duration::from_secs(1));
    let asked = ask(&connection, &named(&["api-node"])).expect("a snapshot");
    assert_eq!(asked.services.len(), 1);
    let gap = asked
        .gaps
        .iter()
        .find(|gap| gap.resource == Resource::Nodes);
    assert_eq!(gap.map(|gap| &gap.reason), Some(&GapReason::TimedOut));
}

#[test]
fn a_connection_that_breaks_is_an_error_or_a_gap() {
    let fatal = |fault: Fault| {
        let (api, setup) = policies();
        api.fault(SERVICE, fault);
        let ran = setup.run(&["api-node"]);
        ran.refused(&["cannot talk to", &api.url(), "try again"]);
    };
    let missed = |resource: Resource, path: &str, fault: Fault| {
        let (api, setup) = policies();
        api.fault(path, fault);
        let asked = setup.observe(&named(&["api-node"])).expect("a snapshot");
        assert_eq!(asked.gaps.len(), 1, "{:?}", asked.gaps);
        assert_eq!(asked.gaps[0].resource, resource);
        let reason = &asked.gaps[0].reason;
        assert!(matches!(reason, GapReason::Failed(_)), "{reason:?}");
    };
    // Each waits before it tries again: side by side.
    std::thread::scope(|scope| {
        for fault in [Fault::Silent, Fault::Cut] {
            let one = fault.clone();
            scope.spawn(move || fatal(one));
            for (resource, path) in AROUND {
                let one = fault.clone();
                scope.spawn(move || missed(resource, path, one));
            }
        }
    });
}

#[test]
fn a_server_that_is_not_there_is_an_error_with_its_address() {
    let (api, setup) = policies();
    let url = api.url();
    drop(api);
    // The port is closed as soon as the server's thread has ended.
    let gone = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        std::net::TcpStream::connect(url.trim_start_matches("http://")).is_err()
    });
    assert!(gone);
    setup
        .run(&["api-node"])
        .refused(&["cannot talk to", &url, "refused"]);
}

#[test]
fn a_warning_of_the_server_is_no_part_of_the_report() {
    let (api, setup) = policies();
    api.fault(
        "/",
        Fault::Header(
            "warning",
            "299 - \"v1 Endpoints is deprecated in v1.33+\"".to_owned(),
        ),
    );
    let ran = setup.run(&["svc/api-node", "-o", "json"]);
    assert_eq!(ran.report()["services"][0]["name"], "api-node");
    assert!(!ran.out.contains("deprecated in v1.33+"));
}

#[test]
fn a_login_page_is_no_cluster() {
    let page = "<!DOCTYPE html>\n<html><title>Log in</title></html>";
    let answers = [
        Fault::Body("text/html", page.to_owned()),
        Fault::Body("application/json", "{\"error\": \"log in\"}".to_owned()),
        Fault::Body("application/json", "[]".to_owned()),
        Fault::Body("application/json", String::new()),
    ];
    for fault in answers {
        let (api, setup) = policies();
        api.fault("/", fault.clone());
        for arguments in [&["svc/api-node"][..], &[]] {
            let ran = setup.run(arguments);
            ran.refused(&["cannot be read", "Kubernetes API server", "login page"]);
            ran.hides("DOCTYPE");
        }
        for (resource, path) in AROUND {
            let (api, setup) = policies();
            api.fault(path, fault.clone());
            let asked = setup.observe(&named(&["api-node"])).expect("a snapshot");
            assert_eq!(asked.gaps.len(), 1, "{:?}", asked.gaps);
            assert_eq!(asked.gaps[0].resource, resource);
        }
    }
}

#[test]
fn an_object_that_cannot_be_read_is_a_gap_and_the_others_are_read() {
    let broken = [
        ("Service", "policies", Resource::Services),
        ("Pod", "policies", Resource::Pods),
        ("Endpoints", "policies", Resource::Endpoints),
        ("Node", "", Resource::Nodes),
    ];
    let (_api, setup) = policies();
    let whole = setup.observe(&everything()).expect("a snapshot");
    for (kind, namespace, resource) in broken {
        let object = json!({"apiVersion": "v1", "kind": kind,
            "metadata": {"namespace": namespace, "name": "odd", "labels": "none"}});
        let objects = [
            recording("policies-node-a-terminating"),
            kube_proxy(),
            vec![object],
        ];
        let api = FakeApi::serving(objects.concat());
        let asked = Setup::new(&api, "policies").observe(&everything());
        let asked = asked.expect("a snapshot");
        assert_eq!(asked.gaps.len(), 1, "{:?}", asked.gaps);
        assert_eq!(asked.gaps[0].resource, resource);
        let GapReason::Failed(said) = &asked.gaps[0].reason else {
            panic!("{:?}", asked.gaps);
        };
        assert!(said.contains("odd") && said.contains("labels"), "{said}");
        assert_eq!(asked.services, whole.services);
        assert_eq!(counts(&asked), counts(&whole));
    }
}

#[test]
fn a_named_service_that_cannot_be_read_is_an_error_that_says_which_field() {
    let api = FakeApi::serving(vec![json!({"apiVersion": "v1", "kind": "Service",
        "metadata": {"namespace": "shop", "name": "odd"}, "spec": {"ports": [{"port": "eighty"}]}})]);
    let ran = Setup::new(&api, "shop").run(&["svc/odd"]);
    ran.refused(&["service/odd", "spec.ports[0].port"]);
}

#[test]
fn the_servers_words_cannot_steer_the_terminal() {
    let (api, setup) = policies();
    api.fault(
        SERVICE,
        Fault::Status(500, "bad\u{1b}[2Jthing\r\nerror: another"),
    );
    let ran = setup.run(&["api-node"]);
    ran.refused(&["500", "bad", "thing"]);
    ran.hides("\u{1b}");
    ran.hides("\r");
    ran.hides("\nerror: another");

    let (api, setup) = policies();
    api.fault(NODES, Fault::Status(500, "bad\u{1b}[2Jthing"));
    setup.run(&["api-node"]).hides("\u{1b}");
}
