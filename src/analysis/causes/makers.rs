//! Whose pods are behind a Service, how many does each owner want, and why are there fewer?

use std::collections::BTreeMap;

use super::kind::{Cause, CauseKind, Replacement, WaitsFor};
use super::pod::fails;
use crate::analysis::Cluster;
use crate::analysis::workload::{answers_for, owner_of};
use crate::facts::ObjectRef;
use crate::facts::pod::{Owner, Pod};
use crate::facts::service::Service;
use crate::facts::workload::{Strategy, Workload, WorkloadKind};

/// Who makes pods, with those of them that a Service selects.
#[derive(Debug)]
pub(super) struct Maker<'a> {
    pub(super) owner: ObjectRef,
    /// The object itself, if it was read.
    pub(super) workload: Option<&'a Workload>,
    /// Its `ReplicaSets` that want pods, if they were read.
    sets: Vec<&'a Workload>,
    /// The Service selects each of its pods, not only some by their own labels.
    whole: bool,
    /// Its pods that are neither being deleted nor at their end.
    pub(super) active: Vec<&'a Pod>,
    /// Those that are being deleted.
    pub(super) ending: Vec<&'a Pod>,
    /// Those at their end.
    pub(super) ended: Vec<&'a Pod>,
}

impl<'a> Maker<'a> {
    fn new(owner: ObjectRef, cluster: &Cluster<'a>) -> Self {
        Self {
            workload: cluster.disruption.workload(&owner.kind, &owner.name),
            owner,
            sets: Vec::new(),
            whole: false,
            active: Vec::new(),
            ending: Vec::new(),
            ended: Vec::new(),
        }
    }

    /// How many pods it wants behind the Service; `None` where that is not known.
    pub(super) fn wanted(&self) -> Option<usize> {
        let Some(workload) = self.workload else {
            let sets = self.sets.iter().map(|set| set.replicas.unwrap_or(1));
            let sum = sets.fold(0_i64, i64::saturating_add);
            let known = self.whole && !self.sets.is_empty();
            return usize::try_from(sum).ok().filter(|_| known);
        };
        let number = if workload.kind == WorkloadKind::DaemonSet {
            workload.status.as_ref()?.desired?
        } else {
            workload.replicas.or_else(|| {
                let apps = workload.kind.api_version() == "apps/v1";
                apps.then_some(1)
            })?
        };
        // 0 is 0, whichever of the pods are selected.
        (self.whole || number == 0).then_some(usize::try_from(number).unwrap_or(0))
    }

    /// Its ready pods, where they could be read; else what its controller counts.
    fn ready(&self, pods_known: bool) -> Option<usize> {
        if pods_known {
            return Some(self.active.iter().filter(|pod| pod.is_ready()).count());
        }
        let status = self.workload?.status.as_ref()?;
        usize::try_from(status.ready).ok()
    }

    /// Has it fewer ready pods than it wants? Where that number is not known, is one of them not ready?
    pub(super) fn is_short(&self, pods_known: bool) -> bool {
        match (self.wanted(), self.ready(pods_known)) {
            (Some(wanted), Some(ready)) => ready < wanted,
            (None, Some(ready)) => {
                let all = self.active.len() + self.ending.len() + self.ended.len();
                ready < self.active.len() || (ready == 0 && all > 0)
            }
            (_, None) => false,
        }
    }

    fn object(&self) -> ObjectRef {
        self.workload.map_or_else(|| self.owner.clone(), Into::into)
    }

    fn says(&self, kind: CauseKind, path: Option<&'static str>) -> Cause {
        Cause {
            kind,
            object: self.object(),
            path: path.map(Into::into),
            pods: Vec::new(),
        }
    }

    /// It wants no pods.
    pub(super) fn zero(&self, cluster: &Cluster<'a>) -> Option<Cause> {
        if self.wanted() != Some(0) {
            return None;
        }
        let workload = self.workload?;
        let path = if workload.kind == WorkloadKind::DaemonSet {
            "status.desiredNumberScheduled"
        } else {
            "spec.replicas"
        };
        // A HorizontalPodAutoscaler that may not set 0 leaves alone what is scaled to 0 (`pkg/controller/podautoscaler/horizontal.go`);
        // that of a ScaledObject is switched off at 0 by KEDA, which sets it.
        let scalers = cluster.disruption.autoscalers(workload);
        let by = scalers.iter().find_map(|scaler| {
            let keda = scaler.owner.as_ref();
            let keda = keda.filter(|owner| owner.kind == "ScaledObject");
            match keda {
                Some(owner) => Some(ObjectRef::new(
                    "keda.sh/v1alpha1",
                    &owner.kind,
                    crate::facts::ObjectName::new(&workload.name.namespace, &owner.name),
                )),
                None => (scaler.least <= 0).then(|| ObjectRef::from(*scaler)),
            }
        });
        Some(self.says(CauseKind::ReplicasZero { by }, Some(path)))
    }

    /// The API server refuses its pods.
    pub(super) fn refused(&self, cluster: &Cluster<'a>) -> Option<Cause> {
        let own = self.workload.into_iter();
        for workload in own.chain(self.sets.iter().copied()) {
            let failure = workload.condition("ReplicaFailure");
            if let Some(failure) = fails(failure, &["FailedCreate"]).filter(|one| one.is_true) {
                return Some(Cause {
                    kind: CauseKind::PodsRefused {
                        said: failure.message.clone(),
                    },
                    object: workload.into(),
                    path: Some("status.conditions[ReplicaFailure].message".into()),
                    pods: Vec::new(),
                });
            }
        }
        // These have no conditions.
        if !["StatefulSet", "DaemonSet"].contains(&self.owner.kind.as_str())
            || self
                .wanted()
                .is_none_or(|wanted| self.active.len() >= wanted)
        {
            return None;
        }
        let newest = self.active.iter().filter_map(|pod| pod.created).max();
        let failed = cluster
            .index
            .events(&self.owner.kind, &self.owner.name)
            .iter();
        let failed = failed.filter(|event| event.reason == "FailedCreate" && event.last >= newest);
        let failed = failed.max_by_key(|event| event.last)?;
        let kind = CauseKind::PodsRefused {
            said: failed.message.clone(),
        };
        Some(self.says(kind, None))
    }

    /// Does it make the next pod only when an old one is gone?
    fn replaces_late(&self) -> bool {
        match (
            self.workload.map(|workload| workload.strategy),
            self.owner.kind.as_str(),
        ) {
            (Some(Strategy::RollingUpdate { max_surge, .. }), "DaemonSet") => {
                max_surge.is_none_or(|surge| surge.rounded_up(100) == 0)
            }
            (_, "StatefulSet" | "DaemonSet") | (Some(Strategy::Recreate), _) => true,
            _ => false,
        }
    }

    /// Every pod is being deleted, and no other is ready.
    pub(super) fn all_terminating(&self) -> Option<Cause> {
        if self.ending.is_empty() || self.active.iter().any(|pod| pod.is_ready()) {
            return None;
        }
        let then = match self.active.len() {
            0 if self.owner.kind == "Pod" => Replacement::Nobody,
            0 if self.replaces_late() => Replacement::AfterOld,
            0 => Replacement::NotMade,
            number => Replacement::NotReady(number),
        };
        let number = self.ending.len();
        let owner = self.owner.clone();
        let first = self.ending.first()?;
        Some(Cause {
            kind: CauseKind::AllTerminating {
                number,
                then,
                owner,
            },
            object: (*first).into(),
            path: Some("metadata.deletionTimestamp".into()),
            pods: self
                .ending
                .iter()
                .map(|pod| pod.name.name.clone())
                .collect(),
        })
    }

    /// It has made fewer pods than it wants.
    pub(super) fn missing(&self) -> Option<Cause> {
        let wanted = self.wanted()?;
        let made = self.active.len();
        if made >= wanted || (made == 0 && !self.ending.is_empty()) {
            return None;
        }
        let workload = self.workload;
        let unseen = workload.is_some_and(|workload| {
            let seen = workload.status.as_ref().and_then(|status| status.observed);
            seen < workload.generation
        });
        let one_by_one = workload.is_some_and(|workload| workload.one_by_one);
        let waits = if unseen {
            Some(WaitsFor::Controller)
        } else if one_by_one && self.active.iter().any(|pod| !pod.is_ready()) {
            Some(WaitsFor::EarlierPod)
        } else if !self.ending.is_empty() && self.replaces_late() {
            Some(WaitsFor::OldPods)
        } else {
            None
        };
        let kind = CauseKind::PodsMissing {
            made,
            wanted,
            waits,
        };
        Some(self.says(
            kind,
            Some("spec.replicas").filter(|_| self.owner.kind != "DaemonSet"),
        ))
    }

    /// Its rollout does not come on.
    pub(super) fn rollout(&self) -> Vec<Cause> {
        let Some(workload) = self.workload else {
            return Vec::new();
        };
        let mut causes = Vec::new();
        let progressing = workload.condition("Progressing");
        let stuck = ["ProgressDeadlineExceeded", "ReplicaSetCreateError"];
        if let Some(stuck) = fails(progressing, &stuck) {
            let kind = CauseKind::RolloutStuck {
                reason: stuck.reason.clone(),
                said: stuck.message.clone(),
            };
            causes.push(self.says(kind, Some("status.conditions[Progressing].reason")));
        }
        if workload.paused {
            causes.push(self.says(CauseKind::RolloutPaused, Some("spec.paused")));
        }
        causes
    }
}

/// Makers, each once.
#[derive(Default)]
struct Makers<'a> {
    all: Vec<Maker<'a>>,
    places: BTreeMap<ObjectRef, usize>,
}

impl<'a> Makers<'a> {
    /// The place of the one that answers for an owner's pods.
    fn at(&mut self, owner: ObjectRef, cluster: &Cluster<'a>) -> usize {
        if let Some(at) = self.places.get(&owner) {
            return *at;
        }
        let at = self.all.len();
        self.all.push(Maker::new(owner.clone(), cluster));
        self.places.insert(owner, at);
        at
    }
}

/// Who makes the pods that a Service selects, whether or not there are any.
pub(super) fn makers<'a>(
    service: &'a Service,
    pods: Option<&[&'a Pod]>,
    cluster: &Cluster<'a>,
) -> Vec<Maker<'a>> {
    let mut makers = Makers::default();
    // Pods that nobody made stand in for each other.
    let mut alone: Option<ObjectRef> = None;
    // Pods of one owner mostly come one after the other.
    let mut before: Option<(&Owner, usize)> = None;
    for pod in pods.into_iter().flatten().copied() {
        let direct = pod.owner.as_ref();
        let at = match (direct, before) {
            (Some(owner), Some((same, at))) if owner == same => at,
            _ => {
                let mut owner = owner_of(pod, &cluster.disruption);
                if owner.kind == "Pod" {
                    owner = alone.get_or_insert(owner).clone();
                }
                makers.at(owner, cluster)
            }
        };
        before = direct.map(|owner| (owner, at));
        let maker = &mut makers.all[at];
        if pod.is_terminal() {
            maker.ended.push(pod);
        } else if pod.deletion.is_some() {
            maker.ending.push(pod);
        } else {
            maker.active.push(pod);
        }
    }
    for workload in cluster.index.templates(service).iter().copied() {
        let set = workload.kind == WorkloadKind::ReplicaSet && workload.owner.is_some();
        // An old revision, kept for a rollback.
        if set && workload.replicas == Some(0) {
            continue;
        }
        let selector = service.selector.iter().flatten();
        let mut selector = selector.map(|(key, value)| workload.pod_labels.get(key) == Some(value));
        let whole = selector.all(|has| has);
        let at = makers.at(answers_for(workload), cluster);
        let maker = &mut makers.all[at];
        maker.whole |= whole;
        if set {
            maker.sets.push(workload);
        }
    }
    makers.all.sort_by(|one, other| one.owner.cmp(&other.owner));
    makers.all
}
