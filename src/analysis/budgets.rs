//! What do the traffic sources of all Services behind which pods stand ask of them?
//!
//! A thousand Deployments of one label are behind the same thousand Services: what those ask is worked out once, and not a million times.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::cluster::Cluster;
use crate::controllers::selectors::Services;
use crate::facts::service::Service;
use crate::facts::{ObjectName, ObjectRef};
use crate::sources::{Budget, DetectedSources, PodTiming, budget};

/// What the traffic sources of some Services ask of preStop and the grace period. Services that ask the same stand once.
#[derive(Debug, Clone)]
pub struct Budgets<'a> {
    kinds: Rc<BTreeMap<&'a ObjectName, Kind>>,
    asked: Asked<'a>,
}

/// Which Services ask the same.
type Kind = usize;

/// The last Service of each kind by name, and what it asks.
type Asked<'a> = Rc<[(Kind, &'a Service, Rc<Budget>)]>;

impl<'a> Budgets<'a> {
    /// What the traffic sources of one of the Services ask.
    #[must_use]
    pub fn of(&self, service: &ObjectName) -> Option<&Budget> {
        let kind = self.kinds.get(service)?;
        let mut asked = self.asked.iter();
        asked.find_map(|(known, _, budget)| (known == kind).then_some(&**budget))
    }

    /// What is asked, once for all Services that ask the same: with the last of them, by name.
    pub fn each(&self) -> impl Iterator<Item = (&'a Service, &Budget)> {
        let asked = self.asked.iter();
        asked.map(|(_, service, budget)| (*service, &**budget))
    }
}

/// The list itself, not what it holds: who has the same Services has the same list.
fn address(services: &Services<'_>) -> usize {
    Rc::as_ptr(services).cast::<()>() as usize
}

/// Seconds as a key.
type TimingKey = [Option<u64>; 2];

fn key(timing: PodTiming) -> TimingKey {
    [timing.grace_period, timing.longest_request].map(|seconds| seconds.map(f64::to_bits))
}

/// What was worked out for pods behind some Services, for others behind the same ones.
#[derive(Debug, Default)]
pub(super) struct Asking<'a> {
    lists: RefCell<BTreeMap<usize, List<'a>>>,
    sources: RefCell<Kinds<'a>>,
    budgets: RefCell<BTreeMap<(Kind, TimingKey), Rc<Budget>>>,
    asked: RefCell<BTreeMap<(usize, TimingKey), Asked<'a>>>,
}

/// What is known of a list of Services.
#[derive(Debug)]
struct List<'a> {
    /// Keeps the address from being used again.
    _services: Services<'a>,
    objects: Arc<[ObjectRef]>,
    kinds: Rc<BTreeMap<&'a ObjectName, Kind>>,
}

/// Services by what they ask.
#[derive(Debug, Default)]
struct Kinds<'a> {
    of: BTreeMap<&'a ObjectName, Kind>,
    /// The sources of the first Service of a kind that others may be of, too.
    shared: Vec<(Kind, Rc<DetectedSources<'a>>)>,
    next: Kind,
}

impl<'a> Kinds<'a> {
    fn kind(&mut self, service: &'a Service, cluster: &Cluster<'a>) -> Kind {
        if let Some(known) = self.of.get(&service.name) {
            return *known;
        }
        let sources = cluster.sources(service);
        let mut shared = self.shared.iter();
        let alike = shared.find(|(_, other)| sources.asks_as(other));
        let kind = alike.map_or(self.next, |(kind, _)| *kind);
        if kind == self.next {
            self.next += 1;
            if sources.asks_as(&sources) {
                self.shared.push((kind, sources));
            }
        }
        self.of.insert(&service.name, kind);
        kind
    }
}

impl<'a> Asking<'a> {
    fn list<T>(
        &self,
        services: &Services<'a>,
        cluster: &Cluster<'a>,
        read: impl Fn(&List<'a>) -> T,
    ) -> T {
        let mut lists = self.lists.borrow_mut();
        let list = lists.entry(address(services)).or_insert_with(|| {
            let mut sources = self.sources.borrow_mut();
            let each = services.iter().copied();
            List {
                _services: Rc::clone(services),
                objects: each.clone().map(ObjectRef::from).collect(),
                kinds: Rc::new(
                    each.map(|service| (&service.name, sources.kind(service, cluster)))
                        .collect(),
                ),
            }
        });
        read(list)
    }

    /// The Services as findings name them.
    pub(super) fn objects(
        &self,
        services: &Services<'a>,
        cluster: &Cluster<'a>,
    ) -> Arc<[ObjectRef]> {
        self.list(services, cluster, |list| Arc::clone(&list.objects))
    }

    /// What the traffic sources of these Services ask of such pods.
    pub(super) fn budgets(
        &self,
        services: &Services<'a>,
        timing: PodTiming,
        cluster: &Cluster<'a>,
    ) -> Budgets<'a> {
        let kinds = self.list(services, cluster, |list| Rc::clone(&list.kinds));
        let mut known = self.asked.borrow_mut();
        let asked = known
            .entry((address(services), key(timing)))
            .or_insert_with(|| {
                let mut budgets = self.budgets.borrow_mut();
                let mut seen = BTreeSet::new();
                let mut asked = Vec::new();
                for service in services.iter().copied().rev() {
                    let Some(kind) = kinds.get(&service.name).copied() else {
                        continue;
                    };
                    if seen.insert(kind) {
                        let budget = budgets.entry((kind, key(timing)));
                        let budget =
                            budget.or_insert_with(|| Rc::new(budget_of(service, timing, cluster)));
                        asked.push((kind, service, Rc::clone(budget)));
                    }
                }
                asked.reverse();
                asked.into()
            });
        Budgets {
            kinds,
            asked: Rc::clone(asked),
        }
    }
}

fn budget_of<'a>(service: &'a Service, timing: PodTiming, cluster: &Cluster<'a>) -> Budget {
    budget(&cluster.sources(service), timing)
}
