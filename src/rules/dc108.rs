//! DC108: a named targetPort resolves on no pod, or only on some.

use super::words::{count, list};
use super::{Check, Rule, Said, Severity};
use crate::check::{Cluster, ServiceCheck};
use crate::controllers::{pods, slices};
use crate::facts::service::TargetPort;

pub(super) static RULE: Rule = Rule {
    id: "DC108",
    slug: "port-unresolved",
    severity: Severity::Error,
    summary: "A named targetPort resolves on no pod of the Service, or only on some.",
    page: include_str!("../../docs/rules/DC108.md"),
    check: Check::Service(check),
};

fn nobody(pods: usize) -> String {
    if pods == 1 {
        "its only pod does not declare".to_owned()
    } else {
        format!("none of its {pods} pods declares")
    }
}

fn check(check: &ServiceCheck<'_>, cluster: &Cluster<'_>) -> Vec<Said> {
    if slices::unmanaged(check.service) {
        return Vec::new();
    }
    let live: Vec<_> = check
        .pods
        .iter()
        .flatten()
        .filter(|pod| !pods::has_ended(pod, cluster.controllers))
        .collect();
    if live.is_empty() {
        return Vec::new();
    }
    let mut said = Vec::new();
    for port in &check.service.ports {
        let TargetPort::Name(name) = &port.target else {
            continue;
        };
        let sidecars = cluster.controllers.sidecar_ports_in_slices;
        let without: Vec<_> = live
            .iter()
            .filter(|pod| pods::port(pod, port, sidecars).is_none())
            .map(|pod| pod.name.name.as_str())
            .collect();
        if without.is_empty() {
            continue;
        }
        let (number, protocol) = (port.port, port.protocol.name());
        let (severity, message) = if without.len() == live.len() && check.service.headless {
            (
                // Clients of a headless Service connect to the pods themselves.
                Severity::Warning,
                format!(
                    "port {number} leads to {name:?}, and {} a {protocol} port of that name: it has no SRV record and is in no slice.",
                    nobody(live.len())
                ),
            )
        } else if without.len() == live.len() {
            (
                Severity::Error,
                format!(
                    "port {number} leads to {name:?}, and {} a {protocol} port of that name: nothing gets its connections.",
                    nobody(live.len())
                ),
            )
        } else {
            (
                Severity::Warning,
                format!(
                    "port {number} leads to {name:?}, a {protocol} port that is missing on {} of {} ({}): they get none of its connections.",
                    without.len(),
                    count(live.len(), "pod"),
                    list(&without)
                ),
            )
        };
        said.push(Said {
            severity,
            path: Some("spec.ports".into()),
            message,
            why: "A named targetPort is looked up, with its protocol, among each pod's own containerPorts; a pod that does not declare it is left out for that port."
                .to_owned(),
            help: "Name a port that the containers declare, give their port that name and protocol, or use the number."
                .to_owned(),
        });
    }
    said
}
