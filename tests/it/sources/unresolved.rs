//! What is listed where a setting cannot be read or no controller is known, and which figures count instead?

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

#[test]
fn an_ingress_of_an_unknown_class_is_unresolved() {
    let yaml = "
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web, namespace: shop}, spec: {ingressClassName: own, defaultBackend: {service: {name: web, port: {number: 80}}}}}
";
    case(yaml, &[], 30.0, |detected, _| {
        let one = &detected.unresolved[0];
        assert_eq!(one.object, "Ingress shop/web");
        assert_eq!(one.value.as_deref(), Some("own"));
    });
    case(NGINX, &[], 30.0, |detected, _| {
        assert!(detected.unresolved.is_empty(), "{:?}", detected.unresolved);
    });
}

#[test]
fn a_load_balancer_of_an_unknown_class_is_unresolved() {
    let service = |class: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: web, namespace: shop}}, spec: {{type: LoadBalancer, {class}clusterIP: 10.0.0.1, ports: [{{port: 80}}]}}}}"
        )
    };
    case(&service(""), &[], 0.0, |detected, _| {
        assert_eq!(detected.unresolved[0].object, "Service shop/web");
    });
    case(&service(""), &["hetzner-lb"], 0.0, |detected, _| {
        assert!(detected.unresolved.is_empty());
    });
    let nlb = "loadBalancerClass: service.k8s.aws/nlb, ";
    case(&service(nlb), &[], 0.0, |detected, budget| {
        assert!(detected.unresolved.is_empty());
        // instance targets are the default, the policy is Cluster: the data plane chooses pods.
        assert_eq!(
            order(budget),
            ["aws-lbc-instance-cluster 2", "kube-proxy 2"]
        );
    });
}

#[test]
fn a_service_for_another_proxy_has_no_known_data_plane() {
    let yaml = "
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, labels: {service.kubernetes.io/service-proxy-name: own}}, spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}}
";
    case(yaml, &[], 30.0, |_, budget| {
        assert!(budget.timings.is_empty());
        assert_eq!(budget.unknown, ["own"]);
        assert!(!budget.pre_stop.complete);
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
            assert!(detected.unresolved.is_empty());
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
