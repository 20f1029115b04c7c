//! Which API groups and resources are installed? One answer tells all of it since Kubernetes 1.26.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::api::Api;
use super::failure::Failure;
use crate::words::{plain, without_value};

/// Aggregated discovery, stable since 1.30 and beta since 1.26 (KEP-3352); older servers fall back to a list of groups. The
/// parameters are in the order that client-go's `discovery_client.go` says servers need.
const ACCEPT: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/// A version of a group; `None` where nobody says which resources it has.
#[derive(Debug)]
struct Version {
    name: String,
    resources: Option<BTreeSet<String>>,
}

/// What is installed.
#[derive(Debug, Default)]
pub(crate) struct Installed {
    groups: BTreeMap<String, Vec<Version>>,
}

impl Installed {
    /// Is there such a group?
    pub(crate) fn has(&self, group: &str) -> bool {
        self.groups.contains_key(group)
    }

    /// The paths of a group's versions under which a resource (a plural, as paths have it) may be found, the preferred one
    /// first: one where the server says what it has, none where it has no such resource.
    pub(crate) fn apis(&self, group: &str, resource: &str) -> Vec<String> {
        let versions = self.groups.get(group).into_iter().flatten();
        let path = |version: &Version| format!("/apis/{group}/{}", version.name);
        let mut unsure = Vec::new();
        for version in versions {
            match &version.resources {
                Some(all) if all.contains(resource) => return vec![path(version)],
                Some(_) => {}
                None => unsure.push(path(version)),
            }
        }
        unsure
    }
}

#[derive(Deserialize)]
struct Answer {
    kind: String,
    /// `APIGroupDiscoveryList`.
    items: Option<Vec<Group>>,
    /// `APIGroupList`.
    groups: Option<Vec<Bare>>,
}

#[derive(Deserialize)]
struct Group {
    metadata: Name,
    #[serde(default)]
    versions: Vec<GroupVersion>,
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

#[derive(Deserialize)]
struct GroupVersion {
    version: String,
    #[serde(default)]
    freshness: String,
    #[serde(default)]
    resources: Vec<DiscoveredResource>,
}

#[derive(Deserialize)]
struct DiscoveredResource {
    resource: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bare {
    name: String,
    #[serde(default)]
    versions: Vec<BareVersion>,
    preferred_version: Option<BareVersion>,
}

#[derive(Deserialize)]
struct BareVersion {
    version: String,
}

fn version(found: GroupVersion) -> Version {
    // A server behind the API server did not answer it: what it has now is not known.
    let stale = found.freshness == "Stale" && found.resources.is_empty();
    let resources = found.resources.into_iter().map(|one| one.resource);
    Version {
        name: found.version,
        resources: (!stale).then(|| resources.collect()),
    }
}

fn bare(found: Bare) -> (String, Vec<Version>) {
    let preferred = found.preferred_version.map(|one| one.version);
    let mut names: Vec<String> = found.versions.into_iter().map(|one| one.version).collect();
    names.sort_by_key(|name| preferred.as_ref() != Some(name));
    let versions = names.into_iter().map(|name| Version {
        name,
        resources: None,
    });
    (found.name, versions.collect())
}

fn read(body: &[u8]) -> Result<Installed, Failure> {
    let answer: Answer = serde_json::from_slice(body).map_err(|error| {
        Failure::Unreadable(format!(
            "it is no list of groups: {}",
            without_value(&error.to_string())
        ))
    })?;
    let groups = match (answer.kind.as_str(), answer.items, answer.groups) {
        ("APIGroupDiscoveryList", items, _) => items
            .into_iter()
            .flatten()
            .map(|group| {
                let versions = group.versions.into_iter().map(version);
                (group.metadata.name, versions.collect())
            })
            .collect(),
        ("APIGroupList", _, groups) => groups.into_iter().flatten().map(bare).collect(),
        (kind, ..) => {
            return Err(Failure::Unreadable(format!(
                "it is no list of groups but {}",
                plain(kind)
            )));
        }
    };
    Ok(Installed { groups })
}

/// Asks what is installed.
pub(crate) async fn installed(api: &Api) -> Result<Installed, Failure> {
    read(&api.get_as("/apis", ACCEPT).await?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    const GATEWAY: &str = "gateway.networking.k8s.io";

    #[test]
    fn a_kind_is_asked_for_in_the_first_version_that_has_it() {
        let answer = json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [
            {"metadata": {"name": "gateway.networking.k8s.io", "creationTimestamp": null}, "versions": [
                {"version": "v1", "freshness": "Current", "resources": [
                    {"resource": "gateways", "scope": "Namespaced", "responseKind": {"kind": "Gateway"}}]},
                {"version": "v1alpha2", "freshness": "Current", "resources": [{"resource": "tcproutes"}]}]},
            {"metadata": {"name": "route.openshift.io"}, "versions": [{"version": "v1", "freshness": "Stale"}]}]});
        let installed = read(answer.to_string().as_bytes()).expect("groups");
        let group = "/apis/gateway.networking.k8s.io";
        let apis = |resource| installed.apis(GATEWAY, resource);
        assert_eq!(apis("gateways"), [format!("{group}/v1")]);
        assert_eq!(apis("tcproutes"), [format!("{group}/v1alpha2")]);
        assert_eq!(apis("udproutes"), [""; 0]);
        assert_eq!(installed.apis("networking.k8s.io", "ingresses"), [""; 0]);
        // The server behind it does not answer: whoever asks for it learns why.
        let routes = installed.apis("route.openshift.io", "routes");
        assert_eq!(routes, ["/apis/route.openshift.io/v1"]);
    }

    #[test]
    fn an_old_server_names_its_groups_and_versions_only() {
        let answer = json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": [
            {"name": "gateway.networking.k8s.io", "preferredVersion": {"groupVersion": "x", "version": "v1"},
                "versions": [{"version": "v1beta1"}, {"version": "v1"}]}]});
        let installed = read(answer.to_string().as_bytes()).expect("groups");
        let group = "/apis/gateway.networking.k8s.io";
        let both = [format!("{group}/v1"), format!("{group}/v1beta1")];
        assert_eq!(installed.apis(GATEWAY, "gateways"), both);
        assert!(installed.has(GATEWAY));
        assert!(!installed.has("traefik.io"));
    }

    #[test]
    fn a_login_page_is_no_discovery() {
        assert!(read(b"<html>").is_err());
        assert!(read(br#"{"kind": "Status"}"#).is_err());
    }
}
