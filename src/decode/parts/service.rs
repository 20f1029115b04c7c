//! core/v1 Service.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

use super::object::Meta;
use super::presence::or_default;

/// A v1 Service.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Service {
    /// `metadata`.
    #[serde(deserialize_with = "or_default")]
    pub metadata: Meta,
    /// `spec`.
    pub spec: Option<ServiceSpec>,
    /// `status`.
    pub status: Option<ServiceStatus>,
}

/// `spec` of a Service.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceSpec {
    /// `type`.
    #[serde(rename = "type")]
    pub type_: Option<String>,
    /// `selector`.
    pub selector: Option<BTreeMap<String, String>>,
    /// `ports`.
    pub ports: Option<Vec<ServicePort>>,
    /// `clusterIP`.
    #[serde(rename = "clusterIP")]
    pub cluster_ip: Option<String>,
    /// `clusterIPs`.
    #[serde(rename = "clusterIPs")]
    pub cluster_ips: Option<Vec<String>>,
    /// `ipFamilies`.
    pub ip_families: Option<Vec<String>>,
    /// `externalIPs`.
    #[serde(rename = "externalIPs")]
    pub external_ips: Option<Vec<String>>,
    /// `externalName`.
    pub external_name: Option<String>,
    /// `loadBalancerSourceRanges`.
    pub load_balancer_source_ranges: Option<Vec<String>>,
    /// `internalTrafficPolicy`.
    pub internal_traffic_policy: Option<String>,
    /// `externalTrafficPolicy`.
    pub external_traffic_policy: Option<String>,
    /// `publishNotReadyAddresses`.
    pub publish_not_ready_addresses: Option<bool>,
    /// `healthCheckNodePort`.
    pub health_check_node_port: Option<i32>,
    /// `loadBalancerClass`, which the traffic sources read.
    pub load_balancer_class: Option<String>,
    /// `topologyKeys`, which the API dropped in 1.22.
    pub topology_keys: Option<Vec<String>>,
    /// `sessionAffinity`.
    pub session_affinity: Option<String>,
    /// `sessionAffinityConfig`.
    pub session_affinity_config: Option<SessionAffinityConfig>,
}

/// `sessionAffinityConfig`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct SessionAffinityConfig {
    /// `clientIP`.
    #[serde(rename = "clientIP")]
    pub client_ip: Option<ClientIpConfig>,
}

/// `clientIP`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClientIpConfig {
    /// `timeoutSeconds`.
    pub timeout_seconds: Option<i32>,
}

/// One of `ports`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServicePort {
    /// `name`.
    pub name: Option<String>,
    /// `port`.
    #[serde(deserialize_with = "or_default")]
    pub port: i32,
    /// `protocol`.
    pub protocol: Option<String>,
    /// `targetPort`.
    pub target_port: Option<IntOrString>,
    /// `nodePort`.
    pub node_port: Option<i32>,
    /// `appProtocol`, which the traffic sources read.
    pub app_protocol: Option<String>,
}

/// `status` of a Service.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServiceStatus {
    /// `loadBalancer`.
    pub load_balancer: Option<LoadBalancerStatus>,
}

/// `loadBalancer`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct LoadBalancerStatus {
    /// `ingress`.
    pub ingress: Option<Vec<Ingress>>,
}

/// One of `ingress`: an address of the load balancer.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Ingress {
    /// `ip`.
    pub ip: Option<String>,
    /// `ipMode`.
    pub ip_mode: Option<String>,
    /// `hostname`, which the traffic sources read.
    pub hostname: Option<String>,
}
