//! Who names a Service from far away, or its pods by their labels and not the Service at all, or says in the field that names it how it sends?

use super::mixed::{case, order};

const PODS: &str = "
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: 10.0.0.1, selector: {app: web}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: shop, labels: {app: web, role: decode}}, spec: {containers: [{name: app}]}}
---
";

/// The traffic sources besides kube-proxy, each with its last new connection.
fn sources(yaml: &str) -> Vec<String> {
    let mut found = case(yaml, &[], 30.0, |_, budget| order(budget));
    found.retain(|one| !one.starts_with("kube-proxy "));
    found
}

#[test]
fn a_pool_is_matched_by_what_it_selects() {
    let pool = |group: &str, selector: &str| {
        format!(
            "{PODS}{{apiVersion: {group}/v1, kind: InferencePool, metadata: {{name: pool, namespace: shop}}, spec: {{selector: {selector}}}}}"
        )
    };
    let (now, before) = (
        "inference.networking.k8s.io",
        "inference.networking.x-k8s.io",
    );
    let epp = ["inference-pool-epp 2"];
    // The Service does not ask for the role; a pod of it has it.
    assert_eq!(sources(&pool(now, "{matchLabels: {role: decode}}")), epp);
    assert_eq!(sources(&pool(before, "{app: web}")), epp);
    let none: [&str; 0] = [];
    assert_eq!(sources(&pool(now, "{matchLabels: {role: prefill}}")), none);
    assert_eq!(sources(&pool(now, "{matchLabels: {}}")), none);
}

#[test]
fn who_goes_by_pods_does_not_care_whether_their_addresses_are_published() {
    let yaml = PODS.replace(
        "selector: {app: web}",
        "selector: {app: web}, publishNotReadyAddresses: true",
    );
    let pool = "{apiVersion: inference.networking.k8s.io/v1, kind: InferencePool, metadata: {name: pool, namespace: shop}, spec: {selector: {matchLabels: {app: web}}}}";
    let all = case(&format!("{yaml}{pool}"), &[], 30.0, |_, budget| {
        order(budget)
    });
    // kube-proxy takes such a pod for ready until it is gone.
    assert_eq!(all, ["inference-pool-epp 2", "kube-proxy tGPS"]);
}

#[test]
fn a_pool_knows_the_pods_that_a_workload_will_make() {
    let yaml = "
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: 10.0.0.1, selector: {app: web}, ports: [{port: 80}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web, role: decode}}, spec: {containers: [{name: vllm}]}}}}
---
{apiVersion: inference.networking.k8s.io/v1, kind: InferencePool, metadata: {name: pool, namespace: shop}, spec: {selector: {matchLabels: {role: decode}}}}
";
    assert_eq!(sources(yaml), ["inference-pool-epp 2"]);
}

#[test]
fn conversion_webhooks_name_their_service_from_outside_of_any_namespace() {
    let crd = |namespace: &str| {
        format!(
            "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: carts.example.com}}, spec: {{group: example.com, \
             conversion: {{strategy: Webhook, webhook: {{clientConfig: {{service: {{name: web, namespace: {namespace}, path: /convert}}}}}}}}}}}}"
        )
    };
    assert_eq!(sources(&crd("shop")), ["kube-apiserver-webhook tGPS"]);
    assert!(sources(&crd("other")).is_empty());
}

#[test]
fn a_cookie_of_another_service_in_the_same_route_does_not_count() {
    let route = |sticky: &str, other: &str| {
        format!(
            "{{apiVersion: traefik.io/v1alpha1, kind: IngressRoute, metadata: {{name: a, namespace: shop}}, spec: {{routes: [{{services: [{{name: web, port: 80{sticky}}}, \
             {{name: other, port: 80{other}}}]}}]}}}}"
        )
    };
    let cookie = ", sticky: {cookie: {}}";
    assert_eq!(sources(&route("", cookie)), ["traefik-http 3"]);
    assert_eq!(sources(&route(cookie, "")), ["traefik-http tGPS"]);
    assert_eq!(sources(&route(", nativeLB: true", "")), ["traefik-http 2"]);
    assert_eq!(sources(&route("", ", nativeLB: true")), ["traefik-http 3"]);
}

#[test]
fn traefiks_gateway_sends_to_the_services_address_where_it_is_told_to() {
    let yaml = "
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: traefik}, spec: {controllerName: traefik.io/gateway-controller}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: gw, namespace: shop}, spec: {gatewayClassName: traefik}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: web, namespace: shop}, spec: {parentRefs: [{name: gw}], rules: [{backendRefs: [{name: web, port: 80}]}]}}
---
";
    assert_eq!(sources(yaml), ["traefik-tcp-udp-gateway 3"]);
    let native = "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, annotations: {traefik.io/service.nativelb: \"true\"}}, spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}}";
    assert_eq!(
        sources(&format!("{yaml}{native}")),
        ["traefik-tcp-udp-gateway 2"]
    );
}

#[test]
fn a_service_on_the_tailnet_gets_packets_and_no_pooled_connections() {
    let yaml = "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, annotations: {tailscale.com/expose: \"true\"}}, spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}}";
    assert_eq!(sources(yaml), ["tailscale-operator 2"]);
}

#[test]
fn an_exported_service_with_an_address_is_its_own_clusters_matter() {
    let yaml = "
{apiVersion: multicluster.x-k8s.io/v1alpha1, kind: ServiceExport, metadata: {name: web, namespace: shop}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: submariner-lighthouse-coredns, namespace: submariner-operator}, spec: {template: {spec: {containers: [{name: a}]}}}}
";
    assert_eq!(sources(yaml), ["submariner-lighthouse 2"]);
}
