//! What is listed where a setting cannot be read or no controller is known, and which sums are lower bounds then?

use drain_check::sources::at_least::AtLeast;
use drain_check::sources::sum::Sum;
use drain_check::sources::{DetectedSources, catalogue};

use super::mixed::{ALB_IP, NGINX, case, order};
use super::written;

#[test]
fn values_that_cannot_be_read_are_problems_and_defaults_are_taken() {
    let yaml = ALB_IP.replace(
        "metadata: {name: web, namespace: shop}",
        "metadata: {name: web, namespace: shop, annotations: {alb.ingress.kubernetes.io/target-group-attributes: deregistration_delay.timeout_seconds}}",
    );
    case(&yaml, &[], 30.0, |_, budget| {
        let problem = &budget.problems[0];
        assert_eq!(problem.object, "Ingress shop/web");
        assert!(
            problem.field.contains("target-group-attributes"),
            "{problem:?}"
        );
        assert_eq!(problem.expected, "a list such as key=value,key=value");
        assert_eq!(written(budget.timings[1].in_flight_done.amount), "360");
    });
}

/// The ids of what stands for traffic sources that are not identified.
fn not_identified<'d>(detected: &'d DetectedSources<'_>) -> Vec<&'d str> {
    let ids = detected.in_use.iter().map(|used| used.source.id.as_str());
    ids.filter(|id| catalogue().is_unidentified(id)).collect()
}

/// The stable ids of why a sum is a lower bound.
fn because(sum: &Sum) -> Vec<&'static str> {
    sum.at_least.iter().map(AtLeast::id).collect()
}

/// An Ingress to the Service with a class and annotations as written.
fn ingress(class: &str, annotations: &str) -> String {
    let class = if class.is_empty() {
        String::new()
    } else {
        format!("ingressClassName: {class}, ")
    };
    format!(
        "{{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {{name: web, namespace: shop, annotations: {{{annotations}}}}}, spec: {{{class}defaultBackend: {{service: {{name: web, port: {{number: 80}}}}}}}}}}\n---\n"
    )
}

#[test]
fn an_ingress_of_an_unknown_class_is_a_row_of_its_own() {
    for (class, seen) in [("own", "own"), ("", "not set")] {
        case(&ingress(class, ""), &[], 30.0, |detected, budget| {
            assert_eq!(not_identified(detected), ["unidentified-ingress"]);
            assert_eq!(
                order(budget),
                ["kube-proxy 2", "unidentified-ingress unknown"]
            );
            let evidence = &budget.timings[1].evidence[0];
            assert_eq!(evidence.object, "Ingress shop/web");
            assert_eq!(evidence.value.as_deref(), Some(seen));
            assert_eq!(because(&budget.pre_stop), ["not-identified"]);
            assert!(budget.pre_stop.to_string().starts_with("at least 7 s = "));
        });
    }
    case(NGINX, &[], 30.0, |detected, budget| {
        assert!(not_identified(detected).is_empty());
        assert!(budget.pre_stop.complete());
    });
}

#[test]
fn a_declaration_names_what_is_not_identified() {
    let own = ingress("own", "");
    case(&own, &["contour"], 0.0, |detected, budget| {
        assert!(not_identified(detected).is_empty());
        assert!(budget.pre_stop.complete());
    });
    // A load balancer for Services of its type serves no Ingress.
    case(&own, &["hetzner-lb"], 0.0, |detected, _| {
        assert_eq!(not_identified(detected), ["unidentified-ingress"]);
    });
    // Measured, though not in the catalogue: 20 + 5.
    case(
        &own,
        &["unidentified-ingress=new=20,in-flight=10"],
        0.0,
        |_, budget| {
            assert_eq!(order(budget), ["kube-proxy 2", "unidentified-ingress 20"]);
            assert_eq!(
                budget.pre_stop.to_string(),
                "25 s = 20 (declared) + 5 (margin)"
            );
        },
    );
    // Where nothing is unidentified, its figures count for nothing.
    case(NGINX, &["unidentified-ingress=new=20"], 0.0, |_, budget| {
        assert_eq!(order(budget), ["kube-proxy 2", "ingress-nginx 6"]);
    });
}

#[test]
fn an_annotation_names_the_traffic_sources_of_one_service() {
    let service = |sources: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: web, namespace: shop, annotations: {{drain-check/sources: {sources:?}}}}}, spec: {{type: LoadBalancer, clusterIP: 10.0.0.1, ports: [{{port: 80}}]}}}}"
        )
    };
    case(
        &service("digitalocean-lb istio=new=3"),
        &[],
        0.0,
        |detected, budget| {
            assert!(not_identified(detected).is_empty());
            assert_eq!(
                order(budget),
                ["digitalocean-lb 2", "kube-proxy 2", "istio 3"]
            );
            assert!(budget.pre_stop.complete());
        },
    );
    // What the flag says counts for all Services, and more.
    case(
        &service("digitalocean-lb=new=9"),
        &["digitalocean-lb=new=4"],
        0.0,
        |_, budget| {
            assert_eq!(order(budget), ["kube-proxy 2", "digitalocean-lb 4"]);
        },
    );
    case(&service("digital-ocean"), &[], 0.0, |detected, budget| {
        assert_eq!(not_identified(detected), ["unidentified-load-balancer"]);
        let problem = &budget.problems[0];
        assert_eq!(problem.object, "Service shop/web");
        assert_eq!(problem.text, "digital-ocean");
        assert!(problem.is_declaration());
    });
}

#[test]
fn a_route_of_an_unknown_gateway_is_a_row_of_its_own() {
    let route = |kind: &str| {
        format!(
            "{{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {{name: web, namespace: shop}}, spec: {{parentRefs: [{{kind: {kind}, name: edge}}], rules: [{{backendRefs: [{{name: web, port: 80}}]}}]}}}}\n---\n"
        )
    };
    let gateway = "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: edge, namespace: shop}, spec: {gatewayClassName: CLASS}}\n---\n";
    let seen = |yaml: &str| {
        case(yaml, &[], 0.0, |_, budget| {
            let mut sources = budget.timings.iter();
            let last = sources
                .find(|one| one.source.id != "kube-proxy")
                .expect("a source");
            let value = last.evidence.last().and_then(|one| one.value.clone());
            (
                last.source.id.clone(),
                value.unwrap_or_default(),
                budget.pre_stop.complete(),
            )
        })
    };
    let unknown = |value: &str| ("unidentified-gateway".to_owned(), value.to_owned(), false);
    assert_eq!(seen(&route("Gateway")), unknown("its Gateway was not read"));
    let own = gateway.replace("CLASS", "own");
    assert_eq!(seen(&format!("{}{own}", route("Gateway"))), unknown("own"));
    // The class' name tells, where no GatewayClass was read.
    let named = format!("{}{}", route("Gateway"), gateway.replace("CLASS", "eg"));
    assert_eq!(
        seen(&named),
        ("envoy-gateway".to_owned(), "eg".to_owned(), true)
    );
    // A parent that is a Service is for the mesh: nothing comes from outside.
    case(&route("Service"), &[], 0.0, |detected, budget| {
        assert!(not_identified(detected).is_empty());
        assert!(budget.pre_stop.complete());
    });
}

#[test]
fn a_load_balancer_of_an_unknown_maker_is_a_row_of_its_own() {
    let service = |class: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: web, namespace: shop}}, spec: {{type: LoadBalancer, {class}clusterIP: 10.0.0.1, ports: [{{port: 80}}]}}}}\n---\n"
        )
    };
    case(&service(""), &[], 0.0, |_, budget| {
        assert_eq!(
            order(budget),
            ["kube-proxy 2", "unidentified-load-balancer unknown"]
        );
        let shown = budget.timings[1].evidence[0].to_string();
        assert_eq!(shown, "Service shop/web (spec.type: LoadBalancer)");
        assert_eq!(because(&budget.pre_stop), ["not-identified"]);
        assert_eq!(budget.unknown, ["unidentified-load-balancer"]);
        let said = budget.pre_stop.at_least[0].to_string();
        for way in ["--source ID", ".drain-check.yaml", "drain-check/sources"] {
            assert!(said.contains(way), "{said}");
        }
    });
    case(&service(""), &["hetzner-lb"], 0.0, |detected, _| {
        assert!(not_identified(detected).is_empty());
    });
    let nlb = "loadBalancerClass: service.k8s.aws/nlb, ";
    case(&service(nlb), &[], 0.0, |detected, budget| {
        assert!(not_identified(detected).is_empty());
        // instance targets are the default, the policy is Cluster: the data plane chooses pods.
        assert_eq!(
            order(budget),
            ["aws-lbc-instance-cluster 2", "kube-proxy 2"]
        );
    });
    // A class of its own is not the cloud's load balancer, whatever the nodes say.
    for provider in [
        "gce://p/z/a",
        "azure:///a",
        "digitalocean://1",
        "hcloud://1",
        "openstack:///1",
    ] {
        let node = format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: a}}, spec: {{providerID: {provider:?}}}}}"
        );
        case(
            &format!("{}{node}", service("")),
            &[],
            0.0,
            |detected, _| {
                assert!(not_identified(detected).is_empty(), "{provider}");
            },
        );
        let own = format!("{}{node}", service("loadBalancerClass: example.com/own, "));
        case(&own, &[], 0.0, |detected, budget| {
            assert_eq!(
                not_identified(detected),
                ["unidentified-load-balancer"],
                "{provider}"
            );
            let shown = budget.timings.last().expect("one").evidence[0].to_string();
            assert_eq!(
                shown,
                "Service shop/web (spec.loadBalancerClass: example.com/own)"
            );
        });
    }
}

#[test]
fn what_health_checks_would_need_is_said_by_cloud_under_a_local_policy() {
    let yaml = |policy: &str, provider: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: web, namespace: shop, annotations: {{service.beta.kubernetes.io/aws-load-balancer-healthcheck-interval: \"20\"}}}}, spec: {{type: LoadBalancer, externalTrafficPolicy: {policy}, clusterIP: 10.0.0.1, ports: [{{port: 80}}]}}}}\n---\n{{apiVersion: v1, kind: Node, metadata: {{name: a}}, spec: {{providerID: {provider:?}}}}}"
        )
    };
    let may_be = |policy: &str, provider: &str| {
        case(&yaml(policy, provider), &[], 0.0, |_, budget| {
            let last = budget.timings.last().expect("the load balancer");
            assert_eq!(last.source.id, "unidentified-load-balancer");
            let may_be = last.may_be.iter();
            let may_be: Vec<_> = may_be
                .map(|one| format!("{} {}", one.source.id, written(one.last_new_connection)))
                .collect();
            (may_be, last.evidence.len())
        })
    };
    // 1 + 20 x 6 + 5, 1 + 20 x 2 + 10, 1 + 20 x 2 + 6: the Service sets the interval.
    let aws = [
        "aws-intree-clb 126",
        "aws-intree-nlb 51",
        "aws-lbc-nlb-instance-local 47",
    ];
    assert_eq!(
        may_be("Local", "aws:///eu-west-1a/i-0"),
        (aws.map(str::to_owned).to_vec(), 2)
    );
    // Nodes are no way to tell a pod's end then; and a cluster on one's own machine has no cloud.
    assert_eq!(may_be("Cluster", "aws:///eu-west-1a/i-0"), (Vec::new(), 2));
    assert_eq!(may_be("Local", "kind://docker/a"), (Vec::new(), 1));
}

#[test]
fn a_class_is_told_by_its_object_else_its_name_else_its_annotations() {
    let class = |name: &str, controller: &str| {
        format!(
            "{{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {{name: {name}}}, spec: {{controller: {controller}}}}}\n---\n"
        )
    };
    let ip = "alb.ingress.kubernetes.io/target-type: ip";
    let found = |yaml: &str| {
        case(yaml, &[], 0.0, |_, budget| {
            let other = budget
                .timings
                .iter()
                .find(|one| one.source.id != "kube-proxy");
            let other = other.expect("a traffic source");
            let note = other.evidence[0].note.clone().unwrap_or_default();
            let how = ["by the name", "by its annotations", "the class name alone"]
                .into_iter()
                .find(|how| note.starts_with(how));
            (
                other.source.id.as_str(),
                budget.pre_stop.seconds,
                how,
                budget.pre_stop.complete(),
            )
        })
    };
    let alb = class("alb", "ingress.k8s.aws/alb");
    assert_eq!(
        found(&format!("{alb}{}", ingress("alb", ip))),
        ("aws-lbc-alb-ip", 65, None, true)
    );
    assert_eq!(
        found(&ingress("alb", ip)),
        ("aws-lbc-alb-ip", 65, Some("by the name"), true)
    );
    assert_eq!(
        found(&ingress("", ip)),
        ("aws-lbc-alb-ip", 65, Some("by its annotations"), true)
    );
    assert_eq!(
        found(&ingress("internal", ip)),
        ("aws-lbc-alb-ip", 65, Some("by its annotations"), true)
    );
    // The class' object is surer than its name and than annotations.
    let other = class("alb", "k8s.io/ingress-nginx");
    assert_eq!(
        found(&format!("{other}{}", ingress("alb", ip))),
        ("ingress-nginx", 11, None, true)
    );
    // Several controllers use the name nginx: a guess by the name, sure by annotations.
    assert_eq!(
        found(&ingress("nginx", "")),
        ("ingress-nginx", 11, Some("the class name alone"), false)
    );
    let rewrite = "nginx.ingress.kubernetes.io/rewrite-target: /";
    assert_eq!(
        found(&ingress("nginx", rewrite)),
        ("ingress-nginx", 11, Some("by its annotations"), true)
    );
    let f5 = "nginx.org/rewrites: a";
    assert_eq!(
        found(&ingress("nginx", f5)),
        ("nginx-inc", 9, Some("by its annotations"), true)
    );
    // Annotations of two controllers tell nothing.
    let both = "nginx.org/rewrites: a, alb.ingress.kubernetes.io/scheme: internal";
    assert_eq!(
        found(&ingress("", both)),
        ("unidentified-ingress", 7, None, false)
    );
    // Two controllers use it: both are named, with their figures.
    case(&ingress("haproxy", ""), &[], 0.0, |_, budget| {
        let may_be = budget.timings[1].may_be.iter();
        let may_be: Vec<_> = may_be
            .map(|one| format!("{} {}", one.source.id, written(one.last_new_connection)))
            .collect();
        assert_eq!(may_be, ["haproxy-ingress-jcmoraisjr 4", "haproxytech 6"]);
    });
}

#[test]
fn gke_uses_negs_unless_something_says_otherwise() {
    let service = |annotations: &str, spec: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: web, namespace: shop, annotations: {{{annotations}}}}}, spec: {{type: NodePort, {spec}clusterIP: 10.0.0.1, ports: [{{port: 80}}]}}}}\n---\n"
        )
    };
    let node =
        "{apiVersion: v1, kind: Node, metadata: {name: a}, spec: {providerID: gce://p/z/a}}\n---\n";
    let neg = "cloud.google.com/neg: '{\"ingress\": true}'";
    let no_neg = "cloud.google.com/neg: '{\"ingress\": false}'";
    for (yaml, wanted) in [
        // A manifest: the default of GKE since 1.17.
        (
            format!("{}{}", ingress("gce", ""), service("", "")),
            "gke-neg 60",
        ),
        (
            format!(
                "{}{}",
                ingress("", "kubernetes.io/ingress.class: gce-internal"),
                service("", "")
            ),
            "gke-neg 60",
        ),
        // A cluster would have written the annotation.
        (
            format!("{node}{}{}", ingress("gce", ""), service("", "")),
            "gke-instance-group-ingress 2",
        ),
        (
            format!("{}{}", ingress("gce", ""), service(no_neg, "")),
            "gke-instance-group-ingress 2",
        ),
        // Not both.
        (
            format!("{node}{}{}", ingress("gce", ""), service(neg, "")),
            "gke-neg 60",
        ),
        (
            format!(
                "{node}{}{}",
                ingress("gce", ""),
                service(no_neg, "externalTrafficPolicy: Local, ")
            ),
            "gke-instance-group-ingress tGPS",
        ),
    ] {
        case(&yaml, &[], 0.0, |detected, budget| {
            let mut order = order(budget);
            order.retain(|one| !one.starts_with("kube-proxy"));
            assert_eq!(order, [wanted], "{yaml}");
            assert!(not_identified(detected).is_empty(), "{yaml}");
        });
    }
}

#[test]
fn the_health_check_of_a_backend_config_counts_where_nodes_are_checked() {
    let yaml = "
{apiVersion: v1, kind: ConfigMap, metadata: {name: none, namespace: shop}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web, namespace: shop, annotations: {kubernetes.io/ingress.class: gce}}, spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, annotations: {cloud.google.com/neg: '{\"ingress\": false}', cloud.google.com/backend-config: '{\"default\": \"web\"}'}}, spec: {type: NodePort, externalTrafficPolicy: Local, clusterIP: 10.0.0.1, ports: [{port: 80}]}}
---
";
    let after = |yaml: &str| {
        case(yaml, &[], 0.0, |_, budget| {
            let mut all = budget.timings.iter();
            let gke = all.find(|one| one.source.id == "gke-instance-group-ingress");
            written(gke.expect("gke").after_pod_end.expect("until checks fail"))
        })
    };
    // 60 x 10 + 60: eleven minutes; set to 5 x 2 + 3.
    assert_eq!(after(yaml), "660");
    let config = "{apiVersion: cloud.google.com/v1, kind: BackendConfig, metadata: {name: web, namespace: shop}, spec: {healthCheck: {checkIntervalSec: 5, unhealthyThreshold: 2, timeoutSec: 3}}}";
    assert_eq!(after(&format!("{yaml}{config}")), "13");
}

#[test]
fn f5_cis_serves_ingresses_too() {
    let deployment = |mode: &str| {
        format!(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: k8s-bigip-ctlr, namespace: kube-system}}, spec: {{template: {{spec: {{containers: [{{name: c, args: [--bigip-url=10.1.1.1{mode}]}}]}}}}}}}}"
        )
    };
    let by_class = ingress("f5", "");
    let by_annotation = ingress("", "virtual-server.f5.com/ip: 10.0.0.9");
    let by_object = format!(
        "{{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {{name: edge}}, spec: {{controller: f5.com/cntr-ingress-svcs}}}}\n---\n{}",
        ingress("edge", "")
    );
    for yaml in [by_class, by_annotation, by_object] {
        let cluster = format!("{yaml}{}", deployment(", --pool-member-type=cluster"));
        case(&cluster, &[], 0.0, |_, budget| {
            // 1 + 30, + 5.
            assert_eq!(order(budget), ["kube-proxy 2", "f5-cis-cluster 31"]);
            assert_eq!(budget.pre_stop.seconds, 36);
            assert!(budget.pre_stop.complete());
        });
        case(
            &format!("{yaml}{}", deployment("")),
            &[],
            0.0,
            |_, budget| {
                assert_eq!(order(budget), ["f5-cis-nodeport 2", "kube-proxy 2"]);
                assert!(budget.pre_stop.complete());
            },
        );
        // Its Deployment was not read: nodeport is only the default.
        case(&yaml, &[], 0.0, |_, budget| {
            assert_eq!(order(budget), ["f5-cis-nodeport 2", "kube-proxy 2"]);
            assert_eq!(because(&budget.pre_stop), ["guessed"]);
        });
    }
}

#[test]
fn a_binding_of_target_groups_is_enough() {
    let binding = |kind: &str| {
        format!(
            "{{apiVersion: elbv2.k8s.aws/v1beta1, kind: TargetGroupBinding, metadata: {{name: b, namespace: shop}}, spec: {{serviceRef: {{name: web, port: 80}}, targetType: {kind}}}}}\n---\n"
        )
    };
    let service = |spec: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: web, namespace: shop}}, spec: {{{spec}clusterIP: 10.0.0.1, ports: [{{port: 80}}]}}}}"
        )
    };
    for (kind, spec, wanted) in [
        ("ip", "", "aws-lbc-nlb-ip 180"),
        ("ip", "type: NodePort, ", "aws-lbc-nlb-ip 180"),
        ("instance", "type: NodePort, ", "aws-lbc-instance-cluster 2"),
        (
            "instance",
            "type: NodePort, externalTrafficPolicy: Local, ",
            "aws-lbc-alb-instance-local tGPS",
        ),
    ] {
        case(
            &format!("{}{}", binding(kind), service(spec)),
            &[],
            0.0,
            |_, budget| {
                let mut order = order(budget);
                order.retain(|one| !one.starts_with("kube-proxy"));
                assert_eq!(order, [wanted], "{kind} {spec}");
            },
        );
    }
}

#[test]
fn a_service_for_another_proxy_has_no_known_data_plane() {
    let yaml = "
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, labels: {service.kubernetes.io/service-proxy-name: own}}, spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}}
";
    case(yaml, &[], 30.0, |_, budget| {
        assert!(budget.timings.is_empty());
        assert_eq!(budget.unknown, ["own"]);
        assert!(!budget.pre_stop.complete());
    });
}

#[test]
fn an_alb_without_a_binding_is_known_by_its_ingress() {
    let yaml = |ingress: &str, service: &str| {
        format!(
            "
{{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {{name: alb}}, spec: {{controller: ingress.k8s.aws/alb}}}}
---
{{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {{name: web, namespace: shop, annotations: {ingress}}}, spec: {{ingressClassName: alb, defaultBackend: {{service: {{name: web, port: {{number: 80}}}}}}}}}}
---
{{apiVersion: v1, kind: Service, metadata: {{name: web, namespace: shop, annotations: {service}}}, spec: {{type: NodePort, clusterIP: 10.0.0.1, ports: [{{port: 80}}]}}}}
"
        )
    };
    let ip = "{alb.ingress.kubernetes.io/target-type: ip}";
    for (ingress, service, wanted) in [
        // instance is the controller's default; the Service's annotation counts as well as the Ingress'.
        ("{}", "{}", "aws-lbc-instance-cluster 2"),
        (ip, "{}", "aws-lbc-alb-ip 60"),
        ("{}", ip, "aws-lbc-alb-ip 60"),
    ] {
        case(&yaml(ingress, service), &[], 0.0, |detected, budget| {
            let mut order = order(budget);
            order.retain(|one| !one.starts_with("kube-proxy"));
            assert_eq!(order, [wanted]);
            assert!(not_identified(detected).is_empty());
        });
    }
    // A binding says it better than a default.
    let bound = format!(
        "{}---\n{{apiVersion: elbv2.k8s.aws/v1beta1, kind: TargetGroupBinding, metadata: {{name: b, namespace: shop}}, spec: {{serviceRef: {{name: web, port: 80}}, targetType: ip}}}}",
        yaml("{}", "{}")
    );
    case(&bound, &[], 0.0, |_, budget| {
        assert_eq!(order(budget), ["kube-proxy 2", "aws-lbc-alb-ip 60"]);
    });
}
