//! What something may be tried with, found by name, and named as `--set` takes it.

use std::collections::{BTreeMap, BTreeSet};

use crate::controllers::pods;
use crate::facts::pod::Pod;
use crate::facts::workload::{Kind, Workload, WorkloadKind};
use crate::facts::{ObjectName, Snapshot};
use crate::report::v1::ServiceTimeline;
use crate::simulate::scenario::WorkloadName;

/// The word of a `PodDisruptionBudget` in `--set`.
const BUDGET: &str = "pdb";

/// The word of a kind in `--set`.
const fn word(kind: WorkloadKind) -> &'static str {
    match kind {
        WorkloadKind::Deployment => "deploy",
        WorkloadKind::StatefulSet => "sts",
        WorkloadKind::DaemonSet => "ds",
        WorkloadKind::ReplicaSet => "rs",
    }
}

/// A workload that can be set.
pub(super) fn named(workload: &Workload) -> Option<WorkloadName> {
    match workload.kind {
        Kind::Apps(kind) => Some((kind, workload.name.clone())),
        Kind::Other { .. } => None,
    }
}

/// What something may be tried with, by name.
pub(super) struct Known<'f> {
    pub(super) facts: &'f Snapshot,
    pub(super) pods: BTreeMap<&'f ObjectName, &'f Pod>,
    /// By the word of their kind in an owner reference.
    workloads: BTreeMap<(&'f str, &'f ObjectName), &'f Workload>,
    /// What has its name in several namespaces of the input, and so is named with its own: `deploy`, `web`.
    in_several: BTreeSet<(&'static str, &'f str)>,
}

impl<'f> Known<'f> {
    /// Of the facts where it happens, in all of the input.
    pub(super) fn new(facts: &'f Snapshot, all: &'f Snapshot) -> Self {
        let workloads = facts.workloads.iter();
        let workloads = workloads.map(|one| ((one.kind.name(), &one.name), one));
        let pods = facts.pods.iter().map(|pod| (&pod.name, pod));
        Self {
            facts,
            pods: pods.collect(),
            workloads: workloads.collect(),
            in_several: in_several(all),
        }
    }

    /// What keeps a pod, as `--set` names it: the Deployment of its `ReplicaSet`.
    pub(super) fn keeper(&self, pod: &Pod) -> Option<&'f Workload> {
        let owner = pod.owner.as_ref().filter(|owner| owner.controller)?;
        let find = |kind: &str, name: &str| {
            let name = ObjectName::new(&pod.name.namespace, name);
            self.workloads.get(&(kind, &name)).copied()
        };
        let first = find(&owner.kind, &owner.name)?;
        match &first.owner {
            Some(above) if above.kind == "Deployment" => find("Deployment", &above.name),
            _ => Some(first),
        }
    }

    /// `deploy/web`, or `deploy/shop/web` where others have that name.
    fn called(&self, kind: &'static str, name: &ObjectName) -> String {
        if self.in_several.contains(&(kind, name.name.as_str())) {
            format!("{kind}/{}/{}", name.namespace, name.name)
        } else {
            format!("{kind}/{}", name.name)
        }
    }

    pub(super) fn of(&self, name: &WorkloadName) -> String {
        self.called(word(name.0), &name.1)
    }

    pub(super) fn budget(&self, name: &ObjectName) -> String {
        self.called(BUDGET, name)
    }

    /// The workloads whose pods a Service lost, or has.
    pub(super) fn workloads(&self, service: &ServiceTimeline) -> Vec<&'f Workload> {
        if self.pods.is_empty() {
            return selected(service, self.facts);
        }
        let mut found: Vec<&Workload> = Vec::new();
        for pod in &service.pods {
            let name = ObjectName::new(&service.namespace, &pod.name);
            let pod = self.pods.get(&name);
            if let Some(workload) = pod.and_then(|pod| self.keeper(pod))
                && !found.iter().any(|known| std::ptr::eq(*known, workload))
            {
                found.push(workload);
            }
        }
        found
    }
}

/// Names that stand in several namespaces. A budget that is made gets the name of its workload.
fn in_several(all: &Snapshot) -> BTreeSet<(&'static str, &str)> {
    let workloads = all.workloads.iter().flat_map(|one| {
        let kind = named(one).map(|(kind, _)| kind);
        let kept = [WorkloadKind::Deployment, WorkloadKind::StatefulSet];
        let counted = kind.filter(|kind| kept.contains(kind)).map(|_| BUDGET);
        let words = kind.map(word).into_iter().chain(counted);
        words.map(|word| (word, &one.name))
    });
    let budgets = all.disruption_budgets.iter();
    let budgets = budgets.map(|budget| (BUDGET, &budget.name));
    let mut namespaces: BTreeMap<(&'static str, &str), BTreeSet<&str>> = BTreeMap::new();
    for (word, name) in workloads.chain(budgets) {
        let here = namespaces.entry((word, &name.name)).or_default();
        here.insert(&name.namespace);
    }
    let several = namespaces.into_iter().filter(|(_, here)| here.len() > 1);
    several.map(|(name, _)| name).collect()
}

/// The workloads of manifests that a Service selects.
fn selected<'f>(service: &ServiceTimeline, facts: &'f Snapshot) -> Vec<&'f Workload> {
    let name = ObjectName::new(&service.namespace, &service.name);
    let known = facts.services.iter().find(|one| one.name == name);
    let selector = known.and_then(|service| service.selector.as_ref());
    let workloads = facts.workloads.iter().filter(|workload| {
        workload.name.namespace == name.namespace
            && selector.is_some_and(|asks| pods::selects(asks, &workload.pod_labels))
    });
    workloads.collect()
}
