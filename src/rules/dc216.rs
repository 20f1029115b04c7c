//! DC216: a probe names a port that its container does not declare.

use super::pods::{Pods, of_each_container, services_of};
use super::{Check, Finding, Rule, Severity, When};
use crate::facts::pod_spec::{Container, Probe, ProbeHandler};
use crate::facts::service::{Service, ServiceType, TargetPort};
use crate::shutdown::{ContainerEnd, ContainerKind};

pub(super) static RULE: Rule = Rule {
    id: "DC216",
    slug: "probe-port-undeclared",
    severity: Severity::Error,
    when: When::Next,
    summary: "A probe names a port that its container does not declare, so it never succeeds and the pod is never Ready.",
    page: include_str!("../../docs/rules/DC216.md"),
    check: Check::AnyWorkload(check),
};

/// The port that a probe names, and the field that names it. The API server refuses a name without a letter.
fn named(probe: &Probe) -> Option<(&str, &'static str)> {
    let (port, field) = match &probe.handler {
        ProbeHandler::HttpGet(get) => (&get.port, "httpGet.port"),
        ProbeHandler::TcpSocket(port) => (port, "tcpSocket.port"),
        ProbeHandler::Exec(_) | ProbeHandler::Grpc(_) | ProbeHandler::Empty => return None,
    };
    match port {
        TargetPort::Name(name) if name.contains(|sign: char| sign.is_ascii_alphabetic()) => {
            Some((name, field))
        }
        TargetPort::Name(_) | TargetPort::Number(_) => None,
    }
}

/// What a probe decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decides {
    /// Whether the container has started: until then it is not ready, and its other probes wait.
    Started,
    /// Whether it is ready.
    Ready,
    /// Whether it must be restarted.
    Alive,
}

/// A probe on a port that its container does not declare.
struct Undeclared<'c> {
    decides: Decides,
    probe: &'static str,
    field: &'static str,
    port: &'c str,
}

fn undeclared(container: &Container) -> Vec<Undeclared<'_>> {
    let probes = [
        (Decides::Ready, "readinessProbe", &container.readiness),
        (Decides::Started, "startupProbe", &container.startup),
        (Decides::Alive, "livenessProbe", &container.liveness),
    ];
    let named = probes.into_iter().filter_map(|(decides, name, probe)| {
        let (port, field) = named(probe.as_ref()?)?;
        Some(Undeclared {
            decides,
            probe: name,
            field,
            port,
        })
    });
    named
        .filter(|each| container.ports.iter().all(|port| port.name != each.port))
        .collect()
}

/// What the container declares, and who else has that port.
fn declared(pods: &Pods<'_, '_>, container: &Container, wanted: &str) -> String {
    let ports = container.ports.iter().map(|port| {
        if port.name.is_empty() {
            port.number.to_string()
        } else {
            format!("{} ({})", port.name, port.number)
        }
    });
    let own = super::words::list(ports);
    let own = if own.is_empty() {
        "it declares no port".to_owned()
    } else {
        format!("it declares {own}")
    };
    let spec = pods.check.spec;
    let mut all = spec.containers.iter().chain(spec.sidecars());
    let other = all.find(|other| other.ports.iter().any(|port| port.name == wanted));
    match other {
        Some(other) => format!("{own}; only container {} has that name", other.name),
        None => own,
    }
}

/// A Service whose endpoints need readiness leads to the pods.
fn needs_ready(service: &Service) -> bool {
    !service.publish_not_ready && service.kind != ServiceType::ExternalName
}

fn finding(pods: &Pods<'_, '_>, end: &ContainerEnd) -> Option<Finding> {
    let container = pods
        .container(end)
        .filter(|_| matches!(end.kind, ContainerKind::Main | ContainerKind::Sidecar))?;
    // Without an image it is a part of a container, and the rest is elsewhere.
    if container.image.is_empty() {
        return None;
    }
    let found = undeclared(container);
    let first = found.first()?;
    let waiting: Vec<&Service> = pods
        .check
        .services
        .iter()
        .copied()
        .filter(|it| needs_ready(it))
        .collect();
    let probes = super::words::list(found.iter().map(|each| each.probe));
    let verb = if found.len() == 1 { "names" } else { "name" };
    let severity = match first.decides {
        Decides::Alive => Severity::Info,
        _ if pods.are_of_a_job() => Severity::Info,
        _ if waiting.is_empty() => Severity::Warning,
        _ => Severity::Error,
    };
    let effect = match first.decides {
        Decides::Alive => {
            "the probe never fails, and the container is never restarted for it".to_owned()
        }
        _ if waiting.is_empty() => "the pod is never Ready".to_owned(),
        _ => format!(
            "the pod is never Ready, and {} never uses it",
            services_of(&waiting)
        ),
    };
    let port = first.port;
    Some(Finding {
        severity,
        when: if pods.check.pods.is_empty() { When::Next } else { When::Now },
        path: Some(pods.path(end, &format!("{}.{}", first.probe, first.field))?.into()),
        message: format!(
            "{probes} of container {} {verb} port {port}, which the container does not declare ({}): {effect}.",
            container.name,
            declared(pods, container, port),
        ),
        why: "The kubelet looks for the name among the ports of the probed container alone. Where it is missing the probe ends with an error, and the kubelet throws its result away: a container begins as not ready, not started and alive, and stays so."
            .to_owned(),
        help: format!(
            "Declare port {port} in the container's ports, or give the probe the number of the port."
        ),
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    of_each_container(pods, finding)
}
