//! What is there at a moment? A snapshot that follows the changes.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::change::What;
use crate::facts::object::ApiObject;
use crate::facts::pod::Pod;
use crate::facts::slice::EndpointSlice;
use crate::facts::workload::Workload;
use crate::facts::{ObjectName, Snapshot};

/// What a change altered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// Something that decides for all Services: the Services themselves, nodes, kube-proxies.
    pub base: bool,
    /// Services whose slices or Endpoints changed.
    pub services: BTreeSet<ObjectName>,
    /// Pods that are there, of which something was said.
    pub pods: BTreeSet<ObjectName>,
    /// Pods that an Event is about.
    pub noted: BTreeSet<ObjectName>,
    /// Pods that are gone, as they looked at last.
    pub gone: Vec<Pod>,
}

/// The world as it was last heard of.
#[derive(Debug, Clone, Default)]
pub struct World {
    facts: Snapshot,
    /// The number of each slice that has changed.
    versions: BTreeMap<ObjectName, u64>,
    /// How many changes of slices there were.
    changes: u64,
}

/// Puts something into a sorted list in the place of what has its name; is anything other than before?
fn put<T: PartialEq>(list: &mut Vec<T>, new: T, order: impl Fn(&T, &T) -> Ordering) -> bool {
    match list.binary_search_by(|known| order(known, &new)) {
        Ok(at) if list[at] == new => false,
        Ok(at) => {
            list[at] = new;
            true
        }
        Err(at) => {
            list.insert(at, new);
            true
        }
    }
}

/// Takes out what has the names of others; was any of it there?
fn take<T>(list: &mut Vec<T>, gone: &[T], order: impl Fn(&T, &T) -> Ordering) -> bool {
    let mut any = false;
    for one in gone {
        if let Ok(at) = list.binary_search_by(|known| order(known, one)) {
            list.remove(at);
            any = true;
        }
    }
    any
}

/// What of a list is in a newer one no more.
fn missing<'t, T: Clone, N: Ord + 't>(
    known: &'t [T],
    new: &'t [T],
    name: impl Fn(&'t T) -> &'t N,
) -> Vec<T> {
    let there: BTreeSet<_> = new.iter().map(&name).collect();
    let gone = known.iter().filter(|one| !there.contains(&name(one)));
    gone.cloned().collect()
}

fn workload(one: &Workload) -> (&str, &ObjectName) {
    (one.kind.name(), &one.name)
}

fn other(one: &ApiObject) -> (&str, &str, &str, &str) {
    (&one.kind, one.group(), &one.namespace, &one.name)
}

/// The resource that a list of facts is of.
const LISTS: [&str; 5] = ["services", "endpointslices", "endpoints", "pods", "nodes"];

impl World {
    /// What is known beforehand.
    #[must_use]
    pub fn new(mut known: Snapshot) -> Self {
        known.services.sort_by(|a, b| a.name.cmp(&b.name));
        known.slices.sort_by(|a, b| a.name.cmp(&b.name));
        known.endpoints.sort_by(|a, b| a.name.cmp(&b.name));
        known.pods.sort_by(|a, b| a.name.cmp(&b.name));
        known.nodes.sort_by(|a, b| a.name.cmp(&b.name));
        known
            .workloads
            .sort_by(|a, b| workload(a).cmp(&workload(b)));
        known.events.sort_by(|a, b| a.name.cmp(&b.name));
        known.autoscalers.sort_by(|a, b| a.name.cmp(&b.name));
        known.others.sort_by(|a, b| other(a).cmp(&other(b)));
        let proxies = &mut known.kube_proxies.pods;
        proxies.sort_by(|a, b| a.node.cmp(&b.node));
        Self {
            facts: known,
            ..Self::default()
        }
    }

    /// What is there now.
    #[must_use]
    pub const fn facts(&self) -> &Snapshot {
        &self.facts
    }

    /// A number of a slice that is another one once it has changed.
    #[must_use]
    pub fn version(&self, slice: &EndpointSlice) -> u64 {
        self.versions.get(&slice.name).copied().unwrap_or_default()
    }

    /// Hands it over.
    #[must_use]
    pub fn into_facts(self) -> Snapshot {
        self.facts
    }

    /// What is there without what changes all the time: pods, slices, workloads and Events.
    #[must_use]
    pub fn base(&self) -> Snapshot {
        let all = &self.facts;
        Snapshot {
            source: all.source.clone(),
            complete: all.complete,
            taken_at: all.taken_at,
            server: all.server,
            services: all.services.clone(),
            nodes: all.nodes.clone(),
            kube_proxies: all.kube_proxies.clone(),
            others: all.others.clone(),
            gaps: all.gaps.clone(),
            ..Snapshot::default()
        }
    }

    /// It is this late now.
    pub fn pass(&mut self, now: DateTime<Utc>) {
        self.facts.taken_at = self.facts.taken_at.max(Some(now));
    }

    /// Takes a change in, and says what it altered.
    pub fn apply(&mut self, what: What) -> Touched {
        let mut touched = Touched::default();
        match what {
            What::Listed { resource, facts } => {
                self.forget(&resource, &facts, &mut touched);
                self.add(*facts, &mut touched);
            }
            What::Applied(facts) => self.add(*facts, &mut touched),
            What::Deleted(facts) => self.remove(*facts, &mut touched),
            What::Lost { .. } | What::Back { .. } | What::Silent { .. } | What::Probed(_) => {}
        }
        touched
    }

    fn add(&mut self, new: Snapshot, touched: &mut Touched) {
        let all = &mut self.facts;
        for one in new.services {
            touched.base |= put(&mut all.services, one, |a, b| a.name.cmp(&b.name));
        }
        for one in new.nodes {
            touched.base |= put(&mut all.nodes, one, |a, b| a.name.cmp(&b.name));
        }
        for one in new.others {
            touched.base |= put(&mut all.others, one, |a, b| other(a).cmp(&other(b)));
        }
        for one in new.kube_proxies.pods {
            let known = &mut all.kube_proxies.pods;
            touched.base |= put(known, one, |a, b| a.node.cmp(&b.node));
        }
        if new.kube_proxies.config.is_some() && new.kube_proxies.config != all.kube_proxies.config {
            all.kube_proxies.config = new.kube_proxies.config;
            touched.base = true;
        }
        for one in new.slices {
            let (name, service) = (one.name.clone(), one.service());
            if put(&mut all.slices, one, |a, b| a.name.cmp(&b.name)) {
                touched.services.extend(service);
                self.changes += 1;
                self.versions.insert(name, self.changes);
            }
        }
        for one in new.endpoints {
            let name = one.name.clone();
            if put(&mut all.endpoints, one, |a, b| a.name.cmp(&b.name)) {
                touched.services.insert(name);
            }
        }
        for one in new.pods {
            let name = one.name.clone();
            let known = all.pods.binary_search_by(|pod| pod.name.cmp(&name));
            // One of the same name that nobody said was gone: a StatefulSet's next one.
            if let Ok(at) = known
                && all.pods[at].uid != one.uid
            {
                touched.gone.push(all.pods[at].clone());
            }
            put(&mut all.pods, one, |a, b| a.name.cmp(&b.name));
            touched.pods.insert(name);
        }
        for one in new.events {
            if one.kind == "Pod" {
                touched.noted.insert(one.about.clone());
            }
            put(&mut all.events, one, |a, b| a.name.cmp(&b.name));
        }
        for one in new.workloads {
            put(&mut all.workloads, one, |a, b| {
                workload(a).cmp(&workload(b))
            });
        }
        for one in new.autoscalers {
            put(&mut all.autoscalers, one, |a, b| a.name.cmp(&b.name));
        }
        all.claims.extend(new.claims);
        all.disruption_budgets.extend(new.disruption_budgets);
    }

    fn remove(&mut self, gone: Snapshot, touched: &mut Touched) {
        let all = &mut self.facts;
        touched.base |= take(&mut all.services, &gone.services, |a, b| {
            a.name.cmp(&b.name)
        });
        touched.base |= take(&mut all.nodes, &gone.nodes, |a, b| a.name.cmp(&b.name));
        touched.base |= take(&mut all.others, &gone.others, |a, b| {
            other(a).cmp(&other(b))
        });
        for one in &gone.slices {
            // What is told of a slice that is gone may hold no labels.
            let at = all
                .slices
                .binary_search_by(|known| known.name.cmp(&one.name));
            if let Ok(at) = at {
                touched.services.extend(all.slices[at].service());
                let gone = all.slices.remove(at);
                self.versions.remove(&gone.name);
            }
        }
        for one in &gone.endpoints {
            if take(&mut all.endpoints, std::slice::from_ref(one), |a, b| {
                a.name.cmp(&b.name)
            }) {
                touched.services.insert(one.name.clone());
            }
        }
        take(&mut all.workloads, &gone.workloads, |a, b| {
            workload(a).cmp(&workload(b))
        });
        take(&mut all.events, &gone.events, |a, b| a.name.cmp(&b.name));
        take(&mut all.autoscalers, &gone.autoscalers, |a, b| {
            a.name.cmp(&b.name)
        });
        for one in gone.pods {
            let known = all.pods.binary_search_by(|pod| pod.name.cmp(&one.name));
            let Ok(at) = known else { continue };
            // One that came after it has its name.
            if one.uid.is_some() && all.pods[at].uid.is_some() && one.uid != all.pods[at].uid {
                continue;
            }
            let last = all.pods.remove(at);
            let whole = !one.statuses.is_empty();
            touched.gone.push(if whole { one } else { last });
        }
        // Nobody asks any more what was said of a pod that is gone.
        let pods = &all.pods;
        let there = |name: &ObjectName| pods.binary_search_by(|pod| pod.name.cmp(name)).is_ok();
        let names = touched.gone.iter().map(|pod| &pod.name);
        let names: BTreeSet<_> = names.filter(|name| !there(name)).collect();
        if !names.is_empty() {
            all.events.retain(|one| !names.contains(&one.about));
        }
    }

    /// Takes out what a list no longer holds.
    fn forget(&mut self, resource: &str, new: &Snapshot, touched: &mut Touched) {
        if !LISTS.contains(&resource) {
            return;
        }
        let all = &self.facts;
        let mut gone = Snapshot::default();
        match resource {
            "services" => {
                gone.services = missing(&all.services, &new.services, |one| &one.name);
            }
            "endpointslices" => {
                gone.slices = missing(&all.slices, &new.slices, |one| &one.name);
            }
            "endpoints" => {
                gone.endpoints = missing(&all.endpoints, &new.endpoints, |one| &one.name);
            }
            "pods" => gone.pods = missing(&all.pods, &new.pods, |one| &one.name),
            _ => gone.nodes = missing(&all.nodes, &new.nodes, |one| &one.name),
        }
        self.remove(gone, touched);
    }
}
