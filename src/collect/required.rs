//! What must be there? The Services that were asked for, and what leads to them: without these there is no answer. Then the pods behind them.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::{join_all, try_join_all};
use http::StatusCode;

use super::access::{Part, Wanted, fatal, part, unread};
use super::scope::Scope;
use super::suggest::suggest;
use super::traffic::{TrafficObjects, behind};
use crate::client::error::ClusterError;
use crate::client::failure::Failure;
use crate::client::list;
use crate::client::list::{Listed, list};
use crate::client::paths::{CORE, can_i_name, collection, object, of_kind};
use crate::decode::answer::answer;
use crate::decode::read::{self, Decoded, Raw};
use crate::facts::object::ApiObject;
use crate::facts::pod::Pod;
use crate::facts::pod_spec::PodSpec;
use crate::facts::service::Service;
use crate::facts::target::{Target, TargetKind};
use crate::facts::workload::Workload;
use crate::facts::{Gap, Resource};

/// A target without an answer, while others may have theirs.
#[derive(Debug)]
pub struct FailedTarget {
    /// What was named.
    pub target: Target,
    /// What is wrong with it.
    pub error: ClusterError,
}

/// Why nothing at all can be answered.
pub(crate) enum Stop {
    /// The cluster cannot be asked.
    Cluster(ClusterError),
    /// It can, and nothing of what was named was read.
    Targets(Vec<FailedTarget>),
}

impl From<ClusterError> for Stop {
    fn from(error: ClusterError) -> Self {
        Self::Cluster(error)
    }
}

/// What is wrong with one target is handed on; what is wrong with the connection ends everything.
async fn tried<T>(
    target: &Target,
    asked: impl Future<Output = Result<T, ClusterError>>,
) -> Result<Result<T, FailedTarget>, ClusterError> {
    match asked.await {
        Ok(found) => Ok(Ok(found)),
        Err(error) if error.is_about_one_object() => Ok(Err(FailedTarget {
            target: target.clone(),
            error,
        })),
        Err(error) => Err(error),
    }
}

/// Takes out what failed; where nothing is left, that is the answer.
fn found<T>(
    tried: Vec<Result<T, FailedTarget>>,
    failed: &mut Vec<FailedTarget>,
) -> Result<Vec<T>, Stop> {
    let mut found = Vec::new();
    for one in tried {
        match one {
            Ok(one) => found.push(one),
            Err(one) => failed.push(one),
        }
    }
    if found.is_empty() {
        return Err(Stop::Targets(std::mem::take(failed)));
    }
    Ok(found)
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Required {
    pub(crate) services: Vec<Service>,
    pub(crate) workloads: Vec<Workload>,
    pub(crate) pods: Vec<Pod>,
    /// What these and what they lead to show of traffic sources.
    pub(crate) others: Vec<ApiObject>,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) failed: Vec<FailedTarget>,
}

impl Required {
    /// Takes facts, and records what else their objects tell.
    fn take<T>(&mut self, seen: impl IntoIterator<Item = Decoded<T>>) -> Vec<T> {
        let mut facts = Vec::new();
        for (fact, traffic) in seen {
            facts.push(fact);
            self.others.extend(traffic);
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
    reader: impl Fn(&str) -> Result<T, String>,
) -> Result<T, ClusterError> {
    let namespace = scope.namespace.unwrap_or_default();
    let (group, resource) = of_kind(target.kind);
    let path = object(group, namespace, resource, &target.name);
    match list::get(scope.api, &path, &target.name, reader).await {
        Ok(found) => Ok(found),
        Err(failure) if failure.is(StatusCode::NOT_FOUND) => {
            let (near, elsewhere) = suggest(scope.api, target, namespace).await;
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
) -> Result<Listed<Decoded<Service>>, ClusterError> {
    let path = collection(CORE, scope.namespace, "services");
    let query: Vec<_> = selector
        .map(|selector| ("labelSelector", selector.clone()))
        .into_iter()
        .collect();
    list(scope.api, &path, &query, &mut answer(read::service))
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
) -> Result<Listed<Decoded<Pod>>, Failure> {
    let mut before: Option<Arc<PodSpec>> = None;
    list(scope.api, path, query, &mut |text| {
        let (mut pod, traffic) = read::pod(Raw::Text(text))?;
        if let Some(before) = &before {
            pod.share(before);
        }
        before = Some(Arc::clone(&pod.spec));
        Ok((pod, traffic))
    })
    .await
}

/// The pods behind Services of one namespace.
async fn pods_behind(scope: Scope<'_>, services: &[Service]) -> Part<Decoded<Pod>> {
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

fn add_pods(required: &mut Required, part: Part<Decoded<Pod>>) {
    let pods = required.take(part.items);
    required.pods.extend(pods);
    required.pods.sort_by(|a, b| a.name.cmp(&b.name));
    required.pods.dedup_by(|a, b| a.name == b.name);
    required.gaps.extend(part.gap);
}

/// The pods behind the Services that were found, and what else these lead to.
async fn add_behind(scope: Scope<'_>, required: &mut Required) {
    let (pods, sources) = tokio::join!(
        pods_behind(scope, &required.services),
        behind(scope, required.services.iter())
    );
    add_pods(required, pods);
    required.add_sources(sources);
}

/// Services by their names, then their pods.
async fn named_services(scope: Scope<'_>) -> Result<Required, Stop> {
    let targets = scope.request.targets.iter();
    let mut required = Required::default();
    let tried = try_join_all(
        targets.map(|target| tried(target, get(scope, target, answer(read::service)))),
    )
    .await?;
    let found = found(tried, &mut required.failed)?;
    required.services = required.take(found);
    required.services.sort_by(|a, b| a.name.cmp(&b.name));
    add_behind(scope, &mut required).await;
    Ok(required)
}

enum Found {
    Service(Decoded<Service>),
    Workload(Box<Decoded<Workload>>),
    Pod(Decoded<Pod>),
}

async fn find(scope: Scope<'_>, target: &Target) -> Result<Found, ClusterError> {
    match target.kind {
        TargetKind::Service => get(scope, target, answer(read::service))
            .await
            .map(Found::Service),
        TargetKind::Pod => get(scope, target, answer(read::pod)).await.map(Found::Pod),
        TargetKind::Workload(kind) => get(scope, target, answer(|raw| read::workload(kind, raw)))
            .await
            .map(|found| Found::Workload(Box::new(found))),
    }
}

/// Workloads and pods by their names, with the Services that select them, then the pods of these.
async fn named_others(scope: Scope<'_>) -> Result<Required, Stop> {
    let (tried, listed) = tokio::try_join!(
        try_join_all(
            scope
                .request
                .targets
                .iter()
                .map(|target| tried(target, find(scope, target)))
        ),
        list_services(scope, None)
    )?;
    let mut required = Required {
        gaps: unread(Resource::Services, "list", &listed.unread)
            .into_iter()
            .collect(),
        ..Required::default()
    };
    for one in found(tried, &mut required.failed)? {
        match one {
            Found::Service((service, traffic)) => {
                required.services.push(service);
                required.others.extend(traffic);
            }
            Found::Workload(found) => {
                let (workload, traffic) = *found;
                required.workloads.push(workload);
                required.others.extend(traffic);
            }
            Found::Pod((pod, traffic)) => {
                required.pods.push(pod);
                required.others.extend(traffic);
            }
        }
    }
    required.services.sort_by(|a, b| a.name.cmp(&b.name));
    required.services.dedup_by(|a, b| a.name == b.name);
    for (service, traffic) in listed.items {
        let labels = required
            .workloads
            .iter()
            .map(|workload| &workload.pod_labels)
            .chain(required.pods.iter().map(|pod| &pod.labels));
        let selects = service.selector.as_ref().is_some_and(|selector| {
            !selector.is_empty()
                && labels.into_iter().any(|labels| {
                    selector
                        .iter()
                        .all(|(key, value)| labels.get(key) == Some(value))
                })
        });
        let known = required
            .services
            .iter()
            .any(|other| other.name == service.name);
        if selects && !known {
            required.services.push(service);
            required.others.extend(traffic);
        }
    }
    add_behind(scope, &mut required).await;
    Ok(required)
}

/// Everything in scope, side by side.
async fn everything(scope: Scope<'_>) -> Result<Required, ClusterError> {
    let path = collection(CORE, scope.namespace, "pods");
    let services = async {
        let listed = list_services(scope, scope.request.selector.as_ref()).await?;
        let sources = behind(scope, listed.items.iter().map(|(service, _)| service)).await;
        Ok((listed, sources))
    };
    let ((services, sources), pods) =
        tokio::try_join!(services, async { Ok(list_pods(scope, &path, &[]).await) })?;
    let mut required = Required {
        gaps: unread(Resource::Services, "list", &services.unread)
            .into_iter()
            .collect(),
        ..Required::default()
    };
    required.services = required.take(services.items);
    let pods = part(Resource::Pods, pods);
    required.pods = required.take(pods.items);
    required.gaps.extend(pods.gap);
    required.add_sources(sources);
    Ok(required)
}

/// Reads what was asked for.
pub(crate) async fn required(scope: Scope<'_>) -> Result<Required, Stop> {
    if scope.request.targets.is_empty() {
        Ok(everything(scope).await?)
    } else if scope.only_services() {
        named_services(scope).await
    } else {
        named_others(scope).await
    }
}
