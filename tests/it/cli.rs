//! The binary itself: exit codes, streams and errors.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::recording;

fn run(arguments: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-drain_check"))
        .args(arguments)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    let mut pipe = child.stdin.take().expect("a pipe");
    // A run that fails before it reads closes the pipe.
    let _ = pipe.write_all(stdin.as_bytes());
    drop(pipe);
    child.wait_with_output().expect("an exit")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn a_wrong_name_names_the_near_one_and_exits_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = recording::file(folder.path(), "all-terminating-serving");
    let output = run(&["svc/the-ap", "-f", file.to_str().expect("UTF-8")], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let said = text(&output.stderr);
    assert!(
        said.starts_with("error: ") && said.contains("the-app"),
        "{said}"
    );
}

#[test]
fn a_broken_document_is_reported_with_its_line_and_the_rest_is_answered() {
    let input = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n\
                 spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}\n---\nkind: [\n---\n\
                 apiVersion: v1\nkind: Service\nmetadata: {name: ten, namespace: shop}\n\
                 spec: {clusterIP: 10.0.0.2, ports: [{port: eighty}]}\n";
    let output = run(&["-f", "-", "-o", "json"], input);
    assert_eq!(output.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["services"][0]["name"], "web");
    assert_eq!(report["services"].as_array().map(Vec::len), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains(":6:") || said.contains(":7:"), "{said}");
    assert!(said.contains("spec.ports[0].port"), "{said}");
}

#[test]
fn names_cannot_steer_the_terminal() {
    let input = "apiVersion: v1\nkind: Service\nmetadata: {name: \"a\\e[2Jb\", namespace: shop}\n\
                 spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}\n---\n\
                 apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\naddressType: IPv4\n\
                 metadata: {name: x, namespace: shop, labels: {kubernetes.io/service-name: \"a\\e[2Jb\"}}\n\
                 endpoints: [{addresses: [10.1.0.1], nodeName: \"n\\u202ed\"}]\n\
                 ports: [{name: \"\", port: 80}]\n";
    let output = run(&["-f", "-"], input);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(!output.stdout.contains(&0x1b));
    assert!(text(&output.stdout).contains("\\u{1b}"));
}

#[test]
fn errors_about_hostile_names_cannot_steer_the_terminal_either() {
    let twice = "\"a\\e[2J\": 1\n\"a\\e[2J\": 2\n---\n";
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: \"web\\e[2J\"}\n";
    let output = run(&["-f", "-", "svc/web"], &format!("{twice}{service}"));
    let said = text(&output.stderr);
    assert!(said.contains("there is web\\u{1b}[2J"), "{said}");
    assert!(
        said.contains("the key `a\\u{1b}[2J` occurs twice"),
        "{said}"
    );
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn the_lines_that_lint_shows_cannot_steer_the_terminal_either() {
    let input = "apiVersion: v1\nkind: Service\nmetadata: {name: \"a\\e[2Jb\"}\n\
                 spec: {selector: {app: a}, ports: [{port: 80}]}\n---\n\
                 apiVersion: v1\nkind: Pod\nmetadata: {name: \"a\\e[2Jb\", labels: {app: a}}\n\
                 spec:\n  terminationGracePeriodSeconds: 0 # \u{202e}\n  containers: [{name: \"a\\e[2Jb\"}]\n---\nx: \u{9b}2J\n";
    let output = run(&["lint", "-f", "-", "--color", "always"], input);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let out = text(&output.stdout);
    assert!(out.contains("DC208") && out.contains("\u{1b}["), "{out}");
    for hostile in ["\u{1b}[2J", "\u{9b}", "\u{202e}"] {
        assert!(!out.contains(hostile), "{hostile:?} in {out}");
    }
}

#[test]
fn a_gate_that_kube_proxy_would_refuse_is_an_error_that_says_since_when() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = recording::file(folder.path(), "all-terminating-serving");
    let gate = ["--feature-gates", "ProxyTerminatingEndpoints=false"];
    let output = run(&["-f", file.to_str().expect("UTF-8"), gate[0], gate[1]], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("removed in 1.30"),
        "{}",
        text(&output.stderr)
    );
}
