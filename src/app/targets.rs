//! What was asked for → Services. On a cluster only what leads to them was read, so the same search answers there.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, bail};

use crate::collect::FailedTarget;
use crate::controllers::pods::selects;
use crate::decode::selector::Selector;
use crate::facts::service::Service;
use crate::facts::target::{Target, TargetKind, targets};
use crate::facts::{ObjectName, Snapshot, Source};
use crate::render;
use crate::words::{alike, list};

/// What was asked for.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    /// The namespace; `None` is all that were read.
    pub(super) namespace: Option<String>,
    /// What was named; nothing is everything.
    pub(super) targets: Vec<Target>,
    /// `-l`; the API server already obeyed it on a cluster.
    pub(super) selector: Option<Selector>,
}

impl Wanted {
    /// The same without what could not be read.
    pub(super) fn without(mut self, failed: &[FailedTarget]) -> Self {
        let read = |target: &Target| failed.iter().all(|one| one.target != *target);
        self.targets.retain(read);
        self
    }

    /// Are these all Services that there are, as far as what was read tells?
    pub(super) fn is_everything(&self, snapshot: &Snapshot) -> bool {
        let unnarrowed =
            self.targets.is_empty() && self.namespace.is_none() && self.selector.is_none();
        let whole = match &snapshot.source {
            Source::Cluster { namespace, .. } => namespace.is_none(),
            Source::Files(_) => true,
        };
        unnarrowed && whole
    }

    fn in_scope(&self, name: &ObjectName) -> bool {
        self.namespace
            .as_ref()
            .is_none_or(|namespace| *namespace == name.namespace)
    }

    /// The objects of this name in scope.
    fn named<'a, T>(
        &self,
        target: &Target,
        all: impl Iterator<Item = (&'a ObjectName, T)> + Clone,
    ) -> anyhow::Result<Vec<(&'a ObjectName, T)>> {
        let in_scope = all.clone().filter(|(name, _)| self.in_scope(name));
        let found: Vec<_> = in_scope
            .clone()
            .filter(|(name, _)| name.name == target.name)
            .collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let near = alike(&target.name, in_scope.map(|(name, _)| name.name.as_str()));
        let mut namespaces: Vec<_> = all
            .filter(|(name, _)| name.name == target.name)
            .map(|(name, _)| name.namespace.as_str())
            .collect();
        namespaces.sort_unstable();
        namespaces.dedup();
        let mut said = format!("{target} is not in the input");
        if let Some(namespace) = &self.namespace {
            let _ = write!(said, " in namespace {namespace:?}");
        }
        if !near.is_empty() {
            let _ = write!(said, "; there is {}", near.join(", "));
        }
        if let Some(first) = namespaces.first() {
            let places = list(&namespaces);
            let _ = write!(said, "; one of this name is in {places}: add -n {first}");
        }
        bail!("{}", render::safe(&said));
    }

    fn services_of<'a>(
        &self,
        target: &Target,
        snapshot: &'a Snapshot,
    ) -> anyhow::Result<Vec<&'a Service>> {
        let behind = |labelled: Vec<(&ObjectName, &BTreeMap<String, String>)>| {
            let services: Vec<_> = snapshot
                .services
                .iter()
                .filter(|service| {
                    labelled.iter().any(|(name, labels)| {
                        let selector = service.selector.as_ref();
                        service.name.namespace == name.namespace
                            && selector.is_some_and(|selector| {
                                !selector.is_empty() && selects(selector, labels)
                            })
                    })
                })
                .collect();
            if services.is_empty() {
                bail!(
                    "no Service selects the pods of {target}, so none sends them connections; name a Service to check one"
                );
            }
            Ok(services)
        };
        match target.kind {
            TargetKind::Service => {
                let all = snapshot
                    .services
                    .iter()
                    .map(|service| (&service.name, service));
                Ok(self
                    .named(target, all)?
                    .into_iter()
                    .map(|(_, service)| service)
                    .collect())
            }
            TargetKind::Pod => {
                let all = snapshot.pods.iter().map(|pod| (&pod.name, &pod.labels));
                behind(self.named(target, all)?)
            }
            TargetKind::Workload(kind) => {
                let all = snapshot
                    .workloads
                    .iter()
                    .filter(|workload| workload.kind == kind)
                    .map(|workload| (&workload.name, &workload.pod_labels));
                behind(self.named(target, all)?)
            }
        }
    }

    /// The Services that were asked for. An error is one target's, and names what may have been meant.
    pub(super) fn services<'a>(&self, snapshot: &'a Snapshot) -> Chosen<'a> {
        let (mut services, mut failed) = (Vec::new(), Vec::new());
        if self.targets.is_empty() {
            let selector = self.selector.as_ref();
            let wanted = |service: &&Service| {
                self.in_scope(&service.name)
                    && selector.is_none_or(|selector| selector.matches(&service.labels))
            };
            services.extend(snapshot.services.iter().filter(wanted));
        }
        for target in &self.targets {
            match self.services_of(target, snapshot) {
                Ok(found) => services.extend(found),
                Err(error) => failed.push(error),
            }
        }
        services.sort_by(|one, other| one.name.cmp(&other.name));
        services.dedup_by(|one, other| one.name == other.name);
        Chosen { services, failed }
    }
}

/// The Services to answer for, and why there is no answer for the other targets.
pub(super) struct Chosen<'a> {
    pub(super) services: Vec<&'a Service>,
    pub(super) failed: Vec<anyhow::Error>,
}

/// Reads what was named.
pub(super) fn parse(words: &[String]) -> anyhow::Result<Vec<Target>> {
    targets(words).context("what to check")
}

/// What a run answers from.
pub(super) struct Input {
    pub(super) snapshot: Snapshot,
    pub(super) wanted: Wanted,
    /// Targets that could not be read.
    pub(super) failed: Vec<anyhow::Error>,
    /// Some of the files could not be read.
    pub(super) partial: bool,
}
