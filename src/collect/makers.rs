//! What makes the pods, scales them, and speaks of them? Workloads, autoscalers and Events of the namespace in scope, side by side with
//! everything else. They say why pods are missing; each may be missing itself, and then is a gap.

use std::collections::BTreeSet;

use http::StatusCode;

use super::access::{Part, part};
use super::scope::Scope;
use crate::client::failure::Failure;
use crate::client::list::list;
use crate::client::paths::{APPS, AUTOSCALING, CORE, POLICY, collection};
use crate::decode::answer::answer;
use crate::decode::read::{self, Decoded};
use crate::facts::autoscaler::Autoscaler;
use crate::facts::disruption::DisruptionBudget;
use crate::facts::event::Event;
use crate::facts::own_labels::asked_of;
use crate::facts::service::Service;
use crate::facts::workload::{Workload, WorkloadKind};
use crate::facts::{Gap, ObjectName, Resource, Snapshot};

/// The kinds of apps/v1 by their names in paths, and by those of their gaps. Others read workloads elsewhere.
pub(crate) const WORKLOADS: [(WorkloadKind, &str, &str); 4] = [
    (
        WorkloadKind::Deployment,
        "deployments",
        "deployments.apps in scope",
    ),
    (
        WorkloadKind::StatefulSet,
        "statefulsets",
        "statefulsets.apps in scope",
    ),
    (
        WorkloadKind::DaemonSet,
        "daemonsets",
        "daemonsets.apps in scope",
    ),
    (
        WorkloadKind::ReplicaSet,
        "replicasets",
        "replicasets.apps in scope",
    ),
];

/// Autoscalers, as gaps name them.
pub(crate) const AUTOSCALERS: &str = "horizontalpodautoscalers.autoscaling";

/// Which Events are read: warnings, and when the kubelet stops containers, which is `Normal` (`pkg/kubelet/events/event.go`).
pub(crate) const EVENTS: [(&str, &str); 2] = [("type", "Warning"), ("reason", "Killing")];

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Makers {
    pub(crate) workloads: Vec<Decoded<Workload>>,
    pub(crate) autoscalers: Vec<Autoscaler>,
    pub(crate) budgets: Vec<DisruptionBudget>,
    pub(crate) events: Vec<Event>,
    pub(crate) gaps: Vec<Gap>,
}

async fn workloads(
    scope: Scope<'_>,
    (kind, plural, name): (WorkloadKind, &str, &'static str),
) -> Part<Decoded<Workload>> {
    let path = collection(APPS, scope.namespace, plural);
    let mut read = answer(|raw| read::workload(kind, raw));
    let listed = list(scope.api, &path, &[], &mut read).await;
    part(Resource::PodMakers(name), listed)
}

/// Of autoscaling/v2, which servers have since 1.23; older ones have none here.
async fn autoscalers(scope: Scope<'_>) -> Part<Autoscaler> {
    let path = collection(AUTOSCALING, scope.namespace, "horizontalpodautoscalers");
    let listed = list(scope.api, &path, &[], &mut answer(read::horizontal)).await;
    match listed {
        Err(failure) if is_not_there(&failure) => Part {
            items: Vec::new(),
            gap: None,
        },
        listed => part(Resource::PodMakers(AUTOSCALERS), listed),
    }
}

/// Of policy/v1, which every server has since 1.21.
async fn budgets(scope: Scope<'_>) -> Part<DisruptionBudget> {
    let path = collection(POLICY, scope.namespace, "poddisruptionbudgets");
    let mut read = answer(read::disruption_budget);
    let listed = list(scope.api, &path, &[], &mut read).await;
    match listed {
        Err(failure) if is_not_there(&failure) => Part {
            items: Vec::new(),
            gap: None,
        },
        listed => part(Resource::Budgets, listed),
    }
}

fn is_not_there(failure: &Failure) -> bool {
    failure.is(StatusCode::NOT_FOUND)
}

async fn events(scope: Scope<'_>, (field, text): (&str, &str)) -> Part<Event> {
    let path = collection(CORE, scope.namespace, "events");
    let query = [("fieldSelector", format!("{field}={text}"))];
    let listed = list(scope.api, &path, &query, &mut answer(read::event)).await;
    part(Resource::Events, listed)
}

impl Makers {
    fn take<T>(&mut self, part: Part<T>) -> Vec<T> {
        self.gaps.extend(part.gap);
        part.items
    }
}

/// Reads them. A look at everything leaves out `ReplicaSets` and Events: there are many, and few would be shown. Budgets decide what
/// happens next, and nothing before.
pub(crate) async fn makers(scope: Scope<'_>) -> Makers {
    let named = !scope.request.targets.is_empty();
    let plays = scope.request.plays;
    let [deployments, stateful_sets, daemon_sets, replica_sets] = WORKLOADS;
    let sets = async {
        if named || plays {
            Some(workloads(scope, replica_sets).await)
        } else {
            None
        }
    };
    let said = async {
        if named {
            let [warnings, killing] = EVENTS;
            Some(tokio::join!(
                events(scope, warnings),
                events(scope, killing)
            ))
        } else {
            None
        }
    };
    let asked = async {
        if plays {
            Some(budgets(scope).await)
        } else {
            None
        }
    };
    let (deployments, stateful_sets, daemon_sets, sets, scalers, said, asked) = tokio::join!(
        workloads(scope, deployments),
        workloads(scope, stateful_sets),
        workloads(scope, daemon_sets),
        sets,
        autoscalers(scope),
        said,
        asked,
    );
    let mut found = Makers::default();
    let all = [deployments, stateful_sets, daemon_sets];
    for part in all.into_iter().chain(sets) {
        let items = found.take(part);
        found.workloads.extend(items);
    }
    found.autoscalers = found.take(scalers);
    if let Some(asked) = asked {
        found.budgets = found.take(asked);
    }
    if let Some((warnings, killing)) = said {
        found.events = found.take(warnings);
        // Both may fail for one reason.
        let one = killing.gap.filter(|gap| !found.gaps.contains(gap));
        found.gaps.extend(one);
        found.events.extend(killing.items);
    }
    found
}

/// Does a Service select pods of a workload?
fn selects(service: &Service, workload: &Workload) -> bool {
    let selector = service
        .selector
        .as_ref()
        .filter(|labels| !labels.is_empty());
    let same = service.name.namespace == workload.name.namespace;
    let asked = selector.and_then(|all| asked_of(workload.kind.name(), &workload.name.name, all));
    same && asked.is_some_and(|asked| {
        let mut asked = asked.iter();
        asked.all(|(key, value)| workload.pod_labels.get(key) == Some(value))
    })
}

/// Leaves out what has nothing to do with the Services and pods that are left, and old revisions.
pub(crate) fn keep_related(snapshot: &mut Snapshot, named: &BTreeSet<(WorkloadKind, ObjectName)>) {
    let made: BTreeSet<(String, ObjectName)> = snapshot
        .pods
        .iter()
        .filter_map(|pod| {
            let owner = pod.owner.as_ref()?;
            let name = ObjectName::new(&pod.name.namespace, &owner.name);
            Some((owner.kind.clone(), name))
        })
        .collect();
    let key = |workload: &Workload| (workload.kind.name().to_owned(), workload.name.clone());
    let above = |workload: &Workload| {
        let owner = workload.owner.as_ref()?;
        let name = ObjectName::new(&workload.name.namespace, &owner.name);
        Some((owner.kind.clone(), name))
    };
    let related: BTreeSet<_> = {
        let services = &snapshot.services;
        let selected = |workload: &Workload| services.iter().any(|one| selects(one, workload));
        let found = snapshot.workloads.iter().filter(|workload| {
            let target = named
                .iter()
                .any(|(kind, name)| workload.kind == *kind && workload.name == *name);
            let revision = workload.kind == WorkloadKind::ReplicaSet
                && workload.owner.is_some()
                && workload.replicas == Some(0);
            target || made.contains(&key(workload)) || (!revision && selected(workload))
        });
        // What a ReplicaSet belongs to comes along.
        found
            .flat_map(|workload| [Some(key(workload)), above(workload)])
            .flatten()
            .collect()
    };
    snapshot
        .workloads
        .retain(|workload| related.contains(&key(workload)));
    snapshot.autoscalers.retain(|scaler| {
        let name = ObjectName::new(&scaler.name.namespace, &scaler.target_name);
        related.contains(&(scaler.target_kind.clone(), name))
    });
    let of_pods = |budget: &DisruptionBudget| {
        let mut pods = snapshot.pods.iter();
        pods.any(|pod| pod.name.namespace == budget.name.namespace && budget.counts(&pod.labels))
    };
    snapshot.disruption_budgets.retain(of_pods);
    let pods: BTreeSet<_> = snapshot.pods.iter().map(|pod| &pod.name).collect();
    snapshot.events.retain(|event| match event.kind.as_str() {
        "Pod" => pods.contains(&event.about),
        kind => related.contains(&(kind.to_owned(), event.about.clone())),
    });
}
