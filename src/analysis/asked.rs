//! Who sends requests to a Service, by what was read? Where nobody does, it may be there for people and operators alone.

use super::cluster::Cluster;
use crate::facts::service::{Service, ServiceType};
use crate::sources::Class;

/// Is a Service reached from outside the cluster?
#[must_use]
pub(super) fn is_open(service: &Service) -> bool {
    let kinds = [ServiceType::NodePort, ServiceType::LoadBalancer];
    kinds.contains(&service.kind) || !service.external_ips.is_empty()
}

/// Is there a route to a Service: an Ingress, a Gateway's route, a load balancer? A mesh takes in all Services that there are, as kube-proxy
/// does, and shows nothing of one.
fn has_route<'a>(service: &'a Service, cluster: &Cluster<'a>) -> bool {
    let classes = [
        Class::Ingress,
        Class::Gateway,
        Class::CloudLb,
        Class::Announcer,
    ];
    let sources = cluster.sources(service);
    let mut in_use = sources.in_use.iter();
    in_use.any(|used| classes.contains(&used.source.class))
}

/// Who sends requests to a Service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// Nothing that was read.
    Nobody,
    /// Something that was read names it in an address, or a webhook does.
    Somebody,
    /// A route leads to it, or anybody may reach it from outside.
    Anybody,
}

/// Who sends requests to a Service, as far as that was read.
#[must_use]
pub(super) fn asked<'a>(service: &'a Service, cluster: &Cluster<'a>) -> Asked {
    if is_open(service) || has_route(service, cluster) {
        Asked::Anybody
    } else if cluster.snapshot.mentions.name(&service.name) {
        Asked::Somebody
    } else {
        Asked::Nobody
    }
}
