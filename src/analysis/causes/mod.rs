//! Why is no pod ready, or why are there fewer than wanted?
//!
//! `makers.rs` asks who makes the pods and why there are fewer, `pod.rs` why one of them is not ready; `kind.rs` is what they may
//! find, and `words.rs` how it is said. The shapes of the objects are those of Kubernetes 1.36; what they tell is in `docs/reasons.md`.
#![deny(clippy::disallowed_methods)]

mod kind;
mod makers;
mod pod;
mod words;

pub use kind::{Cause, CauseKind, ContainerName, PodCause, Replacement, WaitsFor};

use std::collections::BTreeMap;
use std::rc::Rc;

use super::cluster::Cluster;
use crate::facts::ObjectRef;
use crate::facts::pod::Pod;
use crate::facts::service::Service;
use makers::{Maker, makers};
use pod::Why;

/// Adds what one pod says to what others say alike.
fn add(causes: &mut Vec<Cause>, why: Why, pod: &Pod, owner: &ObjectRef) {
    let alike = causes.iter_mut().find(|known| {
        matches!(&known.kind, CauseKind::Pod { why: other, owner: of, .. }
            if *other == why.cause && of == owner)
    });
    if let Some(known) = alike {
        known.pods.push(pod.name.name.clone());
        if let CauseKind::Pod { said, .. } = &mut known.kind
            && said.is_empty()
        {
            *said = why.said;
        }
        return;
    }
    causes.push(Cause {
        kind: CauseKind::Pod {
            why: why.cause,
            owner: owner.clone(),
            said: why.said,
        },
        object: why.object,
        path: why.path,
        pods: vec![pod.name.name.clone()],
    });
}

/// Why the pods of one maker are not ready.
fn of_pods<'a>(maker: &Maker<'a>, cluster: &Cluster<'a>) -> Vec<Cause> {
    let mut causes = Vec::new();
    for pod in maker.active.iter().copied().filter(|pod| !pod.is_ready()) {
        let why = pod::why(pod, &cluster.index.events_of_pod(pod), cluster);
        add(&mut causes, why, pod, &maker.owner);
    }
    let alone = maker.owner.kind == "Pod" && !maker.active.iter().any(|pod| pod.is_ready());
    // Others were made in place of those at their end.
    let replaced = maker
        .wanted()
        .is_some_and(|wanted| maker.active.len() >= wanted);
    for pod in maker.ended.iter().copied().filter(|_| !replaced) {
        let why = pod::why_ended(pod);
        let why = why.or_else(|| alone.then(|| pod::ended_for_good(pod)));
        if let Some(why) = why {
            add(&mut causes, why, pod, &maker.owner);
        }
    }
    causes
}

/// What stands first: what somebody must mend, then what only takes time, then what is so besides.
const fn rank(kind: &CauseKind) -> u8 {
    match kind {
        CauseKind::ReplicasZero { .. } | CauseKind::PodsRefused { .. } => 0,
        CauseKind::Pod { why, .. } => match why {
            PodCause::NotScheduled
            | PodCause::Starting
            | PodCause::InitRuns(_)
            | PodCause::StartupProbe(_)
            | PodCause::ReadinessProbe(_) => 3,
            _ => 1,
        },
        CauseKind::AllTerminating { .. } => 2,
        CauseKind::PodsMissing { .. } => 4,
        CauseKind::RolloutStuck { .. } | CauseKind::RolloutPaused => 5,
    }
}

/// Why a Service has no ready pod, or fewer than its workloads want; what must be mended first, then what holds back most pods. `pods` are
/// those that it selects, `None` where they are not known.
#[must_use]
pub fn causes<'a>(
    service: &'a Service,
    pods: Option<&[&'a Pod]>,
    cluster: &Cluster<'a>,
) -> Rc<[Cause]> {
    let mut causes = Vec::new();
    for maker in makers(service, pods, cluster) {
        if let Some(zero) = maker.zero(cluster) {
            causes.push(zero);
            continue;
        }
        if !maker.is_short(pods.is_some()) {
            continue;
        }
        let refused = maker.refused(cluster);
        let is_refused = refused.is_some();
        causes.extend(refused);
        if pods.is_some() {
            causes.extend(of_pods(&maker, cluster));
            causes.extend(maker.all_terminating());
            causes.extend(maker.missing().filter(|_| !is_refused));
        }
        causes.extend(maker.rollout());
    }
    causes.sort_by_key(|cause| (rank(&cause.kind), std::cmp::Reverse(cause.pods.len())));
    causes.into()
}

/// Services that have the same causes: those of one namespace that select the same.
type Selected<'a> = (&'a str, Option<&'a BTreeMap<String, String>>);

/// Looks for causes once for Services that select the same: a thousand of them may select a thousand workloads. Forgotten once the last
/// of them has asked.
#[derive(Debug)]
pub struct Causes<'a> {
    waiting: BTreeMap<Selected<'a>, Waiting>,
}

/// How many of them have not asked yet, and what the others got.
type Waiting = (usize, Option<Rc<[Cause]>>);

fn selected(service: &Service) -> Selected<'_> {
    (&service.name.namespace, service.selector.as_ref())
}

impl<'a> Causes<'a> {
    /// Counts who will ask.
    #[must_use]
    pub fn new(services: &[&'a Service]) -> Self {
        let mut waiting: BTreeMap<_, (usize, _)> = BTreeMap::new();
        for service in services {
            waiting.entry(selected(service)).or_insert((0, None)).0 += 1;
        }
        Self { waiting }
    }

    /// The causes of one of the Services, as [`causes()`] finds them.
    pub(super) fn of(
        &mut self,
        service: &'a Service,
        pods: Option<&[&'a Pod]>,
        cluster: &Cluster<'a>,
    ) -> Rc<[Cause]> {
        let Some((others, known)) = self.waiting.get_mut(&selected(service)) else {
            return causes(service, pods, cluster);
        };
        let found = known.get_or_insert_with(|| causes(service, pods, cluster));
        let found = Rc::clone(found);
        *others = others.saturating_sub(1);
        if *others == 0 {
            *known = None;
        }
        found
    }
}
