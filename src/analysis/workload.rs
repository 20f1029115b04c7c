//! Which workloads, or pods without owner, are behind the Services, and on which kubelets may their pods end?

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::budgets::{Asking, Budgets};
use super::cluster::Cluster;
use super::declarations::Declarations;
use super::disruption::Disruption;
use super::scrape::is_for_scrapes;
use super::serves::{Leading, Serves, serves};
use super::shutdown;
use super::sources;
use crate::controllers::selectors::{Selectors, Services};
use crate::facts::pod::Pod;
use crate::facts::pod_spec::PodSpec;
use crate::facts::service::Service;
use crate::facts::version::KubeVersion;
use crate::facts::workload::{TEMPLATE_HASH, Workload, WorkloadKind};
use crate::facts::{ObjectName, ObjectRef, Resource};
use crate::gates::behaviour::NEWEST_MINOR;
use crate::shutdown::Shutdown;
use crate::sources::Budget;

/// Pods that end alike, with whoever answers for them, and everything that is concluded about them.
#[derive(Debug)]
pub struct WorkloadAnalysis<'a> {
    /// Who answers for them: a controller, or the pod itself.
    pub owner: ObjectRef,
    /// The object with the pod template, if it was read.
    pub workload: Option<&'a Workload>,
    /// The labels of the pods, or of the template where there is no pod.
    pub labels: &'a BTreeMap<String, String>,
    /// The annotations likewise.
    pub annotations: &'a BTreeMap<String, String>,
    /// What they run.
    pub spec: &'a PodSpec,
    /// The pods that were read.
    pub pods: Vec<&'a Pod>,
    /// The Services that send them connections, by name.
    pub services: Services<'a>,
    /// The same as findings name them.
    pub service_objects: Arc<[ObjectRef]>,
    /// The versions of the kubelets that the pods are on, or may come to, oldest first; empty where none is known.
    pub kubelets: BTreeSet<KubeVersion>,
    /// The kubelet that they are judged by: the oldest of those, else the newest known.
    pub kubelet: KubeVersion,
    /// What annotations and `--drain-seconds` declare of how long things take.
    pub declared: Declarations,
    /// How the pods end on that kubelet, in seconds from the delete.
    pub shutdown: Shutdown,
    /// The main containers that the Services lead to, in the order of the spec.
    pub serves: Vec<Serves<'a>>,
    /// What the traffic sources of each Service ask of preStop and the grace period.
    pub budgets: Budgets<'a>,
}

impl<'a> WorkloadAnalysis<'a> {
    fn of(
        pods: AlikePods<'a>,
        cluster: &Cluster<'a>,
        (leading, asking): (&Leading<'a>, &Asking<'a>),
    ) -> Self {
        let AlikePods {
            owner,
            workload,
            labels,
            annotations,
            spec,
            pods,
            services,
            kubelets,
        } = pods;
        let oldest = kubelets.first().copied();
        let kubelet = oldest.unwrap_or(KubeVersion::minor(NEWEST_MINOR));
        let declared = Declarations::new(annotations, cluster.assumptions.drain_seconds)
            .within(cluster.assumptions.hook_steps);
        let shutdown = shutdown::on_kubelet(spec, kubelet, &declared);
        let timing = sources::pod_timing(spec, &declared, &shutdown);
        Self {
            serves: serves(
                (spec, annotations),
                &services,
                timing,
                (leading, asking, cluster),
            ),
            budgets: asking.budgets(&services, timing, cluster),
            service_objects: asking.objects(&services, cluster),
            owner,
            workload,
            labels,
            annotations,
            spec,
            pods,
            services,
            kubelets,
            kubelet,
            declared,
            shutdown,
        }
    }

    /// Is the kubelet that they are judged by one that was read or assumed?
    #[must_use]
    pub fn kubelet_is_known(&self) -> bool {
        !self.kubelets.is_empty()
    }

    /// Do nothing but scrapes of metrics come to them?
    #[must_use]
    pub fn is_only_scraped(&self) -> bool {
        if self.serves.is_empty() {
            // A port that no container declares leads to none; the Service may tell all the same.
            let mut services = self.services.iter();
            return services.len() > 0 && services.all(|service| is_for_scrapes(service));
        }
        self.serves.iter().all(|each| each.scrape.is_some())
    }

    /// What the traffic sources of one of its Services ask for.
    #[must_use]
    pub fn budget_for(&self, service: &ObjectName) -> Option<&Budget> {
        self.budgets.of(service)
    }

    /// How the pods would end on another kubelet, whatever `--drain-seconds` says.
    #[must_use]
    pub fn shutdown_on(&self, kubelet: KubeVersion) -> Shutdown {
        let declared = self.declared.clone().without_drain_seconds();
        shutdown::on_kubelet(self.spec, kubelet, &declared)
    }

    /// The path of the pod spec in the object that answers for the pods.
    #[must_use]
    pub fn spec_path(&self) -> &'static str {
        match self.owner.kind.as_str() {
            "Pod" => "spec",
            "CronJob" => "spec.jobTemplate.spec.template.spec",
            _ => "spec.template.spec",
        }
    }
}

/// Pods that run the same, before anything is concluded about them.
#[derive(Debug)]
struct AlikePods<'a> {
    owner: ObjectRef,
    workload: Option<&'a Workload>,
    labels: &'a BTreeMap<String, String>,
    annotations: &'a BTreeMap<String, String>,
    spec: &'a PodSpec,
    pods: Vec<&'a Pod>,
    services: Services<'a>,
    kubelets: BTreeSet<KubeVersion>,
}

fn api_version(kind: &str) -> &'static str {
    match kind {
        "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" => "apps/v1",
        "Job" | "CronJob" => "batch/v1",
        "Pod" | "ReplicationController" | "Node" => "v1",
        _ => "",
    }
}

fn owner(kind: &str, namespace: &str, name: &str) -> ObjectRef {
    ObjectRef::new(api_version(kind), kind, ObjectName::new(namespace, name))
}

/// Who answers for a pod. A Deployment names its `ReplicaSets` after itself and the template's hash
/// (`pkg/controller/deployment/sync.go`, `getNewReplicaSet`), so it is known without them.
#[must_use]
pub fn owner_of(pod: &Pod, known: &Disruption<'_>) -> ObjectRef {
    let namespace = pod.name.namespace.as_str();
    let Some(direct) = &pod.owner else {
        return owner("Pod", namespace, &pod.name.name);
    };
    if direct.kind == "ReplicaSet" {
        let set = known.workload(&direct.kind, &ObjectName::new(namespace, &direct.name));
        if let Some(above) = set.and_then(|set| set.owner.as_ref()) {
            return owner(&above.kind, namespace, &above.name);
        }
        let hash = pod.labels.get(TEMPLATE_HASH).map(|hash| format!("-{hash}"));
        let deployment = hash.and_then(|hash| direct.name.strip_suffix(&hash));
        if let Some(name) = deployment.filter(|_| set.is_none()) {
            return owner("Deployment", namespace, name);
        }
    }
    owner(&direct.kind, namespace, &direct.name)
}

/// Who answers for the pods of a workload: the workload, or for a `ReplicaSet` what it belongs to.
#[must_use]
pub fn answers_for(workload: &Workload) -> ObjectRef {
    match &workload.owner {
        Some(above) if workload.kind == WorkloadKind::ReplicaSet => {
            owner(&above.kind, &workload.name.namespace, &above.name)
        }
        _ => ObjectRef::from(workload),
    }
}

/// A `ReplicaSet` of a Deployment that was read too is only one of its revisions.
fn stands_for_itself(workload: &Workload, cluster: &Cluster<'_>) -> bool {
    let owner = workload.owner.as_ref();
    owner.is_none_or(|above| {
        let name = ObjectName::new(&workload.name.namespace, &above.name);
        cluster.disruption.workload(&above.kind, &name).is_none()
    })
}

/// Everything behind these Services: pods by their owners, and templates whose pods were not read. Pods of one owner that run
/// different specs (in the middle of a rollout) stand apart.
#[must_use]
pub fn workloads<'a>(
    services: &[&'a Service],
    cluster: &Cluster<'a>,
) -> Vec<Rc<WorkloadAnalysis<'a>>> {
    gathered(services, cluster, false)
}

/// The same, with what is behind none of them.
#[must_use]
pub fn everyone<'a>(
    services: &[&'a Service],
    cluster: &Cluster<'a>,
) -> Vec<Rc<WorkloadAnalysis<'a>>> {
    gathered(services, cluster, true)
}

fn gathered<'a>(
    services: &[&'a Service],
    cluster: &Cluster<'a>,
    unserved_too: bool,
) -> Vec<Rc<WorkloadAnalysis<'a>>> {
    let snapshot = cluster.snapshot;
    let on_node: BTreeMap<_, _> = snapshot
        .nodes
        .iter()
        .filter_map(|node| Some((node.name.as_str(), node.kubelet?)))
        .collect();
    let assumed = cluster.assumptions.version;
    let everywhere: BTreeSet<_> = match assumed {
        Some(version) => BTreeSet::from([version]),
        None => on_node.values().copied().collect(),
    };
    let selectors = Selectors::new(services.iter().copied());
    let mut by_owner: BTreeMap<ObjectRef, Vec<AlikePods<'a>>> = BTreeMap::new();
    let pods = if cluster.index.has_read(Resource::Pods) {
        snapshot.pods.as_slice()
    } else {
        &[]
    };
    for pod in pods.iter().filter(|pod| !pod.is_terminal()) {
        let behind = selectors.of(&pod.name.namespace, &pod.labels);
        if behind.is_empty() && !unserved_too {
            continue;
        }
        let owner = owner_of(pod, &cluster.disruption);
        let node = pod.node.as_deref().and_then(|node| on_node.get(node));
        let kubelets = match (assumed, node) {
            (None, Some(version)) => BTreeSet::from([*version]),
            _ => everywhere.clone(),
        };
        let alike = by_owner.entry(owner.clone()).or_default();
        if let Some(known) = alike.iter_mut().find(|known| *known.spec == *pod.spec) {
            known.pods.push(pod);
            known.kubelets.extend(kubelets);
            continue;
        }
        let workload = cluster.disruption.workload(&owner.kind, &owner.name);
        alike.push(AlikePods {
            owner,
            workload,
            labels: &pod.labels,
            annotations: &pod.annotations,
            spec: &pod.spec,
            pods: vec![pod],
            services: behind,
            kubelets,
        });
    }
    for workload in &snapshot.workloads {
        let behind = selectors.of_template(workload);
        let owner = ObjectRef::from(workload);
        // Its pods were read, and tell as much.
        let known = by_owner.get(&owner).is_some_and(|pods| {
            behind.is_empty() || pods.iter().any(|alike| !alike.services.is_empty())
        });
        if (behind.is_empty() && !unserved_too) || known || !stands_for_itself(workload, cluster) {
            continue;
        }
        // An old revision, kept for a rollback.
        let set = workload.kind == WorkloadKind::ReplicaSet && workload.owner.is_some();
        // A server that shows one and not its owner shows its pods, or none is made; no finding is about it then.
        let revision = set && (workload.replicas == Some(0) || snapshot.complete);
        if revision {
            continue;
        }
        by_owner.entry(owner.clone()).or_default().push(AlikePods {
            owner,
            workload: Some(workload),
            labels: &workload.pod_labels,
            annotations: &workload.template.annotations,
            spec: &workload.template.spec,
            pods: Vec::new(),
            services: behind,
            kubelets: everywhere.clone(),
        });
    }
    let shared = (&Leading::default(), &Asking::default());
    let alike = by_owner.into_values().flatten();
    alike
        .map(|pods| Rc::new(WorkloadAnalysis::of(pods, cluster, shared)))
        .collect()
}
