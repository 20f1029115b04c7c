//! Which traffic sources are in use for a Service, and what do their owners set?

use std::borrow::Cow;

use super::catalogue::TrafficSource;
use super::declared::DeclaredSource;
use super::evidence::Evidence;
use super::figures::meets;
use super::release::Release;
use super::tuning::{TuningProblem, TuningValues};
use crate::facts::Gap;
use crate::facts::object::ApiObject;
use crate::facts::service::Service;

/// A traffic source that is in use for a Service.
#[derive(Debug, Clone)]
pub struct SourceInUse<'a> {
    /// Its entry in the catalogue.
    pub source: &'static TrafficSource,
    /// What shows it; empty where only `--source` says so.
    pub evidence: Vec<Evidence>,
    /// Its release, where the images of its agents tell.
    pub release: Option<Release>,
    /// How it runs, where its evidence tells: a sidecar is `classic` (a container) or `native` (an init container that restarts).
    pub mode: Option<String>,
    /// What `--source` says of it.
    pub declared: Option<Cow<'a, DeclaredSource>>,
    /// What was seen would look the same for others: it is only a guess that this is the one.
    pub guessed: bool,
    /// What it may be, where it stands for one that is not identified.
    pub candidates: Vec<SourceInUse<'a>>,
    /// The Ingresses, Routes and other objects that its evidence is about.
    pub objects: Vec<&'a ApiObject>,
    /// What its owners set, on those objects or in its own configuration.
    pub tuning: TuningValues,
}

impl<'a> SourceInUse<'a> {
    /// Does it try another pod where one refuses a connection, for all of what it sends?
    #[must_use]
    pub fn tries_again(&self) -> bool {
        let Some(tries) = &self.source.tries_again else {
            return false;
        };
        let found = self.tuning.values.iter();
        let found = found.filter_map(|each| Some((each.sets?, &each.value)));
        let declared = self.declared.iter().flat_map(|each| &each.settings);
        let declared = declared.map(|(name, value)| (name.as_str(), value));
        let mut settings = found.chain(declared);
        !settings.any(|(name, value)| {
            let wanted = tries.unless.get(name);
            wanted.is_some_and(|wanted| meets(&value.to_string(), wanted))
        })
    }

    /// A traffic source that no object shows.
    pub(super) const fn unseen(
        source: &'static TrafficSource,
        declared: Option<Cow<'a, DeclaredSource>>,
    ) -> Self {
        Self {
            source,
            evidence: Vec::new(),
            release: None,
            mode: None,
            declared,
            guessed: false,
            candidates: Vec::new(),
            objects: Vec::new(),
            tuning: TuningValues {
                values: Vec::new(),
                problems: Vec::new(),
            },
        }
    }
}

/// The traffic sources of one Service.
#[derive(Debug, Clone, Default)]
pub struct DetectedSources<'a> {
    /// The Service; `None` for an `ExternalName`, which has no endpoints that anybody could send to.
    pub service: Option<&'a Service>,
    /// The traffic sources in use for it, in the catalogue's order; then those that only `--source` names, and those that are not
    /// identified.
    pub in_use: Vec<SourceInUse<'a>>,
    /// What of the objects that show traffic sources could not be read: others may be in use.
    pub not_read: Vec<&'a Gap>,
    /// What the annotation on the Service names and nobody can read.
    pub problems: Vec<TuningProblem>,
    /// The value of the Service's label `service.kubernetes.io/service-proxy-name`: kube-proxy and those in its place leave the
    /// Service to that proxy.
    pub other_proxy: Option<String>,
}

impl DetectedSources<'_> {
    /// Is it plain that both ask the same of any pods? Those in use name the objects that show them, so it is of Services without
    /// any, and what else of a Service changes a figure is the same.
    #[must_use]
    pub fn asks_as(&self, other: &Self) -> bool {
        let decides = |of: &Self| {
            let service = of.service?;
            let not_read: Vec<_> = of
                .not_read
                .iter()
                .map(|gap| std::ptr::from_ref(*gap))
                .collect();
            let plain = of.in_use.is_empty() && of.problems.is_empty() && of.other_proxy.is_none();
            let policy = (
                service.headless,
                service.publish_not_ready,
                service.external_traffic_policy,
            );
            plain.then_some((policy, not_read))
        };
        let own = decides(self);
        own.is_some() && own == decides(other)
    }

    /// Settings of its traffic sources that cannot be read; the figures take their defaults instead.
    #[must_use = "it is an iterator"]
    pub fn tuning_problems(&self) -> impl Iterator<Item = &TuningProblem> {
        let of_sources = self.in_use.iter().flat_map(|used| &used.tuning.problems);
        self.problems.iter().chain(of_sources)
    }
}
