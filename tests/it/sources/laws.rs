//! Is a Service that anything names as reachable from outside ever given a sum as if nobody else sent?

use drain_check::facts::object::ApiObject;
use drain_check::sources::detected::SourceInUse;
use drain_check::sources::{Class, DetectedSources, PodTiming, catalogue};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixtures::in_use;
use super::mixed::objects;
use super::{ask, snapshot};

/// Something that names the Service as reachable from outside.
#[derive(Debug, Clone)]
enum Outside {
    LoadBalancer {
        class: Option<&'static str>,
        local: bool,
    },
    Ingress {
        class: Option<&'static str>,
        annotation: Option<&'static str>,
    },
    Route {
        kind: &'static str,
        class: Option<&'static str>,
    },
}

fn outside() -> impl Strategy<Value = Outside> {
    let classes = || {
        prop::option::of(prop::sample::select(vec![
            "alb",
            "nginx",
            "gce",
            "gce-internal",
            "haproxy",
            "contour",
            "traefik",
            "f5",
            "own",
            "internal",
        ]))
    };
    let annotations = prop::option::of(prop::sample::select(vec![
        "alb.ingress.kubernetes.io/target-type",
        "nginx.ingress.kubernetes.io/service-upstream",
        "virtual-server.f5.com/ip",
        "example.com/own",
    ]));
    let balancers = prop::option::of(prop::sample::select(vec![
        "service.k8s.aws/nlb",
        "metallb",
        "example.com/own",
        "networking.gke.io/l4-regional-external",
    ]));
    prop_oneof![
        (balancers, any::<bool>())
            .prop_map(|(class, local)| Outside::LoadBalancer { class, local }),
        (classes(), annotations)
            .prop_map(|(class, annotation)| Outside::Ingress { class, annotation }),
        (
            prop::sample::select(vec![
                "HTTPRoute",
                "GRPCRoute",
                "TCPRoute",
                "TLSRoute",
                "UDPRoute"
            ]),
            prop::option::of(prop::sample::select(vec![
                "eg",
                "own",
                "gke-l7-global",
                "istio"
            ])),
        )
            .prop_map(|(kind, class)| Outside::Route { kind, class }),
    ]
}

/// The objects that say so.
fn written(outside: &Outside, index: usize) -> Vec<Value> {
    let (name, edge) = (format!("web-{index}"), format!("edge-{index}"));
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
                "metadata": {"name": name, "namespace": "shop", "annotations": {}},
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
                "metadata": {"name": name, "namespace": "shop"},
                "spec": {"parentRefs": [{"name": edge}], "rules": [{"backendRefs": [{"name": "web", "port": 80}]}]}});
            let gateway = class.map(|class| {
                json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
                    "metadata": {"name": edge, "namespace": "shop"}, "spec": {"gatewayClassName": class}})
            });
            [route].into_iter().chain(gateway).collect()
        }
    }
}

/// A known traffic source was found by what says so.
fn accounted(outside: &Outside, objects: &[Value], detected: &DetectedSources<'_>) -> bool {
    let mut known = detected
        .in_use
        .iter()
        .filter(|used| used.source.class.sends() && !catalogue().is_unidentified(&used.source.id));
    let named = |used: &SourceInUse<'_>, value: &Value| {
        let is = |object: &&ApiObject| {
            value["kind"] == object.kind && value["metadata"]["name"] == object.name
        };
        used.objects.iter().any(is)
    };
    match outside {
        Outside::LoadBalancer { .. } => known.any(|used| {
            matches!(used.source.class, Class::CloudLb | Class::Announcer)
                && used
                    .evidence
                    .iter()
                    .any(|one| one.object == "Service shop/web")
        }),
        _ => known.any(|used| named(used, &objects[0])),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_is_reachable_from_outside_has_a_source_or_a_lower_bound(
        all in prop::collection::vec(outside(), 1..4),
        provider in prop::option::of(prop::sample::select(vec!["aws:///a/i-1", "gce://p/z/a", "azure:///a", "kind://a"])),
    ) {
        let written: Vec<Vec<Value>> = all.iter().enumerate().map(|(index, one)| written(one, index)).collect();
        let mut values: Vec<Value> = written.iter().flatten().cloned().collect();
        // One Service is of one type.
        let mut services = 0;
        values.retain(|value| value["kind"] != "Service" || { services += 1; services == 1 });
        if let Some(provider) = provider {
            values.push(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "spec": {"providerID": provider}}));
        }
        ask(&snapshot(values), &[], PodTiming::default(), |detected, budget| {
            for (one, objects) in all.iter().zip(&written) {
                let sum = budget.pre_stop.to_string();
                if !accounted(one, objects, detected) {
                    prop_assert!(sum.starts_with("at least "), "{one:?} is forgotten: {sum}");
                    prop_assert!(!budget.unknown.is_empty(), "{one:?} is no row");
                }
            }
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
        ask(
            &snapshot(values),
            &[],
            PodTiming::default(),
            |detected, _| {
                let ids = detected.in_use.iter().map(|used| used.source.id.as_str());
                let unknown: Vec<_> = ids.filter(|id| catalogue().is_unidentified(id)).collect();
                assert!(unknown.is_empty(), "{}: {unknown:?}", source.id);
            },
        );
    }
}

#[test]
fn a_declared_source_without_figures_makes_a_lower_bound() {
    let values = objects(super::WEB);
    let declared = ["f5-xc-ce".parse().expect("an id")];
    ask(
        &snapshot(values),
        &declared,
        PodTiming::default(),
        |_, budget| {
            assert_eq!(budget.pre_stop.at_least[0].id(), "stop-unknown");
            assert_eq!(budget.pre_stop.at_least[0].source(), Some("f5-xc-ce"));
        },
    );
}
