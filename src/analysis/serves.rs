//! Which main containers do the Services behind which a workload stands lead to?

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::budgets::{Asking, Budgets};
use super::cluster::Cluster;
use crate::controllers::selectors::Services;
use crate::facts::pod_spec::{Container, PodSpec};
use crate::facts::service::{
    Protocol, Service, ServicePort, ServiceType, TargetPort, TrafficPolicy,
};
use crate::shutdown::proxies;
use crate::sources::PodTiming;

/// A main container that serves some Service.
#[derive(Debug)]
pub struct Serves<'a> {
    /// The container.
    pub container: &'a Container,
    /// The Services that lead to it, by name.
    pub services: Services<'a>,
    /// What their traffic sources ask.
    pub budgets: Budgets<'a>,
    /// No container declares the port and the pod has several: any of them may be the one that listens.
    pub guessed: bool,
    leads: Leads<'a>,
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
    pub const fn proxied(&self) -> bool {
        self.leads.proxied
    }

    /// Some Service is reached from outside the cluster.
    #[must_use]
    pub const fn from_outside(&self) -> bool {
        self.leads.from_outside
    }

    /// The minimum preStop delay for its Services, in seconds.
    #[must_use]
    pub fn notice_seconds(&self) -> u64 {
        let budgets = self.budgets.each();
        let seconds = budgets.map(|(_, budget)| budget.pre_stop.seconds);
        seconds.max().unwrap_or(0)
    }

    /// The Services under a Local policy, which fall back to serving pods of the same node alone.
    pub fn local(&self) -> impl Iterator<Item = &Service> {
        self.leads.local.iter().copied()
    }
}

/// Services that lead to one container of pods, and what is true of some of them.
#[derive(Debug, Clone)]
struct Leads<'a> {
    /// The container's place in the spec.
    place: usize,
    services: Services<'a>,
    guessed: bool,
    proxied: bool,
    from_outside: bool,
    local: Services<'a>,
}

impl<'a> Leads<'a> {
    fn new(place: usize, services: Services<'a>, guessed: bool) -> Self {
        let each = services.iter().copied();
        Self {
            place,
            guessed,
            proxied: each.clone().any(takes_out),
            from_outside: each.clone().any(|service| {
                matches!(
                    service.kind,
                    ServiceType::NodePort | ServiceType::LoadBalancer
                ) || !service.external_ips.is_empty()
            }),
            local: each
                .filter(|service| {
                    service.internal_local
                        || service.external_traffic_policy == Some(TrafficPolicy::Local)
                })
                .collect(),
            services,
        }
    }
}

/// The annotation that names the container `kubectl exec` and `kubectl logs` take.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// A declared port: its name, number and protocol.
type Port<'a> = (&'a str, u16, Protocol);

fn declares(ports: &[Port<'_>], port: &ServicePort) -> bool {
    ports.iter().any(|(name, number, protocol)| {
        *protocol == port.protocol
            && match &port.target {
                TargetPort::Number(target) => number == target,
                TargetPort::Name(target) => name == target,
            }
    })
}

/// The container that most likely listens where nobody says which one does.
fn likely(spec: &PodSpec, annotations: &BTreeMap<String, String>) -> Option<usize> {
    let place = |wanted: &dyn Fn(&Container) -> bool| spec.containers.iter().position(wanted);
    let named = annotations.get(DEFAULT_CONTAINER);
    named
        .and_then(|name| place(&|container| container.name == *name))
        .or_else(|| place(&|container| proxies::find(container).is_none()))
        .or_else(|| place(&|_| true))
}

/// What of pods decides to which of their main containers Services lead.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape<'a> {
    /// The main containers by name, with their ports.
    mains: Vec<(&'a str, Vec<Port<'a>>)>,
    /// The ports of sidecars.
    sidecars: Vec<Port<'a>>,
    likely: Option<usize>,
}

fn ports(container: &Container) -> impl Iterator<Item = Port<'_>> {
    let ports = container.ports.iter();
    ports.map(|port| (port.name.as_str(), port.number, port.protocol))
}

impl<'a> Shape<'a> {
    fn new(spec: &'a PodSpec, annotations: &BTreeMap<String, String>) -> Self {
        let mains = spec.containers.iter();
        Self {
            mains: mains
                .map(|main| (main.name.as_str(), ports(main).collect()))
                .collect(),
            sidecars: spec.sidecars().flat_map(ports).collect(),
            likely: likely(spec, annotations),
        }
    }

    /// The places of the containers that Services lead to, with those Services, and whether it is a guess.
    fn leads(&self, services: &[&'a Service]) -> Vec<(usize, Vec<&'a Service>, bool)> {
        let mut found: BTreeMap<usize, (Vec<&'a Service>, bool)> = BTreeMap::new();
        let mut add = |place: usize, service: &'a Service, guessed: bool| {
            // Of one name the first counts.
            let name = self.mains.get(place).map(|(name, _)| *name);
            let first = self.mains.iter().position(|(own, _)| Some(*own) == name);
            let (services, known) = found
                .entry(first.unwrap_or(place))
                .or_insert_with(|| (Vec::new(), guessed));
            *known &= guessed;
            // Services come one after the other, so that only the last one may be there already.
            if services.last().is_none_or(|last| last.name != service.name) {
                services.push(service);
            }
        };
        let several = self.mains.len() > 1;
        let services = services.iter().copied();
        for service in services.filter(|service| service.kind != ServiceType::ExternalName) {
            for port in &service.ports {
                let mut declared = false;
                for (place, (_, ports)) in self.mains.iter().enumerate() {
                    if declares(ports, port) {
                        declared = true;
                        add(place, service, false);
                    }
                }
                let by_sidecar = declares(&self.sidecars, port);
                // A name that nobody declares leads nowhere.
                let number = matches!(port.target, TargetPort::Number(_));
                if let Some(place) = self.likely
                    && number
                    && !declared
                    && !by_sidecar
                {
                    add(place, service, several);
                }
            }
            // A headless Service needs no port.
            if let Some(place) = self.likely
                && service.ports.is_empty()
            {
                add(place, service, several);
            }
        }
        let found = found.into_iter();
        found
            .map(|(place, (services, guessed))| (place, services, guessed))
            .collect()
    }
}

/// What Services and containers were found to have to do with each other, for other pods of the same shape behind the same Services.
#[derive(Debug, Default)]
pub(super) struct Leading<'a> {
    /// By the list of Services itself, which it keeps, and not by what that holds.
    leads: RefCell<BTreeMap<(*const [&'a Service], Shape<'a>), Kept<'a>>>,
    /// The Services that lead to some container.
    parts: RefCell<BTreeMap<Vec<*const Service>, Services<'a>>>,
}

/// A list of Services with what is known of it.
type Kept<'a> = (Services<'a>, Rc<[Leads<'a>]>);

impl<'a> Leading<'a> {
    fn leads(&self, services: &Services<'a>, shape: Shape<'a>) -> Rc<[Leads<'a>]> {
        let mut known = self.leads.borrow_mut();
        let found = known.entry((Rc::as_ptr(services), shape));
        let (_, leads) = found.or_insert_with_key(|(_, shape)| {
            let leads = shape.leads(services).into_iter();
            let leads = leads
                .map(|(place, to, guessed)| Leads::new(place, self.part(services, to), guessed));
            (Rc::clone(services), leads.collect())
        });
        Rc::clone(leads)
    }

    /// Some of the Services, as one list wherever they are the same.
    fn part(&self, all: &Services<'a>, some: Vec<&'a Service>) -> Services<'a> {
        if some.len() == all.len() {
            return Rc::clone(all);
        }
        let key = some.iter().map(|service| std::ptr::from_ref(*service));
        let mut parts = self.parts.borrow_mut();
        let part = parts.entry(key.collect());
        Rc::clone(part.or_insert_with(|| some.into()))
    }
}

/// The main containers that the Services of a workload lead to, in the order of the spec.
pub(super) fn serves<'a>(
    (spec, annotations): (&'a PodSpec, &BTreeMap<String, String>),
    services: &Services<'a>,
    timing: PodTiming,
    (leading, asking, cluster): (&Leading<'a>, &Asking<'a>, &Cluster<'a>),
) -> Vec<Serves<'a>> {
    let leads = leading.leads(services, Shape::new(spec, annotations));
    let serves = leads.iter().filter_map(|leads| {
        Some(Serves {
            container: spec.containers.get(leads.place)?,
            services: Rc::clone(&leads.services),
            budgets: asking.budgets(&leads.services, timing, cluster),
            guessed: leads.guessed,
            leads: leads.clone(),
        })
    });
    serves.collect()
}
