//! Does something else than kube-proxy route Services here, and by which rules?

use super::assumptions::Assumptions;
use crate::facts::service::{Service, TrafficPolicy};
use crate::facts::slice::EndpointSlice;
use crate::sources::catalogue::{Normal, WhenNoReady};
use crate::sources::{Class, DetectedSources, Evidence, Release, TrafficSource};

/// What routes a Service in kube-proxy's place.
#[derive(Debug, Clone)]
pub struct DataPlane {
    /// Which.
    pub source: &'static TrafficSource,
    /// What shows it.
    pub evidence: Vec<Evidence>,
    /// Its release, by the images of its agents; `None` where they do not tell.
    pub release: Option<Release>,
    /// Which endpoints get new connections.
    pub selects: Selects,
}

impl DataPlane {
    /// Its name, with its release where that is known.
    #[must_use]
    pub fn named(&self) -> String {
        match self.release {
            Some(release) => format!("{} {release}", self.source.name),
            None => self.source.name.clone(),
        }
    }
}

/// Which endpoints a data plane sends new connections to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selects {
    /// Those that are ready; where none is, those that terminate and still serve, as kube-proxy does.
    FallsBack,
    /// Those that are ready, and no others.
    Ready,
    /// Those that are ready or still serve, terminating or not.
    Serving,
    /// Its rules are not known.
    NotKnown,
}

impl Selects {
    const fn of(normal: Normal, when_no_ready: WhenNoReady) -> Self {
        match (normal, when_no_ready) {
            (Normal::Excluded, WhenNoReady::ServingTerminating) => Self::FallsBack,
            (Normal::Excluded, WhenNoReady::None) => Self::Ready,
            (Normal::Kept, WhenNoReady::ServingTerminating) => Self::Serving,
            _ => Self::NotKnown,
        }
    }

    /// In kube-proxy's terms, whether it falls back to terminating endpoints that serve when none is ready, for a Service with such slices.
    /// `None` where that is not what it does: terminating endpoints that serve beside ready ones get as much as those, and what becomes of a
    /// Local policy where these count is not known.
    #[must_use]
    pub fn falls_back(self, service: &Service, slices: &[&EndpointSlice]) -> Option<bool> {
        match self {
            Self::Serving => (!local(service) && !mixed(slices)).then_some(true),
            _ => self.ever_falls_back(),
        }
    }

    /// The same for whatever slices there are.
    #[must_use]
    pub const fn ever_falls_back(self) -> Option<bool> {
        match self {
            Self::FallsBack => Some(true),
            Self::Ready => Some(false),
            Self::Serving | Self::NotKnown => None,
        }
    }
}

/// Does a Local policy decide for one of its paths?
#[must_use]
pub fn local(service: &Service) -> bool {
    service.internal_local || service.external_traffic_policy == Some(TrafficPolicy::Local)
}

/// Is one endpoint ready, and another one terminating that serves?
fn mixed(slices: &[&EndpointSlice]) -> bool {
    let all = || slices.iter().flat_map(|slice| &slice.endpoints);
    let conditions = || all().map(|endpoint| endpoint.conditions);
    conditions().any(|one| one.ready.unwrap_or(true))
        && conditions().any(|one| {
            let ready = one.ready.unwrap_or(true);
            !ready && one.serving.unwrap_or(ready) && one.terminating.unwrap_or(false)
        })
}

/// It runs kube-proxy's own code.
const AT_HEART_KUBE_PROXY: &str = "openshift-sdn";

/// The data plane that was detected; `None` is kube-proxy. `--proxy-mode` says that it is kube-proxy, whatever was seen.
#[must_use]
pub fn data_plane(detected: &DetectedSources<'_>, assumptions: &Assumptions) -> Option<DataPlane> {
    if assumptions.mode.is_some() {
        return None;
    }
    let found = detected.in_use.iter().find(|used| {
        used.source.class == Class::Dataplane && used.source.id != AT_HEART_KUBE_PROXY
    })?;
    let (normal, when_no_ready) = found.source.terminating.of(found.release);
    Some(DataPlane {
        source: found.source,
        evidence: found.evidence.clone(),
        release: found.release,
        selects: Selects::of(normal, when_no_ready),
    })
}
