//! Which findings may be missing because something could not be read?

use super::Severity;
use crate::facts::Resource;

/// The highest severity that a missing resource may hide: errors about pods (DC108, DC202, DC208) need pods, and DC102 needs slices.
/// Any other resource changes a state, which is then `unknown`, or leads to warnings; but for what only says why a state is as it is.
#[must_use]
pub const fn may_hide(resource: Resource) -> Severity {
    match resource {
        // They say why pods are missing, which a state says already.
        Resource::Events | Resource::Budgets | Resource::PodMakers(_) => Severity::Info,
        Resource::Services | Resource::EndpointSlices | Resource::Pods => Severity::Error,
        _ => Severity::Warning,
    }
}
