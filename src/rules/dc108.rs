//! DC108: a named targetPort resolves on no pod, or only on some.

use std::collections::BTreeMap;

use super::near::is_plain;
use super::words::{count, list};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::scrape::is_scraped;
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::controllers::{pods, slices};
use crate::facts::ObjectRef;
use crate::facts::pod::Pod;
use crate::facts::pod_spec::{Container, PodSpec, RestartPolicy};
use crate::facts::service::{ServicePort, TargetPort};
use crate::facts::workload::Workload;

pub(super) static RULE: Rule = Rule {
    id: "DC108",
    slug: "port-unresolved",
    severity: Severity::Error,
    when: When::Now,
    summary: "A named targetPort resolves on no pod of the Service, or only on some.",
    page: include_str!("../../docs/rules/DC108.md"),
    check: Check::Service(check),
};

/// Ports of containers that a mesh puts into pods when they are made: Istio's, Linkerd's and Dapr's. No template declares them.
const INJECTED: [&str; 7] = [
    "http-envoy-prom",
    "linkerd-proxy",
    "linkerd-admin",
    "dapr-http",
    "dapr-grpc",
    "dapr-internal",
    "dapr-metrics",
];

/// Does an annotation of a template name a port, as what another program's sidecar will declare (`marin3r.3scale.net/ports: "envoy:8443"`)?
fn is_announced(maker: &Maker<'_>, port: &str) -> bool {
    let sign = |sign: char| !(sign.is_ascii_alphanumeric() || sign == '-');
    let annotations = maker
        .workload
        .map(|workload| &workload.template.annotations);
    let mut values = annotations.into_iter().flat_map(BTreeMap::values);
    values.any(|value| value.split(sign).any(|word| word == port))
}

/// Keys of meshes and of Vault: what they put into pods is known ([`INJECTED`]), or declares no port.
const KNOWN_INJECTORS: [&str; 3] = ["istio.io/", "linkerd.io/", "vault.hashicorp.com/"];

/// Does a label or an annotation of a template ask another program to put containers in, which may declare ports of any name
/// (`example.com/sidecar: inject`, `sidecar.example.com/inject: "true"`)?
fn asks_for_injection(maker: &Maker<'_>) -> bool {
    let injects = |text: &str| {
        let mut words = text.split(|sign: char| !sign.is_ascii_alphanumeric());
        words.any(|word| word.to_ascii_lowercase().starts_with("inject"))
    };
    let asks = |(key, value): (&String, &String)| {
        let off = ["", "false", "disabled", "no", "off", "0"].contains(&value.as_str());
        let known = KNOWN_INJECTORS.iter().any(|known| key.contains(known));
        // A longer text may be about anything.
        !off && !known && (injects(key) || !value.contains(' ') && injects(value))
    };
    maker.workload.is_some_and(|workload| {
        let labels = workload.pod_labels.iter();
        labels.chain(&workload.template.annotations).any(asks)
    })
}

/// A pod, or what will make it.
struct Maker<'a> {
    name: &'a str,
    spec: &'a PodSpec,
    /// The workload; `None` for a pod.
    workload: Option<&'a Workload>,
}

/// Pods, or what will make them.
struct Makers<'a> {
    noun: &'static str,
    all: Vec<Maker<'a>>,
}

impl<'a> Makers<'a> {
    /// The pods of a Service; where there is none, the templates that it selects.
    fn new(check: &'a ServiceAnalysis<'_>, cluster: &'a Cluster<'_>) -> Self {
        let pods = check.pods.iter().flatten();
        let pods = pods.filter(|pod| !pods::has_ended(pod, cluster.controllers));
        // What is only written down stands beside the templates, and a pod that is to end, such as a chart's test, is selected by accident.
        let serves =
            |pod: &Pod| pod.was_observed() || pod.spec.restart_policy == RestartPolicy::Always;
        let observed = pods.clone().any(|pod| pod.was_observed());
        let live = pods.filter(|pod| serves(pod)).map(|pod| Maker {
            name: &pod.name.name,
            spec: &pod.spec,
            workload: None,
        });
        if observed {
            return Self {
                noun: "pod",
                all: live.collect(),
            };
        }
        // Pods of a cluster that could not be read may be of other templates.
        let unread = check.of_cluster && check.pods.is_none();
        let templates = cluster.index.templates(check.service).iter();
        // The pods of Jobs are selected by accident.
        let templates = templates.filter(|made| !unread && !made.kind.ends());
        // A patch of a template may leave the containers out.
        let made = templates.filter(|made| !made.template.spec.containers.is_empty());
        let made = made.map(|made| Maker {
            name: &made.name.name,
            spec: &made.template.spec,
            workload: Some(made),
        });
        let all: Vec<_> = live.chain(made).collect();
        let only_pods = cluster.index.templates(check.service).is_empty();
        Self {
            noun: if only_pods { "pod" } else { "workload" },
            all,
        }
    }

    fn none_declares(&self) -> String {
        match self.all.len() {
            1 => format!("its only {} does not declare", self.noun),
            number => format!("none of its {number} {}s declares", self.noun),
        }
    }
}

/// Name and tag apart: `example/web` of `example/web:1`.
fn repository(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or(image);
    match image.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => name,
        _ => image,
    }
}

/// Is one that lacks a port the same application as one that has it, by another name, in another version? A selector may as well
/// take in a worker that serves nothing: then it is right that it gets no connections.
fn alike(lacking: &Maker<'_>, having: &Maker<'_>, port: &ServicePort, sidecars: bool) -> bool {
    let number = pods::port(having.spec, port, sidecars).map(|port| port.number);
    let runs = |one: &Container, other: &Container| {
        repository(&one.image) == repository(&other.image)
            && (&one.command, &one.args) == (&other.command, &other.args)
    };
    let has_it = |container: &&Container| {
        let mut ports = container.ports.iter();
        ports.any(|each| Some(each.number) == number && each.protocol == port.protocol)
    };
    let renamed = lacking.spec.containers.iter().any(|each| has_it(&each));
    let mut serving = having.spec.containers.iter().filter(has_it);
    renamed || serving.any(|one| lacking.spec.containers.iter().any(|other| runs(one, other)))
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
        let (with, mut without): (Vec<_>, Vec<_>) = makers
            .all
            .iter()
            .partition(|each| pods::port(each.spec, port, sidecars).is_some());
        if makers.noun == "workload" {
            if !is_plain(name) || INJECTED.contains(&name.as_str()) {
                continue;
            }
            without.retain(|lacking| !is_announced(lacking, name));
            without.retain(|lacking| {
                let mut having = with.iter();
                with.is_empty() || having.any(|having| alike(lacking, having, port, sidecars))
            });
        }
        if without.is_empty() {
            continue;
        }
        let injected = without.iter().all(|each| asks_for_injection(each));
        let workloads = without.iter().filter_map(|each| each.workload);
        let related: Vec<_> = workloads.map(ObjectRef::from).collect();
        let without: Vec<_> = without.iter().map(|each| each.name).collect();
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
        // A scrape that fails is no lost request.
        let severity = if injected || is_scraped(check.service, port) {
            Severity::Info
        } else {
            severity
        };
        found.push(Finding {
            severity,
            path: Some(format!("spec.ports[{index}].targetPort").into()),
            message,
            why: format!(
                "A named targetPort is looked up, with its protocol, among each pod's own containerPorts; a pod that does not declare it is left out for that port.{}",
                if injected {
                    " For information only: a label or an annotation of the template asks for containers to be put in, and one of these may declare it."
                } else {
                    ""
                }
            ),
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
            related: related.into(),
            ..RULE.about(check.service)
        });
    }
    found
}
