//! What do several traffic sources together ask for? Each case has its calculation by hand.

use drain_check::sources::figures::Limit;
use drain_check::sources::sum::{Sum, SumTerm, TermOf};
use drain_check::sources::timing::TimingReason;
use drain_check::sources::{Budget, DeclaredSource, DetectedSources, PodTiming};
use serde::Deserialize;
use serde_json::Value;

use super::{ask, snapshot, written};

pub(super) fn objects(yaml: &str) -> Vec<Value> {
    serde_yaml::Deserializer::from_str(yaml)
        .map(|document| Value::deserialize(document).expect("YAML"))
        .filter(|value| !value.is_null())
        .collect()
}

/// Asks with a grace period of 600 s and a longest request.
pub(super) fn case<T>(
    yaml: &str,
    declared: &[&str],
    longest_request: f64,
    look: impl FnOnce(&DetectedSources<'_>, &Budget) -> T,
) -> T {
    let snapshot = snapshot(objects(yaml));
    let declared: Vec<DeclaredSource> = declared
        .iter()
        .map(|text| text.parse().expect("a traffic source"))
        .collect();
    let pods = PodTiming {
        grace_period: Some(600.0),
        longest_request: Some(longest_request),
    };
    ask(&snapshot, &declared, pods, look)
}

pub(super) fn order(budget: &Budget) -> Vec<String> {
    let one = |source: &drain_check::sources::timing::SourceTiming| {
        let new = written(source.last_new_connection.amount);
        format!("{} {new}", source.source.id)
    };
    budget.timings.iter().map(one).collect()
}

/// What a sum is made of: `E 1`, `interval × unhealthy 20`, `margin 5`.
fn terms(sum: &Sum) -> Vec<String> {
    let one = |term: &SumTerm| {
        let of = match &term.of {
            TermOf::TrafficSource { names, .. } => names.clone(),
            TermOf::RoundedUp => "up".to_owned(),
            TermOf::Margin => "margin".to_owned(),
            TermOf::Credit(id) => format!("credit of {id}"),
            TermOf::PreStop => "preStop".to_owned(),
            TermOf::Request(None) => "request".to_owned(),
            TermOf::Request(Some(id)) => format!("request until {id}"),
        };
        format!("{of} {}", (term.seconds * 1000.0).round() / 1000.0)
    };
    sum.terms.iter().map(one).collect()
}

/// An ALB with ip targets, by its `TargetGroupBinding`.
pub(super) const ALB_IP: &str = "
{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: alb}, spec: {controller: ingress.k8s.aws/alb}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web, namespace: shop}, spec: {ingressClassName: alb, defaultBackend: {service: {name: web, port: {number: 80}}}}}
---
{apiVersion: elbv2.k8s.aws/v1beta1, kind: TargetGroupBinding, metadata: {name: k8s-web, namespace: shop}, spec: {serviceRef: {name: web, port: 80}, targetType: ip}}
---
";

pub(super) const NGINX: &str = "
{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: nginx}, spec: {controller: k8s.io/ingress-nginx}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web, namespace: shop}, spec: {ingressClassName: nginx, defaultBackend: {service: {name: web, port: {number: 80}}}}}
---
";

#[test]
fn an_alb_with_ip_targets_is_slower_than_kube_proxy() {
    case(ALB_IP, &[], 20.0, |_, budget| {
        assert_eq!(order(budget), ["kube-proxy 2", "aws-lbc-alb-ip 60"]);
        // max(1 + 1, 1 + 59) + 5 = 65; the request of 20 s is shorter than the deregistration delay of 300 s: 65 + 20 + 5 = 90.
        assert_eq!(
            (budget.pre_stop.seconds, budget.grace_period.seconds),
            (65, 90)
        );
        assert_eq!(
            terms(&budget.pre_stop),
            ["E 1", "elb_propagation 59", "margin 5"]
        );
        assert_eq!(
            terms(&budget.grace_period),
            ["preStop 65", "request 20", "margin 5"]
        );
        assert_eq!(budget.pre_stop.slowest, Some("aws-lbc-alb-ip"));
        // What is open at 60 s may go on until 60 + 300.
        let alb = &budget.timings[1];
        assert_eq!(written(alb.in_flight_done.amount), "360");
    });
}

#[test]
fn an_nlb_with_a_local_policy_waits_for_its_checks_and_then_resets() {
    let yaml = "
{apiVersion: v1, kind: ConfigMap, metadata: {name: cilium-config, namespace: kube-system}, data: {kube-proxy-replacement: \"true\"}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {type: LoadBalancer, externalTrafficPolicy: Local, clusterIP: 10.0.0.1, ports: [{port: 80}]}}
---
{apiVersion: elbv2.k8s.aws/v1beta1, kind: TargetGroupBinding, metadata: {name: k8s-web, namespace: shop}, spec: {serviceRef: {name: web, port: 80}, targetType: instance}}
";
    case(yaml, &[], 40.0, |_, budget| {
        assert_eq!(
            order(budget),
            ["cilium-kpr 2", "aws-lbc-nlb-instance-local 27"]
        );
        // 1 + 10 × 2 + 6 = 27, + 5 = 32; its flows are reset at 27 s, so the request of 40 s gets nothing: 32 + 0 + 5 = 37.
        assert_eq!(
            (budget.pre_stop.seconds, budget.grace_period.seconds),
            (32, 37)
        );
        assert_eq!(
            terms(&budget.pre_stop),
            ["E 1", "interval × unhealthy 20", "timeout 6", "margin 5"]
        );
        assert_eq!(
            terms(&budget.grace_period),
            [
                "preStop 32",
                "request until aws-lbc-nlb-instance-local 0",
                "margin 5"
            ]
        );
    });
}

#[test]
fn fractions_are_added_before_they_are_rounded() {
    case(NGINX, &[], 60.0, |_, budget| {
        assert_eq!(order(budget), ["kube-proxy 2", "ingress-nginx 6"]);
        // 1 + 1 / 0.3 + 1 + 5 = 10.333, up to 11; 11 + 60 + 5 = 76.
        assert_eq!(budget.pre_stop.seconds, 11);
        assert_eq!(
            terms(&budget.pre_stop),
            [
                "E 1",
                "1 / sync_rate 3.333",
                "backends_sync 1",
                "margin 5",
                "up 0.667"
            ]
        );
        assert_eq!(budget.grace_period.seconds, 76);
    });
}

#[test]
fn no_delay_outlasts_pooled_connections_and_the_rest_still_counts() {
    let yaml = NGINX.replace(
        "namespace: shop}, spec",
        "namespace: shop, annotations: {nginx.ingress.kubernetes.io/service-upstream: \"true\"}}, spec",
    );
    case(&yaml, &[], 60.0, |_, budget| {
        // min(600, max(2, 3600)) = 600, the pod's life; kube-proxy is the slowest of the rest: 1 + 1 + 5 = 7; 7 + 60 + 5 = 72.
        assert_eq!(
            order(budget),
            ["kube-proxy 2", "ingress-nginx-service-upstream tGPS"]
        );
        assert_eq!(
            (budget.pre_stop.seconds, budget.grace_period.seconds),
            (7, 72)
        );
        let undrainable = &budget.undrainable[0];
        assert_eq!(undrainable.id, "ingress-nginx-service-upstream");
        assert!(
            undrainable.advice.contains("Connection: close"),
            "{undrainable:?}"
        );
    });
}

#[test]
fn a_gke_neg_cuts_requests_after_its_draining_timeout() {
    let yaml = "
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, annotations: {cloud.google.com/neg: '{\"ingress\": true}', cloud.google.com/backend-config: '{\"default\": \"web\"}'}}, spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}}
---
{apiVersion: cloud.google.com/v1, kind: BackendConfig, metadata: {name: web, namespace: shop}, spec: {connectionDraining: {drainingTimeoutSec: 60}}}
";
    case(yaml, &[], 100.0, |_, budget| {
        // 1 + 59 + 5 = 65; of 100 s the load balancer gives 60: 65 + 60 + 5 = 130.
        assert_eq!(budget.pre_stop.seconds, 65);
        assert_eq!(budget.grace_period.seconds, 130);
        assert_eq!(
            terms(&budget.grace_period),
            ["preStop 65", "request until gke-neg 60", "margin 5"]
        );
    });
}

#[test]
fn f5_cis_in_cluster_mode_takes_the_place_of_node_mode() {
    let yaml = "
{apiVersion: cis.f5.com/v1, kind: VirtualServer, metadata: {name: web, namespace: shop}, spec: {pools: [{path: /, service: web, servicePort: 80}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: k8s-bigip-ctlr, namespace: kube-system}, spec: {template: {spec: {containers: [{name: c, args: [--pool-member-type=cluster]}]}}}}
";
    case(yaml, &[], 0.0, |_, budget| {
        // 1 + 30 + 5 = 36; 36 + 0 + 5 = 41.
        assert_eq!(order(budget), ["kube-proxy 2", "f5-cis-cluster 31"]);
        assert_eq!(
            (budget.pre_stop.seconds, budget.grace_period.seconds),
            (36, 41)
        );
    });
}

#[test]
fn an_unknown_traffic_source_makes_the_sums_lower_bounds() {
    case("", &["f5-xc-ce"], 10.0, |_, budget| {
        // 1 + 1 + 5 = 7 for kube-proxy; nothing is known of the Customer Edge.
        assert_eq!(order(budget), ["kube-proxy 2", "f5-xc-ce unknown"]);
        assert_eq!(budget.unknown, ["f5-xc-ce"]);
        assert_eq!(
            (budget.pre_stop.seconds, budget.pre_stop.complete()),
            (7, false)
        );
        assert_eq!(
            terms(&budget.pre_stop),
            ["E 1", "kube_proxy_sync 1", "margin 5"]
        );
        assert!(!budget.grace_period.complete());
    });
    // Measured: new connections for 45 s, in-flight requests for 20 s more. 45 + 5 = 50; 50 + 10 + 5 = 65.
    case("", &["f5-xc-ce=new=45,in-flight=20"], 10.0, |_, budget| {
        assert_eq!(
            (budget.pre_stop.seconds, budget.grace_period.seconds),
            (50, 65)
        );
        assert!(budget.unknown.is_empty() && budget.grace_period.complete());
        assert_eq!(written(budget.timings[1].in_flight_done.amount), "65");
    });
}

#[test]
fn pod_graceful_drain_is_credited_with_its_hold() {
    let yaml = format!(
        "{ALB_IP}\n{{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {{name: pod-graceful-drain}}, webhooks: [{{name: validate.pod-graceful-drain.io, timeoutSeconds: 30}}]}}"
    );
    case(&yaml, &[], 30.0, |_, budget| {
        // 1 + 59 + 5 - min(90, 30 - 5) = 40; 40 + 30 + 5 = 75.
        assert_eq!(budget.pre_stop.seconds, 40);
        assert_eq!(
            terms(&budget.pre_stop),
            [
                "E 1",
                "elb_propagation 59",
                "margin 5",
                "credit of pod-graceful-drain -25"
            ]
        );
        assert_eq!(budget.grace_period.seconds, 75);
    });
}

#[test]
fn a_classic_istio_sidecar_is_gone_before_the_sources_and_a_native_one_is_not() {
    let pod = |spec: &str| {
        format!(
            "{ALB_IP}\n{{apiVersion: v1, kind: Pod, metadata: {{name: web-1, namespace: shop, labels: {{app: web}}}}, spec: {spec}}}"
        )
    };
    let classic = pod("{containers: [{name: app}, {name: istio-proxy}]}");
    case(&classic, &[], 30.0, |_, budget| {
        // The sums need 65 s of preStop, and nothing reaches the application after 5 s.
        let bound = &budget.bounds[0];
        assert_eq!(budget.pre_stop.seconds, 65);
        assert_eq!(
            (bound.id, bound.limit),
            ("istio-own-sidecar", Limit::Inbound)
        );
        assert_eq!(
            (written(bound.at_most).as_str(), bound.exceeded),
            ("5", true)
        );
    });
    let native = pod(
        "{containers: [{name: app}], initContainers: [{name: istio-proxy, restartPolicy: Always}]}",
    );
    case(&native, &[], 30.0, |_, budget| {
        let bound = &budget.bounds[0];
        assert_eq!(
            (written(bound.at_most).as_str(), bound.exceeded),
            ("tGPS", false)
        );
    });
}

#[test]
fn a_headless_service_is_a_matter_of_names() {
    let yaml = "
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: None, selector: {app: web}, ports: [{port: 80}]}}
";
    case(yaml, &[], 10.0, |_, budget| {
        // 1 + 30 + 0 + 5 = 36; no kube-proxy.
        assert_eq!(order(budget), ["coredns-headless 31"]);
        assert_eq!(budget.pre_stop.seconds, 36);
    });
    case(yaml, &["coredns-headless=jvm=true"], 10.0, |_, budget| {
        // 1 + 30 + 30 + 5 = 66; 66 + 10 + 5 = 81.
        assert_eq!(
            (budget.pre_stop.seconds, budget.grace_period.seconds),
            (66, 81)
        );
    });
}

#[test]
fn sources_behind_kube_router_send_until_the_pod_is_gone() {
    let yaml = "
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: kube-router, namespace: kube-system}, spec: {template: {spec: {containers: [{name: kube-router}]}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, annotations: {metallb.io/ip-allocated-from-pool: a}}, spec: {type: LoadBalancer, clusterIP: 10.0.0.1, ports: [{port: 80}]}}
";
    case(yaml, &[], 10.0, |_, budget| {
        assert_eq!(order(budget), ["kube-router tGPS", "metallb tGPS"]);
        assert_eq!(budget.pre_stop.seconds, 0);
        assert_eq!(budget.pre_stop.slowest, None);
        assert!(!budget.pre_stop.complete());
    });
    // A readiness probe that fails 10 s after the delete: 10 + 1 + 1 = 12, + 5 = 17.
    let declared = ["kube-router=readiness_false_after=10s"];
    case(yaml, &declared, 10.0, |_, budget| {
        assert_eq!(order(budget), ["kube-router 12", "metallb 12"]);
        assert_eq!(budget.pre_stop.seconds, 17);
    });
}

#[test]
fn what_limits_the_grace_period_is_listed() {
    let yaml = "
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, annotations: {service.beta.kubernetes.io/aws-load-balancer-type: nlb-ip}}, spec: {type: LoadBalancer, clusterIP: 10.0.0.1, ports: [{port: 80}]}}
---
{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: mutate-termination-grace-period-seconds}}
";
    case(yaml, &[], 30.0, |_, budget| {
        // 1 + 179 + 5 = 185; 185 + 30 + 5 = 220, of which the policy leaves 50.
        assert_eq!(
            (budget.pre_stop.seconds, budget.grace_period.seconds),
            (185, 220)
        );
        let bound = &budget.bounds[0];
        assert_eq!(
            (bound.id, bound.limit),
            ("kyverno-mutate-tgps", Limit::GracePeriod)
        );
        assert!(bound.exceeded);
    });
}

#[test]
fn knative_covers_what_stops_within_its_quiet_time() {
    let yaml = "
{apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: shop, labels: {app: web, serving.knative.dev/revision: web-1}}, spec: {containers: [{name: user}, {name: queue-proxy}]}}
---
";
    case(yaml, &[], 30.0, |_, budget| {
        // 1 + 1 + 5 - 7 = 0: kube-proxy needs 2 s, and queue-proxy waits for 30 without a request.
        assert_eq!(budget.pre_stop.seconds, 0);
    });
    case(&format!("{yaml}{ALB_IP}"), &[], 30.0, |_, budget| {
        // 60 s are more than 30, so nothing is taken off.
        assert_eq!(budget.pre_stop.seconds, 65);
    });
}

#[test]
fn publishing_pods_that_are_not_ready_makes_sources_send_until_they_are_gone() {
    let yaml = "
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, annotations: {cloud.google.com/neg-status: \"{}\"}}, spec: {publishNotReadyAddresses: true, clusterIP: 10.0.0.1, ports: [{port: 80}]}}
";
    case(yaml, &[], 30.0, |_, budget| {
        // GKE looks past it: 1 + 59. kube-proxy does not.
        assert_eq!(order(budget), ["gke-neg 60", "kube-proxy tGPS"]);
        assert_eq!(budget.undrainable[0].reason, TimingReason::PublishNotReady);
        assert_eq!(budget.pre_stop.seconds, 65);
    });
}
