//! What does DNS answer for a Service without a cluster IP?

use std::collections::BTreeSet;

use super::endpoints::EndpointViews;
use crate::facts::service::{Service, ServiceType};

/// What DNS answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DnsAnswer {
    /// The addresses of a headless Service, sorted.
    pub addresses: Vec<String>,
    /// The name that an `ExternalName` Service is an alias of: `spec.externalName`.
    pub alias: Option<String>,
}

/// The answer for a Service; `None` for one with a cluster IP, and for a headless one whose slices were not read.
///
/// CoreDNS answers with the endpoints of a headless Service whose `ready` is true or silent
/// (`plugin/kubernetes/object/endpoint.go`, since 1.8.4).
#[must_use]
pub fn answer(
    service: &Service,
    endpoints: &[EndpointViews<'_>],
    slices_were_read: bool,
) -> Option<DnsAnswer> {
    if service.kind == ServiceType::ExternalName {
        return Some(DnsAnswer {
            addresses: Vec::new(),
            alias: service.external_name.clone(),
        });
    }
    if !service.headless || !slices_were_read {
        return None;
    }
    let ready = |endpoint: &&EndpointViews<'_>| endpoint.conditions.ready.unwrap_or(true);
    let ready = endpoints.iter().filter(ready);
    let addresses: BTreeSet<_> = ready.map(|endpoint| endpoint.address.to_owned()).collect();
    Some(DnsAnswer {
        addresses: addresses.into_iter().collect(),
        alias: None,
    })
}
