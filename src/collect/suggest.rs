//! What may have been meant by a name that does not exist?

use crate::client::api::Api;
use crate::client::list::list;
use crate::client::paths::{collection, of_kind};
use crate::decode::answer::name;
use crate::facts::target::Target;
use crate::words::{alike, plain};

/// Names in the namespace that are similar, the most similar first.
async fn near(api: &Api, target: &Target, namespace: &str) -> Vec<String> {
    let (group, resource) = of_kind(target.kind);
    let path = collection(group, Some(namespace), resource);
    let Ok(names) = list(api, &path, &[], &mut name).await else {
        return Vec::new();
    };
    let names = names.items.iter().map(|name| name.name.as_str());
    let near = alike(&target.name, names);
    near.into_iter().map(plain).collect()
}

/// Other namespaces that have one of exactly this name.
async fn elsewhere(api: &Api, target: &Target) -> Vec<String> {
    let (group, resource) = of_kind(target.kind);
    let path = collection(group, None, resource);
    let query = [("fieldSelector", format!("metadata.name={}", target.name))];
    let Ok(found) = list(api, &path, &query, &mut name).await else {
        return Vec::new();
    };
    let mut namespaces: Vec<String> = found
        .items
        .into_iter()
        .filter(|name| name.name == target.name)
        .map(|name| plain(&name.namespace))
        .collect();
    namespaces.sort();
    namespaces.dedup();
    namespaces.truncate(5);
    namespaces
}

/// Both, side by side. What may not be listed is not offered.
pub(crate) async fn suggest(
    api: &Api,
    target: &Target,
    namespace: &str,
) -> (Vec<String>, Vec<String>) {
    tokio::join!(near(api, target, namespace), elsewhere(api, target))
}
