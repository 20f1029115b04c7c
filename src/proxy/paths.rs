//! What does a node do with a new connection on each path of a Service port?
//!
//! Sources: `pkg/proxy/iptables/proxier.go`, `pkg/proxy/nftables/proxier.go`, `pkg/proxy/serviceport.go`.

use super::answer::{Answer, From, Path, answer};
use super::ingest;
use super::ingest::{Candidate, Claims};
use super::lists;
use super::lists::{NodeView, Policies};
use super::{ipvs, winkernel};
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::service::{Family, Service, ServicePort, ServiceType, TrafficPolicy};
use crate::gates::behaviour::{Behaviour, Generation};

/// What the Service's policies come to for a port: `pkg/proxy/serviceport.go`.
#[must_use]
pub fn policies(
    service: &Service,
    port: &ServicePort,
    family: Family,
    behaviour: &Behaviour,
) -> Policies {
    let may_be_local = match service.kind {
        ServiceType::NodePort | ServiceType::LoadBalancer => true,
        ServiceType::ClusterIP => {
            behaviour.external_policy_on_cluster_ip && !service.external_ips.is_empty()
        }
        ServiceType::ExternalName => false,
    };
    Policies {
        internal_local: service.internal_local && behaviour.internal_policy,
        external_local: may_be_local
            && service.external_traffic_policy == Some(TrafficPolicy::Local),
        // The gate AllowServiceExternalIPs takes the rules away, not the accessibility.
        externally_accessible: port.node_port.is_some()
            || captured_ingress(service, family, behaviour)
            || external_ips(service, family),
    }
}

fn external_ips(service: &Service, family: Family) -> bool {
    service
        .external_ips
        .iter()
        .any(|ip| Family::of(*ip) == family)
}

fn captured_ingress(service: &Service, family: Family, behaviour: &Behaviour) -> bool {
    service.load_balancer_ingress.iter().any(|ingress| {
        Family::of(ingress.ip) == family && !(behaviour.ip_mode && ingress.proxy_mode)
    })
}

/// The paths that a Service port has, besides the cluster IP.
fn external_paths(
    service: &Service,
    port: &ServicePort,
    family: Family,
    behaviour: &Behaviour,
) -> Vec<Path> {
    let mut paths = Vec::new();
    if port.node_port.is_some() {
        paths.push(Path::NodePort);
    }
    if captured_ingress(service, family, behaviour) {
        paths.push(Path::LoadBalancer);
    }
    if behaviour.external_ips && external_ips(service, family) {
        paths.push(Path::ExternalIp);
    }
    paths
}

/// Every path of a port on a node. Empty when kube-proxy does not handle the Service for this family.
///
/// The candidates are [`ingest::candidates`] of the same arguments. `pods_known`: kube-proxy can tell which addresses of this
/// family are pods' (a cluster CIDR or another local detector), without which pods get no short cut.
#[must_use]
pub fn answers(
    service: &Service,
    port: &ServicePort,
    family: Family,
    candidates: &[Claims<'_>],
    node: &NodeView<'_>,
    pods_known: bool,
    behaviour: &Behaviour,
) -> Vec<Answer> {
    if !ingest::proxied(service, family, behaviour) {
        return Vec::new();
    }
    let here: Vec<&Candidate<'_>> = candidates
        .iter()
        .map(|claims| claims.on_node(node.name, behaviour))
        .collect();
    let paths = external_paths(service, port, family, behaviour);
    let policies = policies(service, port, family, behaviour);
    if behaviour.mode == ProxyMode::Winkernel {
        let load_balancer = paths.contains(&Path::LoadBalancer);
        return winkernel::answers(policies, &paths, load_balancer, &here, node, behaviour);
    }
    let lists = lists::lists(service, policies, &here, node, behaviour);
    if behaviour.mode == ProxyMode::Ipvs {
        return ipvs::answers(policies, &paths, &lists, &here, node, behaviour);
    }
    let internal_uses_local =
        policies.internal_local && behaviour.generation == Generation::Categorised;
    let mut answers = vec![answer(
        Path::ClusterIp,
        From::Anywhere,
        internal_uses_local,
        &lists,
    )];
    for path in paths {
        let local = policies.external_local
            && (path != Path::ExternalIp || behaviour.external_policy_on_external_ips);
        // The no-endpoint maps of nftables hold load balancers' and external IPs, not node ports, before the short cut.
        let dropped_early =
            behaviour.node_source_dropped && path != Path::NodePort && lists.local.is_empty();
        answers.push(answer(path, From::Outside, local, &lists));
        // Pods and the node itself are short-circuited to the whole cluster.
        answers.push(answer(path, From::Pod, local && !pods_known, &lists));
        let node_local = local && (behaviour.node_source_missed || dropped_early);
        answers.push(answer(path, From::Node, node_local, &lists));
    }
    answers
}
