//! Do only scrapes of metrics come through a Service? A scrape that fails once is no lost request.

use std::collections::BTreeMap;

use crate::facts::pod_spec::ContainerPort;
use crate::facts::service::{Service, ServicePort, TargetPort};

/// How it is known that only scrapes of metrics come through a port of a Service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scrape {
    /// The port has the name of one for metrics.
    PortName,
    /// The Service has a name that is only given to one for metrics.
    ServiceName,
    /// The label `app.kubernetes.io/component` of the Service says so.
    Component,
    /// The image is one of an exporter of metrics.
    Exporter,
    /// `prometheus.io/port` names this port, and the container opens others for requests.
    Annotation,
}

impl Scrape {
    /// How it is known, as the end of a sentence.
    #[must_use]
    pub const fn because(self) -> &'static str {
        match self {
            Self::PortName => "by the port's name",
            Self::ServiceName => "by the Service's name",
            Self::Component => "by the Service's label app.kubernetes.io/component",
            Self::Exporter => "by the image, which is an exporter of metrics",
            Self::Annotation => "by the annotation prometheus.io/port",
        }
    }
}

/// Servers that store metrics or hand them out: the last part of the image's name. Their clients ask queries.
const STORES: [&str; 9] = [
    "prometheus",
    "pushgateway",
    "thanos",
    "mimir",
    "cortex",
    "victoria-metrics",
    "vmselect",
    "vmagent",
    "vmauth",
];

/// The annotations of pods that are looked at: whether Prometheus scrapes them, and on which port.
pub(super) const ANNOTATIONS: [&str; 2] = [SCRAPED, SCRAPED_PORT];
const SCRAPED: &str = "prometheus.io/scrape";
const SCRAPED_PORT: &str = "prometheus.io/port";

/// What metrics are to the program that a container runs, by its image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Program {
    /// It stores them or hands them out.
    Store,
    /// It does nothing but show them.
    Exporter,
    /// Nothing special.
    Other,
}

impl Program {
    /// `name` is the last part of the image's.
    pub(super) fn of(name: &str) -> Self {
        let exporters = ["-exporter", "_exporter", "kube-state-metrics"];
        if STORES.contains(&name) {
            Self::Store
        } else if exporters.iter().any(|end| name.ends_with(end)) {
            Self::Exporter
        } else {
            Self::Other
        }
    }
}

/// A name of a port that only metrics and profiles have: `metrics`, `http-metrics`, `prom`, `pprof`.
fn for_metrics(name: &str) -> bool {
    // Profiles and debugging pages are for people who look into the process, as metrics are; a kubelet's probes need no Service.
    let words = [
        "metrics",
        "metric",
        "prometheus",
        "prom",
        "profiling",
        "pprof",
        "debug",
        "jmx",
        "exporter",
        "probes",
        "health",
        "healthz",
        "healthcheck",
    ];
    name.split(['-', '_', '.'])
        .any(|word| words.contains(&word))
}

/// Is a Service for nothing but scrapes, by what it says itself?
#[must_use]
pub fn is_for_scrapes(service: &Service) -> bool {
    let mut ports = service.ports.iter();
    !service.ports.is_empty() && ports.all(|port| is_scraped(service, port))
}

/// Is a port of a Service for nothing but scrapes, by what the Service says itself?
#[must_use]
pub fn is_scraped(service: &Service, port: &ServicePort) -> bool {
    scrape(service, port, (Program::Other, &[]), &BTreeMap::new()).is_some()
}

/// How it is known that only scrapes come through a port of a Service to a container with these ports, if it is. `annotations` are those
/// of its pods, as far as they are looked at.
pub(super) fn scrape(
    service: &Service,
    port: &ServicePort,
    (program, ports): (Program, &[ContainerPort]),
    annotations: &BTreeMap<&str, &str>,
) -> Option<Scrape> {
    if program == Program::Store {
        return None;
    }
    let target = match &port.target {
        TargetPort::Name(name) => name.as_str(),
        TargetPort::Number(_) => "",
    };
    let declared = ports.iter().find(|each| match &port.target {
        TargetPort::Name(name) => each.name == *name,
        TargetPort::Number(number) => each.number == *number,
    });
    let own = declared.map_or("", |declared| declared.name.as_str());
    if [port.name.as_str(), target, own]
        .into_iter()
        .any(for_metrics)
    {
        return Some(Scrape::PortName);
    }
    let name = service.name.name.as_str();
    let ends = ["-metrics", "-metrics-service", "-exporter"];
    if ends.iter().any(|end| name.ends_with(end)) {
        return Some(Scrape::ServiceName);
    }
    let component = service.labels.get("app.kubernetes.io/component");
    if component.is_some_and(|is| is == "metrics" || is == "exporter") {
        return Some(Scrape::Component);
    }
    if program == Program::Exporter {
        return Some(Scrape::Exporter);
    }
    let said = |key: &str| {
        let of_service = service.annotations.get(key).map(String::as_str);
        of_service.or_else(|| annotations.get(key).copied())
    };
    let scraped = said(SCRAPED) == Some("true");
    let number: Option<u16> = said(SCRAPED_PORT).and_then(|port| port.parse().ok());
    let alone = ports.len() < 2;
    let here = number.is_some_and(|number| match &port.target {
        TargetPort::Number(target) => number == *target,
        TargetPort::Name(_) => declared.is_some_and(|declared| declared.number == number),
    });
    (scraped && here && !alone).then_some(Scrape::Annotation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::ObjectName;
    use crate::facts::pod_spec::Container;
    use crate::facts::service::Protocol;

    fn container(image: &str, ports: &[(&str, u16)]) -> Container {
        let ports = ports.iter().map(|(name, number)| ContainerPort {
            name: (*name).to_owned(),
            number: *number,
            protocol: Protocol::Tcp,
        });
        Container {
            image: image.to_owned(),
            ports: ports.collect(),
            ..Container::default()
        }
    }

    fn of(service: &str, port: &str, target: u16, container: &Container) -> Option<Scrape> {
        let service = Service {
            name: ObjectName::new("shop", service),
            ..Service::default()
        };
        let annotations = BTreeMap::from([(SCRAPED, "true"), (SCRAPED_PORT, "9090")]);
        let port = ServicePort {
            name: port.to_owned(),
            port: target,
            protocol: Protocol::Tcp,
            target: TargetPort::Number(target),
            node_port: None,
        };
        let container = (Program::of(container.program()), container.ports.as_slice());
        scrape(&service, &port, container, &annotations)
    }

    #[test]
    fn scrapes_are_known_by_names_images_and_annotations_and_requests_are_not_taken_for_them() {
        let app = container("shop/web:1", &[("http", 8080)]);
        assert_eq!(
            of("web", "http-metrics", 8080, &app),
            Some(Scrape::PortName)
        );
        assert_eq!(of("web", "http", 8080, &app), None);
        let operator = of("controller-manager-metrics-service", "https", 8443, &app);
        assert_eq!(operator, Some(Scrape::ServiceName));
        // It answers queries: kubectl top, autoscalers.
        assert_eq!(of("metrics-server", "https", 8443, &app), None);
        let store = container("prom/prometheus:v3.0.0", &[("prometheus", 9090)]);
        assert_eq!(of("prometheus", "prometheus", 9090, &store), None);
        let exporter = container("quay.io/prometheus/node-exporter@sha256:0", &[]);
        assert_eq!(of("nodes", "", 9100, &exporter), Some(Scrape::Exporter));
        // Many applications answer scrapes on the port for requests.
        let one = container("shop/web:1", &[("", 9090)]);
        assert_eq!(of("web", "", 9090, &one), None);
        let two = container("shop/web:1", &[("", 8080), ("", 9090)]);
        assert_eq!(of("web", "", 9090, &two), Some(Scrape::Annotation));
        assert_eq!(of("web", "", 8080, &two), None);
    }
}
