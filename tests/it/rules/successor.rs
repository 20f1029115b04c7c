//! Where does a longer preStop help, and where does it only make the end longer? By how the controllers of Kubernetes replace pods.

use std::sync::Arc;

use drain_check::analysis::{self, Assumptions, Cluster};
use drain_check::engine;
use drain_check::facts::mentions::Mentions;
use drain_check::rules::Severity::{Info, Warning};
use drain_check::rules::{Finding, Severity};

use crate::rules::{fixed, read};

/// A probe that says when the next pod may take over.
const READY: &str = "readinessProbe: {tcpSocket: {port: 8080}}";

/// A Service with more in its spec, in front of a workload of a kind with more in its own.
fn behind(service: &str, kind: &str, spec: &str, container: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\n\
         spec: {{clusterIP: 10.96.0.10, selector: {{app: web}}, ports: [{{port: 80, targetPort: 8080}}], {service}}}\n\
         ---\n{}",
        workload("web", kind, spec, container)
    )
}

/// An Ingress of Traefik, which tries no refused connection again.
const ROUTE: &str = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: shop}\n\
                     spec: {ingressClassName: traefik, defaultBackend: {service: {name: web, port: {number: 80}}}}\n";

/// What says nothing of readiness gets a probe: without one, that is what is to be mended first.
fn workload(name: &str, kind: &str, spec: &str, container: &str) -> String {
    let ready = if container.contains("readinessProbe") || container.contains("startupProbe") {
        ""
    } else {
        READY
    };
    format!(
        "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop}}\n\
         spec:\n  {spec}\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    \
         metadata: {{labels: {{app: web}}}}\n    spec:\n      terminationGracePeriodSeconds: 30\n      containers:\n      - name: app\n        \
         image: gcr.io/distroless/static\n        ports: [{{containerPort: 8080}}]\n        {ready}\n        {container}\n"
    )
}

fn lint(yaml: &str) -> Vec<Finding> {
    let mut snapshot = read(yaml);
    // Somebody sends requests; how many replicas there are is what is varied.
    let mut mentions = Mentions::default();
    mentions.add("web", None);
    snapshot.mentions = Arc::new(mentions);
    let assumptions = Assumptions {
        version: Some("1.33".parse().expect("a version")),
        ..Assumptions::default()
    };
    let nodes = analysis::cluster::nodes(&snapshot, &assumptions);
    engine::lint(&Cluster::new(&snapshot, &nodes, &assumptions)).findings
}

/// What a rule says of the workload `web`.
fn of(id: &str, yaml: &str) -> Option<Finding> {
    let mut found = lint(yaml).into_iter();
    found.find(|finding| finding.rule.id == id && finding.object.name.name == "web")
}

/// The same where clients come by that route.
fn no_delay_behind_a_route(yaml: &str) -> Option<(Severity, bool)> {
    no_delay(&format!("{yaml}---\n{ROUTE}"))
}

/// How bad it is that nothing delays SIGTERM, and whether a change is offered.
fn no_delay(yaml: &str) -> Option<(Severity, bool)> {
    let finding = of("DC201", yaml)?;
    Some((finding.severity, finding.patch.is_some()))
}

#[test]
fn a_delay_is_asked_for_where_another_pod_takes_the_connections() {
    let recreate = "strategy: {type: Recreate}";
    let rolling = |rest: &str| format!("replicas: 1\n  strategy: {{rollingUpdate: {{{rest}}}}}");
    let (fixed, silent) = (Some((Warning, true)), None);
    for (kind, spec, expected) in [
        // The default: the new pod is Ready before the old one is deleted. Nothing asks for one to be there at all times but a budget, an
        // autoscaler or another workload; whoever writes maxUnavailable: 0 beside one replica lives with a short gap.
        (
            "Deployment",
            rolling("maxUnavailable: 0").as_str(),
            Some((Info, true)),
        ),
        ("Deployment", "replicas: 1", Some((Info, true))),
        // The new pod is made as soon as the old one is deleted, not when it is gone.
        (
            "Deployment",
            &rolling("maxSurge: 0, maxUnavailable: 1"),
            // That nobody answers until it is ready comes first (DC301).
            Some((Info, true)),
        ),
        ("Deployment", "replicas: 3", fixed),
        ("Deployment", recreate, silent),
        ("Deployment", &format!("replicas: 1\n  {recreate}"), silent),
        (
            "Deployment",
            &format!("replicas: 3\n  {recreate}"),
            Some((Info, false)),
        ),
        // The next pod has the name of this one.
        ("StatefulSet", "replicas: 1", silent),
        ("StatefulSet", "serviceName: web", silent),
        ("StatefulSet", "replicas: 2", fixed),
        // Pods of other nodes.
        ("DaemonSet", "minReadySeconds: 0", fixed),
        // No rollout replaces its pods.
        ("ReplicaSet", "replicas: 1", Some((Info, true))),
    ] {
        let yaml = behind("", kind, spec, "");
        assert_eq!(no_delay_behind_a_route(&yaml), expected, "{kind} {spec}");
    }
}

#[test]
fn a_volume_or_a_port_of_the_node_keeps_the_next_pod_waiting() {
    let at_once = "replicas: 1\n  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}";
    let plain = behind("", "Deployment", at_once, "");
    let port = plain.replace("containerPort: 8080", "containerPort: 8080, hostPort: 80");
    let volume = plain.replace(
        "      containers:\n",
        "      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n      containers:\n",
    );
    for yaml in [port, volume] {
        assert_eq!(no_delay_behind_a_route(&yaml), None, "{yaml}");
        // Of two, the other one goes on.
        let two = yaml.replace("replicas: 1", "replicas: 2");
        assert_eq!(no_delay_behind_a_route(&two), Some((Warning, true)));
    }
}

#[test]
fn another_workload_behind_the_service_is_somebody_too() {
    let alone = behind("", "Deployment", "strategy: {type: Recreate}", "");
    let canary = |replicas: u8| {
        let other = workload("canary", "Deployment", &format!("replicas: {replicas}"), "");
        no_delay_behind_a_route(&format!("{alone}---\n{other}"))
    };
    assert_eq!(canary(1), Some((Warning, true)));
    assert_eq!(canary(0), None);
    let scaled = "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web, namespace: shop}\n\
                  spec: {minReplicas: 1, maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: web}}\n";
    let stateful = behind("", "StatefulSet", "serviceName: web", "");
    assert_eq!(
        no_delay_behind_a_route(&format!("{stateful}{scaled}")),
        Some((Warning, true))
    );
}

#[test]
fn connections_that_stay_on_the_node_have_nowhere_to_go_from_a_daemon_set() {
    let local = "internalTrafficPolicy: Local";
    let plain = behind(local, "DaemonSet", "minReadySeconds: 0", "");
    assert_eq!(no_delay_behind_a_route(&plain), None);
    let surge = "updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}";
    assert_eq!(
        no_delay_behind_a_route(&behind(local, "DaemonSet", surge, "")),
        Some((Warning, true))
    );
    // Load balancers choose another node.
    let outside = "type: LoadBalancer, internalTrafficPolicy: Local, externalTrafficPolicy: Local";
    assert!(
        no_delay_behind_a_route(&behind(outside, "DaemonSet", "minReadySeconds: 0", "")).is_some()
    );
}

#[test]
fn clients_of_headless_services_are_offered_no_change() {
    let headless = |kind: &str| {
        let yaml = behind("", kind, "replicas: 3", "").replace("10.96.0.10", "None");
        no_delay(&yaml)
    };
    assert_eq!(headless("Deployment"), Some((Info, false)));
    // They ask for each pod by its own name.
    assert_eq!(headless("StatefulSet"), None);
}

#[test]
fn a_hook_is_made_longer_only_where_somebody_takes_the_connections() {
    let hook = "lifecycle: {preStop: {sleep: {seconds: 1}}}";
    let short = |kind: &str, spec: &str| {
        let finding = of("DC204", &behind("", kind, spec, hook))?;
        Some((finding.severity, finding.patch.is_some()))
    };
    assert_eq!(short("Deployment", "replicas: 2"), Some((Warning, true)));
    let recreate = "strategy: {type: Recreate}";
    assert_eq!(short("Deployment", recreate), None);
    let three = format!("replicas: 3\n  {recreate}");
    assert_eq!(short("Deployment", &three), Some((Info, false)));
    assert_eq!(short("StatefulSet", "replicas: 1"), None);
}

#[test]
fn a_hook_that_fails_is_told_and_not_made_to_work_where_that_makes_the_outage_longer() {
    let told = |id: &str, hook: &str, spec: &str| {
        let container = format!("lifecycle: {{preStop: {{{hook}}}}}");
        let finding = of(id, &behind("", "Deployment", spec, &container)).expect(id);
        (finding.severity, finding.patch.is_some())
    };
    for (id, hook) in [
        ("DC205", "tcpSocket: {port: 8080}"),
        ("DC206", "exec: {command: [sleep, '5']}"),
    ] {
        assert_eq!(told(id, hook, "replicas: 2"), (Warning, true), "{id}");
        let recreate = "strategy: {type: Recreate}";
        assert_eq!(told(id, hook, recreate), (Warning, false), "{id}");
    }
}

#[test]
fn fix_leaves_alone_what_has_no_successor_and_changes_only_the_hook_and_the_grace_period_of_others()
{
    for (kind, spec) in [
        ("Deployment", "strategy: {type: Recreate}"),
        ("Deployment", "replicas: 3\n  strategy: {type: Recreate}"),
        ("StatefulSet", "replicas: 1"),
    ] {
        let yaml = behind("", kind, spec, READY);
        assert_eq!(fixed(&yaml, "DC2"), yaml, "{kind} {spec}");
    }
    let yaml = behind("", "Deployment", "replicas: 2", READY);
    let after = fixed(&yaml, "DC2");
    let lines = |text: &str| {
        text.lines()
            .map(str::trim)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (before, after) = (lines(&yaml), lines(&after));
    let gone: Vec<_> = before.iter().filter(|line| !after.contains(line)).collect();
    let new: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
    assert_eq!(gone, ["terminationGracePeriodSeconds: 30"]);
    // 7 s = 1 (EndpointSlice update) + 1 (kube-proxy sync) + 5 (margin); 30 + 7 = 37.
    let joined = new
        .iter()
        .map(|line| line.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        joined.contains("terminationGracePeriodSeconds: 37"),
        "{joined}"
    );
    assert!(
        joined.contains("sleep") && joined.contains("seconds: 7"),
        "{joined}"
    );
    assert!(new.len() <= 5, "{new:?}");
}

/// An application without preStop behind a Service, with annotations of its pods, another container, and a target port.
fn pod_of(annotations: &str, container: &str, target: u16) -> String {
    behind("", "Deployment", "replicas: 2", "")
        .replace("targetPort: 8080", &format!("targetPort: {target}"))
        .replace(
            "metadata: {labels: {app: web}}",
            &format!("metadata: {{labels: {{app: web}}, annotations: {{{annotations}}}}}"),
        )
        .replace(
            "- name: app\n        image: gcr.io/distroless/static",
            container,
        )
}

#[test]
fn gateways_of_istio_drain_by_themselves_and_are_told_where_that_is_too_short() {
    let gateway = "- name: istio-proxy\n        image: auto";
    assert_eq!(no_delay(&pod_of("", gateway, 8080)), None);
    // An NLB with ip targets sends for minutes; Istio drains for 5 s by default.
    let nlb = |annotations: &str, container: &str| {
        let yaml = pod_of(annotations, container, 8080).replacen(
            "metadata: {name: web, namespace: shop}",
            "metadata: {name: web, namespace: shop, annotations: {service.beta.kubernetes.io/aws-load-balancer-type: external, \
             service.beta.kubernetes.io/aws-load-balancer-nlb-target-type: ip}}",
            1,
        );
        no_delay(&yaml.replace(
            "clusterIP: 10.96.0.10",
            "type: LoadBalancer, clusterIP: 10.96.0.10",
        ))
    };
    assert_eq!(nlb("", gateway), Some((Info, false)));
    let long = "proxy.istio.io/config: 'terminationDrainDuration: 400s'";
    assert_eq!(nlb(long, gateway), None);
    let waits = format!(
        "{gateway}\n        env: [{{name: EXIT_ON_ZERO_ACTIVE_CONNECTIONS, value: 'true'}}]"
    );
    assert_eq!(nlb("", &waits), None);
    // The application beside it is another matter.
    let app = "- name: app\n        image: gcr.io/distroless/static";
    assert!(nlb(long, app).is_some());
}

#[test]
fn ports_of_daprs_sidecar_lead_to_no_container_of_the_manifest() {
    let app = "- name: app\n        image: gcr.io/distroless/static";
    let dapr = "dapr.io/enabled: 'true', dapr.io/app-port: '8080'";
    assert_eq!(no_delay_behind_a_route(&pod_of(dapr, app, 3500)), None);
    assert_eq!(
        no_delay_behind_a_route(&pod_of(dapr, app, 8080)),
        Some((Warning, true))
    );
    assert!(no_delay_behind_a_route(&pod_of("", app, 3500)).is_some());
    let own = dapr.replace("8080", "3500");
    assert!(no_delay_behind_a_route(&pod_of(&own, app, 3500)).is_some());
    // In a live pod it is there, and nobody can write a preStop for it.
    let live = "- name: daprd\n        image: daprio/daprd:1.14";
    assert_eq!(no_delay_behind_a_route(&pod_of(dapr, live, 8080)), None);
}

#[test]
fn scrapes_of_metrics_are_no_requests_and_calls_of_webhooks_are() {
    let plain = behind("", "Deployment", "replicas: 2", "");
    let port = |name: &str| {
        no_delay_behind_a_route(&plain.replace("port: 80,", &format!("name: {name}, port: 80,")))
    };
    assert_eq!(port("http-metrics"), None);
    assert_eq!(port("https"), Some((Warning, true)));
    // One Service for scrapes beside one for requests.
    let both = plain.clone()
        + "---\napiVersion: v1\nkind: Service\nmetadata: {name: web-metrics, namespace: shop}\n\
           spec: {clusterIP: 10.96.0.11, selector: {app: web}, ports: [{port: 9090, targetPort: 8080}]}\n";
    assert_eq!(no_delay_behind_a_route(&both), Some((Warning, true)));
    let webhook = plain.clone()
        + "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: web}\n\
           webhooks: [{name: web.example.com, clientConfig: {service: {name: web, namespace: shop}}}]\n";
    assert!(no_delay_behind_a_route(&webhook).is_some_and(|(severity, _)| severity == Warning));
    // A scrape needs no readiness either, and that it is not a request is said.
    let readiness = of(
        "DC212",
        &plain
            .replace("port: 80,", "name: metrics, port: 80,")
            .replace(READY, ""),
    )
    .expect("DC212");
    assert_eq!(readiness.severity, Info);
    assert!(
        readiness
            .why
            .contains("Only scrapes of metrics come, by the port's name."),
        "{}",
        readiness.why
    );
}

#[test]
fn a_probe_on_a_port_that_is_not_declared_is_as_bad_as_what_waits_for_it() {
    use drain_check::rules::Severity::Error;
    let severity = |yaml: &str| of("DC216", yaml).map(|finding| finding.severity);
    let readiness = "readinessProbe: {httpGet: {path: /, port: http}}";
    let of_service =
        |service: &str, probe: &str| severity(&behind(service, "Deployment", "replicas: 2", probe));
    assert_eq!(of_service("", readiness), Some(Error));
    assert_eq!(
        of_service("", "startupProbe: {tcpSocket: {port: http}}"),
        Some(Error)
    );
    assert_eq!(
        of_service("", "livenessProbe: {tcpSocket: {port: http}}"),
        Some(Info)
    );
    // Pods that are not Ready are published all the same.
    assert_eq!(
        of_service("publishNotReadyAddresses: true", readiness),
        Some(Warning)
    );
    // The API server refuses a name without a letter.
    assert_eq!(
        of_service("", "readinessProbe: {tcpSocket: {port: '8080'}}"),
        None
    );
    let alone = workload("web", "Deployment", "replicas: 2", readiness);
    assert_eq!(severity(&alone), Some(Warning));
    let declared = alone.replace("{containerPort: 8080}", "{name: http, containerPort: 8080}");
    assert_eq!(severity(&declared), None);
    // Names are compared as they are written.
    assert_eq!(
        severity(&declared.replace("port: http", "port: HTTP")),
        Some(Warning)
    );
    // One port, one finding.
    let three = format!("{readiness}\n        livenessProbe: {{tcpSocket: {{port: http}}}}");
    let yaml = behind("", "Deployment", "replicas: 2", &three);
    let all: Vec<_> = lint(&yaml)
        .into_iter()
        .filter(|each| each.rule.id == "DC216")
        .collect();
    assert_eq!(all.len(), 1);
    assert_eq!(
        all[0].path.as_deref(),
        Some("spec.template.spec.containers[0].readinessProbe.httpGet.port")
    );
    assert!(
        all[0]
            .message
            .starts_with("livenessProbe and readinessProbe of container app name port http"),
        "{}",
        all[0].message
    );
}
