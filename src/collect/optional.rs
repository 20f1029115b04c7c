//! What else is there to know? Slices, Endpoints, nodes, kube-proxy and the version: each may be missing, and then is a gap.

use futures_util::future::join_all;
use http::StatusCode;

use super::access::{Part, gap, part, unread};
use super::scope::Scope;
use crate::client::api::Api;
use crate::client::list::{Unread, get, list};
use crate::client::paths::{CORE, DISCOVERY, DISCOVERY_BETA, collection, object};
use crate::decode::answer::{answer, git_version};
use crate::decode::read::Decoded;
use crate::decode::{kube_proxy, read};
use crate::facts::endpoints::Endpoints;
use crate::facts::kube_proxy::{KubeProxyPod, KubeProxySettings};
use crate::facts::node::Node;
use crate::facts::purpose::Purpose;
use crate::facts::slice::EndpointSlice;
use crate::facts::slice::SERVICE_NAME;
use crate::facts::version::KubeVersion;
use crate::facts::{Gap, GapReason, Resource};

/// The slices of the named Services, else all in scope.
fn slice_query(scope: Scope<'_>) -> Vec<(&'static str, String)> {
    if !scope.only_services() {
        return Vec::new();
    }
    let mut names: Vec<&str> = scope
        .request
        .targets
        .iter()
        .map(|target| target.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let selector = match names[..] {
        [name] => format!("{SERVICE_NAME}={name}"),
        _ => format!("{SERVICE_NAME} in ({})", names.join(",")),
    };
    vec![("labelSelector", selector)]
}

/// EndpointSlices; servers before 1.21 only have them as v1beta1.
pub(crate) async fn slices(scope: Scope<'_>) -> Part<EndpointSlice> {
    let query = slice_query(scope);
    let path = |group| collection(group, scope.namespace, "endpointslices");
    let mut slice = answer(read::slice);
    let mut listed = list(scope.api, &path(DISCOVERY), &query, &mut slice).await;
    if listed
        .as_ref()
        .is_err_and(|failure| failure.is(StatusCode::NOT_FOUND))
    {
        listed = list(scope.api, &path(DISCOVERY_BETA), &query, &mut slice).await;
    }
    part(Resource::EndpointSlices, listed)
}

/// Endpoints objects, by the names of the named Services, else all in scope. A Service may well have none.
pub(crate) async fn endpoints(scope: Scope<'_>) -> Part<Endpoints> {
    let mut read = answer(read::endpoints);
    if !scope.only_services() {
        let path = collection(CORE, scope.namespace, "endpoints");
        return part(
            Resource::Endpoints,
            list(scope.api, &path, &[], &mut read).await,
        );
    }
    let namespace = scope.namespace.unwrap_or_default();
    let answers = join_all(scope.request.targets.iter().map(async |target| {
        let path = object(CORE, namespace, "endpoints", &target.name);
        get(scope.api, &path, &target.name, &read).await
    }))
    .await;
    let mut all = Part {
        items: Vec::new(),
        gap: None,
    };
    for answered in answers {
        match answered {
            Ok(found) => all.items.push(found),
            Err(failure) if failure.is(StatusCode::NOT_FOUND) => {}
            Err(failure) => {
                all.gap = all.gap.or(Some(gap(Resource::Endpoints, "get", failure)));
            }
        }
    }
    all
}

/// Nodes.
pub(crate) async fn nodes(api: &Api) -> Part<Decoded<Node>> {
    let path = collection(CORE, None, "nodes");
    part(
        Resource::Nodes,
        list(api, &path, &[], &mut answer(read::node)).await,
    )
}

/// The pods of kube-proxy, by either label that it has.
pub(crate) async fn kube_proxy_pods(api: &Api) -> Part<KubeProxyPod> {
    let api = &api.asked_for(Purpose::KubeProxy);
    let path = collection(CORE, Some(kube_proxy::NAMESPACE), "pods");
    let lists = join_all(kube_proxy::POD_LABELS.iter().map(async |(key, value)| {
        let query = [("labelSelector", format!("{key}={value}"))];
        list(api, &path, &query, &mut answer(read::of_kube_proxy)).await
    }))
    .await;
    let mut all: Part<KubeProxyPod> = Part {
        items: Vec::new(),
        gap: None,
    };
    for listed in lists {
        let one = part(Resource::KubeProxyPods, listed);
        for pod in one.items.into_iter().flatten() {
            if !all.items.contains(&pod) {
                all.items.push(pod);
            }
        }
        all.gap = all.gap.or(one.gap);
    }
    all
}

/// kube-proxy's configuration, from whichever of its ConfigMaps holds one.
pub(crate) async fn kube_proxy_config(api: &Api) -> (Option<KubeProxySettings>, Option<Gap>) {
    let api = &api.asked_for(Purpose::KubeProxy);
    let answers = join_all(kube_proxy::CONFIG_MAPS.iter().map(async |name| {
        let path = object(CORE, kube_proxy::NAMESPACE, "configmaps", name);
        get(api, &path, name, answer(read::config_map)).await
    }))
    .await;
    let mut failures = Vec::new();
    let mut found = None;
    let mut silent = false;
    for answered in answers {
        match answered {
            Ok(map) => {
                found = found.or_else(|| kube_proxy::kube_proxy_config(&map));
                silent = true;
            }
            Err(failure) => failures.push(failure),
        }
    }
    if found.is_some() {
        return (found, None);
    }
    // Missing is the least that can be said: anything else is the reason.
    let worst = failures
        .iter()
        .position(|failure| !failure.is(StatusCode::NOT_FOUND));
    let gap = match worst {
        Some(worst) => gap(
            Resource::KubeProxyConfig,
            "get",
            failures.swap_remove(worst),
        ),
        None if silent => Gap {
            resource: Resource::KubeProxyConfig,
            verb: "get",
            namespace: None,
            reason: GapReason::Failed("it holds no KubeProxyConfiguration".to_owned()),
        },
        None => Gap {
            resource: Resource::KubeProxyConfig,
            verb: "get",
            namespace: None,
            reason: GapReason::NotFound,
        },
    };
    (None, Some(gap))
}

/// The server's version.
pub(crate) async fn version(api: &Api) -> (Option<KubeVersion>, Option<Gap>) {
    let failed = |said: String| Gap {
        resource: Resource::Version,
        verb: "get",
        namespace: None,
        reason: GapReason::Failed(said),
    };
    match api.get("/version").await {
        Err(failure) => (None, Some(gap(Resource::Version, "get", failure))),
        Ok(body) => match git_version(&body) {
            Err(said) => (None, Some(failed(said))),
            Ok(text) => match text.parse() {
                Ok(version) => (Some(version), None),
                Err(error) => (
                    None,
                    unread(Resource::Version, "get", &Unread::one(error.to_string())),
                ),
            },
        },
    }
}
