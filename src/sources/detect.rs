//! Who sends traffic to a Service, and what shows it?

use std::rc::Rc;

use super::catalogue::{Class, TrafficSource, catalogue};
use super::given::Given;
use super::matching::passes;
use super::object_index::ObjectIndex;
use super::search::{Found, matched};
use super::target::Target;
use crate::facts::object::Object;
use crate::facts::service::{Service, ServiceType};

/// What shows that a traffic source is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The object, as `Ingress shop/web`.
    pub object: String,
    /// The field of it; `None` where its existence is enough.
    pub field: Option<String>,
    /// What stands there.
    pub value: Option<String>,
    /// What to know about it.
    pub note: Option<String>,
}

/// A traffic source that is in use for a Service.
#[derive(Debug, Clone)]
pub struct InUse<'a> {
    /// Which.
    pub source: &'static TrafficSource,
    /// What shows it; empty where a person said so.
    pub evidence: Vec<Evidence>,
    /// How it runs, where its evidence says: `classic` or `native`.
    pub mode: Option<String>,
    /// Something of it was also seen at work in the cluster.
    pub installed: bool,
    /// What a person said of it.
    pub given: Option<&'a Given>,
    /// The Ingresses, Routes and other objects that its evidence is about.
    pub objects: Vec<&'a Object>,
}

/// Who sends traffic to a Service.
#[derive(Debug, Clone, Default)]
pub struct Detected<'a> {
    /// Who is in use for it, in the catalogue's order.
    pub in_use: Vec<InUse<'a>>,
    /// Who was seen in the cluster but has nothing to do with it.
    pub installed: Vec<&'static TrafficSource>,
    /// Ingresses and Routes that name the Service and that nobody known serves, and its own type where that asks for a
    /// load balancer and none is known: somebody else may send.
    pub unresolved: Vec<Evidence>,
    /// The Service is labelled for a proxy that is neither kube-proxy nor known here.
    pub other_proxy: Option<String>,
    /// What was looked at for the Service; `None` for an ExternalName, to which nobody sends.
    pub(super) target: Option<Rc<Target<'a>>>,
}

/// A label that takes a Service away from kube-proxy and those in its place.
const OTHER_PROXY: &str = "service.kubernetes.io/service-proxy-name";

enum Seen<'a> {
    InUse(InUse<'a>),
    Installed,
    No,
}

fn look<'a>(
    index: &ObjectIndex<'a>,
    source: &'static TrafficSource,
    target: &Target<'a>,
) -> Seen<'a> {
    let mut found = Found::default();
    let detect = &source.detect;
    let opted_out = detect.opt_out.as_ref().is_some_and(|rule| {
        let mut tests = rule.parts().filter_map(|part| part.field.as_ref());
        tests.any(|(field, test)| passes(test, field, &target.object, Some(target)).is_some())
    });
    let mut used = false;
    for rule in &detect.service {
        used |= matched(index, rule, target, &mut found);
    }
    let mut installed = false;
    let mut at_work = Found::default();
    for rule in &detect.cluster {
        installed |= matched(index, rule, target, &mut at_work);
    }
    if detect.service.is_empty() || (used && detect.needs_cluster && installed) {
        found.evidence.extend(at_work.evidence);
    }
    let used = if detect.service.is_empty() {
        installed
    } else {
        used && (installed || !detect.needs_cluster)
    };
    // A headless Service has no address that a data plane could serve.
    let nothing_to_route = source.class == Class::Dataplane && target.facts.headless;
    if used && !opted_out && !nothing_to_route {
        Seen::InUse(InUse {
            source,
            evidence: found.evidence,
            mode: found.mode,
            installed,
            given: None,
            objects: found.objects,
        })
    } else if installed {
        Seen::Installed
    } else {
        Seen::No
    }
}

/// Finds out who sends traffic to a Service: what the objects show, and what a person said.
#[must_use]
pub fn detect<'a>(
    index: &ObjectIndex<'a>,
    service: &'a Service,
    given: &'a [Given],
) -> Detected<'a> {
    let mut detected = Detected::default();
    if service.kind == ServiceType::ExternalName {
        return detected;
    }
    let target = Rc::new(Target::new(index, service));
    let possible = catalogue().sources.iter().zip(&index.possible);
    for (source, _) in possible.filter(|(_, possible)| **possible) {
        match look(index, source, &target) {
            Seen::InUse(found) => detected.in_use.push(found),
            Seen::Installed => detected.installed.push(source),
            Seen::No => {}
        }
    }
    for said in given {
        match detected
            .in_use
            .iter_mut()
            .find(|found| found.source.id == said.id)
        {
            Some(found) => found.given = Some(said),
            None => detected
                .in_use
                .extend(catalogue().find(&said.id).map(|source| InUse {
                    source,
                    evidence: Vec::new(),
                    mode: None,
                    installed: false,
                    given: Some(said),
                    objects: Vec::new(),
                })),
        }
    }
    drop_better_named(&mut detected.in_use);
    detected.other_proxy = service.labels.get(OTHER_PROXY).cloned();
    detected.unresolved = unresolved(index, &target, &detected.in_use);
    detected.target = Some(target);
    detected
}

/// Where a traffic source and its alias were seen, the alias says it better; one that was named by a person stays.
fn drop_better_named(in_use: &mut Vec<InUse<'_>>) {
    let dropped: Vec<&str> = in_use
        .iter()
        .flat_map(|found| {
            let alias = found.source.alias_of.iter();
            alias.chain(&found.source.supersedes).map(String::as_str)
        })
        .collect();
    in_use.retain(|found| found.given.is_some() || !dropped.contains(&found.source.id.as_str()));
}

/// The Service asks for a load balancer, and nobody who is in use for the Service itself is one.
fn load_balancer_unknown(target: &Target<'_>, in_use: &[InUse<'_>]) -> bool {
    let own = |found: &InUse<'_>| {
        let shown_by = |evidence: &Evidence| {
            ["Service ", "TargetGroupBinding ", "ServiceExport "]
                .iter()
                .any(|kind| evidence.object.starts_with(kind))
        };
        found.given.is_some() || found.evidence.iter().any(shown_by)
    };
    let outer = |class| matches!(class, Class::CloudLb | Class::Announcer);
    target.facts.kind == ServiceType::LoadBalancer
        && !in_use
            .iter()
            .any(|found| outer(found.source.class) && own(found))
}

fn unresolved(index: &ObjectIndex<'_>, target: &Target<'_>, in_use: &[InUse<'_>]) -> Vec<Evidence> {
    let name = &target.facts.name;
    let own = load_balancer_unknown(target, in_use).then(|| Evidence {
        object: target.object.to_string(),
        field: Some("spec.type".to_owned()),
        value: Some(ServiceType::LoadBalancer.name().to_owned()),
        note: None,
    });
    let naming = index
        .naming(&name.namespace, &name.name)
        .iter()
        .filter(|object| {
            !in_use.iter().any(|found| {
                found
                    .objects
                    .iter()
                    .any(|known| std::ptr::eq(*known, **object))
            })
        })
        .map(|object| {
            let gateways = index.gateway_classes_of(object);
            Evidence {
                object: object.to_string(),
                field: Some("class".to_owned()),
                value: index
                    .class_of(object)
                    .filter(|_| object.kind == "Ingress")
                    .or(gateways.first().map(|(class, _)| *class))
                    .map(str::to_owned),
                note: None,
            }
        });
    naming.chain(own).collect()
}
