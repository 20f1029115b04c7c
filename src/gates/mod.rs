//! What does each Kubernetes version do? Data and switches: the only part of the program that compares version numbers.
#![deny(clippy::disallowed_methods)]

pub mod api_server;
pub mod behaviour;
pub mod changes;
pub mod controllers;
pub mod eras;
pub mod kubelet;
pub mod news;
pub mod printer;
pub mod skew;
pub mod state;
pub mod stateful_sets;
pub mod switches;
pub mod table;

/// One feature gate and its history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gate {
    /// Its name, as `--feature-gates` takes it.
    pub name: &'static str,
    /// The components that read it; a gate is set for each of them separately.
    pub components: &'static [Component],
    /// The enhancement that owns it, as a path in kubernetes/enhancements.
    pub kep: Option<&'static str>,
    /// The first minor version that no longer knows it.
    pub removed: Option<u16>,
    /// Its stages, oldest first.
    pub stages: &'static [GateStage],
}

/// What a gate is over a range of minor versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateStage {
    /// Alpha, beta, GA or deprecated.
    pub stage: Stage,
    /// The default; `None` where it could not be read.
    pub default: Option<bool>,
    /// The component refuses to start with another value.
    pub locked: bool,
    /// First minor version.
    pub from: u16,
    /// Last minor version; `None` is the newest one known and, as far as is known, later ones.
    pub to: Option<u16>,
    /// Where this row comes from.
    pub evidence: Evidence,
}

/// How far a feature has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Off unless asked for.
    Alpha,
    /// Usually on.
    Beta,
    /// Generally available.
    Ga,
    /// A switch back to old behaviour, on its way out.
    Deprecated,
}

/// Where a row of the table comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Read in the source of that version.
    Source,
    /// Taken from a KEP, a pull request, a changelog or the website.
    Announced,
}

/// A component that reads feature gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    /// kube-apiserver.
    ApiServer,
    /// kube-controller-manager.
    ControllerManager,
    /// cloud-controller-manager.
    CloudControllerManager,
    /// kube-scheduler.
    Scheduler,
    /// kubelet.
    Kubelet,
    /// kube-proxy on every system.
    KubeProxy,
    /// kube-proxy on Linux.
    KubeProxyLinux,
    /// kube-proxy on Windows.
    KubeProxyWindows,
}

impl Component {
    /// Does kube-proxy read a gate of this component?
    #[must_use]
    pub const fn is_kube_proxy(self) -> bool {
        matches!(
            self,
            Self::KubeProxy | Self::KubeProxyLinux | Self::KubeProxyWindows
        )
    }
}
