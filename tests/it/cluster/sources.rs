//! Who else sends traffic: what is asked for it, when, and what comes of it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use drain_check::collect::Request;
use drain_check::facts::object::ApiObject;
use drain_check::facts::{GapReason, Resource, Snapshot};
use serde_json::{Value, json};

use super::harness::{Setup, ask, everything, from_file, named};
use super::permissions::{allowed, role};
use crate::fake_api::{FakeApi, Fault, kube_proxy};
use crate::sources::WEB;

pub(crate) fn yaml(text: &str) -> Vec<Value> {
    let value: Value = serde_yaml::from_str(text).expect("YAML");
    value.as_array().expect("a list").clone()
}

pub(crate) fn web() -> Value {
    serde_yaml::from_str(WEB).expect("a Service")
}

/// An Ingress with its class; a Route, its class, and its Gateway in another namespace; a load balancer's binding.
pub(crate) const EDGE: &str = "
- {apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: nginx}, spec: {controller: k8s.io/ingress-nginx}}
- {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web, namespace: shop}, spec: {ingressClassName: nginx, defaultBackend: {service: {name: web, port: {number: 80}}}}}
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: ingress-nginx-controller, namespace: edge-nginx, labels: {app.kubernetes.io/name: ingress-nginx}}, spec: {template: {spec: {containers: [{name: controller, args: [--sync-rate-limit=2]}]}}}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: ingress-nginx-controller, namespace: edge-nginx}, data: {worker-shutdown-timeout: 9s}}
- {apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: eg}, spec: {controllerName: gateway.envoyproxy.io/gatewayclass-controller}}
- {apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: outer, namespace: edge}, spec: {gatewayClassName: eg}}
- {apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: web, namespace: shop}, spec: {parentRefs: [{name: outer, namespace: edge}], rules: [{backendRefs: [{name: web, port: 80}]}]}}
- {apiVersion: gateway.envoyproxy.io/v1alpha1, kind: BackendTrafficPolicy, metadata: {name: web, namespace: edge}, spec: {targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: outer}]}}
- {apiVersion: elbv2.k8s.aws/v1beta1, kind: TargetGroupBinding, metadata: {name: web, namespace: shop, managedFields: [{manager: x}]}, spec: {serviceRef: {name: web, port: 80}, targetType: ip}, status: {observedGeneration: 1}}
- {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {elbv2.k8s.aws/pod-readiness-gate-inject: enabled}}}
- {apiVersion: v1, kind: Node, metadata: {name: node-a, labels: {zone: a}}, spec: {providerID: 'aws:///a/b', taints: [{key: karpenter.sh/disrupted, effect: NoSchedule}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: shop, labels: {app: web}}, spec: {nodeName: node-a, readinessGates: [{conditionType: target-health.elbv2.k8s.aws/x}], containers: [{name: web, image: web, env: [{name: A, value: b}]}]}}
";

fn edge() -> Vec<Value> {
    [yaml(EDGE), vec![web()]].concat()
}

/// What another namespace has besides, which is not this Service's business.
const ELSEWHERE: &str = "
- {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: other, namespace: bank}, spec: {defaultBackend: {service: {name: web}}}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: ingress-nginx-controller, namespace: bank}, data: {worker-shutdown-timeout: 9s}}
- {apiVersion: v1, kind: Secret, metadata: {name: web, namespace: shop}, data: {key: c2VjcmV0}}
";

fn sorted(mut others: Vec<ApiObject>) -> Vec<ApiObject> {
    others.sort_by_key(|object| (object.kind.clone(), object.to_string()));
    others
}

fn all_namespaces() -> Request {
    Request {
        all_namespaces: true,
        ..everything()
    }
}

pub(crate) fn observed(api: &FakeApi, request: &Request) -> Snapshot {
    let setup = Setup::new(api, "shop");
    let asked = setup.observe(request).expect("a snapshot");
    let role = role();
    for one in api.asked() {
        assert_eq!(one.method, "GET");
        assert!(!one.path.to_lowercase().contains("secret"), "{}", one.path);
        assert!(allowed(&role, &one.path), "{}", one.path);
        let map = one.path.split('?').next().unwrap_or_default();
        assert!(!map.ends_with("/configmaps"), "a list: {}", one.path);
    }
    asked
}

/// Asks twice: the second time nobody of a round is answered before all of it have asked. `first` and `last` are how many
/// belong to the first and to the third round.
fn in_rounds(objects: &[Value], request: &Request, first: usize, last: usize) -> Snapshot {
    let api = FakeApi::serving(objects.to_vec());
    observed(&api, request);
    let all = api.asked().len();
    let api = FakeApi::serving(objects.to_vec());
    api.wait_for_crowds(&[first, all - last, all]);
    let asked = observed(&api, request);
    assert!(!api.waited_in_vain(), "{:#?}", api.paths());
    assert_eq!(api.asked().len(), all);
    let rounds = if last == 0 { 2 } else { 3 };
    assert_eq!(api.round_trips(), rounds, "{:#?}", api.asked());
    asked
}

/// What is asked for besides what any check of the Service asks, sorted.
fn extra(api: &FakeApi) -> Vec<String> {
    let known = [
        "/api/v1/namespaces/shop/services/web",
        "/api/v1/namespaces/shop/endpoints/web",
        "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices",
        "/api/v1/namespaces/shop/pods",
        "/api/v1/namespaces/kube-system/pods",
        "/api/v1/namespaces/kube-system/configmaps/kube-proxy",
        "/api/v1/nodes",
        "/version",
        // What makes the pods, scales them and speaks of them.
        "/apis/apps/v1/namespaces/shop/",
        "/apis/autoscaling/v2/namespaces/shop/",
        "/api/v1/namespaces/shop/events",
        // What the API server calls.
        "/apis/admissionregistration.k8s.io/v1/",
        "/apis/apiregistration.k8s.io/v1/",
    ];
    let mut paths = api.paths();
    paths.retain(|path| !known.iter().any(|known| path.starts_with(known)));
    paths.sort();
    paths
}

#[test]
fn what_tells_who_sends_traffic_comes_out_of_the_api_as_out_of_a_file() {
    let expected = sorted(from_file(&edge()).others);
    assert_eq!(expected.len(), 13);
    let objects = [edge(), kube_proxy(), yaml(ELSEWHERE)].concat();
    // Last: the Gateway, the policies beside it, and the ConfigMap.
    for (request, first) in [
        (named(&["web"]), 22),
        (everything(), 20),
        (named(&["pod/web-1"]), 23),
    ] {
        let asked = in_rounds(&objects, &request, first, 3);
        assert_eq!(asked.gaps, []);
        assert_eq!(sorted(asked.others), expected);
    }
    // All namespaces bring the other Ingress too, and leave only the ConfigMap to the last round.
    let asked = in_rounds(&objects, &all_namespaces(), 20, 1);
    let other = from_file(&yaml(ELSEWHERE)).others;
    let other = other.into_iter().filter(|object| object.kind == "Ingress");
    let expected = sorted(expected.into_iter().chain(other).collect());
    assert_eq!(sorted(asked.others), expected);
}

#[test]
fn nothing_more_is_asked_where_nothing_is_installed() {
    let api = FakeApi::serving([vec![web()], kube_proxy()].concat());
    let asked = observed(&api, &named(&["web"]));
    assert_eq!(asked.gaps, []);
    let look = [
        "/apis",
        "/apis/apps/v1/namespaces/kube-system/daemonsets?limit=500",
        "/apis/networking.k8s.io/v1/namespaces/shop/ingresses?limit=500",
    ];
    assert_eq!(extra(&api), look);
    in_rounds(
        &[vec![web()], kube_proxy()].concat(),
        &named(&["web"]),
        22,
        0,
    );
}

#[test]
fn only_what_is_installed_is_asked_for() {
    let bindings = yaml(EDGE).into_iter().filter(|object| {
        let version = object["apiVersion"].as_str().unwrap_or_default();
        version.starts_with("elbv2.k8s.aws")
    });
    let objects = [vec![web()], kube_proxy(), bindings.collect()].concat();
    in_rounds(&objects, &named(&["web"]), 22, 0);
    let api = FakeApi::serving(objects);
    observed(&api, &named(&["web"]));
    let selector = |names: &str| {
        format!("labelSelector=app.kubernetes.io%2Fname%20in%20%28{names}%29&limit=500")
    };
    let expected = [
        "/api/v1/namespaces/shop".to_owned(),
        "/apis".to_owned(),
        format!(
            "/apis/apps/v1/daemonsets?{}",
            selector("pod-graceful-drain")
        ),
        format!(
            "/apis/apps/v1/deployments?{}",
            selector("pod-graceful-drain")
        ),
        "/apis/apps/v1/namespaces/kube-system/daemonsets?limit=500".to_owned(),
        "/apis/apps/v1/namespaces/kube-system/deployments/aws-load-balancer-controller".to_owned(),
        "/apis/elbv2.k8s.aws/v1beta1/namespaces/shop/targetgroupbindings?limit=500".to_owned(),
        "/apis/networking.k8s.io/v1/namespaces/shop/ingresses?limit=500".to_owned(),
    ];
    assert_eq!(extra(&api), expected);
}

#[test]
fn a_headless_service_asks_for_who_answers_its_name() {
    let mut service = web();
    service["spec"]["clusterIP"] = json!("None");
    let coredns = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "coredns", "namespace": "kube-system"},
        "data": {"Corefile": ".:53 { kubernetes cluster.local }"}});
    let objects = [service, coredns];
    for (request, first) in [
        (named(&["web"]), 22),
        (everything(), 20),
        (all_namespaces(), 20),
    ] {
        let all = [&objects[..], &kube_proxy()].concat();
        let asked = in_rounds(&all, &request, first, 0);
        assert_eq!(sorted(asked.others), sorted(from_file(&objects).others));
    }
}

#[test]
fn a_server_without_aggregated_discovery_is_asked_for_each_version() {
    let mut objects = [edge(), kube_proxy()].concat();
    let expected = sorted(from_file(&edge()).others);
    objects.push(
        json!({"apiVersion": "gateway.networking.k8s.io/v1alpha2", "kind": "TCPRoute",
        "metadata": {"name": "web", "namespace": "bank"}, "spec": {}}),
    );
    let api = FakeApi::serving(objects);
    api.discovers_groups_only();
    let asked = observed(&api, &named(&["web"]));
    assert_eq!(asked.gaps, []);
    assert_eq!(sorted(asked.others), expected);
    let routes = "/apis/gateway.networking.k8s.io/v1alpha2/namespaces/shop/tcproutes";
    assert!(api.paths().iter().any(|path| path.starts_with(routes)));
}

#[test]
fn a_kind_that_is_not_there_is_no_gap() {
    let api = FakeApi::serving([edge(), kube_proxy()].concat());
    // The discovery said otherwise a moment ago.
    for gone in [
        "/apis/elbv2.k8s.aws/",
        "/apis/gateway.networking.k8s.io/v1/gatewayclasses",
        "/apis/networking.k8s.io/v1/ingressclasses",
    ] {
        api.fault(gone, Fault::Status(404, "the server could not find it"));
    }
    let asked = observed(&api, &named(&["web"]));
    assert_eq!(asked.gaps, []);
    let kinds: BTreeSet<_> = asked.others.iter().map(|one| one.kind.as_str()).collect();
    assert!(kinds.contains("Ingress") && kinds.contains("HTTPRoute"));
    assert!(!kinds.contains("TargetGroupBinding") && !kinds.contains("IngressClass"));
}

/// A path, the gap that it makes, and the kinds that are then missing.
fn gaps() -> Vec<(&'static str, Resource, Vec<&'static str>)> {
    let (who, how) = (Resource::TrafficObjects, Resource::SourceSettings);
    vec![
        // Whoever may not read Ingresses learns nothing of who serves them either.
        (
            "/apis/networking.k8s.io/v1/namespaces/shop/ingresses",
            who("ingresses.networking.k8s.io"),
            vec!["ConfigMap", "Deployment", "Ingress", "IngressClass"],
        ),
        (
            "/apis/networking.k8s.io/v1/ingressclasses",
            who("ingressclasses.networking.k8s.io"),
            vec!["IngressClass"],
        ),
        (
            "/apis/gateway.networking.k8s.io/v1/namespaces/edge",
            who("gateways.gateway.networking.k8s.io"),
            vec!["Gateway"],
        ),
        (
            "/apis/elbv2.k8s.aws/",
            who("targetgroupbindings.elbv2.k8s.aws"),
            vec!["TargetGroupBinding"],
        ),
        (
            "/apis/apps/v1/namespaces/kube-system/daemonsets",
            Resource::DataPlanes,
            vec![],
        ),
        (
            "/api/v1/namespaces/edge-nginx/configmaps",
            how("configmaps/ingress-nginx-controller"),
            vec!["ConfigMap"],
        ),
        (
            "/apis$",
            Resource::Installed,
            vec![
                "BackendTrafficPolicy",
                "Gateway",
                "GatewayClass",
                "HTTPRoute",
                "IngressClass",
                "Namespace",
                "TargetGroupBinding",
            ],
        ),
    ]
}

#[test]
fn what_is_forbidden_is_a_gap_and_the_rest_stands() {
    let whole = sorted(from_file(&edge()).others);
    for (path, resource, missing) in gaps() {
        for (status, reason) in [(403, GapReason::Forbidden), (504, GapReason::TimedOut)] {
            let api = FakeApi::serving([edge(), kube_proxy()].concat());
            api.fault(path, Fault::Status(status, "no"));
            let asked = observed(&api, &named(&["web"]));
            assert_eq!(asked.services.len(), 1);
            assert_eq!(asked.pods.len(), 1);
            assert_eq!(asked.gaps.len(), 1, "{path}: {:?}", asked.gaps);
            assert_eq!(asked.gaps[0].resource, resource, "{path}");
            assert_eq!(asked.gaps[0].reason, reason, "{path}");
            let rest = whole
                .iter()
                .filter(|one| !missing.contains(&one.kind.as_str()));
            let rest: Vec<ApiObject> = rest.cloned().collect();
            assert_eq!(sorted(asked.others), rest, "{path}");
        }
    }
}

#[test]
fn a_gap_is_in_the_report_as_kubectl_would_ask_for_it() {
    let api = FakeApi::serving([edge(), kube_proxy()].concat());
    api.fault("/apis/elbv2.k8s.aws/", Fault::Status(403, "no"));
    let setup = Setup::new(&api, "shop");
    let ran = setup.run(&["svc/web", "-o", "json"]);
    let report: Value = serde_json::from_str(&ran.out).expect("a report");
    let gaps = report["gaps"].as_array().expect("gaps");
    let gap = gaps
        .iter()
        .find(|gap| gap["resource"] == "targetgroupbindings.elbv2.k8s.aws");
    let gap = gap.unwrap_or_else(|| panic!("{gaps:?}"));
    assert_eq!(
        (&gap["verb"], &gap["reason"]),
        (&json!("list"), &json!("forbidden"))
    );
    let said = gap["consequence"].as_str().unwrap_or_default();
    assert!(said.starts_with("which traffic sources"), "{said}");
}

#[test]
fn an_api_that_does_not_answer_holds_nothing_up_for_longer_than_its_limit() {
    let api = FakeApi::serving([edge(), kube_proxy()].concat());
    api.fault("/apis/elbv2.k8s.aws/", Fault::Late(Duration::from_secs(60)));
    let setup = Setup::new(&api, "shop");
    let mut connection = setup.connection();
    connection.request_timeout = Some(Duration::from_secs(1));
    let started = Instant::now();
    let asked = ask(&connection, &named(&["web"])).expect("a snapshot");
    assert!(started.elapsed() < Duration::from_secs(30));
    let gaps: Vec<_> = asked.gaps.iter().map(|gap| gap.resource).collect();
    assert_eq!(
        gaps,
        [Resource::TrafficObjects(
            "targetgroupbindings.elbv2.k8s.aws"
        )]
    );
    assert_eq!(asked.gaps[0].reason, GapReason::TimedOut);
    assert!(asked.others.iter().any(|one| one.kind == "HTTPRoute"));
}

#[test]
fn a_name_that_would_lead_to_another_path_is_not_sent() {
    let mut objects = edge();
    for object in &mut objects {
        if object["kind"] == "HTTPRoute" {
            object["spec"]["parentRefs"] = json!([{"name": "..", "namespace": "edge"},
                {"name": "../../secrets/x", "namespace": "../x"}]);
        }
    }
    let api = FakeApi::serving(objects);
    observed(&api, &named(&["web"]));
    assert!(
        !api.paths()
            .iter()
            .any(|path| path.contains("..") || path.contains("%2F.."))
    );
}

#[test]
fn sources_shows_what_was_recognised_and_by_what() {
    let api = FakeApi::serving(edge());
    let setup = Setup::new(&api, "shop");
    let ran = setup.run(&["sources", "-A", "-o", "json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let told: Value = serde_json::from_str(&ran.out).expect("one JSON document");
    assert_eq!(told["apiVersion"], "drain-check/v1");
    assert_eq!(told["kind"], "Sources");
    let services = told["services"].as_array().expect("a list");
    assert_eq!(services.len(), 1);
    assert_eq!(services[0]["namespace"], "shop");
    let of = |id: &str| {
        let sources = services[0]["trafficSources"].as_array().expect("a list");
        let found = sources.iter().find(|source| source["id"] == id);
        found
            .unwrap_or_else(|| panic!("{id}: {sources:#?}"))
            .clone()
    };
    // As the manifests say: the class's controller, through the Ingress that names the Service.
    let nginx = of("ingress-nginx");
    let shown = nginx["evidence"].as_array().expect("a list");
    assert!(
        shown.iter().any(|one| one["object"] == "Ingress shop/web"
            || one["object"] == "IngressClass nginx"),
        "{shown:?}"
    );
    of("envoy-gateway");
    assert_eq!(of("kube-proxy")["evidence"], json!([]));
    let table = setup.run(&["sources", "svc/web"]).out;
    assert!(table.starts_with("SERVICE "), "{table}");
    let line = |id: &str| {
        let mut lines = table.lines();
        lines.find(|line| line.contains(id)).map(str::to_owned)
    };
    assert!(line("kube-proxy ").is_some_and(|line| line.contains("assumed")));
    assert!(line("ingress-nginx ").is_some(), "{table}");
    for one in api.asked() {
        assert_eq!(one.method, "GET");
    }
}

#[test]
fn sources_says_what_it_was_not_allowed_to_read_and_fails_for_a_service_that_is_not_there() {
    let api = FakeApi::serving(edge());
    api.fault_where(
        |path, _| path.ends_with("/ingresses"),
        usize::MAX,
        Fault::Status(403, "ingresses.networking.k8s.io is forbidden"),
    );
    let setup = Setup::new(&api, "shop");
    let ran = setup.run(&["sources"]);
    assert!(ran.out.contains("Not read: ingresses"), "{}", ran.out);
    let ran = setup.run(&["sources", "svc/wob"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("wob"), "{}", ran.err);
}
