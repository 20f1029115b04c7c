//! Which traffic sources does something in the input name that nothing in the catalogue accounts for?

use super::catalogue::{Class, Level, catalogue};
use super::detected::SourceInUse;
use super::evidence::Evidence;
use super::object_index::ObjectIndex;
use super::target::Target;
use crate::facts::object::ApiObject;
use crate::facts::service::{ServiceType, TrafficPolicy};

const LOAD_BALANCER: &str = "unidentified-load-balancer";
const INGRESS: &str = "unidentified-ingress";
const GATEWAY: &str = "unidentified-gateway";

/// Those of one Service, beside the traffic sources that were identified.
pub(super) fn unidentified<'a>(
    index: &ObjectIndex<'a>,
    target: &Target<'a>,
    in_use: &[SourceInUse<'a>],
) -> Vec<SourceInUse<'a>> {
    let mut found = Vec::new();
    if balancer_unknown(target, in_use) {
        found.extend(load_balancer(index, target));
    }
    let routes = target.routes.iter().copied();
    let unserved: Vec<_> = routes
        .filter(|route| is_attached(route) && !served(route, in_use))
        .collect();
    let (ingresses, routes): (Vec<_>, Vec<_>) = unserved
        .into_iter()
        .partition(|route| route.kind == "Ingress");
    found.extend(ingress(index, ingresses));
    found.extend(route(index, routes));
    found
}

fn stands_for<'a>(
    id: &str,
    evidence: Vec<Evidence>,
    objects: Vec<&'a ApiObject>,
) -> Option<SourceInUse<'a>> {
    Some(SourceInUse {
        evidence,
        objects,
        ..SourceInUse::unseen(catalogue().find(id)?, None)
    })
}

/// What it may be, by a test of where that counts.
fn candidates<'a>(
    of: &str,
    ids: &mut dyn Iterator<Item = &'static String>,
) -> Vec<SourceInUse<'a>> {
    debug_assert!(catalogue().is_unidentified(of));
    let sources = ids.filter_map(|id| catalogue().find(id));
    sources
        .map(|source| SourceInUse::unseen(source, None))
        .collect()
}

/// The Service is of type `LoadBalancer`, and no traffic source in use for the Service itself is one.
fn balancer_unknown(target: &Target<'_>, in_use: &[SourceInUse<'_>]) -> bool {
    let for_service = |used: &SourceInUse<'_>| {
        let shown_by = |evidence: &Evidence| {
            ["Service ", "TargetGroupBinding ", "ServiceExport "]
                .iter()
                .any(|kind| evidence.object.starts_with(kind))
        };
        used.declared.is_some() || used.evidence.iter().any(shown_by)
    };
    let balances = |class| matches!(class, Class::CloudLb | Class::Announcer);
    target.service.kind == ServiceType::LoadBalancer
        && !in_use
            .iter()
            .any(|used| balances(used.source.class) && for_service(used))
}

fn load_balancer<'a>(index: &ObjectIndex<'a>, target: &Target<'a>) -> Option<SourceInUse<'a>> {
    let class = target.object.value["spec"]["loadBalancerClass"].as_str();
    let (field, value) = class.map_or(("spec.type", ServiceType::LoadBalancer.name()), |class| {
        ("spec.loadBalancerClass", class)
    });
    let mut evidence = vec![Evidence {
        object: target.object.to_string(),
        field: Some(field.to_owned()),
        value: Some(value.to_owned()),
        note: None,
    }];
    let mut may_be = Vec::new();
    // Health checks of nodes answer otherwise for each pod only under this policy. A class says that it is not the cloud's own.
    let local = target.service.external_traffic_policy == Some(TrafficPolicy::Local);
    for known in &catalogue().candidates {
        let Some(prefix) = known
            .provider
            .as_deref()
            .filter(|_| known.of == LOAD_BALANCER)
        else {
            continue;
        };
        let provider = |node: &&&'a ApiObject| {
            let id = node.value["spec"]["providerID"].as_str();
            id.is_some_and(|id| id.starts_with(prefix))
        };
        if let Some(node) = index.of_kind("Node").iter().find(provider)
            && class.is_none()
        {
            evidence.push(Evidence {
                object: node.to_string(),
                field: Some("spec.providerID".to_owned()),
                value: node.value["spec"]["providerID"].as_str().map(str::to_owned),
                note: Some("tells the cloud, and not which of its load balancers it is".to_owned()),
            });
            if local {
                may_be.extend(candidates(&known.of, &mut known.ids.iter()));
            }
        }
    }
    Some(SourceInUse {
        candidates: may_be,
        ..stands_for(LOAD_BALANCER, evidence, Vec::new())?
    })
}

/// A route whose parents are Services only is for the mesh (GAMMA), and one without parents for nobody.
fn is_attached(route: &ApiObject) -> bool {
    let parents = route.value["spec"]["parentRefs"].as_array();
    let mut parents = parents.into_iter().flatten();
    route.kind == "Ingress"
        || parents.any(|parent| parent["kind"].as_str().is_none_or(|kind| kind != "Service"))
}

/// A traffic source was found by this route, or `--source` says who serves such.
fn served(route: &ApiObject, in_use: &[SourceInUse<'_>]) -> bool {
    let serves_routes = |used: &&SourceInUse<'_>| match used.source.class {
        Class::Ingress | Class::Gateway | Class::Mesh => true,
        Class::CloudLb => used.source.level == Level::L7,
        _ => false,
    };
    in_use
        .iter()
        .filter(|used| used.source.class.sends())
        .any(|used| {
            used.objects
                .iter()
                .any(|object| std::ptr::eq(*object, route))
        })
        || in_use
            .iter()
            .filter(serves_routes)
            .any(|used| used.declared.is_some())
}

fn ingress<'a>(index: &ObjectIndex<'a>, unserved: Vec<&'a ApiObject>) -> Option<SourceInUse<'a>> {
    if unserved.is_empty() {
        return None;
    }
    let class = |ingress: &&'a ApiObject| index.class_of(ingress);
    let mut may_be = Vec::new();
    for known in &catalogue().candidates {
        let shared = |name: &str| known.class.as_deref() == Some(name);
        if known.of == INGRESS && unserved.iter().filter_map(class).any(shared) {
            may_be.extend(candidates(&known.of, &mut known.ids.iter()));
        }
    }
    let evidence = unserved.iter().map(|one| Evidence {
        object: one.to_string(),
        field: Some("class".to_owned()),
        value: Some(match class(one) {
            Some(name) => index.controller_of(name).map_or_else(
                || name.to_owned(),
                |controller| format!("{name} ({controller})"),
            ),
            None => "not set".to_owned(),
        }),
        note: None,
    });
    let evidence = evidence.collect();
    Some(SourceInUse {
        candidates: may_be,
        ..stands_for(INGRESS, evidence, unserved)?
    })
}

fn route<'a>(index: &ObjectIndex<'a>, unserved: Vec<&'a ApiObject>) -> Option<SourceInUse<'a>> {
    if unserved.is_empty() {
        return None;
    }
    let evidence = unserved.iter().map(|route| {
        let classes = index.gateway_classes_of(route);
        Evidence {
            object: route.to_string(),
            field: Some("class".to_owned()),
            value: Some(match classes.first() {
                Some((class, Some(controller))) => format!("{class} ({controller})"),
                Some((class, None)) => (*class).to_owned(),
                None => "its Gateway was not read".to_owned(),
            }),
            note: None,
        }
    });
    let evidence = evidence.collect();
    stands_for(GATEWAY, evidence, unserved)
}
