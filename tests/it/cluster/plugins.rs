//! Programs that hand out credentials: a kubeconfig's `exec`.

use std::path::Path;

use serde_json::{Value, json};

use super::harness::Setup;
use crate::fake_api::{FakeApi, TLS_NAME, recording};

const SECRET: &str = "s3cr3t-t0ken";
const VERSION: &str = "client.authentication.k8s.io/v1";

/// Runs a script, which need not be a program itself.
fn shell(script: &str) -> Value {
    json!({"exec": {"apiVersion": VERSION, "interactiveMode": "Never", "provideClusterInfo": true,
        "command": "/bin/sh", "args": ["-c", script], "env": [{"name": "TOKEN", "value": SECRET}]}})
}

const PRINT: &str = r#"echo "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"$TOKEN\"}}""#;

fn api() -> FakeApi {
    FakeApi::serving_tls(recording("rollout-midway"))
}

#[test]
fn a_plugin_is_run_once_and_its_token_is_shown_to_the_server() {
    let api = api();
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let note = format!(
        "echo \"$KUBERNETES_EXEC_INFO\" >> '{}'; {PRINT}",
        log.display()
    );
    let ran = Setup::with_user(&api, "rollout", &shell(&note)).run(&["svc/web", "-o", "json"]);
    ran.report();
    ran.hides(SECRET);
    for asked in api.asked() {
        assert_eq!(asked.header("authorization"), Some("Bearer s3cr3t-t0ken"));
    }
    let told = std::fs::read_to_string(log).expect("the log");
    let told: Vec<Value> = told
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["apiVersion"], VERSION);
    assert_eq!(told[0]["kind"], "ExecCredential");
    assert_eq!(told[0]["spec"]["interactive"], false);
    assert_eq!(told[0]["spec"]["cluster"]["server"], api.url());
    assert_eq!(told[0]["spec"]["cluster"]["tls-server-name"], TLS_NAME);
}

#[test]
fn a_plugin_is_found_beside_the_kubeconfig_and_not_run_for_nothing() {
    let api = api();
    let mut user = shell(PRINT);
    user["exec"]["command"] = json!("./plugin");
    user["token"] = json!("");
    let setup = Setup::with_user(&api, "rollout", &user);
    link(Path::new("/bin/sh"), &setup.folder.path().join("plugin"));
    setup.run(&["svc/web", "-o", "json"]).report();
    let last = api.asked().pop().expect("a request");
    assert_eq!(last.header("authorization"), Some("Bearer s3cr3t-t0ken"));

    // A token that is given makes the plugin unnecessary.
    let setup = Setup::with_user(&api, "rollout", &shell("exit 1"));
    setup
        .run(&["svc/web", "-o", "json", "--token", "given"])
        .report();
    let last = api.asked().pop().expect("a request");
    assert_eq!(last.header("authorization"), Some("Bearer given"));
}

fn link(from: &Path, to: &Path) {
    std::os::unix::fs::symlink(from, to).expect("a link");
}

#[test]
fn a_plugin_that_fails_is_an_error_that_names_it_and_hides_what_it_printed() {
    let api = api();
    let cases = [
        (
            "echo $TOKEN; exit 3",
            &["it failed", "exit status: 3", "by hand"][..],
        ),
        ("echo not JSON: $TOKEN", &["no ExecCredential"]),
        (
            "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\"}'",
            &["no ExecCredential"],
        ),
        (
            "printf '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"a\\\\nb\"}}'",
            &["the token", "line break"],
        ),
        ("", &["no ExecCredential"]),
    ];
    for (script, facts) in cases {
        let ran = Setup::with_user(&api, "rollout", &shell(script)).run(&["svc/web"]);
        ran.refused(facts);
        ran.hides(SECRET);
    }
    let mut user = shell("");
    user["exec"]["command"] = json!("no-such-plugin-anywhere");
    user["exec"]["installHint"] = json!("Install it with: brew install it");
    let ran = Setup::with_user(&api, "rollout", &user).run(&["svc/web"]);
    ran.refused(&[
        "\"no-such-plugin-anywhere\"",
        "cannot be started",
        "brew install it",
    ]);
    user = shell(PRINT);
    user["exec"]["interactiveMode"] = json!("Always");
    let ran = Setup::with_user(&api, "rollout", &user).run(&["svc/web"]);
    ran.refused(&["/bin/sh", "no terminal", "--token"]);
    assert_eq!(api.paths(), [""; 0]);
}
