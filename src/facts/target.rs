//! Which object does a command name: `svc/web`, `deploy/web`, `pod/web-0` or a bare name?

use std::fmt;
use std::str::FromStr;

use super::workload::WorkloadKind;

/// One object that a command names. Every target resolves to Services.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its kind.
    pub kind: TargetKind,
    /// Its name.
    pub name: String,
}

/// What a target can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// A Service.
    Service,
    /// A pod: every Service that selects it.
    Pod,
    /// A workload: every Service that selects its pods.
    Workload(WorkloadKind),
}

impl TargetKind {
    /// The kind as manifests write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Service => "Service",
            Self::Pod => "Pod",
            Self::Workload(kind) => kind.name(),
        }
    }
}

impl fmt::Display for Target {
    /// As kubectl writes it: `service/web`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.name().to_lowercase(), self.name)
    }
}

/// Why a text is not a target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotATarget {
    /// The kind is not one that leads to Services.
    #[error("{0}: unsupported kind {1:?}; try svc, deploy, sts, ds, rs or pod")]
    UnknownKind(String, String),
    /// The name is missing.
    #[error("{0:?} has no name; write svc/NAME")]
    NoName(String),
}

impl FromStr for Target {
    type Err = NotATarget;

    /// Takes kubectl's names of the kinds, long, short, plural and with the API group; a bare name is a Service.
    fn from_str(text: &str) -> Result<Self, NotATarget> {
        let (kind, name) = text.split_once('/').unwrap_or(("svc", text));
        if name.is_empty() {
            return Err(NotATarget::NoName(text.to_owned()));
        }
        let kind =
            match kind.to_lowercase().as_str() {
                "svc" | "service" | "services" => TargetKind::Service,
                "po" | "pod" | "pods" => TargetKind::Pod,
                "deploy" | "deployment" | "deployments" | "deployment.apps"
                | "deployments.apps" => TargetKind::Workload(WorkloadKind::Deployment),
                "sts" | "statefulset" | "statefulsets" | "statefulset.apps"
                | "statefulsets.apps" => TargetKind::Workload(WorkloadKind::StatefulSet),
                "ds" | "daemonset" | "daemonsets" | "daemonset.apps" | "daemonsets.apps" => {
                    TargetKind::Workload(WorkloadKind::DaemonSet)
                }
                "rs" | "replicaset" | "replicasets" | "replicaset.apps" | "replicasets.apps" => {
                    TargetKind::Workload(WorkloadKind::ReplicaSet)
                }
                other => {
                    return Err(NotATarget::UnknownKind(text.to_owned(), other.to_owned()));
                }
            };
        Ok(Self {
            kind,
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubectls_names_of_kinds_are_taken_and_a_bare_name_is_a_service() {
        let read = |text: &str| text.parse::<Target>().map(|target| target.to_string());
        assert_eq!(read("web").as_deref(), Ok("service/web"));
        assert_eq!(read("svc/web").as_deref(), Ok("service/web"));
        assert_eq!(
            read("Deployments.apps/web").as_deref(),
            Ok("deployment/web")
        );
        assert_eq!(read("po/web-0").as_deref(), Ok("pod/web-0"));
        assert!(matches!(read("cm/web"), Err(NotATarget::UnknownKind(..))));
        assert!(matches!(read("svc/"), Err(NotATarget::NoName(_))));
    }
}
