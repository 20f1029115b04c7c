//! What does the cluster look like now? Asks for everything side by side; only pods wait for their Services' selectors, and
//! what may tell who else sends traffic for a first look at what is installed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;

use super::access::placed;
use super::makers::{keep_related, makers};
use super::recorder::{Recorded, Recorder, Strip};
use super::request::Request;
use super::required::{FailedTarget, Stop, required};
use super::scope::Scope;
use super::{optional, traffic};
use crate::client::api::Api;
use crate::client::connect::connect;
use crate::client::connection::Connection;
use crate::client::error::ClusterError;
use crate::client::paths;
use crate::facts::kube_proxy::KubeProxies;
use crate::facts::object::ApiObject;
use crate::facts::purpose::Purpose;
use crate::facts::target::TargetKind;
use crate::facts::workload::Workload;
use crate::facts::workload::WorkloadKind;
use crate::facts::{ObjectName, Snapshot, Source};
use crate::sources;

/// What was read, and what was named and could not be.
#[derive(Debug, Default)]
pub struct Observed {
    /// What was read; nothing where every target failed.
    pub snapshot: Snapshot,
    /// The targets without an answer.
    pub failed: Vec<FailedTarget>,
}

/// Names that no object can have, and names without a namespace, are not asked for.
pub(crate) fn check(request: &Request) -> Result<(), ClusterError> {
    for target in &request.targets {
        paths::checked(&target.name)?;
    }
    if let Some(namespace) = &request.namespace {
        paths::checked(namespace)?;
    }
    match request.targets.first() {
        Some(target) if request.all_namespaces => {
            Err(ClusterError::NamedInAllNamespaces(target.to_string()))
        }
        _ => Ok(()),
    }
}

/// Names each thing once.
fn once(request: &Request) -> Request {
    let mut request = request.clone();
    let targets = std::mem::take(&mut request.targets);
    for target in targets {
        if !request.targets.contains(&target) {
            request.targets.push(target);
        }
    }
    request
}

/// Leaves out what belongs to Services that were not asked for, so that nothing is said about them.
fn keep_asked(snapshot: &mut Snapshot) {
    let names: BTreeSet<ObjectName> = snapshot
        .services
        .iter()
        .map(|service| service.name.clone())
        .collect();
    snapshot.slices.retain(|slice| {
        let service = slice.service();
        service.is_some_and(|service| names.contains(&service))
    });
    snapshot
        .endpoints
        .retain(|endpoints| names.contains(&endpoints.name));
}

/// The workloads that were asked for.
fn named(request: &Request, namespace: Option<&str>) -> BTreeSet<(WorkloadKind, ObjectName)> {
    let targets = request.targets.iter();
    let workloads = targets.filter_map(|target| match target.kind {
        TargetKind::Workload(kind) => {
            let namespace = namespace.unwrap_or_default();
            Some((kind, ObjectName::new(namespace, &target.name)))
        }
        _ => None,
    });
    workloads.collect()
}

/// The same object may have been come across on several ways.
fn once_each(mut others: Vec<ApiObject>) -> Vec<ApiObject> {
    fn key(object: &ApiObject) -> (&str, &str, &str, &str) {
        (
            &object.kind,
            object.group(),
            &object.namespace,
            &object.name,
        )
    }
    others.sort_by(|a, b| key(a).cmp(&key(b)));
    others.dedup_by(|a, b| key(a) == key(b));
    others
}

/// An order that depends on nothing but names, as a snapshot's objects have it.
fn sort(snapshot: &mut Snapshot) {
    snapshot.services.sort_by(|a, b| a.name.cmp(&b.name));
    snapshot.slices.sort_by(|a, b| a.name.cmp(&b.name));
    snapshot.endpoints.sort_by(|a, b| a.name.cmp(&b.name));
    snapshot.pods.sort_by(|a, b| a.name.cmp(&b.name));
    snapshot.nodes.sort_by(|a, b| a.name.cmp(&b.name));
    let key = |workload: &Workload| (workload.kind.name().to_owned(), workload.name.clone());
    snapshot.workloads.sort_by_key(key);
    snapshot.autoscalers.sort_by(|a, b| a.name.cmp(&b.name));
    snapshot
        .disruption_budgets
        .sort_by(|a, b| a.name.cmp(&b.name));
    snapshot.events.sort_by(|a, b| a.name.cmp(&b.name));
    snapshot.events.dedup_by(|a, b| a.name == b.name);
}

/// Reads what a check needs. What could not be read is a gap in the snapshot, unless it is the very thing asked for.
///
/// # Errors
///
/// Says why there is no answer: no usable kubeconfig, no connection, no permission for what was asked, or it does not exist.
pub async fn observe(connection: &Connection, request: &Request) -> Result<Observed, ClusterError> {
    check(request)?;
    let api = Api::new(connect(connection).await?);
    Box::pin(read(&api, connection, request)).await
}

/// The same, with the objects that the answer comes from, or what is left of them.
///
/// # Errors
///
/// As [`observe`].
pub async fn record(
    connection: &Connection,
    request: &Request,
    strip: Strip,
) -> Result<(Observed, Vec<Recorded>), ClusterError> {
    check(request)?;
    let api = Api::new(connect(connection).await?);
    let all = recorded(&api, connection, request, strip).await?;
    Ok((all.observed, all.objects))
}

/// What was read for a snapshot.
pub(crate) struct All {
    pub(crate) observed: Observed,
    /// The objects that the answer comes from.
    pub(crate) objects: Vec<Recorded>,
    /// The versions of lists, by their paths with their queries.
    pub(crate) marks: BTreeMap<String, String>,
}

/// The same over a connection that there is.
pub(crate) async fn recorded(
    api: &Api,
    connection: &Connection,
    request: &Request,
    strip: Strip,
) -> Result<All, ClusterError> {
    check(request)?;
    let recorder = Arc::new(Recorder::new(strip));
    let api = api.clone().recorded(Some(recorder.clone()));
    let observed = Box::pin(read(&api, connection, request)).await?;
    let snapshot = &observed.snapshot;
    let mut objects = recorder.objects();
    let services: BTreeSet<_> = snapshot.services.iter().map(|one| &one.name).collect();
    let slices: BTreeSet<_> = snapshot.slices.iter().map(|one| &one.name).collect();
    let endpoints: BTreeSet<_> = snapshot.endpoints.iter().map(|one| &one.name).collect();
    let makers: BTreeSet<_> = snapshot
        .workloads
        .iter()
        .map(|one| (one.kind.name(), &one.name))
        .collect();
    let scalers: BTreeSet<_> = snapshot.autoscalers.iter().map(|one| &one.name).collect();
    let events: BTreeSet<_> = snapshot.events.iter().map(|one| &one.name).collect();
    let budgets = snapshot.disruption_budgets.iter();
    let budgets: BTreeSet<_> = budgets.map(|one| &one.name).collect();
    // More of these was read than was asked for.
    objects.retain_mut(|one| {
        let Some(identity) = &one.identity else {
            return true;
        };
        let name = ObjectName::new(&identity.namespace, &identity.name);
        match (one.version.as_str(), identity.kind.as_str()) {
            ("v1", "Service") => services.contains(&name),
            ("v1", "Endpoints") => endpoints.contains(&name),
            (_, "EndpointSlice") => slices.contains(&name),
            (_, "Event") => events.contains(&name),
            (_, "PodDisruptionBudget") => budgets.contains(&name),
            (_, "HorizontalPodAutoscaler") => scalers.contains(&name),
            ("apps/v1", kind) if one.purpose == Purpose::All => {
                let kept = makers.contains(&(kind, &name));
                // It may show a traffic source all the same.
                if !kept {
                    one.purpose = Purpose::TrafficSources;
                }
                kept || sources::keep(&one.value()).is_some()
            }
            _ => true,
        }
    });
    Ok(All {
        observed,
        objects,
        marks: recorder.marks(),
    })
}

async fn read(
    api: &Api,
    connection: &Connection,
    request: &Request,
) -> Result<Observed, ClusterError> {
    let request = &once(request);
    let namespace = (!request.all_namespaces).then(|| {
        let default = &api.connected().namespace;
        request.namespace.as_ref().unwrap_or(default).clone()
    });
    let scope = Scope {
        api,
        connection,
        request,
        namespace: namespace.as_deref(),
    };

    // What was asked for ends the rest when all of it fails; nothing else fails.
    let read = tokio::try_join!(
        required(scope),
        async { Ok(Box::pin(makers(scope)).await) },
        async { Ok(traffic::sources(scope).await) },
        async { Ok(optional::slices(scope).await) },
        async { Ok(optional::endpoints(scope).await) },
        async {
            let nodes = optional::nodes(api).await;
            let traffic = nodes
                .items
                .iter()
                .filter_map(|(_, traffic)| traffic.as_ref());
            let more = traffic::taking(scope, traffic).await;
            Ok((nodes, more))
        },
        async { Ok(optional::kube_proxy_pods(api).await) },
        async { Ok(optional::kube_proxy_config(api).await) },
        async { Ok(optional::version(api).await) },
    );
    let (required, makers, sources, slices, endpoints, (nodes, taking), proxies, config, version) =
        match read {
            Ok(read) => read,
            Err(Stop::Cluster(error)) => return Err(error),
            Err(Stop::Targets(failed)) => {
                return Ok(Observed {
                    failed,
                    ..Observed::default()
                });
            }
        };

    let gaps = required
        .gaps
        .into_iter()
        .chain(slices.gap)
        .chain(endpoints.gap)
        .chain(nodes.gap)
        .chain(proxies.gap)
        .chain(config.1)
        .chain(version.1)
        .chain(makers.gaps)
        .chain(sources.gaps)
        .chain(taking.gaps)
        .map(|gap| placed(gap, scope.namespace))
        .collect();
    let mut others = required.others;
    others.extend(sources.others);
    others.extend(taking.others);
    let mut workloads = required.workloads;
    let asked = workloads.len();
    for (workload, traffic) in makers.workloads {
        let same = |known: &Workload| known.kind == workload.kind && known.name == workload.name;
        if !workloads[..asked].iter().any(same) {
            workloads.push(workload);
            others.extend(traffic);
        }
    }
    let mut read = Vec::new();
    for (node, traffic) in nodes.items {
        read.push(node);
        others.extend(traffic);
    }
    let mut snapshot = Snapshot {
        source: Source::Cluster {
            context: api.connected().context.clone(),
            namespace: namespace.clone(),
        },
        complete: true,
        #[allow(clippy::disallowed_methods, reason = "a server without a clock")]
        taken_at: api.date().or_else(|| Some(SystemTime::now().into())),
        server: version.0,
        services: required.services,
        slices: slices.items,
        endpoints: endpoints.items,
        pods: required.pods,
        nodes: read,
        workloads,
        autoscalers: makers.autoscalers,
        disruption_budgets: makers.budgets,
        events: makers.events,
        kube_proxies: KubeProxies {
            pods: proxies.items,
            config: config.0,
        },
        others: once_each(others),
        gaps,
        kubectl_flags: connection.as_kubectl_flags(),
        ..Snapshot::default()
    };
    let narrowed = !request.targets.is_empty() || request.selector.is_some();
    if narrowed {
        keep_asked(&mut snapshot);
        keep_related(&mut snapshot, &named(request, scope.namespace));
    }
    sort(&mut snapshot);
    Ok(Observed {
        snapshot,
        failed: required.failed,
    })
}
