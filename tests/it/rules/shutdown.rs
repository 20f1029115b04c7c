//! How bad is each way in which pods end badly, by the evidence, and when is nothing said?

use drain_check::analysis::Assumptions;
use drain_check::rules::Severity::{Error, Info, Warning};

use crate::rules::{NOTHING, at, bad, findings, fixed, found, judge, read, said};

/// A Deployment whose rollouts must leave no gap, behind a Service on port 8080; `spec` is its pod spec, in flow style and without braces.
fn web(spec: &str) -> String {
    with("", "", "", spec)
}

/// The same, with more in the Service's spec and more labels and annotations of the pods.
fn with(service: &str, labels: &str, annotations: &str, spec: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\n\
         spec: {{clusterIP: 10.96.0.10, selector: {{app: web}}, ports: [{{port: 80, targetPort: 8080}}], {service}}}\n\
         ---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, namespace: shop}}\n\
         spec:\n  replicas: 2\n  strategy: {{rollingUpdate: {{maxUnavailable: 0}}}}\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    \
         metadata: {{labels: {{app: web, {labels}}}, annotations: {{{annotations}}}}}\n    spec: {{{spec}}}\n"
    )
}

/// A container that declares port 8080, with more fields.
fn app(more: &str) -> String {
    let said = more.contains("readinessProbe") || more.contains("startupProbe");
    let ready = if said { "" } else { READY };
    format!(
        "containers: [{{name: app, image: 'python:3.13', ports: [{{containerPort: 8080}}], {ready} {more}}}]"
    )
}

/// A readiness probe: without one, that is what is to be mended first.
const READY: &str = "readinessProbe: {tcpSocket: {port: 8080}},";

fn hook(handler: &str) -> String {
    web(&app(&format!("lifecycle: {{preStop: {{{handler}}}}}")))
}

fn exec(command: &str) -> String {
    hook(&format!("exec: {{command: {command}}}"))
}

fn message(id: &str, yaml: &str) -> String {
    let found = findings(yaml);
    let of = found.into_iter().find(|each| each.0 == id);
    of.map(|each| each.2).unwrap_or_default()
}

#[test]
fn only_what_a_service_leads_to_needs_a_delay() {
    assert_eq!(said("DC201", &web(&app(""))), Some(Warning));
    let unselected = web(&app("")).replace(
        "selector: {app: web}, ports",
        "selector: {app: other}, ports",
    );
    assert_eq!(said("DC201", &unselected), NOTHING);
    let beside = "containers: [{name: app, image: web, ports: [{containerPort: 8080}], lifecycle: {preStop: {sleep: {seconds: 5}}}}, \
                  {name: metrics, image: exporter, ports: [{containerPort: 9090}]}]";
    assert_eq!(said("DC201", &web(beside)), NOTHING);
    assert_eq!(
        said(
            "DC212",
            &web(&beside.replace(
                "image: web,",
                "image: web, readinessProbe: {tcpSocket: {port: 8080}},"
            ))
        ),
        NOTHING
    );
}

#[test]
fn a_port_that_nobody_declares_is_the_only_containers_and_a_guess_among_several() {
    let alone = web("containers: [{name: app, image: tomcat}]");
    // How late the next pod is ready comes first.
    assert_eq!(said("DC201", &alone), Some(Info));
    assert_eq!(said("DC212", &alone), Some(Warning));
    let ready = alone.replace("image: tomcat", &format!("image: tomcat, {READY}"));
    assert_eq!(said("DC201", &ready), Some(Warning));
    let either = "containers: [{name: a, image: a}, {name: b, image: b, readinessProbe: {tcpSocket: {port: 8080}}, \
                  lifecycle: {preStop: {sleep: {seconds: 5}}}}]";
    assert_eq!(said("DC201", &web(either)), NOTHING);
    assert_eq!(said("DC212", &web(either)), NOTHING);
    // A named port that no container declares leads nowhere.
    let named = alone.replace("targetPort: 8080", "targetPort: http");
    assert_eq!(said("DC201", &named), NOTHING);
}

#[test]
fn headless_services_are_good_to_know_only() {
    let headless = web(&app("")).replace("10.96.0.10", "None");
    assert_eq!(said("DC201", &headless), Some(Info));
    assert_eq!(said("DC212", &headless.replace(READY, "")), Some(Info));
    let alias = with(
        "type: ExternalName, externalName: example.org",
        "",
        "",
        &app(""),
    );
    assert_eq!(said("DC201", &alias), NOTHING);
}

#[test]
fn no_delay_is_long_enough_where_terminating_pods_stay_published() {
    let published = with("publishNotReadyAddresses: true", "", "", &app(""));
    assert_eq!(said("DC201", &published), NOTHING);
    assert_eq!(said("DC212", &published.replace(READY, "")), Some(Info));
    let both = published.clone()
        + "---\napiVersion: v1\nkind: Service\nmetadata: {name: other, namespace: shop}\n\
           spec: {clusterIP: 10.96.0.11, selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}\n";
    assert_eq!(said("DC201", &both), Some(Warning));
}

#[test]
fn a_delay_that_somebody_else_gives_is_not_asked_for_again() {
    for (label, annotation) in [
        ("serving.knative.dev/revision: web-1", ""),
        ("pod-graceful-drain/draining: 'true'", ""),
        ("", "pod-graceful-drain/evict-after: soon"),
        ("", "drain-check/drain-seconds: '10'"),
        ("", "drain-check/drain-seconds: app=10"),
    ] {
        let yaml = with("", label, annotation, &app(""));
        assert_eq!(said("DC201", &yaml), NOTHING, "{label}{annotation}");
    }
    let other = with("", "", "drain-check/drain-seconds: other=10", &app(""));
    assert_eq!(said("DC201", &other), Some(Warning));
}

#[test]
fn servers_that_accept_on_after_their_signal_need_no_delay() {
    let traefik = "args: ['--entrypoints.web.transport.lifecycle.requestacceptgracetimeout=10s']";
    assert_eq!(said("DC201", &web(&app(traefik))), NOTHING);
    let dns = web(&app("")).replace("python:3.13", "registry.k8s.io/coredns/coredns:v1.12.0");
    assert_eq!(said("DC201", &dns), NOTHING);
}

#[test]
fn hooks_that_delay_or_may_delay_are_left_alone() {
    for yaml in [
        exec("[sleep, '5']"),
        exec("[/wait-shutdown]"),
        exec("[sh, -c, 'sleep 5 && nginx -s quit']"),
        exec("[sh, -c, 'touch /tmp/drain; sleep 5']"),
        hook("httpGet: {path: /drain, port: 8080}"),
    ] {
        assert_eq!(said("DC201", &yaml), NOTHING, "{yaml}");
        assert_eq!(said("DC205", &yaml), NOTHING, "{yaml}");
    }
}

#[test]
fn a_hook_that_cannot_delay_says_why_and_is_reported_once() {
    for (yaml, text) in [
        (hook("tcpSocket: {port: 8080}"), "tcpSocket"),
        (hook(""), "has no handler"),
        (hook("sleep: {seconds: 0}"), "sleeps for 0 seconds"),
        (exec("['sleep 10']"), "no program has that name"),
        (exec("[sleep]"), "without a time"),
        (exec("[sleep, soon]"), "not a time"),
        (
            exec("[sh, -c, 'nginx -s quit; sleep 10']"),
            "SIGQUIT to the server at once",
        ),
        (
            exec("[sh, -c, 'kill -TERM 1; sleep 10']"),
            "SIGTERM to process 1 at once",
        ),
    ] {
        assert_eq!(said("DC205", &yaml), Some(Warning), "{yaml}");
        assert!(
            message("DC205", &yaml).contains(text),
            "{}",
            message("DC205", &yaml)
        );
        assert_eq!(said("DC201", &yaml), NOTHING, "{yaml}");
    }
    // It is no mistake to tell somebody; there is only no delay.
    let tells = exec("[touch, /tmp/drain]");
    assert_eq!(
        (said("DC205", &tells), said("DC201", &tells)),
        (NOTHING, Some(Warning))
    );
}

#[test]
fn a_signal_to_the_pause_process_or_to_nobody_known_is_no_warning() {
    let pause = exec("[sh, -c, 'kill -TERM 1; sleep 10']").replace(
        "spec: {containers",
        "spec: {shareProcessNamespace: true, containers",
    );
    assert_eq!(said("DC205", &pause), NOTHING);
    let perhaps = exec("[sh, -c, 'kill -QUIT $(cat /run/pid); sleep 10']");
    assert_ne!(said("DC205", &perhaps), Some(Warning));
    let reload = exec("[sh, -c, 'kill -HUP 1; sleep 10']");
    assert_eq!(said("DC205", &reload), NOTHING);
}

#[test]
fn a_sleep_action_is_judged_by_the_oldest_kubelet() {
    let yaml = hook("sleep: {seconds: 5}");
    for (version, expected) in [
        ("1.28", Some(Warning)),
        ("1.29", Some(Warning)),
        ("1.30", NOTHING),
    ] {
        assert_eq!(found("DC205", &at(version, &yaml)), expected, "{version}");
    }
}

#[test]
fn without_a_declaration_a_grace_is_too_short_only_where_hardly_anything_is_left() {
    let of = |grace: i64, sleep: i64| {
        let spec = app(&format!(
            "lifecycle: {{preStop: {{exec: {{command: [sleep, '{sleep}']}}}}}}"
        ));
        said(
            "DC203",
            &web(&format!("terminationGracePeriodSeconds: {grace}, {spec}")),
        )
    };
    assert_eq!(of(30, 15), NOTHING);
    assert_eq!(of(30, 25), NOTHING);
    assert_eq!(of(30, 26), Some(Info));
    // That is DC202.
    assert_eq!(of(30, 30), NOTHING);
    assert_eq!(said("DC203", &web(&app(""))), NOTHING);
}

#[test]
fn a_kubelet_that_gives_the_grace_twice_makes_a_short_grace_good_to_know() {
    assert_eq!(found("DC203", &at("1.27", &bad("DC203"))), Some(Info));
    assert_eq!(found("DC203", &at("1.28", &bad("DC203"))), Some(Warning));
    let silent = bad("DC203").replace("drain-check/drain-seconds: \"20\"", "");
    assert_eq!(said("DC203", &silent), NOTHING);
    let flag = Assumptions {
        drain_seconds: Some(20),
        ..Assumptions::default()
    };
    assert_eq!(found("DC203", &judge(&read(&silent), &flag)), Some(Warning));
}

#[test]
fn a_hook_needs_a_shell_only_where_the_image_may_lack_it() {
    let of = |image: &str| {
        said(
            "DC206",
            &exec("[sh, -c, 'sleep 5']").replace("python:3.13", image),
        )
    };
    assert_eq!(of("gcr.io/distroless/static"), Some(Warning));
    assert_eq!(of("example/web:1"), Some(Info));
    assert_eq!(of("python:3.13"), NOTHING);
    assert_eq!(of("gcr.io/distroless/base:debug"), NOTHING);
    let own = exec("[/app/drain]").replace("python:3.13", "gcr.io/distroless/static");
    assert_eq!(said("DC206", &own), NOTHING);
    let shell = exec("[sh, -c, 'sleep 5']")
        .replace("python:3.13", "example/web:1")
        .replace("{name: app,", "{name: app, command: [sh, -c, exec ./web],");
    assert_eq!(said("DC206", &shell), NOTHING);
}

/// A container in a distroless image that runs a command before it stops, with a volume at `/hooks`.
fn mounted(command: &str) -> String {
    exec(command)
        .replace("python:3.13", "gcr.io/distroless/static")
        .replace(
            "{name: app,",
            "{name: app, volumeMounts: [{name: hooks, mountPath: /hooks/}],",
        )
}

#[test]
fn what_a_volume_provides_is_not_the_images() {
    for command in ["[/hooks/sleep, '30']", "[/hooks/wait, '30']"] {
        assert_eq!(said("DC206", &mounted(command)), Some(Info), "{command}");
        let told = message("DC206", &mounted(command));
        assert!(told.contains("which a volume provides"), "{told}");
    }
    // By its name it takes 30 s, so nothing says that SIGTERM comes at once.
    let sleep = mounted("[/hooks/sleep, '30']");
    assert!(message("DC206", &sleep).contains("by its name it takes 30 s"));
    assert_eq!(said("DC201", &sleep), NOTHING);
    // Beside it and below it are other paths.
    for command in ["[/hooksleep, '30']", "[/bin/sleep, '30']", "[sleep, '30']"] {
        let expected = (command != "[/hooksleep, '30']").then_some(Warning);
        assert_eq!(said("DC206", &mounted(command)), expected, "{command}");
    }
    // The shell is the image's, so the image must have one.
    let shell = mounted("[sh, -c, '/hooks/sleep 30']");
    assert_eq!(said("DC206", &shell), Some(Warning));
    assert!(message("DC206", &shell).contains("needs a shell, which"));
    let declared = with(
        "",
        "",
        "drain-check/prestop-seconds: '30'",
        &app("volumeMounts: [{mountPath: /hooks/wait}], lifecycle: {preStop: {exec: {command: [/hooks/wait, '30']}}}")
            .replace("python:3.13", "gcr.io/distroless/static"),
    );
    assert_eq!(said("DC206", &declared), NOTHING);
}

#[test]
fn fix_leaves_alone_what_a_volume_provides() {
    let text = mounted("[/hooks/sleep, '30']");
    assert_eq!(fixed(&text, "DC206"), text);
    let fixed = fixed(&text.replace("/hooks/sleep", "/bin/sleep"), "DC206");
    assert!(
        fixed.contains("sleep: {seconds: 30}") || fixed.contains("seconds: 30"),
        "{fixed}"
    );
}

#[test]
fn a_shell_as_process_one_is_certain_possible_or_none() {
    let of = |more: &str| said("DC207", &web(&app(more)));
    assert_eq!(of("command: [bash, -c, './web; exit 0']"), Some(Warning));
    assert_eq!(
        of("command: [sh, -c], args: ['./web & wait']"),
        Some(Warning)
    );
    assert_eq!(of("command: [sh, -c, ./web]"), Some(Info));
    for fine in [
        "command: [bash, -c, ./web]",
        "command: [sh, -c, exec ./web]",
        "command: [tini, --, sh, -c, ./web]",
        "args: [sh, -c, ./web]",
        "command: [sh, -c, ./web], lifecycle: {preStop: {exec: {command: [sh, -c, 'kill -TERM $(pidof web)']}}}",
        "",
    ] {
        assert_eq!(of(fine), NOTHING, "{fine}");
    }
    for shared in [
        "shareProcessNamespace: true",
        "hostPID: true",
        "os: {name: windows}",
    ] {
        let yaml = web(&format!(
            "{shared}, {}",
            app("command: [sh, -c, './web | tee log']")
        ));
        assert_eq!(said("DC207", &yaml), NOTHING, "{shared}");
    }
}

#[test]
fn a_grace_of_nothing_is_an_error_in_every_version() {
    for grace in [0, 1, -5] {
        let yaml = bad("DC208").replace("PeriodSeconds: 0", &format!("PeriodSeconds: {grace}"));
        for version in ["1.21", "1.25", "1.36"] {
            assert_eq!(
                found("DC208", &at(version, &yaml)),
                Some(Error),
                "{grace} {version}"
            );
        }
    }
    let two = bad("DC208").replace("PeriodSeconds: 0", "PeriodSeconds: 2");
    assert_eq!(said("DC208", &two), NOTHING);
    assert_eq!(said("DC208", &web(&app(""))), NOTHING);
}

#[test]
fn a_grace_of_nothing_is_an_error_only_where_requests_fail() {
    let of = |kind: &str, with_service: bool| {
        let yaml = bad("DC208").replace("kind: Deployment", &format!("kind: {kind}"));
        let alone = yaml.split("---\n").nth(1).expect("the workload");
        said("DC208", if with_service { &yaml } else { alone })
    };
    for kind in ["Deployment", "StatefulSet"] {
        assert_eq!(
            (of(kind, true), of(kind, false)),
            (Some(Error), Some(Warning)),
            "{kind}"
        );
    }
    // No other pod of a DaemonSet is on the node meanwhile, so its end may have to be quick.
    assert_eq!(
        (of("DaemonSet", true), of("DaemonSet", false)),
        (Some(Error), Some(Info))
    );
    let job = |text: &str| {
        text.replace("apps/v1", "batch/v1")
            .replace("kind: Deployment", "kind: Job")
    };
    assert_eq!(said("DC208", &job(&bad("DC208"))), Some(Info));
    // A scrape that fails once is no lost request.
    let scraped = bad("DC208").replace("name: http, port", "name: metrics, port");
    assert_eq!(said("DC208", &scraped), Some(Warning));
}

#[test]
fn extreme_numbers_overflow_nothing() {
    for grace in [i64::MIN, -1, 0, 1, 31, i64::MAX] {
        for handler in [
            "sleep: {seconds: 9223372036854775807}",
            "sleep: {seconds: -9223372036854775808}",
            "exec: {command: [sleep, infinity]}",
            "exec: {command: [sleep, '99999999999999999999']}",
            "httpGet: {port: 8080}",
        ] {
            for drain in ["9223372036854775807", "0"] {
                let probe = "readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 2147483647, failureThreshold: 2147483647}";
                let spec = app(&format!(
                    "{probe}, lifecycle: {{preStop: {{{handler}}}}}}}, {{name: envoy, image: envoyproxy/envoy"
                ));
                let spec = format!("terminationGracePeriodSeconds: {grace}, {spec}");
                let annotation = format!("drain-check/drain-seconds: '{drain}'");
                let yaml = with("externalTrafficPolicy: Local", "", &annotation, &spec);
                for version in ["1.21", "1.25", "1.36"] {
                    at(version, &yaml);
                }
            }
        }
    }
}
