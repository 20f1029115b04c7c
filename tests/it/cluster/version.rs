//! `version` with and without a server, and what `--verbose` tells of requests.

use serde_json::{Value, json};

use super::harness::{Setup, run};
use crate::fake_api::{FakeApi, Fault};

fn document(text: &str) -> Value {
    serde_json::from_str(text).expect("one JSON document and nothing else")
}

#[test]
fn version_tells_the_client_s_the_known_ones_and_the_server_s() {
    let api = FakeApi::of("all-terminating-serving");
    let setup = Setup::new(&api, "default");
    let ran = setup.run(&["version"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let client = format!("Client Version: {}\n", env!("CARGO_PKG_VERSION"));
    assert!(ran.out.starts_with(&client), "{}", ran.out);
    assert!(
        ran.out.contains("\nKubernetes Versions Known: 1.19 to 1."),
        "{}",
        ran.out
    );
    // What the fake server says it is.
    assert!(ran.out.ends_with("\nServer Version: v1.36.3\n"));
    assert_eq!(api.paths(), ["/version"]);

    let told = document(&setup.run(&["version", "-o", "json"]).out);
    assert_eq!(told["apiVersion"], "drain-check/v1");
    assert_eq!(told["kind"], "Version");
    assert_eq!(told["client"], env!("CARGO_PKG_VERSION"));
    assert_eq!(told["kubernetes"]["oldest"], "1.19");
    assert_eq!(told["server"], "v1.36.3");
    assert_eq!(told["serverError"], Value::Null);
    let yaml = setup.run(&["version", "-o", "yaml"]).out;
    assert_eq!(serde_yaml::from_str::<Value>(&yaml).ok(), Some(told));
}

#[test]
fn without_a_server_version_says_so_and_exits_0() {
    let home = tempfile::tempdir().expect("a folder");
    let ran = run(home.path(), &["version"], &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines: Vec<_> = ran.out.lines().collect();
    assert!(
        lines[2].starts_with("Server Version: not known: there is no kubeconfig"),
        "{}",
        ran.out
    );
    assert!(lines[3].starts_with("  help: name a kubeconfig"));
    let told = document(&run(home.path(), &["version", "-o", "json"], &[]).out);
    assert_eq!(told["server"], Value::Null);
    let error = told["serverError"].as_str().expect("words");
    assert!(error.contains("there is no kubeconfig"), "{error}");
}

#[test]
fn with_client_no_server_is_asked() {
    let api = FakeApi::of("all-terminating-serving");
    let setup = Setup::new(&api, "default");
    let ran = setup.run(&["version", "--client"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!ran.out.contains("Server"), "{}", ran.out);
    assert_eq!(api.paths(), [""; 0]);
}

#[test]
fn a_server_cannot_steer_the_terminal_with_its_version() {
    let api = FakeApi::of("all-terminating-serving");
    let body = json!({"gitVersion": "v1.36\u{1b}[2J"}).to_string();
    api.fault("/version", Fault::Body("application/json", body));
    let setup = Setup::new(&api, "default");
    let ran = setup.run(&["version"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("v1.36\\u{1b}[2J"), "{}", ran.out);
}

/// The lines about requests, without their times.
fn traced(err: &str) -> Vec<&str> {
    let lines = err.lines().filter(|line| line.starts_with("GET "));
    lines
        .map(|line| {
            let (asked, took) = line.rsplit_once(" in ").expect("a time");
            let millis = took.strip_suffix(" ms").expect("milliseconds");
            assert!(millis.parse::<u32>().is_ok(), "{line}");
            asked
        })
        .collect()
}

#[test]
fn verbose_tells_each_request_once_and_nothing_that_is_secret() {
    let api = FakeApi::of("all-terminating-serving");
    api.fault_times("/version", 1, Fault::ComeBack(429, "0"));
    api.fault("/api/v1/nodes", Fault::Status(403, "never tell this body"));
    api.fault("/api/v1/namespaces/kube-system", Fault::Silent);
    let setup = Setup::with_user(&api, "all-terminating", &json!({"token": "s3cret"}));
    for flag in ["-v", "--verbose", "-v=6", "--v=8"] {
        let before = api.asked().len();
        let ran = setup.run(&["svc/the-app", "-o", "json", flag]);
        ran.report();
        let told = traced(&ran.err);
        let mut asked: Vec<_> = api.paths().split_off(before);
        let mut paths: Vec<_> = told
            .iter()
            .map(|line| line.split(' ').nth(1).expect("a path").to_owned())
            .collect();
        asked.sort();
        paths.sort();
        assert_eq!(paths, asked, "{flag}");
        assert!(told.contains(&"GET /api/v1/nodes?limit=500 403"));
        assert!(told.contains(&"GET /version 200"), "{told:?}");
        assert!(told.iter().any(|line| line.ends_with(" no answer")));
        ran.hides("s3cret");
        ran.hides("never tell this body");
    }
    let first = setup.run(&["svc/the-app", "-v=5"]);
    assert_eq!(traced(&first.err), [""; 0], "kubectl tells it from 6 on");
}

#[test]
fn a_try_that_was_told_to_come_back_is_traced_as_such() {
    let api = FakeApi::of("all-terminating-serving");
    api.fault_times("/version", 1, Fault::ComeBack(429, "0"));
    let setup = Setup::new(&api, "default");
    let ran = setup.run(&["version", "-v"]);
    assert_eq!(traced(&ran.err), ["GET /version 429", "GET /version 200"]);
}
