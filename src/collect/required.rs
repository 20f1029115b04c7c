//! What was asked for? The Services, and what leads to them; without these there is no answer. Then the pods behind them.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::{join_all, try_join_all};
use http::StatusCode;

use super::access::{Part, Wanted, fatal, part, unread};
use super::suggest::meant;
use super::traffic::{TrafficObjects, behind};
use crate::client::api::{Api, Failure};
use crate::client::connection::{Connection, Request};
use crate::client::error::ClusterError;
use crate::client::list;
use crate::client::list::{Listed, list};
use crate::client::paths::{CORE, can_i_name, collection, object, of_kind};
use crate::decode::answer;
use crate::decode::answer::Seen;
use crate::facts::object::Object;
use crate::facts::pod::Pod;
use crate::facts::pod_spec::PodSpec;
use crate::facts::service::Service;
use crate::facts::target::{Target, TargetKind};
use crate::facts::workload::Workload;
use crate::facts::{Gap, Resource};

/// Where and for whom is asked.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) api: &'a Api,
    pub(crate) connection: &'a Connection,
    pub(crate) request: &'a Request,
    /// `None` is all namespaces.
    pub(crate) namespace: Option<&'a str>,
}

impl Scope<'_> {
    /// Are only Services named?
    pub(crate) fn only_services(&self) -> bool {
        let targets = &self.request.targets;
        !targets.is_empty()
            && targets
                .iter()
                .all(|target| target.kind == TargetKind::Service)
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) services: Vec<Service>,
    pub(crate) workloads: Vec<Workload>,
    pub(crate) pods: Vec<Pod>,
    /// What these and what they lead to tell of who sends traffic.
    pub(crate) others: Vec<Object>,
    pub(crate) gaps: Vec<Gap>,
}

impl Asked {
    /// Takes facts, and records what else their objects tell.
    fn take<T>(&mut self, seen: impl IntoIterator<Item = Seen<T>>) -> Vec<T> {
        let mut facts = Vec::new();
        for (fact, told) in seen {
            facts.push(fact);
            self.others.extend(told);
        }
        facts
    }

    fn add_sources(&mut self, sources: TrafficObjects) {
        self.others.extend(sources.others);
        self.gaps.extend(sources.gaps);
    }
}

async fn get<T>(
    scope: Scope<'_>,
    target: &Target,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, ClusterError> {
    let namespace = scope.namespace.unwrap_or_default();
    let (group, resource) = of_kind(target.kind);
    let path = object(group, namespace, resource, &target.name);
    match list::get(scope.api, &path, &target.name, read).await {
        Ok(found) => Ok(found),
        Err(failure) if failure.is(StatusCode::NOT_FOUND) => {
            let (near, elsewhere) = meant(scope.api, target, namespace).await;
            Err(ClusterError::NotFound {
                kind: target.kind.name().to_lowercase(),
                name: target.name.clone(),
                namespace: namespace.to_owned(),
                near,
                elsewhere,
            })
        }
        Err(failure) => {
            let wanted = Wanted {
                verb: "get",
                resource: can_i_name(target.kind),
                namespace: scope.namespace,
                what: target.to_string(),
            };
            Err(fatal(scope.api, scope.connection, &wanted, failure))
        }
    }
}

async fn list_services(
    scope: Scope<'_>,
    selector: Option<&String>,
) -> Result<Listed<Seen<Service>>, ClusterError> {
    let path = collection(CORE, scope.namespace, "services");
    let query: Vec<_> = selector
        .map(|selector| ("labelSelector", selector.clone()))
        .into_iter()
        .collect();
    list(scope.api, &path, &query, &mut answer::service)
        .await
        .map_err(|failure| {
            let wanted = Wanted {
                verb: "list",
                resource: "services".to_owned(),
                namespace: scope.namespace,
                what: "its services".to_owned(),
            };
            fatal(scope.api, scope.connection, &wanted, failure)
        })
}

/// A Service's selector as a label selector; `None` where no pod is selected.
fn label_selector(service: &Service) -> Option<String> {
    let selector = service
        .selector
        .as_ref()
        .filter(|labels| !labels.is_empty())?;
    let pairs: Vec<String> = selector
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    Some(pairs.join(","))
}

/// Pods, of which those of one template mostly come one after the other.
async fn list_pods(
    scope: Scope<'_>,
    path: &str,
    query: &[(&str, String)],
) -> Result<Listed<Seen<Pod>>, Failure> {
    let mut before: Option<Arc<PodSpec>> = None;
    list(scope.api, path, query, &mut |raw| {
        let (mut pod, told) = answer::pod(raw)?;
        if let Some(before) = &before {
            pod.share(before);
        }
        before = Some(Arc::clone(&pod.spec));
        Ok((pod, told))
    })
    .await
}

/// The pods behind Services of one namespace.
async fn pods_behind(scope: Scope<'_>, services: &[Service]) -> Part<Seen<Pod>> {
    let selectors: BTreeSet<String> = services.iter().filter_map(label_selector).collect();
    let path = collection(CORE, scope.namespace, "pods");
    let lists = join_all(selectors.into_iter().map(async |selector| {
        let query = [("labelSelector", selector)];
        list_pods(scope, &path, &query).await
    }))
    .await;
    let mut all = Part {
        items: Vec::new(),
        gap: None,
    };
    for listed in lists {
        let one = part(Resource::Pods, listed);
        all.items.extend(one.items);
        all.gap = all.gap.or(one.gap);
    }
    all
}

fn add_pods(asked: &mut Asked, part: Part<Seen<Pod>>) {
    let pods = asked.take(part.items);
    asked.pods.extend(pods);
    asked.pods.sort_by(|a, b| a.name.cmp(&b.name));
    asked.pods.dedup_by(|a, b| a.name == b.name);
    asked.gaps.extend(part.gap);
}

/// The pods behind the Services that were found, and what else these lead to.
async fn add_behind(scope: Scope<'_>, asked: &mut Asked) {
    let (pods, sources) = tokio::join!(
        pods_behind(scope, &asked.services),
        behind(scope, asked.services.iter())
    );
    add_pods(asked, pods);
    asked.add_sources(sources);
}

/// Services by their names, then their pods.
async fn named_services(scope: Scope<'_>) -> Result<Asked, ClusterError> {
    let targets = scope.request.targets.iter();
    let mut asked = Asked::default();
    let found = try_join_all(targets.map(|target| get(scope, target, answer::service))).await?;
    asked.services = asked.take(found);
    asked.services.sort_by(|a, b| a.name.cmp(&b.name));
    add_behind(scope, &mut asked).await;
    Ok(asked)
}

enum Found {
    Service(Seen<Service>),
    Workload(Seen<Workload>),
    Pod(Seen<Pod>),
}

async fn find(scope: Scope<'_>, target: &Target) -> Result<Found, ClusterError> {
    match target.kind {
        TargetKind::Service => get(scope, target, answer::service)
            .await
            .map(Found::Service),
        TargetKind::Pod => get(scope, target, answer::pod).await.map(Found::Pod),
        TargetKind::Workload(kind) => get(scope, target, |raw| answer::workload(kind, raw))
            .await
            .map(Found::Workload),
    }
}

/// Workloads and pods by their names, with the Services that select them, then the pods of these.
async fn named_others(scope: Scope<'_>) -> Result<Asked, ClusterError> {
    let (found, listed) = tokio::try_join!(
        try_join_all(
            scope
                .request
                .targets
                .iter()
                .map(|target| find(scope, target))
        ),
        list_services(scope, None)
    )?;
    let mut asked = Asked {
        gaps: unread(Resource::Services, "list", &listed.unread)
            .into_iter()
            .collect(),
        ..Asked::default()
    };
    for one in found {
        match one {
            Found::Service((service, told)) => {
                asked.services.push(service);
                asked.others.extend(told);
            }
            Found::Workload((workload, told)) => {
                asked.workloads.push(workload);
                asked.others.extend(told);
            }
            Found::Pod((pod, told)) => {
                asked.pods.push(pod);
                asked.others.extend(told);
            }
        }
    }
    asked.services.sort_by(|a, b| a.name.cmp(&b.name));
    asked.services.dedup_by(|a, b| a.name == b.name);
    for (service, told) in listed.items {
        let labels = asked
            .workloads
            .iter()
            .map(|workload| &workload.pod_labels)
            .chain(asked.pods.iter().map(|pod| &pod.labels));
        let selects = service.selector.as_ref().is_some_and(|selector| {
            !selector.is_empty()
                && labels.into_iter().any(|labels| {
                    selector
                        .iter()
                        .all(|(key, value)| labels.get(key) == Some(value))
                })
        });
        let known = asked
            .services
            .iter()
            .any(|other| other.name == service.name);
        if selects && !known {
            asked.services.push(service);
            asked.others.extend(told);
        }
    }
    add_behind(scope, &mut asked).await;
    Ok(asked)
}

/// Everything in scope, side by side.
async fn everything(scope: Scope<'_>) -> Result<Asked, ClusterError> {
    let path = collection(CORE, scope.namespace, "pods");
    let services = async {
        let listed = list_services(scope, scope.request.selector.as_ref()).await?;
        let sources = behind(scope, listed.items.iter().map(|(service, _)| service)).await;
        Ok((listed, sources))
    };
    let ((services, sources), pods) =
        tokio::try_join!(services, async { Ok(list_pods(scope, &path, &[]).await) })?;
    let mut asked = Asked {
        gaps: unread(Resource::Services, "list", &services.unread)
            .into_iter()
            .collect(),
        ..Asked::default()
    };
    asked.services = asked.take(services.items);
    let pods = part(Resource::Pods, pods);
    asked.pods = asked.take(pods.items);
    asked.gaps.extend(pods.gap);
    asked.add_sources(sources);
    Ok(asked)
}

/// Reads what was asked for.
pub(crate) async fn asked(scope: Scope<'_>) -> Result<Asked, ClusterError> {
    if scope.request.targets.is_empty() {
        everything(scope).await
    } else if scope.only_services() {
        named_services(scope).await
    } else {
        named_others(scope).await
    }
}
