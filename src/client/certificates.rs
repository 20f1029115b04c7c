//! Which certificates and keys do the kubeconfig's cluster and user have? Files become data here: kube would read whatever it is.

use std::path::Path;

use kube::config::{AuthInfo, Cluster};

use super::connection::Connection;
use super::credentials::base64;
use super::error::ClusterError;
use crate::files::{self, Known, Purpose};

/// The data of a file, in base64 as kubeconfigs hold it.
fn data(what: &str, file: &str, named: bool, help: &str) -> Result<String, ClusterError> {
    let known = if named { Known::Named } else { Known::Found };
    let bytes = files::bytes(Path::new(file), known, Purpose::CERTIFICATES);
    bytes.map(base64).map_err(|error| ClusterError::Kubeconfig {
        said: format!("cannot read the {what} {file}: {error}"),
        help: help.to_owned(),
    })
}

/// Reads the authority that a cluster names, unless it holds one itself.
pub(super) fn of_cluster(
    cluster: &mut Cluster,
    connection: &Connection,
) -> Result<(), ClusterError> {
    let Some(file) = cluster.certificate_authority.take() else {
        return Ok(());
    };
    if cluster.certificate_authority_data.is_some() || file.is_empty() {
        return Ok(());
    }
    let named = connection.certificate_authority.is_some();
    let help = "correct certificate-authority in the kubeconfig, or name a PEM file with --certificate-authority";
    cluster.certificate_authority_data = Some(data("certificate authority", &file, named, help)?);
    Ok(())
}

/// Reads the certificate and the key that a user names, unless it holds them itself.
pub(super) fn of_user(user: &mut AuthInfo, connection: &Connection) -> Result<(), ClusterError> {
    let help = "correct the kubeconfig's user, or name PEM files with --client-certificate and --client-key";
    let certificate = user
        .client_certificate
        .take()
        .filter(|file| !file.is_empty());
    if let Some(file) = certificate.filter(|_| user.client_certificate_data.is_none()) {
        let named = connection.client_certificate.is_some();
        user.client_certificate_data = Some(data("client certificate", &file, named, help)?);
    }
    let key = user.client_key.take().filter(|file| !file.is_empty());
    if let Some(file) = key.filter(|_| user.client_key_data.is_none()) {
        let named = connection.client_key.is_some();
        user.client_key_data = Some(data("client key", &file, named, help)?.into());
    }
    Ok(())
}
