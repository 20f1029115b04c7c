//! core/v1 ConfigMap, and the configuration of kube-proxy in one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

use super::object::Meta;
use super::presence::or_default;

/// A v1 ConfigMap.
#[skip_serializing_none]
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
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KubeProxyConfiguration {
    /// `apiVersion`.
    pub api_version: Option<String>,
    /// `kind`.
    pub kind: String,
    /// `mode`.
    pub mode: Option<String>,
    /// `clusterCIDR`.
    #[serde(rename = "clusterCIDR")]
    pub cluster_cidr: Option<String>,
    /// `detectLocalMode`.
    pub detect_local_mode: Option<String>,
    /// `featureGates`.
    pub feature_gates: Option<BTreeMap<String, bool>>,
    /// `iptables`.
    pub iptables: Option<SyncPeriods>,
    /// `nftables`.
    pub nftables: Option<SyncPeriods>,
    /// `ipvs`.
    pub ipvs: Option<SyncPeriods>,
}

/// How often a mode syncs, as durations of Go.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SyncPeriods {
    /// `syncPeriod`.
    pub sync_period: Option<String>,
    /// `minSyncPeriod`.
    pub min_sync_period: Option<String>,
}
