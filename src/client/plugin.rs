//! What does a program say that hands out credentials? A kubeconfig's `exec` (`client.authentication.k8s.io`), run once, with an end in
//! time and in what it may print.
//!
//! kube would run one too, but three times for each client (kube-client 5.0.0: `auth_layer`, `rustls_client_config` and
//! the client's expiry each ask it); `aws eks get-token` takes most of a second each time.

use std::io::{self, IsTerminal};
use std::process::{ExitStatus, Stdio};

use kube::config::{Cluster, ExecAuthCluster, ExecConfig, ExecInteractiveMode};
use serde::Deserialize;
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};

use super::connection::Connection;
use super::error::ClusterError;
use super::limits::Limits;
use crate::words::plain;

/// The versions that kubectl knows (client-go, `plugin/pkg/client/auth/exec/exec.go`: `apiVersions`); v1alpha1 went with 1.24.
const VERSIONS: [&str; 2] = [
    "client.authentication.k8s.io/v1",
    "client.authentication.k8s.io/v1beta1",
];

const KIND: &str = "ExecCredential";

/// The most that it may print, in bytes: a token has some kilobytes, and so has a chain of certificates.
const OUTPUT: u64 = 1024 * 1024;

const BY_HAND: &str = "run it by hand to see more; kubectl runs the same one";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExecCredential {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    status: Option<ExecStatus>,
}

/// A token, or a certificate and its key, or both.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExecStatus {
    #[serde(default)]
    token: Option<String>,
    #[serde(default)]
    client_certificate_data: Option<String>,
    #[serde(default)]
    client_key_data: Option<String>,
}

/// What a program handed out.
pub(super) struct Credential {
    /// For a header.
    pub(super) token: Option<String>,
    /// A certificate and its key, each as PEM.
    pub(super) certificate: Option<(String, String)>,
}

/// What is wrong, and what helps.
type Wrong = (String, &'static str);

/// Reads what it printed as client-go does (`refreshCredsLocked`), YAML as well. It holds a secret: nothing here quotes it, but for
/// what it calls itself.
fn read(printed: &[u8], version: &str) -> Result<Credential, Wrong> {
    let wrong = |said: &str| Err((said.to_owned(), BY_HAND));
    let Ok(credential) = serde_yaml::from_slice::<ExecCredential>(printed) else {
        return wrong("it printed no ExecCredential with a token or a certificate");
    };
    if credential.kind != KIND {
        return wrong("it printed no ExecCredential, but something else");
    }
    if credential.api_version != version {
        // What is no version of it is not shown.
        let other = credential.api_version.as_str();
        let shown = if VERSIONS.contains(&other) || other.ends_with("/v1alpha1") {
            plain(other)
        } else {
            "another".to_owned()
        };
        let said =
            format!("the kubeconfig says that it speaks {version}, and it answers in {shown}");
        return Err((
            said,
            "correct apiVersion in the kubeconfig's exec, or update the plugin",
        ));
    }
    let set = |value: Option<String>| value.filter(|text| !text.is_empty());
    let status = credential.status;
    let (token, certificate, key) = status.map_or((None, None, None), |status| {
        let certificate = set(status.client_certificate_data);
        (set(status.token), certificate, set(status.client_key_data))
    });
    let certificate = match (certificate, key) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        _ => {
            return wrong(
                "it printed a certificate without its key, or a key without its certificate",
            );
        }
    };
    if token.is_none() && certificate.is_none() {
        return wrong("it printed no ExecCredential with a token or a certificate");
    }
    Ok(Credential { token, certificate })
}

/// How it ended and what it printed; `None` where that is more than it may.
async fn finished(child: &mut Child) -> io::Result<Option<(ExitStatus, Vec<u8>)>> {
    let mut printed = Vec::new();
    if let Some(out) = child.stdout.take() {
        out.take(OUTPUT + 1).read_to_end(&mut printed).await?;
    }
    if printed.len() as u64 > OUTPUT {
        return Ok(None);
    }
    Ok(Some((child.wait().await?, printed)))
}

/// The program's input, as it is told: may it talk to a person?
fn interactive(exec: &ExecConfig) -> Result<bool, Wrong> {
    #[allow(clippy::disallowed_methods, reason = "a plugin may talk to a person")]
    let terminal = io::stdin().is_terminal();
    match exec.interactive_mode {
        Some(ExecInteractiveMode::Never) => Ok(false),
        Some(ExecInteractiveMode::Always) if !terminal => Err((
            "it must talk to a person, and standard input is no terminal".to_owned(),
            "log in from a terminal first, or give a token with --token",
        )),
        _ => Ok(terminal),
    }
}

/// Runs it. It is killed where it takes longer than all requests together may, prints too much, or nobody waits any more.
pub(super) async fn run(
    exec: &ExecConfig,
    cluster: &Cluster,
    connection: &Connection,
) -> Result<Credential, ClusterError> {
    let command = exec.command.clone().unwrap_or_default();
    let fail = |(said, help): (String, &str)| ClusterError::CredentialPlugin {
        command: command.clone(),
        said,
        help: help.to_owned(),
    };
    let version = exec.api_version.as_deref().unwrap_or_default();
    if !VERSIONS.contains(&version) {
        let said = format!(
            "the kubeconfig says that it speaks {version:?}; {} are known",
            VERSIONS.join(" and ")
        );
        return Err(fail((
            said,
            "correct apiVersion in the kubeconfig's exec, or update the plugin",
        )));
    }
    let interactive = interactive(exec).map_err(fail)?;
    let mut spec = json!({ "interactive": interactive });
    if exec.provide_cluster_info {
        let info = ExecAuthCluster::try_from(cluster)
            .map_err(|error| fail((error.to_string(), "correct the kubeconfig's cluster")))?;
        spec["cluster"] = json!(info);
    }
    let info = json!({"apiVersion": version, "kind": KIND, "spec": spec});

    let environment = exec.env.iter().flatten().filter_map(|entry| {
        let (name, value) = (entry.get("name")?, entry.get("value")?);
        Some((name.clone(), value.clone()))
    });
    let mut child = Command::new(&command)
        .args(exec.args.iter().flatten())
        .envs(environment)
        .env("KUBERNETES_EXEC_INFO", info.to_string())
        .stdin(if interactive {
            Stdio::inherit()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| {
            let hint = exec.install_hint.as_deref().map(plain);
            let hint = hint
                .as_deref()
                .map(str::trim)
                .filter(|hint| !hint.is_empty());
            let usual = "install it, or name its full path in the kubeconfig";
            fail((format!("cannot be started: {error}"), hint.unwrap_or(usual)))
        })?;
    let limit = Limits::new(connection).longest();
    let finished = finished(&mut child);
    let finished = match limit {
        None => Some(finished.await),
        Some(limit) => tokio::time::timeout(limit, finished).await.ok(),
    };
    let Some(finished) = finished else {
        let said = format!("it did not end within {:?}", limit.unwrap_or_default());
        let longer = "--request-timeout 0 waits as long as it takes; run it by hand to see why";
        return Err(fail((said, longer)));
    };
    let finished = finished.map_err(|error| fail((format!("cannot be read: {error}"), BY_HAND)))?;
    let Some((status, printed)) = finished else {
        let said = format!("it printed more than {} MB", OUTPUT / 1024 / 1024);
        return Err(fail((said, BY_HAND)));
    };
    if !status.success() {
        return Err(fail((format!("it failed: {status}"), BY_HAND)));
    }
    read(&printed, version).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(printed: &str) -> String {
        let read = read(printed.as_bytes(), VERSIONS[0]);
        read.err().map_or_else(String::new, |(said, _)| said)
    }

    #[test]
    fn a_credential_is_of_the_kind_and_the_version_that_was_asked_for() {
        let of = |kind: &str, version: &str, status: &str| {
            said(&format!(
                "{{\"kind\": \"{kind}\", \"apiVersion\": \"{version}\", \"status\": {status}}}"
            ))
        };
        let token = r#"{"token": "hunter2"}"#;
        let version = VERSIONS[0];
        assert_eq!(of(KIND, version, token), "");
        for (kind, version, status, expected) in [
            ("Secret", version, token, "something else"),
            ("", version, token, "something else"),
            (
                KIND,
                VERSIONS[1],
                token,
                "answers in client.authentication.k8s.io/v1beta1",
            ),
            (KIND, "hunter2", token, "answers in another"),
            (KIND, "", token, "answers in another"),
            (KIND, version, "null", "no ExecCredential with"),
            (KIND, version, r#"{"token": ""}"#, "no ExecCredential with"),
            (
                KIND,
                version,
                r#"{"token": ["hunter2"]}"#,
                "no ExecCredential with",
            ),
            (
                KIND,
                version,
                r#"{"token": "a", "clientKeyData": "hunter2"}"#,
                "without its certificate",
            ),
            (
                KIND,
                version,
                r#"{"clientCertificateData": "hunter2"}"#,
                "without its key",
            ),
        ] {
            let said = of(kind, version, status);
            assert!(said.contains(expected), "{kind} {version} {status}: {said}");
            assert!(!said.contains("hunter2"), "{said}");
        }
    }
}
