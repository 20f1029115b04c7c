//! DC108: a named targetPort resolves on no pod, or only on some.

use super::words::{count, list};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::controllers::{pods, slices};
use crate::facts::pod_spec::PodSpec;
use crate::facts::service::TargetPort;

pub(super) static RULE: Rule = Rule {
    id: "DC108",
    slug: "port-unresolved",
    severity: Severity::Error,
    when: When::Now,
    summary: "A named targetPort resolves on no pod of the Service, or only on some.",
    page: include_str!("../../docs/rules/DC108.md"),
    check: Check::Service(check),
};

/// Pods, or what will make them.
struct Makers<'a> {
    noun: &'static str,
    all: Vec<(&'a str, &'a PodSpec)>,
}

impl<'a> Makers<'a> {
    /// The pods of a Service; where there is none, the templates that it selects.
    fn new(check: &'a ServiceAnalysis<'_>, cluster: &'a Cluster<'_>) -> Self {
        let pods = check.pods.iter().flatten();
        let live: Vec<_> = pods
            .filter(|pod| !pods::has_ended(pod, cluster.controllers))
            .map(|pod| (pod.name.name.as_str(), &*pod.spec))
            .collect();
        if !live.is_empty() {
            return Self {
                noun: "pod",
                all: live,
            };
        }
        // Pods of a cluster that could not be read may be of other templates.
        let unread = check.of_cluster && check.pods.is_none();
        let templates = cluster.index.templates(check.service).iter();
        let templates = templates.filter(|_| !unread);
        // A patch of a template may leave the containers out.
        let made = templates.map(|made| (made.name.name.as_str(), &made.template.spec));
        Self {
            noun: "workload",
            all: made
                .filter(|(_, spec)| !spec.containers.is_empty())
                .collect(),
        }
    }

    fn none_declares(&self) -> String {
        match self.all.len() {
            1 => format!("its only {} does not declare", self.noun),
            number => format!("none of its {number} {}s declares", self.noun),
        }
    }
}

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    if slices::unmanaged(check.service) {
        return Vec::new();
    }
    let makers = Makers::new(check, cluster);
    let mut found = Vec::new();
    for (index, port) in check.service.ports.iter().enumerate() {
        let TargetPort::Name(name) = &port.target else {
            continue;
        };
        let sidecars = cluster.controllers.sidecar_ports_in_slices;
        let all = makers.all.iter();
        let without: Vec<_> = all
            .filter(|(_, spec)| pods::port(spec, port, sidecars).is_none())
            .map(|(name, _)| *name)
            .collect();
        if without.is_empty() {
            continue;
        }
        let total = makers.all.len();
        let (number, protocol) = (port.port, port.protocol.name());
        let (severity, message) = if without.len() == total && check.service.headless {
            (
                // Clients of a headless Service connect to the pods themselves.
                Severity::Warning,
                format!(
                    "port {number} has targetPort {name:?}, and {} a {protocol} port of that name: it has no SRV record and is in no slice.",
                    makers.none_declares()
                ),
            )
        } else if without.len() == total {
            (
                Severity::Error,
                format!(
                    "port {number} has targetPort {name:?}, and {} a {protocol} port of that name: no pod gets its connections.",
                    makers.none_declares()
                ),
            )
        } else {
            (
                Severity::Warning,
                format!(
                    "port {number} has targetPort {name:?}, a {protocol} port that is missing on {} of {} ({}): they get none of its connections.",
                    without.len(),
                    count(total, makers.noun),
                    list(&without)
                ),
            )
        };
        found.push(Finding {
            severity,
            path: Some(format!("spec.ports[{index}].targetPort").into()),
            message,
            why: "A named targetPort is looked up, with its protocol, among each pod's own containerPorts; a pod that does not declare it is left out for that port."
                .to_owned(),
            help: if without.len() == total {
                format!(
                    "Set targetPort of port {number} to a name or number of a container's port: none is called {name:?}. Or give the container's port that name and protocol {protocol}."
                )
            } else {
                format!(
                    "Declare the {protocol} port {name:?} on every pod, or set targetPort of port {number} to its number: {} of {total} lack it.",
                    without.len()
                )
            },
            ..RULE.about(check.service)
        });
    }
    found
}
