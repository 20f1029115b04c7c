//! Nodes that will not wait, proxies, readiness and rewritten graces: how bad by the evidence, and when is nothing said?

use drain_check::rules::Severity::{Info, Warning};

use crate::rules::{NOTHING, at, bad, found, good, said};

fn node(name: &str, label: &str, version: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{{label}}}}}\n\
         status: {{nodeInfo: {{kubeletVersion: v{version}}}}}\n"
    )
}

fn pod(name: &str, node: &str, more: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop, labels: {{app: web}}{more}}}\n\
         spec: {{nodeName: {node}, terminationGracePeriodSeconds: 60, containers: [{{name: app, image: web}}]}}\n\
         status: {{phase: Running, podIP: 10.244.1.5}}\n"
    )
}

#[test]
fn spot_nodes_count_only_where_pods_are_on_them_or_ask_for_them() {
    let spot = node(
        "spot-1",
        "kubernetes.azure.com/scalesetpriority: spot",
        "1.33.1",
    );
    let plain = node("plain-1", "", "1.33.1");
    let service = bad("DC209")
        .split("---\n")
        .next()
        .expect("the Service")
        .to_owned();
    let on = |name: &str| format!("{service}{}{spot}{plain}", pod("web-1", name, ""));
    assert_eq!(said("DC209", &on("spot-1")), Some(Info));
    assert_eq!(said("DC209", &on("plain-1")), NOTHING);
    // Somewhere there are spot nodes: that says nothing about a template without pods.
    let asks = "      nodeSelector: {cloud.google.com/gke-spot: \"true\"}\n";
    let elsewhere = bad("DC209").replace(asks, "") + &spot;
    assert_eq!(said("DC209", &elsewhere), NOTHING);
    let two_minutes = bad("DC209").replace(
        "cloud.google.com/gke-spot: \"true\"",
        "karpenter.sh/capacity-type: spot",
    );
    assert_eq!(said("DC209", &two_minutes), NOTHING);
    let on_demand = two_minutes.replace("type: spot", "type: on-demand");
    assert_eq!(
        said("DC209", &on_demand.replace("Seconds: 60", "Seconds: 600")),
        NOTHING
    );
}

#[test]
fn a_proxy_that_stays_long_enough_or_for_an_unknown_time_is_fine() {
    let with = |from: &str, to: &str| bad("DC210").replace(from, to);
    let name = "name: istio-proxy\n";
    let image = "image: docker.io/istio/proxyv2:1.24.0";
    for yaml in [
        with(
            "metadata: {labels: {app: web}}",
            "metadata: {labels: {app: web}, annotations: {proxy.istio.io/config: 'terminationDrainDuration: 30s'}}",
        ),
        with(
            image,
            "image: docker.io/istio/proxyv2:1.24.0\n        env: [{name: EXIT_ON_ZERO_ACTIVE_CONNECTIONS, value: 'true'}]",
        ),
        with(
            image,
            "image: docker.io/istio/proxyv2:1.24.0\n        lifecycle: {preStop: {exec: {command: [sleep, '20']}}}",
        ),
        with(name, "name: linkerd-proxy\n").replace(image, "image: cr.l5d.io/linkerd/proxy:edge"),
        with(name, "name: logs\n").replace(image, "image: fluent/fluent-bit:3"),
        with("command: [sleep, \"15\"]", "command: [sleep, \"5\"]"),
    ] {
        assert_eq!(said("DC210", &yaml), NOTHING, "{yaml}");
    }
}

#[test]
fn a_proxy_is_measured_by_the_declared_drain_too() {
    let declared = bad("DC210")
        .replace("command: [sleep, \"15\"]", "command: [sleep, \"4\"]")
        .replace(
            "metadata: {labels: {app: web}}",
            "metadata: {labels: {app: web}, annotations: {drain-check/drain-seconds: app=20}}",
        );
    assert_eq!(said("DC210", &declared), Some(Warning));
}

#[test]
fn native_sidecars_are_fine_where_kubelets_order_them() {
    assert_eq!(found("DC210", &at("1.29", &good("DC210"))), NOTHING);
    assert_eq!(found("DC210", &at("1.28", &good("DC210"))), Some(Warning));
}

#[test]
fn slow_readiness_is_a_warning_only_where_a_traffic_source_in_use_goes_by_it() {
    // kube-router keeps terminating pods until they are unready; without it kube-proxy routes, which stops at the delete.
    let router = bad("DC211");
    assert_eq!(said("DC211", &router), Some(Warning));
    let none = router.replace("--run-service-proxy=true", "--run-service-proxy=false");
    assert_eq!(said("DC211", &none), Some(Info));
    // A node under a Local policy with terminating pods alone has no other pod that could take the connection.
    for policy in [
        "type: LoadBalancer\n  externalTrafficPolicy: Local",
        "internalTrafficPolicy: Local",
    ] {
        let local = none.replacen("spec:\n", &format!("spec:\n  {policy}\n"), 1);
        assert_eq!(said("DC211", &local), Some(Info), "{policy}");
    }
    let scraped = router.replace("name: http, port", "name: http-metrics, port");
    assert_eq!(said("DC211", &scraped), NOTHING);
    // The defaults, 20 to 31 s, may just fit into 30 s.
    let defaults = router.replace(
        "  lifecycle: {preStop: {exec: {command: [sleep, \"15\"]}}}\n",
        "  env: []\n",
    );
    assert_eq!(said("DC211", &defaults), NOTHING);
}

#[test]
fn kubelets_that_lose_readiness_are_named_and_unknown_ones_are_not_blamed() {
    let exec = good("DC211").replace(
        "httpGet: {path: /ready, port: 8080}",
        "exec: {command: [ready]}",
    );
    assert_eq!(said("DC211", &exec), NOTHING);
    for (version, expected) in [
        ("1.34.2", NOTHING),
        ("1.35.1", Some(Warning)),
        ("1.36.2", NOTHING),
        ("1.36.3", Some(Warning)),
    ] {
        let live = format!("{exec}{}", node("node-a", "", version));
        assert_eq!(said("DC211", &live), expected, "{version}");
    }
    // The newer of two kubelets is the one with the defect.
    let mixed = format!(
        "{exec}{}{}",
        node("node-a", "", "1.34.2"),
        node("node-b", "", "1.35.1")
    );
    assert_eq!(said("DC211", &mixed), Some(Warning));
    let frozen = format!("{}{}", good("DC211"), node("node-a", "", "1.23.4"));
    assert_eq!(said("DC211", &frozen), Some(Warning));
}

#[test]
fn whoever_says_when_it_is_ready_is_not_asked_again() {
    let port = "        ports: [{containerPort: 8080}]\n";
    let startup = format!("{port}        startupProbe: {{tcpSocket: {{port: 8080}}}}\n");
    let started = bad("DC212").replace(port, &startup);
    assert_eq!(said("DC212", &started), NOTHING);
    let gated = bad("DC212").replace(
        "      containers:\n",
        "      readinessGates: [{conditionType: target-health.elbv2.k8s.aws/web}]\n      containers:\n",
    );
    assert_eq!(said("DC212", &gated), NOTHING);
}

#[test]
fn jobs_init_containers_and_native_sidecars_are_not_asked_for_readiness() {
    let job = bad("DC212")
        .replace("kind: Deployment", "kind: Job")
        .replace("apps/v1", "batch/v1");
    assert_eq!(said("DC212", &job), NOTHING);
    let never = bad("DC212").replace(
        "      containers:\n",
        "      restartPolicy: Never\n      containers:\n",
    );
    assert_eq!(said("DC212", &never), NOTHING);
    let sidecar = good("DC212")
        + "      initContainers:\n      - {name: setup, image: setup}\n      \
                                   - {name: proxy, image: proxy, restartPolicy: Always, ports: [{containerPort: 9090}]}\n";
    assert_eq!(said("DC212", &sidecar), NOTHING);
}

#[test]
fn a_probe_of_another_container_does_not_speak_for_the_one_that_serves() {
    let other = bad("DC212")
        + "      - {name: metrics, image: exporter, readinessProbe: {tcpSocket: {port: 9090}}, ports: [{containerPort: 9090}]}\n";
    assert_eq!(said("DC212", &other), Some(Warning));
}

#[test]
fn a_grace_is_rewritten_for_certain_only_where_the_pods_replica_set_says_so() {
    assert_eq!(
        said(
            "DC214",
            &bad("DC214").replace("Seconds: 50", "Seconds: 120")
        ),
        Some(Info)
    );
    let of_set = "apps/v1\nkind: ReplicaSet\nmetadata: {name: web-7d4b9,";
    let stateful = bad("DC214")
        .replace(of_set, "apps/v1\nkind: StatefulSet\nmetadata: {name: web,")
        .replace(
            "kind: ReplicaSet, name: web-7d4b9",
            "kind: StatefulSet, name: web",
        );
    assert_eq!(said("DC214", &stateful), Some(Info));
    // In the middle of a rollout the old pods are of another template.
    let rollout = stateful.replacen("image: example/web:1", "image: example/web:2", 1);
    assert_eq!(said("DC214", &rollout), NOTHING);
    // A template that says nothing means 30.
    let default = bad("DC214")
        .replace("      terminationGracePeriodSeconds: 90\n", "")
        .replace("Seconds: 50", "Seconds: 30");
    assert_eq!(said("DC214", &default), NOTHING);
}

#[test]
fn a_delete_with_another_grace_is_good_to_know() {
    let service = bad("DC209")
        .split("---\n")
        .next()
        .expect("the Service")
        .to_owned();
    let deleted = |seconds: i64| {
        let more = format!(
            ", deletionTimestamp: \"2026-11-21T00:00:30Z\", deletionGracePeriodSeconds: {seconds}"
        );
        said(
            "DC214",
            &format!("{service}{}", pod("web-1", "node-a", &more)),
        )
    };
    assert_eq!(deleted(5), Some(Info));
    assert_eq!(deleted(60), NOTHING);
}
