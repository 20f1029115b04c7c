//! What may have been meant by a name that does not exist?

use super::api::Api;
use super::list::list;
use super::objects;
use super::paths::{collection, of_kind};
use crate::facts::target::Target;

/// How similar a name must be to be offered.
const SIMILAR: f64 = 0.8;

/// Names in the namespace that are similar, the most similar first.
async fn near(api: &Api, target: &Target, namespace: &str) -> Vec<String> {
    let (group, resource) = of_kind(target.kind);
    let path = collection(group, Some(namespace), resource);
    let Ok(names) = list(api, &path, &[], objects::name).await else {
        return Vec::new();
    };
    let mut scored: Vec<(f64, String)> = names
        .items
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&name.name, &target.name), name.name))
        .filter(|(score, _)| *score > SIMILAR)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.into_iter().take(5).map(|(_, name)| name).collect()
}

/// Other namespaces that have one of exactly this name.
async fn elsewhere(api: &Api, target: &Target) -> Vec<String> {
    let (group, resource) = of_kind(target.kind);
    let path = collection(group, None, resource);
    let query = [("fieldSelector", format!("metadata.name={}", target.name))];
    let Ok(found) = list(api, &path, &query, objects::name).await else {
        return Vec::new();
    };
    let mut namespaces: Vec<String> = found
        .items
        .into_iter()
        .filter(|name| name.name == target.name)
        .map(|name| name.namespace)
        .collect();
    namespaces.sort();
    namespaces.dedup();
    namespaces.truncate(5);
    namespaces
}

/// Both, side by side. What may not be listed is not offered.
pub(super) async fn meant(
    api: &Api,
    target: &Target,
    namespace: &str,
) -> (Vec<String>, Vec<String>) {
    tokio::join!(near(api, target, namespace), elsewhere(api, target))
}
