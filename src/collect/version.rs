//! Which version has the server? For `version`, which asks for nothing else.

use std::time::Duration;

use super::access::{Wanted, fatal};
use crate::client::api::{Api, Bytes};
use crate::client::connect::connect;
use crate::client::connection::Connection;
use crate::client::error::ClusterError;
use crate::client::failure::Failure;
use crate::decode::answer::git_version;

/// Somebody who wants to know a version does not want to wait for a server that is not there.
const PATIENCE: Duration = Duration::from_secs(5);

/// The server's version in its own words, such as `v1.36.3` or `v1.33.5-eks-113cf36`.
///
/// # Errors
///
/// Says why there is no answer: no usable kubeconfig, no connection, or an answer that is no API server's.
pub async fn server_version(connection: &Connection) -> Result<String, ClusterError> {
    let api = Api::new(connect(connection).await?).within(PATIENCE);
    let read = |body: Bytes| git_version(&body).map_err(Failure::Unreadable);
    api.get("/version").await.and_then(read).map_err(|failure| {
        let wanted = Wanted {
            verb: "get",
            resource: "/version".to_owned(),
            namespace: None,
            what: "its version".to_owned(),
        };
        fatal(&api, connection, &wanted, failure)
    })
}
