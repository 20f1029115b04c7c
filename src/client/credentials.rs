//! Which credentials does the kubeconfig's user have? Token files and exec plugins
//! (`client.authentication.k8s.io`) become a token or a certificate, once.
//!
//! kube would run a plugin too, but three times for each client (kube-client 5.0.0: `auth_layer`, `rustls_client_config` and
//! the client's expiry each ask it); `aws eks get-token` takes most of a second each time.

use std::io::IsTerminal;
use std::path::Path;
use std::process::{Command, Stdio};

use http::HeaderValue;
use k8s_openapi::ByteString;
use kube::config::{AuthInfo, Cluster, ExecAuthCluster, ExecConfig, ExecInteractiveMode};
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::{Value, json};

use super::connection::Connection;
use super::error::ClusterError;
use crate::files::{self, Known, Purpose};

#[derive(Deserialize)]
struct ExecCredential {
    #[serde(default)]
    status: Option<ExecStatus>,
}

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

/// Whom to act as stays; what proves who asks goes.
fn without_proof(user: AuthInfo) -> AuthInfo {
    AuthInfo {
        impersonate: user.impersonate,
        impersonate_uid: user.impersonate_uid,
        impersonate_groups: user.impersonate_groups,
        impersonate_user_extra: user.impersonate_user_extra,
        ..AuthInfo::default()
    }
}

/// Groups and the like belong to a user to act as. Without one they are left out, as kubectl leaves out a kubeconfig's; who
/// gives the flags means something by them.
fn impersonation(user: &mut AuthInfo, connection: &Connection) -> Result<(), ClusterError> {
    user.impersonate = user.impersonate.take().filter(|name| !name.is_empty());
    if user.impersonate.is_some() {
        return Ok(());
    }
    if connection.impersonate_uid.is_some()
        || !connection.impersonate_groups.is_empty()
        || !connection.impersonate_user_extra.is_empty()
    {
        return Err(ClusterError::Kubeconfig {
            said: "--as-group, --as-uid and --as-user-extra belong to a user to act as, and there is none"
                .to_owned(),
            help: "name the user with --as".to_owned(),
        });
    }
    user.impersonate_uid = None;
    user.impersonate_groups = None;
    user.impersonate_user_extra = None;
    Ok(())
}

/// Fetches what the user's entry only points to. Without TLS (`secure`) nothing is fetched or shown, as with kubectl:
/// anybody on the way could read it.
pub(crate) fn resolve(
    mut user: AuthInfo,
    cluster: &Cluster,
    connection: &Connection,
    secure: bool,
) -> Result<AuthInfo, ClusterError> {
    impersonation(&mut user, connection)?;
    if !secure {
        return Ok(without_proof(user));
    }
    user.token = user
        .token
        .take()
        .filter(|token| !token.expose_secret().is_empty());
    user.username = user.username.take().filter(|name| !name.is_empty());
    if user.username.is_some() {
        user.password.get_or_insert_default();
    }
    // The file wins over a token beside it: that one is only what the file held when the kubeconfig was written.
    let file = user.token_file.take().filter(|file| !file.is_empty());
    if let Some(file) = file {
        match files::text(Path::new(&file), Known::Found, Purpose::TOKEN) {
            Ok(token) => user.token = Some(token.trim().to_owned().into()),
            Err(_) if user.token.is_some() => {}
            Err(error) => {
                return Err(ClusterError::Kubeconfig {
                    said: format!("cannot read the token file {file}: {error}"),
                    help: "the kubeconfig's tokenFile names it; correct it, or give a token with --token"
                        .to_owned(),
                });
            }
        }
    }
    let inline = user.token.is_some() || user.username.is_some();
    if let Some(exec) = user.exec.take()
        && !inline
        && user.auth_provider.is_none()
    {
        let status = run(&exec, cluster)?;
        if let (Some(certificate), Some(key)) =
            (status.client_certificate_data, status.client_key_data)
        {
            // A plugin prints PEM; a kubeconfig holds PEM in base64. kube puts the two together, key first: without a line
            // break at its end, no PEM is left.
            user.client_certificate_data = Some(base64(certificate.into_bytes()));
            user.client_key_data = Some(base64((key + "\n").into_bytes()).into());
        }
        user.token = status.token.map(Into::into);
    }
    // kube would panic on it.
    if let Some(token) = &user.token
        && HeaderValue::from_str(token.expose_secret()).is_err()
    {
        return Err(ClusterError::Kubeconfig {
            said: "the token holds a sign that no token can have, such as a line break".to_owned(),
            help: "correct it where it comes from: the kubeconfig, its token file or plugin, or --token"
                .to_owned(),
        });
    }
    Ok(user)
}

pub(super) fn base64(bytes: Vec<u8>) -> String {
    match serde_json::to_value(ByteString(bytes)) {
        Ok(Value::String(encoded)) => encoded,
        _ => String::new(),
    }
}

#[allow(clippy::disallowed_methods, reason = "kubeconfigs name programs")]
fn run(exec: &ExecConfig, cluster: &Cluster) -> Result<ExecStatus, ClusterError> {
    let command = exec.command.clone().unwrap_or_default();
    let fail = |said: String, help: &str| ClusterError::CredentialPlugin {
        command: command.clone(),
        said,
        help: help.to_owned(),
    };
    let by_hand = "run it by hand to see more; kubectl runs the same one";

    let terminal = std::io::stdin().is_terminal();
    let interactive = match exec.interactive_mode {
        Some(ExecInteractiveMode::Never) => false,
        Some(ExecInteractiveMode::Always) if !terminal => {
            return Err(fail(
                "it must talk to a person, and standard input is no terminal".to_owned(),
                "log in from a terminal first, or give a token with --token",
            ));
        }
        _ => terminal,
    };
    let mut spec = json!({ "interactive": interactive });
    if exec.provide_cluster_info {
        let info = ExecAuthCluster::try_from(cluster)
            .map_err(|error| fail(error.to_string(), "correct the kubeconfig's cluster"))?;
        spec["cluster"] = json!(info);
    }
    let info = json!({
        "apiVersion": exec.api_version,
        "kind": "ExecCredential",
        "spec": spec,
    });

    let environment = exec.env.iter().flatten().filter_map(|entry| {
        let (name, value) = (entry.get("name")?, entry.get("value")?);
        Some((name.clone(), value.clone()))
    });
    let output = Command::new(&command)
        .args(exec.args.iter().flatten())
        .envs(environment)
        .env("KUBERNETES_EXEC_INFO", info.to_string())
        .stdin(if interactive {
            Stdio::inherit()
        } else {
            Stdio::null()
        })
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| {
            let hint = exec.install_hint.as_deref().map(str::trim);
            fail(
                format!("cannot be started: {error}"),
                hint.filter(|hint| !hint.is_empty())
                    .unwrap_or("install it, or name its full path in the kubeconfig"),
            )
        })?;
    if !output.status.success() {
        return Err(fail(format!("it failed: {}", output.status), by_hand));
    }
    // Like client-go, take YAML as well. The output holds a secret: no error may quote it.
    serde_yaml::from_slice::<ExecCredential>(&output.stdout)
        .ok()
        .and_then(|credential| credential.status)
        .filter(|status| {
            status.token.is_some()
                || (status.client_certificate_data.is_some() && status.client_key_data.is_some())
        })
        .ok_or_else(|| {
            fail(
                "it printed no ExecCredential with a token or a certificate".to_owned(),
                by_hand,
            )
        })
}
