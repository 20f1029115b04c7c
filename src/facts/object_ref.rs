//! Which object of the API is meant? By its names, as messages and reports write them.

use super::ObjectName;
use super::autoscaler::Autoscaler;
use super::disruption::DisruptionBudget;
use super::object::ApiObject;
use super::pod::Pod;
use super::service::Service;
use super::workload::Workload;

/// An object of the API, by its names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    /// `kind`.
    pub kind: String,
    /// `apiVersion`; empty where it is not known, and for files.
    pub api_version: String,
    /// `metadata.namespace` and `metadata.name`.
    pub name: ObjectName,
}

impl ObjectRef {
    /// An object by its kind, in the version of its API.
    #[must_use]
    pub fn new(api_version: &str, kind: &str, name: ObjectName) -> Self {
        Self {
            kind: kind.to_owned(),
            api_version: api_version.to_owned(),
            name,
        }
    }

    /// What a problem of a whole file is about.
    #[must_use]
    pub fn file(name: &str) -> Self {
        Self::new("", "File", ObjectName::new("", name))
    }

    /// Group, kind, namespace and name: what the API server tells objects apart by, whatever the version of the API.
    #[must_use]
    pub fn key(&self) -> (&str, &str, &str, &str) {
        let group = self.api_version.split_once('/');
        let group = group.map_or("", |(group, _)| group);
        (group, &self.kind, &self.name.namespace, &self.name.name)
    }
}

impl From<&ApiObject> for ObjectRef {
    fn from(object: &ApiObject) -> Self {
        let name = ObjectName::new(&object.namespace, &object.name);
        Self::new(&object.api_version, &object.kind, name)
    }
}

impl From<&Service> for ObjectRef {
    fn from(service: &Service) -> Self {
        Self::new("v1", "Service", service.name.clone())
    }
}

impl From<&Pod> for ObjectRef {
    fn from(pod: &Pod) -> Self {
        Self::new("v1", "Pod", pod.name.clone())
    }
}

impl From<&Workload> for ObjectRef {
    fn from(workload: &Workload) -> Self {
        let kind = &workload.kind;
        Self::new(kind.api_version(), kind.name(), workload.name.clone())
    }
}

impl From<&DisruptionBudget> for ObjectRef {
    fn from(budget: &DisruptionBudget) -> Self {
        let name = budget.name.clone();
        Self::new(&budget.api_version, "PodDisruptionBudget", name)
    }
}

impl From<&Autoscaler> for ObjectRef {
    fn from(scaler: &Autoscaler) -> Self {
        Self::new(&scaler.api_version, &scaler.kind, scaler.name.clone())
    }
}
