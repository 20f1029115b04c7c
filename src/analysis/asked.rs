//! Does anything that was read send requests to a Service? Where nothing does, it may be there for people and operators alone.

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

/// Does anything that was read send to a Service, or can anybody from outside?
#[must_use]
pub(super) fn is_asked<'a>(service: &'a Service, cluster: &Cluster<'a>) -> bool {
    is_open(service) || cluster.snapshot.mentions.name(&service.name) || has_route(service, cluster)
}
