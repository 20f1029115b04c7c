//! Why does kube-proxy not handle a Service?

use crate::facts::service::{Service, ServiceType};
use crate::proxy::ingest;

/// Why kube-proxy does not handle a Service (`pkg/proxy/util/utils.go`, `ShouldSkipService`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhyNotProxied {
    /// It is a DNS alias.
    ExternalName,
    /// `clusterIP: None`.
    Headless,
    /// The label `service.kubernetes.io/service-proxy-name` gives it to another proxy.
    OtherProxy,
    /// The label `service.kubernetes.io/headless` hides it (up to 1.35).
    HeadlessLabel,
    /// It has no cluster IP yet: a manifest that was never applied.
    NoClusterIp,
    /// It has no port.
    NoPort,
    /// Another data plane routes it, by rules that are not known.
    OtherDataPlane,
}

impl WhyNotProxied {
    /// Every reason, for documentation and completeness tests.
    pub const ALL: [Self; 7] = [
        Self::ExternalName,
        Self::Headless,
        Self::OtherProxy,
        Self::HeadlessLabel,
        Self::NoClusterIp,
        Self::NoPort,
        Self::OtherDataPlane,
    ];

    /// The stable id that reports and `explain` use.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::ExternalName => "external-name",
            Self::Headless => "headless",
            Self::OtherProxy => "other-proxy",
            Self::HeadlessLabel => "headless-label",
            Self::NoClusterIp => "no-cluster-ip",
            Self::NoPort => "no-port",
            Self::OtherDataPlane => "other-data-plane",
        }
    }

    /// One sentence for people.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::ExternalName => {
                "It is a DNS alias: clients resolve another name, and kube-proxy is not involved."
            }
            Self::Headless => {
                "It is headless: DNS returns the pods' own addresses, and kube-proxy is not involved."
            }
            Self::OtherProxy => {
                "The label service.kubernetes.io/service-proxy-name hands it to a proxy other than kube-proxy."
            }
            Self::HeadlessLabel => {
                "The label service.kubernetes.io/headless hides it from kube-proxy up to 1.35."
            }
            Self::NoClusterIp => {
                "It has no cluster IP: no API server has assigned one to this manifest."
            }
            Self::NoPort => "It has no port.",
            Self::OtherDataPlane => {
                "A data plane other than kube-proxy routes it, and where its new connections go is not known here."
            }
        }
    }
}

/// Why kube-proxy does not handle this one.
pub(super) fn why_not_proxied(service: &Service) -> WhyNotProxied {
    if service.kind == ServiceType::ExternalName {
        WhyNotProxied::ExternalName
    } else if service.headless {
        WhyNotProxied::Headless
    } else if service.labels.contains_key(ingest::PROXY_NAME) {
        WhyNotProxied::OtherProxy
    } else if service.cluster_ips.is_empty() {
        WhyNotProxied::NoClusterIp
    } else if service.ports.is_empty() {
        WhyNotProxied::NoPort
    } else {
        WhyNotProxied::HeadlessLabel
    }
}

/// Would kube-proxy route it?
pub(super) fn routed(service: &Service) -> bool {
    service.kind != ServiceType::ExternalName
        && !service.headless
        && !service.cluster_ips.is_empty()
        && !service.ports.is_empty()
}
