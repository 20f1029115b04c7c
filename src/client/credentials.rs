//! Which credentials does the kubeconfig's user have? Token files and exec plugins
//! become a token or a certificate, once.

use std::path::Path;

use http::HeaderValue;
use k8s_openapi::ByteString;
use kube::config::{AuthInfo, Cluster};
use secrecy::ExposeSecret;
use serde_json::Value;

use super::connection::Connection;
use super::error::ClusterError;
use super::plugin;
use crate::files::{self, Known, Purpose};

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
pub(crate) async fn resolve(
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
        let credential = plugin::run(&exec, cluster, connection).await?;
        if let Some((certificate, key)) = credential.certificate {
            // A plugin prints PEM; a kubeconfig holds PEM in base64. kube puts the two together, key first: without a line
            // break at its end, no PEM is left.
            user.client_certificate_data = Some(base64(certificate.into_bytes()));
            user.client_key_data = Some(base64((key + "\n").into_bytes()).into());
        }
        user.token = credential.token.map(Into::into);
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
