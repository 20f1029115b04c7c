//! Which main containers do the Services behind which a workload stands lead to?

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::asked::{self, Asked, Refused};
use super::budgets::{Asking, Budgets};
use super::cluster::Cluster;
use super::scrape::{self, Program, Scrape, scrape};
use crate::controllers::selectors::Services;
use crate::facts::pod_spec::{Container, ContainerPort, PodSpec};
use crate::facts::service::{Service, ServicePort, ServiceType, TargetPort, TrafficPolicy};
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
    /// How it is known that nothing but scrapes of metrics comes, from all of these Services.
    pub scrape: Option<Scrape>,
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

    /// Who sends requests to these Services, as far as that was read.
    #[must_use]
    pub const fn asked(&self) -> Asked {
        self.leads.asked
    }

    /// Who meets it where a pod refuses a connection to one of these Services, as far as that was read.
    #[must_use]
    pub const fn refused(&self) -> Refused {
        self.leads.refused
    }

    /// The numbers of the ports through which requests reach the container, each once: scrapes are none.
    pub fn ports(&self) -> impl Iterator<Item = u16> {
        self.leads.targets.iter().filter_map(|target| match target {
            Target::Number(number) => Some(*number),
            Target::Name(name) => {
                let mut declared = self.container.ports.iter();
                let declared = declared.find(|each| each.name == *name);
                declared.map(|each| each.number)
            }
        })
    }

    /// Does anything that was read name one of these Services in an address?
    #[must_use]
    pub const fn is_named(&self) -> bool {
        self.leads.named
    }

    /// Are all of these Services webhooks that no rollout and no drain waits for, and nothing else but scrapes?
    #[must_use]
    pub const fn is_idle_webhook(&self) -> bool {
        self.leads.idle
    }

    /// The port on which Dapr's sidecar expects the application, where it is put into the pod.
    #[must_use]
    pub const fn dapr_app_port(&self) -> Option<u16> {
        self.leads.dapr_app_port
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

/// A target port, as a number or a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target<'a> {
    Number(u16),
    Name(&'a str),
}

/// Services that lead to one container of pods, and what is true of some of them.
#[derive(Debug, Clone)]
struct Leads<'a> {
    /// The container's place in the spec.
    place: usize,
    services: Services<'a>,
    guessed: bool,
    scrape: Option<Scrape>,
    proxied: bool,
    from_outside: bool,
    asked: Asked,
    refused: Refused,
    named: bool,
    idle: bool,
    dapr_app_port: Option<u16>,
    /// The target ports of these Services through which requests come, each once.
    targets: Rc<BTreeSet<Target<'a>>>,
    local: Services<'a>,
}

impl<'a> Leads<'a> {
    fn new(led: &Led<'a>, services: Services<'a>, cluster: &Cluster<'a>) -> Self {
        let each = services.iter().copied();
        Self {
            place: led.place,
            guessed: led.guessed,
            scrape: led.scrape,
            proxied: each.clone().any(takes_out),
            from_outside: each.clone().any(asked::is_open),
            dapr_app_port: led.dapr_app_port,
            targets: Rc::new(led.targets.clone()),
            named: {
                let mentions = &cluster.snapshot.mentions;
                each.clone().any(|service| mentions.name(&service.name))
            },
            idle: {
                // Scrapes that come beside it are no lost requests. Of a webhook that fails without an answer nobody knows whose objects wait for it.
                let mentions = &cluster.snapshot.mentions;
                let (scraped, calls): (Vec<_>, Vec<_>) = each
                    .clone()
                    .partition(|service| scrape::is_for_scrapes(service));
                let idle = |name| {
                    mentions.is_ignored_webhook(name)
                        || scraped.is_empty() && mentions.is_idle_webhook(name)
                };
                let nobody = |service| asked::asked(service, cluster) == Asked::Nobody;
                !calls.is_empty()
                    && calls
                        .iter()
                        .all(|service| idle(&service.name) && nobody(service))
            },
            asked: {
                let asked = each.clone().map(|service| asked::asked(service, cluster));
                asked.max().unwrap_or(Asked::Nobody)
            },
            refused: {
                let refused = each.clone().map(|service| asked::refused(service, cluster));
                refused.max().unwrap_or(Refused::Within)
            },
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

/// The annotations by which Dapr knows the pods that get its sidecar, and the port of their application.
const DAPR_ENABLED: &str = "dapr.io/enabled";
const DAPR_APP_PORT: &str = "dapr.io/app-port";

/// Annotations of pods that decide where Services lead, and no others.
type Said<'a> = BTreeMap<&'a str, &'a str>;

/// Does a port of a Service lead to the sidecar that Dapr puts into a pod when it is made (dapr/dapr, `pkg/operator/handlers/dapr_handler.go`)?
/// It leads to no container of the manifest then.
fn leads_to_dapr(port: &ServicePort, annotations: &Said<'_>) -> bool {
    let said = |key: &str| annotations.get(key).copied();
    said(DAPR_ENABLED) == Some("true")
        && match &port.target {
            TargetPort::Number(number) => {
                let own = said(DAPR_APP_PORT).and_then(|port| port.parse().ok());
                let metrics = port.name == "dapr-metrics";
                own != Some(*number) && (metrics || [3500, 50001, 50002].contains(number))
            }
            TargetPort::Name(name) => name.starts_with("dapr-"),
        }
}

/// The application's port, as the annotations of the pods say it.
fn dapr_app_port(annotations: &Said<'_>) -> Option<u16> {
    let said = |key: &str| annotations.get(key).copied();
    let port = said(DAPR_APP_PORT).filter(|_| said(DAPR_ENABLED) == Some("true"))?;
    port.parse().ok()
}

fn declares(ports: &[ContainerPort], port: &ServicePort) -> bool {
    ports.iter().any(|declared| {
        declared.protocol == port.protocol
            && match &port.target {
                TargetPort::Number(number) => declared.number == *number,
                TargetPort::Name(name) => declared.name == *name,
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

/// A main container as Services see it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Main<'a> {
    name: &'a str,
    ports: &'a [ContainerPort],
    program: Program,
}

/// What of pods decides to which of their main containers Services lead, and for what. Nothing else of them is looked at.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape<'a> {
    mains: Vec<Main<'a>>,
    /// The ports of each sidecar.
    sidecars: Vec<&'a [ContainerPort]>,
    likely: Option<usize>,
    annotations: Said<'a>,
}

/// What leads to a container, while Services are gone through.
struct Led<'s> {
    /// The container's place in the spec.
    place: usize,
    services: Vec<&'s Service>,
    /// The target ports through which requests come, and not only scrapes.
    targets: BTreeSet<Target<'s>>,
    guessed: bool,
    scrape: Option<Scrape>,
    dapr_app_port: Option<u16>,
}

impl<'a> Shape<'a> {
    fn new(spec: &'a PodSpec, annotations: &'a BTreeMap<String, String>) -> Self {
        let mains = spec.containers.iter();
        let keys = [DAPR_ENABLED, DAPR_APP_PORT];
        let keys = keys.into_iter().chain(scrape::ANNOTATIONS);
        Self {
            mains: mains
                .map(|main| Main {
                    name: &main.name,
                    ports: &main.ports,
                    program: Program::of(main.program()),
                })
                .collect(),
            sidecars: spec.sidecars().map(|each| each.ports.as_slice()).collect(),
            likely: likely(spec, annotations),
            annotations: keys
                .filter_map(|key| Some((key, annotations.get(key)?.as_str())))
                .collect(),
        }
    }

    /// What leads to each container that Services lead to, in the order of the spec.
    fn leads<'s>(&self, services: &[&'s Service]) -> Vec<Led<'s>> {
        let mut found: BTreeMap<usize, Led<'s>> = BTreeMap::new();
        let mut add =
            |place: usize, service: &'s Service, port: Option<&'s ServicePort>, guessed: bool| {
                let Some(main) = self.mains.get(place) else {
                    return;
                };
                let scrape = port.and_then(|port| {
                    scrape(service, port, (main.program, main.ports), &self.annotations)
                });
                // Of one name the first counts.
                let first = self.mains.iter().position(|each| each.name == main.name);
                let place = first.unwrap_or(place);
                let led = found.entry(place).or_insert_with(|| Led {
                    place,
                    services: Vec::new(),
                    targets: BTreeSet::new(),
                    guessed,
                    scrape,
                    dapr_app_port: dapr_app_port(&self.annotations),
                });
                led.guessed &= guessed;
                let asked = port.filter(|_| scrape.is_none());
                led.targets.extend(asked.map(|port| match &port.target {
                    TargetPort::Number(number) => Target::Number(*number),
                    TargetPort::Name(name) => Target::Name(name),
                }));
                led.scrape = led.scrape.and(scrape);
                // Services come one after the other, so that only the last one may be there already.
                if (led.services.last()).is_none_or(|last| last.name != service.name) {
                    led.services.push(service);
                }
            };
        let several = self.mains.len() > 1;
        let services = services.iter().copied();
        for service in services.filter(|service| service.kind != ServiceType::ExternalName) {
            for port in &service.ports {
                let mut declared = false;
                for (place, main) in self.mains.iter().enumerate() {
                    if declares(main.ports, port) {
                        declared = true;
                        add(place, service, Some(port), false);
                    }
                }
                let by_sidecar = self.sidecars.iter().any(|ports| declares(ports, port));
                // A name that nobody declares leads nowhere.
                let number = matches!(port.target, TargetPort::Number(_));
                if let Some(place) = self.likely
                    && number
                    && !declared
                    && !by_sidecar
                    && !leads_to_dapr(port, &self.annotations)
                {
                    add(place, service, Some(port), several);
                }
            }
            // A headless Service needs no port.
            if let Some(place) = self.likely
                && service.ports.is_empty()
            {
                add(place, service, None, several);
            }
        }
        found.into_values().collect()
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
    fn leads(
        &self,
        services: &Services<'a>,
        shape: Shape<'a>,
        cluster: &Cluster<'a>,
    ) -> Rc<[Leads<'a>]> {
        let mut known = self.leads.borrow_mut();
        let found = known.entry((Rc::as_ptr(services), shape));
        let (_, leads) = found.or_insert_with_key(|(_, shape)| {
            let leads = shape.leads(services).into_iter();
            let leads = leads.map(|mut led| {
                let part = self.part(services, std::mem::take(&mut led.services));
                Leads::new(&led, part, cluster)
            });
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
    (spec, annotations): (&'a PodSpec, &'a BTreeMap<String, String>),
    services: &Services<'a>,
    timing: PodTiming,
    (leading, asking, cluster): (&Leading<'a>, &Asking<'a>, &Cluster<'a>),
) -> Vec<Serves<'a>> {
    let leads = leading.leads(services, Shape::new(spec, annotations), cluster);
    let serves = leads.iter().filter_map(|leads| {
        Some(Serves {
            container: spec.containers.get(leads.place)?,
            services: Rc::clone(&leads.services),
            budgets: asking.budgets(&leads.services, timing, cluster),
            guessed: leads.guessed,
            scrape: leads.scrape,
            leads: leads.clone(),
        })
    });
    serves.collect()
}
