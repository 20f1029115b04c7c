//! Which main containers do the Services behind which a workload stands lead to?

use std::collections::BTreeMap;

use super::scrape::{Scrape, scrape};
use crate::facts::pod_spec::{Container, PodSpec};
use crate::facts::service::{Service, ServicePort, ServiceType, TargetPort, TrafficPolicy};
use crate::shutdown::proxies;

/// A main container that serves some Service.
#[derive(Debug)]
pub struct Serves<'a> {
    /// The container.
    pub container: &'a Container,
    /// The Services that lead to it, by name.
    pub services: Vec<&'a Service>,
    /// No container declares the port and the pod has several: any of them may be the one that listens.
    pub guessed: bool,
    /// How it is known that nothing but scrapes of metrics comes, from all of these Services.
    pub scrape: Option<Scrape>,
}

/// Has a Service an address of its own, and does it take terminating pods out? Who goes by DNS remembers them as it likes, and who
/// wants unready pods too wants terminating ones.
#[must_use]
pub const fn takes_out(service: &Service) -> bool {
    !service.headless && !service.publish_not_ready
}

impl Serves<'_> {
    /// Some Service has an address of its own and takes terminating pods out, so that somebody has to notice.
    #[must_use]
    pub fn proxied(&self) -> bool {
        self.services.iter().any(|service| takes_out(service))
    }

    /// Some Service is reached from outside the cluster.
    #[must_use]
    pub fn from_outside(&self) -> bool {
        self.services.iter().any(|service| {
            matches!(
                service.kind,
                ServiceType::NodePort | ServiceType::LoadBalancer
            ) || !service.external_ips.is_empty()
        })
    }

    /// The Services under a Local policy, which fall back to serving pods of the same node alone.
    pub fn local(&self) -> impl Iterator<Item = &Service> {
        self.services.iter().copied().filter(|service| {
            service.internal_local || service.external_traffic_policy == Some(TrafficPolicy::Local)
        })
    }
}

/// The annotation that names the container `kubectl exec` and `kubectl logs` take.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// Does a port of a Service lead to the sidecar that Dapr puts into a pod when it is made (dapr/dapr, `pkg/operator/handlers/dapr_handler.go`)?
/// It leads to no container of the manifest then.
fn leads_to_dapr(port: &ServicePort, annotations: &BTreeMap<String, String>) -> bool {
    let said = |key: &str| annotations.get(key).map(String::as_str);
    said("dapr.io/enabled") == Some("true")
        && match &port.target {
            TargetPort::Number(number) => {
                let own = said("dapr.io/app-port").and_then(|port| port.parse().ok());
                let metrics = port.name == "dapr-metrics";
                own != Some(*number) && (metrics || [3500, 50001, 50002].contains(number))
            }
            TargetPort::Name(name) => name.starts_with("dapr-"),
        }
}

fn declares(container: &Container, port: &ServicePort) -> bool {
    container.ports.iter().any(|declared| {
        declared.protocol == port.protocol
            && match &port.target {
                TargetPort::Number(number) => declared.number == *number,
                TargetPort::Name(name) => declared.name == *name,
            }
    })
}

/// The container that most likely listens where nobody says which one does.
fn likely<'a>(spec: &'a PodSpec, annotations: &BTreeMap<String, String>) -> Option<&'a Container> {
    let mains = &spec.containers;
    let named = annotations
        .get(DEFAULT_CONTAINER)
        .and_then(|name| mains.iter().find(|container| container.name == *name));
    named
        .or_else(|| {
            mains
                .iter()
                .find(|container| proxies::find(container).is_none())
        })
        .or_else(|| mains.first())
}

/// The main containers that the Services of a workload lead to, in the order of the spec.
#[must_use]
pub fn serves<'a>(
    spec: &'a PodSpec,
    annotations: &BTreeMap<String, String>,
    services: &[&'a Service],
) -> Vec<Serves<'a>> {
    let mut found: Vec<Serves<'a>> = Vec::new();
    let mut add = |container: &'a Container,
                   service: &'a Service,
                   port: Option<&ServicePort>,
                   guessed: bool| {
        let scrape = port.and_then(|port| scrape(service, port, container, annotations));
        if let Some(known) = found
            .iter_mut()
            .find(|known| known.container.name == container.name)
        {
            known.guessed &= guessed;
            known.scrape = known.scrape.and(scrape);
            // Services come one after the other, so that only the last one may be there already.
            if (known.services.last()).is_none_or(|last| last.name != service.name) {
                known.services.push(service);
            }
        } else {
            found.push(Serves {
                container,
                services: vec![service],
                guessed,
                scrape,
            });
        }
    };
    let several = spec.containers.len() > 1;
    let likely = likely(spec, annotations);
    let services = services
        .iter()
        .copied()
        .filter(|service| service.kind != ServiceType::ExternalName);
    for service in services {
        for port in &service.ports {
            let mut declared = false;
            for container in &spec.containers {
                if declares(container, port) {
                    declared = true;
                    add(container, service, Some(port), false);
                }
            }
            let by_sidecar = spec.sidecars().any(|each| declares(each, port));
            // A name that nobody declares leads nowhere.
            let number = matches!(port.target, TargetPort::Number(_));
            if let Some(container) = likely
                && number
                && !declared
                && !by_sidecar
                && !leads_to_dapr(port, annotations)
            {
                add(container, service, Some(port), several);
            }
        }
        // A headless Service needs no port.
        if let Some(container) = likely
            && service.ports.is_empty()
        {
            add(container, service, None, several);
        }
    }
    let place = |container: &Container| {
        spec.containers
            .iter()
            .position(|main| main.name == container.name)
    };
    found.sort_by_key(|each| place(each.container));
    found
}
