//! Is a Service that anything names as reachable from outside ever given a sum as if nobody else sent?

use drain_check::sources::catalogue;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixtures::in_use;
use super::mixed::objects;
use super::{ask, snapshot};
use drain_check::sources::PodTiming;

/// Something that names the Service as reachable from outside.
#[derive(Debug, Clone)]
enum Outside {
    LoadBalancer { class: Option<&'static str>, local: bool },
    Ingress { class: Option<&'static str>, annotation: Option<&'static str> },
    Route { kind: &'static str, class: Option<&'static str> },
}

fn outside() -> impl Strategy<Value = Outside> {
    let classes = || {
        prop::option::of(prop::sample::select(vec![
            "alb", "nginx", "gce", "gce-internal", "haproxy", "contour", "traefik", "f5", "own", "internal",
        ]))
    };
    let annotations = prop::option::of(prop::sample::select(vec![
        "alb.ingress.kubernetes.io/target-type",
        "nginx.ingress.kubernetes.io/service-upstream",
        "virtual-server.f5.com/ip",
        "example.com/own",
    ]));
    let balancers = prop::option::of(prop::sample::select(vec![
        "service.k8s.aws/nlb", "metallb", "example.com/own", "networking.gke.io/l4-regional-external",
    ]));
    prop_oneof![
        (balancers, any::<bool>()).prop_map(|(class, local)| Outside::LoadBalancer { class, local }),
        (classes(), annotations).prop_map(|(class, annotation)| Outside::Ingress { class, annotation }),
        (
            prop::sample::select(vec!["HTTPRoute", "GRPCRoute", "TCPRoute", "TLSRoute", "UDPRoute"]),
            prop::option::of(prop::sample::select(vec!["eg", "own", "gke-l7-global", "istio"])),
        )
            .prop_map(|(kind, class)| Outside::Route { kind, class }),
    ]
}

/// The objects that say so.
fn written(outside: &Outside) -> Vec<Value> {
    match outside {
        Outside::LoadBalancer { class, local } => {
            let policy = if *local { "Local" } else { "Cluster" };
            let mut spec = json!({
                "type": "LoadBalancer", "clusterIP": "10.0.0.1", "externalTrafficPolicy": policy,
                "selector": {"app": "web"}, "ports": [{"port": 80}],
            });
            if let Some(class) = class {
                spec["loadBalancerClass"] = json!(class);
            }
            vec![json!({"apiVersion": "v1", "kind": "Service",
                "metadata": {"name": "web", "namespace": "shop"}, "spec": spec})]
        }
        Outside::Ingress { class, annotation } => {
            let mut ingress = json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
                "metadata": {"name": "web", "namespace": "shop", "annotations": {}},
                "spec": {"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}});
            if let Some(class) = class {
                ingress["spec"]["ingressClassName"] = json!(class);
            }
            if let Some(annotation) = annotation {
                ingress["metadata"]["annotations"][annotation] = json!("ip");
            }
            vec![ingress]
        }
        Outside::Route { kind, class } => {
            let route = json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": kind,
                "metadata": {"name": "web", "namespace": "shop"},
                "spec": {"parentRefs": [{"name": "edge"}], "rules": [{"backendRefs": [{"name": "web", "port": 80}]}]}});
            let gateway = class.map(|class| {
                json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
                    "metadata": {"name": "edge", "namespace": "shop"}, "spec": {"gatewayClassName": class}})
            });
            [route].into_iter().chain(gateway).collect()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_is_reachable_from_outside_has_a_source_or_a_lower_bound(
        outside in outside(),
        provider in prop::option::of(prop::sample::select(vec!["aws:///a/i-1", "gce://p/z/a", "azure:///a", "kind://a"])),
    ) {
        let mut values = written(&outside);
        if let Some(provider) = provider {
            values.push(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "spec": {"providerID": provider}}));
        }
        ask(&snapshot(values), &[], PodTiming::default(), |_, budget| {
            let others: Vec<_> = budget.timings.iter().map(|one| one.source.id.as_str()).collect();
            let others: Vec<_> = others.into_iter().filter(|id| *id != "kube-proxy").collect();
            let known = others.iter().any(|id| !catalogue().is_unidentified(id));
            // Somebody accounts for it ...
            prop_assert!(!others.is_empty(), "{outside:?} is forgotten");
            // ... or the sum says that it is a lower bound.
            prop_assert!(known || !budget.pre_stop.complete(), "{outside:?}: {}", budget.pre_stop);
            let unknown = others.iter().any(|id| catalogue().is_unidentified(id));
            prop_assert!(!unknown || budget.pre_stop.to_string().starts_with("at least "));
            Ok(())
        })?;
    }
}

#[test]
fn what_the_catalogue_knows_is_never_called_unidentified() {
    for source in &catalogue().sources {
        let (values, declared) = in_use(&source.id);
        if declared {
            continue;
        }
        ask(&snapshot(values), &[], PodTiming::default(), |detected, _| {
            let ids = detected.in_use.iter().map(|used| used.source.id.as_str());
            let unknown: Vec<_> = ids.filter(|id| catalogue().is_unidentified(id)).collect();
            assert!(unknown.is_empty(), "{}: {unknown:?}", source.id);
        });
    }
}

#[test]
fn a_declared_source_without_figures_makes_a_lower_bound() {
    let values = objects(super::WEB);
    let declared = ["f5-xc-ce".parse().expect("an id")];
    ask(&snapshot(values), &declared, PodTiming::default(), |_, budget| {
        assert_eq!(budget.pre_stop.at_least[0].id(), "stop-unknown");
        assert_eq!(budget.pre_stop.at_least[0].source(), Some("f5-xc-ce"));
    });
}
