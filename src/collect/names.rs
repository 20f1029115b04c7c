//! What is there that somebody may be about to name? For completion: one small request, and nothing where it fails.

use std::time::Duration;

use serde::Deserialize;

use crate::client::api::Api;
use crate::client::connect::connect;
use crate::client::connection::Connection;
use crate::client::kubeconfig;
use crate::client::paths::{CORE, checked, collection, of_kind, with_query};
use crate::facts::target::TargetKind;

/// Nobody looks through more names than these.
const MOST: u32 = 500;

/// For one request; whoever presses a key waits for it.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Names and nothing else of each object, since Kubernetes 1.15; other servers send the objects, which hold the names too.
const FORM: &str =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/// What may be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// What can be checked, in the namespace.
    Target(TargetKind),
    /// Namespaces.
    Namespace,
    /// Nodes.
    Node,
}

/// What a kubeconfig holds under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// Contexts.
    Context,
    /// Clusters.
    Cluster,
    /// Users.
    User,
}

#[derive(Deserialize)]
struct List {
    items: Option<Vec<Item>>,
}

#[derive(Deserialize)]
struct Item {
    metadata: Meta,
}

#[derive(Deserialize)]
struct Meta {
    name: String,
}

/// The names that a server has; none where it cannot be asked.
pub async fn names(connection: &Connection, namespace: Option<&str>, named: Named) -> Vec<String> {
    asked(connection, namespace, named)
        .await
        .unwrap_or_default()
}

async fn asked(
    connection: &Connection,
    namespace: Option<&str>,
    named: Named,
) -> Option<Vec<String>> {
    let api = Api::new(connect(connection).await.ok()?).within(PATIENCE);
    let path = match named {
        Named::Namespace => collection(CORE, None, "namespaces"),
        Named::Node => collection(CORE, None, "nodes"),
        Named::Target(kind) => {
            let (group, resource) = of_kind(kind);
            let namespace = namespace.unwrap_or(&api.connected().namespace);
            collection(group, Some(checked(namespace).ok()?), resource)
        }
    };
    let path = with_query(&path, &[("limit", MOST.to_string())]);
    let body = api.get_as(&path, FORM).await.ok()?;
    let list: List = serde_json::from_slice(&body).ok()?;
    let items = list.items.unwrap_or_default().into_iter();
    Some(items.map(|item| item.metadata.name).collect())
}

/// The names in the kubeconfig; none where it cannot be read.
#[must_use]
pub fn entries(connection: &Connection, entry: Entry) -> Vec<String> {
    let config = kubeconfig::read_all(connection).unwrap_or_default();
    match entry {
        Entry::Context => config.contexts.into_iter().map(|one| one.name).collect(),
        Entry::Cluster => config.clusters.into_iter().map(|one| one.name).collect(),
        Entry::User => config.auth_infos.into_iter().map(|one| one.name).collect(),
    }
}
