//! Which findings may be missing because something could not be read?

use super::Severity;
use crate::facts::Resource;

/// How bad the worst finding may be that is not made for want of a resource: what is behind a Service is judged by its pods (DC108,
/// DC202, DC208), and where connections go by its slices (DC102). What else is read changes a state, which is `unknown` then, or
/// makes warnings.
#[must_use]
pub const fn may_hide(resource: Resource) -> Severity {
    match resource {
        Resource::Services | Resource::EndpointSlices | Resource::Pods => Severity::Error,
        _ => Severity::Warning,
    }
}
