//! What did the user fix, in place of what would be observed?

use chrono::{DateTime, Utc};

use crate::facts::cidr::Cidr;
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::version::KubeVersion;
use crate::gates::state::Overrides;
use crate::shutdown::hook::Steps;
use crate::sources::DeclaredSource;

/// What the user fixed, in place of what would be observed.
#[derive(Debug, Clone, Default)]
pub struct Assumptions {
    /// `--kube-version`.
    pub version: Option<KubeVersion>,
    /// `--proxy-mode`.
    pub mode: Option<ProxyMode>,
    /// The mode whose rules nodes were found to have (`--node-rules`): what is taken where kube-proxy's settings name none.
    pub mode_of_rules: Option<ProxyMode>,
    /// `--feature-gates`.
    pub gates: Overrides,
    /// `--cluster-cidr`.
    pub cluster_cidr: Option<Vec<Cidr>>,
    /// `--node`.
    pub node: Option<String>,
    /// `--as-of`.
    pub as_of: Option<DateTime<Utc>>,
    /// `--source`.
    pub sources: Vec<DeclaredSource>,
    /// `--drain-seconds`: how long the application takes to end after its SIGTERM.
    pub drain_seconds: Option<i64>,
    /// How far each preStop hook is read: all of them have a bound together.
    pub hook_steps: Steps,
}
