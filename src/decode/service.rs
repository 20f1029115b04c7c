//! core/v1 Service → facts.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::common::{exact, ips, name, port_number, protocol};
use super::parts;
use crate::facts::service::{
    Family, LoadBalancerIngress, Service, ServicePort, ServiceType, TargetPort, TrafficPolicy,
};

/// What the API server writes where nothing is said (`pkg/apis/core/types.go`, `DefaultClientIPServiceAffinitySeconds`).
const DEFAULT_AFFINITY_SECONDS: i64 = 10_800;

fn service_port(port: parts::ServicePort) -> ServicePort {
    let number = port_number(port.port).unwrap_or(0);
    ServicePort {
        name: port.name.unwrap_or_default(),
        port: number,
        protocol: protocol(port.protocol.as_deref()),
        target: match port.target_port {
            Some(IntOrString::Int(target)) => {
                TargetPort::Number(port_number(target).unwrap_or(number))
            }
            Some(IntOrString::String(target)) => match target.parse() {
                Ok(target) => TargetPort::Number(target),
                Err(_) => TargetPort::Name(target),
            },
            // The API server fills it with the port itself.
            None => TargetPort::Number(number),
        },
        node_port: port.node_port.and_then(port_number),
    }
}

/// A v1 Service.
#[must_use]
pub fn service(object: parts::Service) -> Service {
    let spec = object.spec.unwrap_or_default();
    let kind = match spec.type_.as_deref() {
        Some("NodePort") => ServiceType::NodePort,
        Some("LoadBalancer") => ServiceType::LoadBalancer,
        Some("ExternalName") => ServiceType::ExternalName,
        _ => ServiceType::ClusterIP,
    };
    let written: Vec<String> = spec
        .cluster_ips
        .clone()
        .filter(|ips| !ips.is_empty())
        .unwrap_or_else(|| spec.cluster_ip.clone().into_iter().collect());
    // As kube-proxy picks them (`GetClusterIPByFamily`): without families `clusterIP` alone; else `clusterIPs`, one a family.
    let cluster_ips = match (&spec.ip_families, &spec.cluster_ip) {
        (Some(families), _) if !families.is_empty() => {
            let named = spec.cluster_ips.iter().flatten();
            ips(named.take(families.len()))
        }
        (_, Some(one)) => ips([one]),
        _ => ips(&written),
    };
    Service {
        name: name(&object.metadata),
        uid: object.metadata.uid,
        labels: object.metadata.labels.unwrap_or_default(),
        annotations: object.metadata.annotations.unwrap_or_default(),
        kind,
        headless: written.iter().any(|ip| ip == "None"),
        cluster_ips,
        external_name: spec.external_name.filter(|name| !name.is_empty()),
        ip_families: spec
            .ip_families
            .unwrap_or_default()
            .iter()
            .filter_map(|family| match family.as_str() {
                "IPv4" => Some(Family::V4),
                "IPv6" => Some(Family::V6),
                _ => None,
            })
            .collect(),
        selector: spec.selector,
        ports: exact(spec.ports.into_iter().flatten().map(service_port)),
        external_ips: ips(spec.external_ips.iter().flatten()),
        load_balancer_ingress: object
            .status
            .and_then(|status| status.load_balancer)
            .and_then(|status| status.ingress)
            .unwrap_or_default()
            .into_iter()
            .filter_map(|ingress| {
                Some(LoadBalancerIngress {
                    ip: ingress.ip?.parse().ok()?,
                    proxy_mode: ingress.ip_mode.as_deref() == Some("Proxy"),
                })
            })
            .collect(),
        source_ranges: spec
            .load_balancer_source_ranges
            .iter()
            .flatten()
            .filter_map(|range| range.parse().ok())
            .collect(),
        internal_local: spec.internal_traffic_policy.as_deref() == Some("Local"),
        external_traffic_policy: match spec.external_traffic_policy.as_deref() {
            Some("Local") => Some(TrafficPolicy::Local),
            Some(_) => Some(TrafficPolicy::Cluster),
            None => None,
        },
        publish_not_ready: spec.publish_not_ready_addresses.unwrap_or(false),
        health_check_node_port: spec.health_check_node_port.and_then(port_number),
        topology_keys: spec.topology_keys.unwrap_or_default(),
        affinity_seconds: (spec.session_affinity.as_deref() == Some("ClientIP")).then(|| {
            let config = spec.session_affinity_config.as_ref();
            let seconds = config.and_then(|config| config.client_ip.as_ref()?.timeout_seconds);
            seconds.map_or(DEFAULT_AFFINITY_SECONDS, i64::from)
        }),
    }
}
