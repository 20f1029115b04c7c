//! API objects → facts. The only file that looks inside `k8s-openapi` types.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use k8s_openapi::api::core::v1 as core;
use k8s_openapi::api::discovery::v1 as discovery;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::facts::ObjectName;
use crate::facts::node::Node;
use crate::facts::pod::{
    Condition, Container, ContainerPort, ContainerState, ContainerStatus, Phase, Pod, RestartPolicy,
};
use crate::facts::service::{
    Family, LoadBalancerIngress, Protocol, Service, ServicePort, ServiceType, TargetPort,
    TrafficPolicy,
};
use crate::facts::slice::{AddressType, Conditions, Endpoint, EndpointSlice, PodRef, SlicePort};

fn name(meta: &ObjectMeta) -> ObjectName {
    ObjectName::new(
        meta.namespace.clone().unwrap_or_default(),
        meta.name.clone().unwrap_or_default(),
    )
}

/// A port number; `None` for what no port can be.
fn port_number(number: i32) -> Option<u16> {
    u16::try_from(number).ok().filter(|port| *port != 0)
}

fn protocol(text: Option<&str>) -> Protocol {
    match text {
        Some("UDP") => Protocol::Udp,
        Some("SCTP") => Protocol::Sctp,
        _ => Protocol::Tcp,
    }
}

fn ips<'a>(texts: impl IntoIterator<Item = &'a String>) -> Vec<IpAddr> {
    texts
        .into_iter()
        .filter_map(|text| text.parse().ok())
        .collect()
}

fn service_port(port: core::ServicePort) -> ServicePort {
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
pub fn service(object: core::Service) -> Service {
    let spec = object.spec.unwrap_or_default();
    let kind = match spec.type_.as_deref() {
        Some("NodePort") => ServiceType::NodePort,
        Some("LoadBalancer") => ServiceType::LoadBalancer,
        Some("ExternalName") => ServiceType::ExternalName,
        _ => ServiceType::ClusterIP,
    };
    let written: Vec<String> = spec
        .cluster_ips
        .filter(|ips| !ips.is_empty())
        .unwrap_or_else(|| spec.cluster_ip.clone().into_iter().collect());
    Service {
        name: name(&object.metadata),
        uid: object.metadata.uid,
        labels: object.metadata.labels.unwrap_or_default(),
        annotations: object.metadata.annotations.unwrap_or_default(),
        kind,
        headless: written.iter().any(|ip| ip == "None"),
        cluster_ips: ips(&written),
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
        ports: spec
            .ports
            .unwrap_or_default()
            .into_iter()
            .map(service_port)
            .collect(),
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
        internal_local: spec.internal_traffic_policy.as_deref() == Some("Local"),
        external_traffic_policy: match spec.external_traffic_policy.as_deref() {
            Some("Local") => Some(TrafficPolicy::Local),
            Some(_) => Some(TrafficPolicy::Cluster),
            None => None,
        },
        publish_not_ready: spec.publish_not_ready_addresses.unwrap_or(false),
        health_check_node_port: spec.health_check_node_port.and_then(port_number),
        // The field is gone from the API since 1.22; see `topology_keys` of the JSON reader.
        topology_keys: Vec::new(),
    }
}

/// A discovery.k8s.io/v1 EndpointSlice.
#[must_use]
pub fn slice(object: discovery::EndpointSlice) -> EndpointSlice {
    EndpointSlice {
        name: name(&object.metadata),
        labels: object.metadata.labels.unwrap_or_default(),
        address_type: match object.address_type.as_str() {
            "IPv6" => AddressType::V6,
            "FQDN" => AddressType::Fqdn,
            "IP" => AddressType::Ip,
            _ => AddressType::V4,
        },
        endpoints: object
            .endpoints
            .into_iter()
            .flatten()
            .map(endpoint)
            .collect(),
        ports: object
            .ports
            .into_iter()
            .flatten()
            .map(|port| SlicePort {
                name: port.name,
                port: port.port.and_then(port_number),
                protocol: protocol(port.protocol.as_deref()),
            })
            .collect(),
    }
}

fn endpoint(endpoint: discovery::Endpoint) -> Endpoint {
    let conditions = endpoint.conditions.unwrap_or_default();
    let hints = endpoint.hints.unwrap_or_default();
    Endpoint {
        addresses: endpoint.addresses,
        conditions: Conditions {
            ready: conditions.ready,
            serving: conditions.serving,
            terminating: conditions.terminating,
        },
        node: endpoint.node_name,
        zone: endpoint.zone,
        pod: endpoint
            .target_ref
            .filter(|target| target.kind.as_deref() == Some("Pod"))
            .map(|target| PodRef {
                name: ObjectName::new(
                    target.namespace.unwrap_or_default(),
                    target.name.unwrap_or_default(),
                ),
                uid: target.uid,
            }),
        zone_hints: hints
            .for_zones
            .into_iter()
            .flatten()
            .map(|hint| hint.name)
            .collect(),
        node_hints: hints
            .for_nodes
            .into_iter()
            .flatten()
            .map(|hint| hint.name)
            .collect(),
        topology: endpoint.deprecated_topology.unwrap_or_default(),
    }
}

/// A v1 Node.
#[must_use]
pub fn node(object: core::Node) -> Node {
    let spec = object.spec.unwrap_or_default();
    let labels = object.metadata.labels.unwrap_or_default();
    let info = object.status.and_then(|status| status.node_info);
    let mut families: Vec<Family> = spec
        .pod_cidrs
        .unwrap_or_else(|| spec.pod_cidr.into_iter().collect())
        .iter()
        .filter_map(|cidr| cidr.split('/').next()?.parse().ok())
        .map(Family::of)
        .collect();
    families.sort_unstable();
    families.dedup();
    Node {
        name: object.metadata.name.unwrap_or_default(),
        windows: info
            .as_ref()
            .is_some_and(|info| info.operating_system == "windows")
            || labels
                .get("kubernetes.io/os")
                .is_some_and(|os| os == "windows"),
        kubelet: info.and_then(|info| info.kubelet_version.parse().ok()),
        pod_cidr_families: families,
        labels,
    }
}

fn time(time: &Time) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(time.0.as_second(), 0)
}

fn container(container: core::Container) -> Container {
    Container {
        name: container.name,
        restarts_always: container.restart_policy.as_deref() == Some("Always"),
        ports: container
            .ports
            .unwrap_or_default()
            .into_iter()
            .filter_map(|port| {
                Some(ContainerPort {
                    name: port.name.unwrap_or_default(),
                    number: port_number(port.container_port)?,
                    protocol: protocol(port.protocol.as_deref()),
                })
            })
            .collect(),
    }
}

fn container_status(status: core::ContainerStatus) -> ContainerStatus {
    let state = status.state.unwrap_or_default();
    ContainerStatus {
        name: status.name,
        ready: status.ready,
        started: status.started.unwrap_or(false),
        state: match (state.waiting, state.running, state.terminated) {
            (Some(waiting), _, _) => ContainerState::Waiting(waiting.reason.unwrap_or_default()),
            (_, Some(_), _) => ContainerState::Running,
            (_, _, Some(ended)) => ContainerState::Terminated {
                exit_code: ended.exit_code,
                signal: ended.signal.unwrap_or(0),
                reason: ended.reason.unwrap_or_default(),
            },
            (None, None, None) => ContainerState::Unsaid,
        },
    }
}

/// A v1 Pod.
#[must_use]
pub fn pod(object: core::Pod) -> Pod {
    let meta = object.metadata;
    let spec = object.spec.unwrap_or_default();
    let status = object.status.unwrap_or_default();
    let statuses = |list: Option<Vec<core::ContainerStatus>>| {
        list.unwrap_or_default()
            .into_iter()
            .map(container_status)
            .collect()
    };
    Pod {
        name: name(&meta),
        uid: meta.uid,
        labels: meta.labels.unwrap_or_default(),
        created: meta.creation_timestamp.as_ref().and_then(time),
        deletion: meta.deletion_timestamp.as_ref().and_then(time),
        deletion_grace_seconds: meta.deletion_grace_period_seconds,
        finalizers: meta.finalizers.unwrap_or_default(),
        node: spec.node_name.filter(|node| !node.is_empty()),
        restart_policy: match spec.restart_policy.as_deref() {
            Some("Never") => RestartPolicy::Never,
            Some("OnFailure") => RestartPolicy::OnFailure,
            _ => RestartPolicy::Always,
        },
        containers: spec.containers.into_iter().map(container).collect(),
        init_containers: spec
            .init_containers
            .unwrap_or_default()
            .into_iter()
            .map(container)
            .collect(),
        phase: match status.phase.as_deref() {
            Some("Running") => Phase::Running,
            Some("Succeeded") => Phase::Succeeded,
            Some("Failed") => Phase::Failed,
            Some("Unknown") => Phase::Unknown,
            _ => Phase::Pending,
        },
        reason: status.reason.unwrap_or_default(),
        ips: match status.pod_ips.filter(|ips| !ips.is_empty()) {
            Some(list) => ips(list.iter().map(|ip| &ip.ip)),
            None => ips(&status.pod_ip),
        },
        conditions: status
            .conditions
            .unwrap_or_default()
            .into_iter()
            .map(|condition| Condition {
                is_true: condition.status == "True",
                reason: condition.reason.unwrap_or_default(),
                changed: condition.last_transition_time.as_ref().and_then(time),
                kind: condition.type_,
            })
            .collect(),
        statuses: statuses(status.container_statuses),
        init_statuses: statuses(status.init_container_statuses),
    }
}
