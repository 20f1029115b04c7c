//! Which pods does a Service select, and on which of their ports does it reach them?

use std::collections::BTreeMap;
use std::net::IpAddr;

use chrono::{DateTime, Utc};

use crate::facts::endpoints::Port;
use crate::facts::pod::{Phase, Pod};
use crate::facts::pod_spec::PodSpec;
use crate::facts::pod_spec::RestartPolicy;
use crate::facts::service::{Family, Service, ServicePort, TargetPort};
use crate::gates::controllers::Controllers;

/// Does a selector pick an object with these labels? An empty selector picks everything.
#[must_use]
pub fn selects(selector: &BTreeMap<String, String>, labels: &BTreeMap<String, String>) -> bool {
    selector
        .iter()
        .all(|(key, value)| labels.get(key) == Some(value))
}

/// Has the pod ended in the eyes of the controllers? Before 1.24.2 the restart policy counted
/// (`pkg/controller/util/endpoint/controller_utils.go`, `ShouldPodBeInEndpoints`).
#[must_use]
pub fn has_ended(pod: &Pod, controllers: Controllers) -> bool {
    if controllers.leaves_out_ended_pods {
        return pod.is_terminal();
    }
    match pod.spec.restart_policy {
        RestartPolicy::Never => pod.is_terminal(),
        RestartPolicy::OnFailure => pod.phase == Phase::Succeeded,
        RestartPolicy::Always => false,
    }
}

/// The pod's first address of a family.
#[must_use]
pub fn address(pod: &Pod, family: Family) -> Option<IpAddr> {
    pod.ips.iter().copied().find(|ip| Family::of(*ip) == family)
}

/// The port of pods like this that a Service port leads to; `None` where a name resolves to nothing (`FindPort`).
#[must_use]
pub fn port(spec: &PodSpec, port: &ServicePort, sidecars: bool) -> Option<Port> {
    let number = match &port.target {
        TargetPort::Number(number) => *number,
        TargetPort::Name(name) => {
            let native = spec.sidecars().filter(|_| sidecars);
            spec.containers
                .iter()
                .chain(native)
                .flat_map(|container| &container.ports)
                .find(|found| found.name == *name && found.protocol == port.protocol)?
                .number
        }
    };
    Some(Port {
        name: port.name.clone(),
        number,
        protocol: port.protocol,
    })
}

/// Every port of the Service that resolves on the pod, sorted.
#[must_use]
pub fn ports(pod: &Pod, service: &Service, sidecars: bool) -> Vec<Port> {
    let mut ports: Vec<_> = service
        .ports
        .iter()
        .filter_map(|each| port(&pod.spec, each, sidecars))
        .collect();
    ports.sort();
    ports
}

/// When the pod last changed in a way that its endpoints depend on: created, deletion asked for, or readiness flipped.
#[must_use]
pub fn last_change(pod: &Pod) -> Option<DateTime<Utc>> {
    let ready = pod.condition("Ready").and_then(|ready| ready.changed);
    pod.created.max(pod.requested_at()).max(ready)
}
