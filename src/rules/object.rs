//! What a finding is about: an object of the API by its names.

use crate::facts::ObjectName;
use crate::facts::autoscaler::Autoscaler;
use crate::facts::disruption::DisruptionBudget;
use crate::facts::pod::Pod;
use crate::facts::service::Service;
use crate::facts::workload::Workload;

/// An object of the API.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    /// Its apiVersion.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Namespace and name.
    pub name: ObjectName,
}

impl Object {
    pub(super) fn pod(pod: &Pod) -> Self {
        Self {
            api_version: "v1".to_owned(),
            kind: "Pod".to_owned(),
            name: pod.name.clone(),
        }
    }

    pub(super) fn service(service: &Service) -> Self {
        Self {
            api_version: "v1".to_owned(),
            kind: "Service".to_owned(),
            name: service.name.clone(),
        }
    }

    pub(super) fn workload(workload: &Workload) -> Self {
        Self {
            api_version: workload.kind.api_version().to_owned(),
            kind: workload.kind.name().to_owned(),
            name: workload.name.clone(),
        }
    }

    pub(super) fn disruption_budget(budget: &DisruptionBudget) -> Self {
        Self {
            api_version: budget.api_version.clone(),
            kind: "PodDisruptionBudget".to_owned(),
            name: budget.name.clone(),
        }
    }

    pub(super) fn autoscaler(scaler: &Autoscaler) -> Self {
        Self {
            api_version: scaler.api_version.clone(),
            kind: scaler.kind.clone(),
            name: scaler.name.clone(),
        }
    }
}
