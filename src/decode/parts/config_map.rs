//! core/v1 ConfigMap, and the configuration of kube-proxy in one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::object::Meta;
use super::presence::or_default;

/// A v1 ConfigMap.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ConfigMap {
    /// `metadata`.
    #[serde(deserialize_with = "or_default")]
    pub metadata: Meta,
    /// `data`.
    pub data: Option<BTreeMap<String, String>>,
}

/// A `KubeProxyConfiguration` (`kubeproxy.config.k8s.io/v1alpha1`).
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KubeProxyConfiguration {
    /// `apiVersion`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// `kind`.
    pub kind: String,
    /// `mode`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// `clusterCIDR`.
    #[serde(rename = "clusterCIDR", skip_serializing_if = "Option::is_none")]
    pub cluster_cidr: Option<String>,
    /// `detectLocalMode`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detect_local_mode: Option<String>,
    /// `featureGates`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_gates: Option<BTreeMap<String, bool>>,
    /// `iptables`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iptables: Option<SyncPeriods>,
    /// `nftables`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nftables: Option<SyncPeriods>,
    /// `ipvs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ipvs: Option<SyncPeriods>,
}

/// How often a mode syncs, as durations of Go.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SyncPeriods {
    /// `syncPeriod`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_period: Option<String>,
    /// `minSyncPeriod`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_sync_period: Option<String>,
}
