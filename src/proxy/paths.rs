//! What does a node do with a new connection on each path of a Service port?
//!
//! Sources: `pkg/proxy/iptables/proxier.go`, `pkg/proxy/nftables/proxier.go`, `pkg/proxy/serviceport.go`.

use super::answer::{Answer, Clients, From, Path, Ranges, answer};
use super::ingest;
use super::ingest::{Candidate, Claims};
use super::lists;
use super::lists::{Lists, NodeView, Policies};
use super::reason::Verdict;
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
/// The candidates are [`ingest::candidates`] of the same arguments.
#[must_use]
pub fn answers(
    service: &Service,
    port: &ServicePort,
    family: Family,
    candidates: &[Claims<'_>],
    node: &NodeView<'_>,
    clients: Clients,
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
    let ranges = ranges(service, family, behaviour);
    if behaviour.mode == ProxyMode::Ipvs {
        let answers = ipvs::answers(policies, &paths, &lists, &here, node, behaviour);
        let answers = answers.into_iter();
        return answers
            .flat_map(|answer| by_range(answer, ranges, clients, &lists, behaviour))
            .collect();
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
        answers.push(answer(
            path,
            From::Pod,
            local && !clients.pods_known,
            &lists,
        ));
        let node_local = local && (behaviour.node_source_missed || dropped_early);
        let mut own = answer(path, From::Node, node_local, &lists);
        let unrejected = match path {
            Path::LoadBalancer => behaviour.own_load_balancer_unrejected,
            Path::ExternalIp => behaviour.own_external_unrejected,
            Path::ClusterIp | Path::NodePort => false,
        };
        if unrejected && own.verdict == Verdict::Reject {
            own.verdict = Verdict::Pass;
        }
        answers.push(own);
    }
    let answers = answers.into_iter();
    answers
        .flat_map(|answer| by_range(answer, ranges, clients, &lists, behaviour))
        .collect()
}

/// Does `spec.loadBalancerSourceRanges` hold anybody back? Ranges count by family, and one that holds all addresses lifts them.
#[must_use]
pub fn ranges(service: &Service, family: Family, behaviour: &Behaviour) -> bool {
    let ranges = service.source_ranges.iter();
    let these: Vec<_> = ranges.filter(|range| range.family() == family).collect();
    behaviour.mode != ProxyMode::Winkernel
        && !these.is_empty()
        && !these.iter().any(|range| range.is_all())
}

/// The answer for those in the source ranges, and for those out of them, as far as the source may be either.
fn by_range(
    answer: Answer,
    ranges: bool,
    clients: Clients,
    lists: &Lists,
    behaviour: &Behaviour,
) -> Vec<Answer> {
    // iptables refuses before it looks at ranges; nftables and ipvs look at them first.
    let refused_first = behaviour.mode == ProxyMode::Iptables && !lists.any;
    if !ranges || answer.path != Path::LoadBalancer || refused_first {
        return vec![answer];
    }
    let within = match answer.from {
        From::Anywhere | From::Outside => None,
        From::Pod => clients.pods_in_ranges,
        From::Node => clients.nodes_in_ranges,
    };
    let out = (within != Some(true)).then(|| Answer {
        ranges: Ranges::Out,
        verdict: Verdict::Drop,
        ..answer.clone()
    });
    let within = (within != Some(false)).then_some(Answer {
        ranges: Ranges::In,
        ..answer
    });
    within.into_iter().chain(out).collect()
}
