//! Who sends requests to a Service, by what was read? Where nobody does, it may be there for people and operators alone.

use super::cluster::Cluster;
use crate::facts::service::{Service, ServiceType};
use crate::sources::{Class, catalogue};

/// Is a Service reached from outside the cluster?
#[must_use]
pub(super) fn is_open(service: &Service) -> bool {
    let kinds = [ServiceType::NodePort, ServiceType::LoadBalancer];
    kinds.contains(&service.kind) || !service.external_ips.is_empty()
}

/// What leads clients to one Service: an Ingress, a Gateway's route, a load balancer. A mesh takes in all Services that there are, as
/// kube-proxy does, and shows nothing of one.
const ROUTES: [Class; 4] = [
    Class::Ingress,
    Class::Gateway,
    Class::CloudLb,
    Class::Announcer,
];

/// Who meets a refused connection, from those who hardly do to those who do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refused {
    /// Clients within the cluster, and those who come by a node port: nothing that was read leads others to it.
    Within,
    /// Nobody outside: what leads clients to it tries another pod.
    TriedAgain,
    /// Clients outside, or nobody: what leads them to it is not identified.
    Unknown,
    /// Clients outside.
    Outside,
}

/// Who meets it where a pod of a Service refuses a connection, as far as that was read?
#[must_use]
pub(super) fn refused<'a>(service: &'a Service, cluster: &Cluster<'a>) -> Refused {
    if service.kind == ServiceType::LoadBalancer || !service.external_ips.is_empty() {
        return Refused::Outside;
    }
    let sources = cluster.sources(service);
    let routes = sources.in_use.iter();
    let routes = routes.filter(|used| ROUTES.contains(&used.source.class));
    let met = routes.map(|used| {
        if used.tries_again() {
            Refused::TriedAgain
        } else if catalogue().is_unidentified(&used.source.id) {
            Refused::Unknown
        } else {
            Refused::Outside
        }
    });
    met.max().unwrap_or(Refused::Within)
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
    if is_open(service) || refused(service, cluster) != Refused::Within {
        Asked::Anybody
    } else if cluster.snapshot.mentions.name(&service.name) {
        Asked::Somebody
    } else {
        Asked::Nobody
    }
}
