//! Which credentials does the kubeconfig's user have? Token files and exec plugins
//! (`client.authentication.k8s.io`) become a token or a certificate, once.
//!
//! kube would run a plugin too, but three times for each client (kube-client 5.0.0: `auth_layer`, `rustls_client_config` and
//! the client's expiry each ask it); `aws eks get-token` takes most of a second each time.

use std::io::IsTerminal;
use std::process::{Command, Stdio};

use k8s_openapi::ByteString;
use kube::config::{AuthInfo, Cluster, ExecAuthCluster, ExecConfig, ExecInteractiveMode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::ClusterError;

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

/// Fetches what the user's entry only points to.
pub(super) fn resolve(mut user: AuthInfo, cluster: &Cluster) -> Result<AuthInfo, ClusterError> {
    let inline = user.token.is_some() || (user.username.is_some() && user.password.is_some());
    if let Some(file) = user.token_file.take().filter(|_| !inline) {
        let token = std::fs::read_to_string(&file).map_err(|error| ClusterError::Kubeconfig {
            said: format!("cannot read the token file {file}: {error}"),
            help: "the kubeconfig's tokenFile names it; correct it, or give a token with --token"
                .to_owned(),
        })?;
        user.token = Some(token.trim().to_owned().into());
    }
    if let Some(exec) = user.exec.take()
        && !inline
        && user.token.is_none()
        && user.auth_provider.is_none()
    {
        let status = run(&exec, cluster)?;
        if let (Some(certificate), Some(key)) =
            (status.client_certificate_data, status.client_key_data)
        {
            // A plugin prints PEM; a kubeconfig holds PEM in base64.
            user.client_certificate_data = Some(base64(certificate));
            user.client_key_data = Some(base64(key).into());
        }
        user.token = status.token.map(Into::into);
    }
    Ok(user)
}

fn base64(text: String) -> String {
    match serde_json::to_value(ByteString(text.into_bytes())) {
        Ok(Value::String(encoded)) => encoded,
        _ => String::new(),
    }
}

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
