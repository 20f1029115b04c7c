//! Which traffic sources are in use for a Service, and what do their owners set?

use super::catalogue::TrafficSource;
use super::declared::DeclaredSource;
use super::evidence::Evidence;
use super::tuning::{TuningProblem, TuningValues};
use crate::facts::object::ApiObject;
use crate::facts::service::Service;

/// A traffic source that is in use for a Service.
#[derive(Debug, Clone)]
pub struct SourceInUse<'a> {
    /// Its entry in the catalogue.
    pub source: &'static TrafficSource,
    /// What shows it; empty where only `--source` says so.
    pub evidence: Vec<Evidence>,
    /// How it runs, where its evidence tells: a sidecar is `classic` (a container) or `native` (an init container that restarts).
    pub mode: Option<String>,
    /// What `--source` says of it.
    pub declared: Option<&'a DeclaredSource>,
    /// The Ingresses, Routes and other objects that its evidence is about.
    pub objects: Vec<&'a ApiObject>,
    /// What its owners set, on those objects or in its own configuration.
    pub tuning: TuningValues,
}

impl<'a> SourceInUse<'a> {
    /// A traffic source that no object shows.
    pub(super) const fn unseen(
        source: &'static TrafficSource,
        declared: Option<&'a DeclaredSource>,
    ) -> Self {
        Self {
            source,
            evidence: Vec::new(),
            mode: None,
            declared,
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
    /// The traffic sources in use for it, in the catalogue's order; those that only `--source` names come last.
    pub in_use: Vec<SourceInUse<'a>>,
    /// Ingresses and Routes that have the Service as a backend and whose controller is in no catalogue, and the Service itself
    /// where it is of type `LoadBalancer` and none is known: traffic sources that are missing in `in_use`.
    pub unresolved: Vec<Evidence>,
    /// The value of the Service's label `service.kubernetes.io/service-proxy-name`: kube-proxy and those in its place leave the
    /// Service to that proxy.
    pub other_proxy: Option<String>,
}

impl DetectedSources<'_> {
    /// Settings of its traffic sources that cannot be read; the figures take their defaults instead.
    #[must_use = "it is an iterator"]
    pub fn tuning_problems(&self) -> impl Iterator<Item = &TuningProblem> {
        self.in_use.iter().flat_map(|used| &used.tuning.problems)
    }
}
