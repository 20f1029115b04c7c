//! How many replicas has a workload, which disruption budgets select its pods, and how many evictions do they allow?

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::facts::autoscaler::Autoscaler;
use crate::facts::disruption::{Asks, DisruptionBudget};
use crate::facts::pod::Pod;
use crate::facts::workload::{Kind, Workload, WorkloadKind};
use crate::facts::{ObjectName, Snapshot};

/// How many replicas a workload has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replicas<'a> {
    /// The minimum.
    pub least: i64,
    /// The maximum.
    pub most: i64,
    /// The autoscaler that sets the number.
    pub by: Option<&'a Autoscaler>,
}

/// What a budget counts.
#[derive(Debug, Clone, Default)]
pub struct Counted<'a> {
    /// Workloads whose templates it selects.
    pub workloads: Vec<&'a Workload>,
    /// Pods that it selects and that no controller made.
    pub bare: Vec<&'a Pod>,
    /// Pods that it selects and that some controller made.
    pub made: usize,
}

impl Counted<'_> {
    /// Does it count nothing?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.workloads.is_empty() && self.bare.is_empty() && self.made == 0
    }
}

type Name<'a> = (&'a str, &'a str);

/// Budgets, autoscalers and workloads of a snapshot, each found by what it is about.
#[derive(Debug, Default)]
pub struct Disruption<'a> {
    /// Every workload that is not a part of another one.
    pub standing: Vec<&'a Workload>,
    workloads: BTreeMap<(&'a str, Name<'a>), &'a Workload>,
    namespaces: BTreeSet<&'a str>,
    autoscalers: BTreeMap<(&'a str, Name<'a>), Vec<&'a Autoscaler>>,
    /// Budgets of one namespace with the same selector, by name.
    alike: Vec<Budgets<'a>>,
    /// The index of each budget among those.
    alike_of: BTreeMap<&'a ObjectName, usize>,
    /// The indexes of those with a label in their selector, by namespace and the first of them.
    by_label: BTreeMap<(&'a str, Name<'a>), Vec<usize>>,
    unlabelled: BTreeMap<&'a str, Vec<usize>>,
    /// The budgets of several selectors that count the same pods.
    together: BTreeMap<Vec<usize>, Budgets<'a>>,
    /// By the index of the budgets.
    counted: BTreeMap<usize, Rc<Counted<'a>>>,
}

/// Budgets, shared by everything that they count: a thousand of them may count the same thousand workloads.
pub type Budgets<'a> = Rc<[&'a DisruptionBudget]>;

fn name(name: &ObjectName) -> Name<'_> {
    (&name.namespace, &name.name)
}

impl<'a> Disruption<'a> {
    /// Indexes a snapshot.
    #[must_use]
    pub fn new(snapshot: &'a Snapshot) -> Self {
        let mut all = Self::default();
        for workload in &snapshot.workloads {
            let key = (workload.kind.name(), name(&workload.name));
            all.workloads.insert(key, workload);
            all.namespaces.insert(&workload.name.namespace);
        }
        for scaler in &snapshot.autoscalers {
            let target = (scaler.name.namespace.as_str(), scaler.target_name.as_str());
            let key = (scaler.target_kind.as_str(), target);
            all.autoscalers.entry(key).or_default().push(scaler);
        }
        all.index_budgets(&snapshot.disruption_budgets);
        let mut counted: BTreeMap<usize, Counted<'a>> = BTreeMap::new();
        for workload in &snapshot.workloads {
            if all.above(workload).is_some() {
                continue;
            }
            all.standing.push(workload);
            for index in all.counting(&workload.name.namespace, &workload.pod_labels) {
                counted.entry(index).or_default().workloads.push(workload);
            }
        }
        for pod in snapshot.pods.iter().filter(|pod| !pod.is_terminal()) {
            for index in all.counting(&pod.name.namespace, &pod.labels) {
                let counted = counted.entry(index).or_default();
                if pod.owner.is_some() {
                    counted.made += 1;
                } else {
                    counted.bare.push(pod);
                }
            }
        }
        let counted = counted.into_iter();
        all.counted = counted
            .map(|(index, each)| (index, Rc::new(each)))
            .collect();
        all
    }

    fn index_budgets(&mut self, budgets: &'a [DisruptionBudget]) {
        let mut by_selector: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for budget in budgets {
            let namespace = budget.name.namespace.as_str();
            let key = (namespace, &budget.selector, budget.picks_nothing());
            by_selector.entry(key).or_default().push(budget);
        }
        for ((namespace, selector, _), mut budgets) in by_selector {
            let index = self.alike.len();
            budgets.sort_by(|a, b| a.name.cmp(&b.name));
            let names = budgets.iter().map(|budget| (&budget.name, index));
            self.alike_of.extend(names);
            self.alike.push(budgets.into());
            let labels = selector.as_ref().map(|selector| &selector.labels);
            let indexes = match labels.and_then(BTreeMap::first_key_value) {
                Some((key, value)) => self.by_label.entry((namespace, (key, value))).or_default(),
                None => self.unlabelled.entry(namespace).or_default(),
            };
            indexes.push(index);
        }
    }

    /// The selectors that pick pods with these labels.
    fn indexes(&self, namespace: &str, labels: &BTreeMap<String, String>) -> Vec<usize> {
        let labelled = labels
            .iter()
            .filter_map(|(key, value)| self.by_label.get(&(namespace, (key, value))))
            .flatten();
        let unlabelled = self.unlabelled.get(namespace).into_iter().flatten();
        let mut found: Vec<_> = labelled.chain(unlabelled).copied().collect();
        found.retain(|index| {
            let one = self.alike.get(*index).and_then(|alike| alike.first());
            one.is_some_and(|budget| budget.counts(labels))
        });
        found.sort_unstable();
        found
    }

    /// A workload by its kind and name.
    #[must_use]
    pub fn workload(&self, kind: &str, named: &ObjectName) -> Option<&'a Workload> {
        self.workloads.get(&(kind, name(named))).copied()
    }

    /// The workload that a workload belongs to, if it was read.
    fn above(&self, workload: &Workload) -> Option<&'a Workload> {
        let owner = workload.owner.as_ref()?;
        let above = ObjectName::new(&workload.name.namespace, &owner.name);
        self.workload(&owner.kind, &above)
    }

    /// Is any workload of this namespace known?
    #[must_use]
    pub fn knows(&self, namespace: &str) -> bool {
        self.namespaces.contains(namespace)
    }

    /// The budgets that count pods with these labels, by name. Pods that the same ones count get the same list.
    #[must_use]
    pub fn budgets(&self, namespace: &str, labels: &BTreeMap<String, String>) -> Budgets<'a> {
        let indexes = self.indexes(namespace, labels);
        if let [only] = indexes.as_slice()
            && let Some(budgets) = self.alike.get(*only)
        {
            return Rc::clone(budgets);
        }
        let known = self.together.get(&indexes).map(Rc::clone);
        known.unwrap_or_else(|| self.merged(&indexes))
    }

    fn merged(&self, indexes: &[usize]) -> Budgets<'a> {
        let all = indexes.iter().filter_map(|index| self.alike.get(*index));
        let mut all: Vec<_> = all.flat_map(|budgets| budgets.iter().copied()).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all.into()
    }

    /// The selectors that pick pods with these labels; several are remembered together.
    fn counting(&mut self, namespace: &str, labels: &BTreeMap<String, String>) -> Vec<usize> {
        let indexes = self.indexes(namespace, labels);
        if indexes.len() != 1 && !self.together.contains_key(&indexes) {
            let budgets = self.merged(&indexes);
            self.together.insert(indexes.clone(), budgets);
        }
        indexes
    }

    /// What a budget counts. Budgets that count the same get the same value.
    #[must_use]
    pub fn counted(&self, budget: &DisruptionBudget) -> Rc<Counted<'a>> {
        let index = self.alike_of.get(&budget.name);
        let counted = index.and_then(|index| self.counted.get(index));
        counted.map(Rc::clone).unwrap_or_default()
    }

    /// The autoscalers of a workload. What a `ScaledObject` made is not counted beside it.
    #[must_use]
    pub fn autoscalers(&self, workload: &Workload) -> Vec<&'a Autoscaler> {
        let key = (workload.kind.name(), name(&workload.name));
        let version = workload.kind.api_version();
        let group = version.split_once('/').map_or("", |(group, _)| group);
        let all = self.autoscalers.get(&key).into_iter().flatten().copied();
        let all: Vec<_> = all
            .filter(|scaler| scaler.target_group.is_empty() || scaler.target_group == group)
            .collect();
        let made = |scaler: &Autoscaler| {
            let owner = scaler.owner.as_ref();
            owner.is_some_and(|owner| {
                all.iter()
                    .any(|other| other.kind == owner.kind && other.name.name == owner.name)
            })
        };
        all.iter().filter(|scaler| !made(scaler)).copied().collect()
    }

    /// How many replicas a workload has; `None` for a kind that has no such number, or where it is not set.
    #[must_use]
    pub fn replicas(&self, workload: &Workload) -> Option<Replicas<'a>> {
        let written = match &workload.kind {
            Kind::Apps(WorkloadKind::DaemonSet) => return None,
            Kind::Apps(_) => workload.replicas.unwrap_or(1),
            Kind::Other { kind, .. } if kind == "ReplicationController" => {
                workload.replicas.unwrap_or(1)
            }
            Kind::Other { .. } => workload.replicas?,
        };
        let by = self.autoscalers(workload).first().copied();
        // A HorizontalPodAutoscaler leaves alone what is scaled to 0 (`pkg/controller/podautoscaler/horizontal.go`).
        let by = by.filter(|scaler| written != 0 || scaler.kind == "ScaledObject");
        Some(Replicas {
            least: by.map_or(written, |scaler| scaler.least),
            most: by.map_or(written, |scaler| scaler.most.max(scaler.least)),
            by,
        })
    }
}

/// How many evictions a budget allows when all its pods are healthy (`pkg/controller/disruption/disruption.go`, `getExpectedPodCount`
/// and `updatePdbStatus`): `scale` are the replicas that controllers ask for, `bare` the pods without one.
#[must_use]
pub fn allowed(asks: Asks, scale: i64, bare: i64) -> i64 {
    let healthy = scale.saturating_add(bare);
    let (expected, desired) = match asks {
        Asks::MaxUnavailable(amount) => (scale, (scale - amount.rounded_up(scale)).max(0)),
        Asks::MinAvailable(amount @ crate::facts::workload::Amount::Percent(_)) => {
            (scale, amount.rounded_up(scale))
        }
        Asks::MinAvailable(amount) => (healthy, amount.rounded_up(healthy)),
        Asks::Nothing => (0, 0),
    };
    if expected <= 0 {
        return 0;
    }
    (healthy - desired).max(0)
}

/// Does a budget let all pods of a workload with so many replicas be evicted at the same time? One that asks for a number of pods may
/// leave that many to other workloads that it counts, which is not looked at.
#[must_use]
pub fn all_at_once(asks: Asks, replicas: i64) -> bool {
    match asks {
        Asks::MinAvailable(amount) => amount.rounded_up(replicas) <= 0,
        Asks::MaxUnavailable(amount) => amount.rounded_up(replicas) >= replicas,
        Asks::Nothing => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::workload::Amount::{Count, Percent};

    #[test]
    fn a_budget_that_asks_for_no_pod_lets_all_be_evicted_together() {
        let min = Asks::MinAvailable;
        let max = Asks::MaxUnavailable;
        for (asks, replicas, expected) in [
            (min(Count(0)), 3, true),
            (min(Percent(0)), 3, true),
            (min(Count(1)), 3, false),
            (min(Percent(1)), 3, false),
            (max(Percent(100)), 3, true),
            (max(Count(3)), 3, true),
            (max(Count(2)), 3, false),
            // 51 % of 2 is 1.02, rounded up 2.
            (max(Percent(51)), 2, true),
            (max(Percent(50)), 2, false),
            // No eviction at all.
            (Asks::Nothing, 3, false),
        ] {
            assert_eq!(all_at_once(asks, replicas), expected, "{asks:?} {replicas}");
        }
    }

    #[test]
    fn allowed_evictions_are_those_of_the_disruption_controller() {
        let min = Asks::MinAvailable;
        let max = Asks::MaxUnavailable;
        for (asks, scale, bare, expected) in [
            (min(Count(2)), 3, 0, 1),
            (min(Count(3)), 3, 0, 0),
            (min(Count(4)), 3, 0, 0),
            (min(Count(0)), 3, 0, 3),
            // 51 % of 2 is 1.02, rounded up 2; 50 % is 1.
            (min(Percent(51)), 2, 0, 0),
            (min(Percent(50)), 2, 0, 1),
            (min(Percent(1)), 1, 0, 0),
            (max(Count(0)), 5, 0, 0),
            (max(Count(1)), 1, 0, 1),
            // 1 % of 3 is 0.03, rounded up 1.
            (max(Percent(1)), 3, 0, 1),
            (max(Percent(0)), 3, 0, 0),
            // Pods without a controller have no scale, but a plain number counts them.
            (max(Count(1)), 0, 2, 0),
            (min(Percent(50)), 0, 2, 0),
            (min(Count(1)), 0, 2, 1),
            (Asks::Nothing, 3, 0, 0),
            // No pod, no eviction.
            (min(Count(0)), 0, 0, 0),
        ] {
            assert_eq!(
                allowed(asks, scale, bare),
                expected,
                "{asks:?} {scale}+{bare}"
            );
        }
    }
}
