//! DC111: an Ingress or a Route names a Service or a port that does not exist.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::near::{is_plain, mistyped};
use super::words::list;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::Cluster;
use crate::facts::ObjectRef;
use crate::facts::object;
use crate::facts::service::{Service, ServiceType, TargetPort};

pub(super) static RULE: Rule = Rule {
    id: "DC111",
    slug: "backend-missing",
    severity: Severity::Error,
    when: When::Now,
    summary: "An Ingress or a Route names a Service, or a port of one, that does not exist.",
    page: include_str!("../../docs/rules/DC111.md"),
    check: Check::Cluster(check),
};

const ROUTES: [&str; 5] = ["HTTPRoute", "GRPCRoute", "TCPRoute", "TLSRoute", "UDPRoute"];

/// The AWS Load Balancer Controller takes such a backend for the name of an action, which stands in an annotation.
const ACTION_OF_AWS: &str = "use-annotation";

/// Does ingress-nginx find a backend of this Ingress by the targetPort, too (its `serviceEndpoints` in `internal/ingress/controller/controller.go`
/// compares port, targetPort and name)? Not where it sends to the Service's own address. F5's controller of the same class does not.
fn finds_target_ports(object: &object::ApiObject) -> bool {
    const PREFIX: &str = "nginx.ingress.kubernetes.io/";
    let annotation = |key: &str| object.annotations.get(key).map(String::as_str);
    let has = |prefix: &str| object.annotations.keys().any(|key| key.starts_with(prefix));
    let is_nginx = object.value["spec"]["ingressClassName"] == "nginx"
        || annotation("kubernetes.io/ingress.class") == Some("nginx")
        || has(PREFIX);
    let of_f5 = has("nginx.org/") || has("nginx.com/");
    let by_address = annotation("nginx.ingress.kubernetes.io/service-upstream") == Some("true");
    object.kind == "Ingress" && is_nginx && !of_f5 && !by_address
}

/// A port as a backend names it.
enum Port<'a> {
    Number(i64),
    Name(&'a str),
}

/// A Service as an Ingress or a Route names it.
struct Backend<'a> {
    namespace: &'a str,
    service: &'a str,
    service_path: String,
    port: Option<(Port<'a>, String)>,
}

/// Items of a list with their paths.
fn items<'a>(value: &'a Value, path: &str) -> impl Iterator<Item = (&'a Value, String)> {
    let path = path.to_owned();
    let list = value.as_array().into_iter().flatten();
    list.enumerate()
        .map(move |(at, item)| (item, format!("{path}[{at}]")))
}

fn port(value: &Value) -> Option<Port<'_>> {
    match value {
        Value::Number(number) => number.as_i64().map(Port::Number),
        // Old kinds take a number in quotes for a number too.
        Value::String(text) => Some(text.parse().map_or(Port::Name(text), Port::Number)),
        _ => None,
    }
}

fn of_ingress<'a>(
    ingress: &'a object::ApiObject,
    backend: &'a Value,
    at: &str,
) -> Option<Backend<'a>> {
    let namespace = ingress.namespace.as_str();
    if let Some(service) = backend["service"]["name"].as_str() {
        let written = &backend["service"]["port"];
        let field = |field: &str| {
            let found = port(&written[field])?;
            Some((found, format!("{at}.service.port.{field}")))
        };
        let named = written["name"].as_str().filter(|name| !name.is_empty());
        return Some(Backend {
            namespace,
            service,
            service_path: format!("{at}.service.name"),
            port: named
                .map(|name| (Port::Name(name), format!("{at}.service.port.name")))
                .or_else(|| field("number")),
        });
    }
    // extensions/v1beta1 and networking.k8s.io/v1beta1
    Some(Backend {
        namespace,
        service: backend["serviceName"].as_str()?,
        service_path: format!("{at}.serviceName"),
        port: port(&backend["servicePort"]).map(|found| (found, format!("{at}.servicePort"))),
    })
}

fn of_route<'a>(route: &'a object::ApiObject, backend: &'a Value, at: &str) -> Option<Backend<'a>> {
    let is =
        |field: &str, wanted: &str| backend[field].as_str().is_none_or(|value| value == wanted);
    if !is("kind", "Service") || !is("group", "") {
        return None;
    }
    Some(Backend {
        namespace: backend["namespace"].as_str().unwrap_or(&route.namespace),
        service: backend["name"].as_str()?,
        service_path: format!("{at}.name"),
        port: port(&backend["port"]).map(|found| (found, format!("{at}.port"))),
    })
}

fn backends(object: &object::ApiObject) -> Vec<Backend<'_>> {
    let spec = &object.value["spec"];
    let mut found = Vec::new();
    for (rule, at) in items(&spec["rules"], "spec.rules") {
        if object.kind == "Ingress" {
            for (path, at) in items(&rule["http"]["paths"], &format!("{at}.http.paths")) {
                found.extend(of_ingress(
                    object,
                    &path["backend"],
                    &format!("{at}.backend"),
                ));
            }
            continue;
        }
        for (backend, at) in items(&rule["backendRefs"], &format!("{at}.backendRefs")) {
            found.extend(of_route(object, backend, &at));
        }
        for (filter, at) in items(&rule["filters"], &format!("{at}.filters")) {
            let mirror = &filter["requestMirror"]["backendRef"];
            let at = format!("{at}.requestMirror.backendRef");
            found.extend(of_route(object, mirror, &at));
        }
    }
    if object.kind == "Ingress" {
        for field in ["defaultBackend", "backend"] {
            found.extend(of_ingress(object, &spec[field], &format!("spec.{field}")));
        }
    }
    found
}

/// Its ports as a backend may name them: `http 80, 443`.
fn ports(services: &[&Service]) -> String {
    let ports = services.iter().flat_map(|service| &service.ports);
    let ports: BTreeSet<_> = ports
        .map(|port| format!("{} {}", port.name, port.port).trim().to_owned())
        .collect();
    if ports.is_empty() {
        "no port".to_owned()
    } else {
        list(ports)
    }
}

fn wrong_port(
    object: &object::ApiObject,
    backend: Backend<'_>,
    services: &[&Service],
) -> Option<Finding> {
    let (wanted, path) = backend.port?;
    let external = |service: &&Service| service.kind == ServiceType::ExternalName;
    let all = || services.iter().flat_map(|service| &service.ports);
    let known = all().any(|port| match wanted {
        Port::Number(number) => i64::from(port.port) == number,
        Port::Name(name) => port.name == name,
    });
    // A patch of a Service has no ports, and a tool may put a port in.
    let partial = |service: &&Service| service.ports.is_empty() && !service.headless;
    let templated = matches!(wanted, Port::Name(name) if !is_plain(name));
    if known || templated || services.iter().any(|each| external(each) || partial(each)) {
        return None;
    }
    let target = all().find(|port| match (&port.target, &wanted) {
        (TargetPort::Number(target), Port::Number(number)) => i64::from(*target) == *number,
        (TargetPort::Name(target), Port::Name(name)) => target == name,
        _ => false,
    });
    let wanted = match wanted {
        Port::Number(number) => number.to_string(),
        Port::Name(name) => name.to_owned(),
    };
    let works = target.is_some() && finds_target_ports(object);
    Some(Finding {
        severity: if works { Severity::Info } else { Severity::Error },
        path: Some(path.into()),
        message: format!(
            "Service {} has no port {wanted}: it has {}{}.",
            backend.service,
            ports(services),
            target.map_or(String::new(), |port| format!(
                " ({wanted} is the targetPort of {})",
                port.port
            )),
        ),
        why: "Ingresses and Routes name a port of the Service, by number or name, not the port that the pods listen on. For a port that does not exist, ingress controllers and gateways answer 5xx or ignore the rule.".to_owned()
            + if works {
                " For information only: ingress-nginx finds a backend by its targetPort too, and only that controller does."
            } else {
                ""
            },
        help: format!(
            "Name a port that Service {} has ({}) instead of {wanted}.",
            backend.service,
            ports(services)
        ),
        related: services.iter().map(|service| ObjectRef::from(*service)).collect(),
        ..RULE.about(object)
    })
}

/// Its name is an error of typing for that of a Service. Any other may be in files that were not given.
fn no_service(
    object: &object::ApiObject,
    backend: Backend<'_>,
    others: &BTreeMap<&str, Vec<&Service>>,
    named: &BTreeSet<&str>,
) -> Option<Finding> {
    // A Service that the same object names as well is not meant here.
    let mut near = others
        .keys()
        .filter(|name| mistyped(name, backend.service) && !named.contains(*name));
    let (Some(like), None) = (near.next(), near.next()) else {
        return None;
    };
    let meant = others.get(like).into_iter().flatten();
    let place = if backend.namespace.is_empty() {
        String::new()
    } else {
        format!(" in namespace {}", backend.namespace)
    };
    Some(Finding {
        severity: Severity::Warning,
        path: Some(backend.service_path.into()),
        message: format!(
            "there is no Service {}{place}; there is {like}.",
            backend.service
        ),
        why: "Ingress controllers and gateways answer 5xx for a Service that does not exist."
            .to_owned(),
        help: format!(
            "Correct the name of Service {} to {like}, or create it.",
            backend.service
        ),
        related: meant.map(|service| ObjectRef::from(*service)).collect(),
        ..RULE.about(object)
    })
}

fn check(cluster: &Cluster<'_>) -> Vec<Finding> {
    let mut services: BTreeMap<&str, BTreeMap<&str, Vec<&Service>>> = BTreeMap::new();
    for service in &cluster.snapshot.services {
        services
            .entry(&service.name.namespace)
            .or_default()
            .entry(&service.name.name)
            .or_default()
            .push(service);
    }
    let mut found = Vec::new();
    // A Route that belongs to no Gateway routes nothing.
    let in_use = |object: &&&object::ApiObject| {
        object.kind == "Ingress" || object.value["spec"]["parentRefs"].is_array()
    };
    let kinds = ["Ingress"].into_iter().chain(ROUTES);
    for object in kinds
        .flat_map(|kind| cluster.detector.index().of_kind(kind))
        .filter(in_use)
    {
        let backends = backends(object);
        let named: BTreeSet<_> = backends.iter().map(|backend| backend.service).collect();
        for backend in backends {
            let action = matches!(backend.port, Some((Port::Name(ACTION_OF_AWS), _)));
            // A namespace without any Service was not read.
            let Some(known) = services.get(backend.namespace).filter(|_| !action) else {
                continue;
            };
            let wrong = match known.get(backend.service) {
                Some(services) => wrong_port(object, backend, services),
                None => no_service(object, backend, known, &named),
            };
            found.extend(wrong);
        }
    }
    found
}
