//! What does a well-known program do by itself that decides how much its start and its end matter? By its image; others are unknown.

use crate::facts::pod_spec::Container;

/// What is known of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// It goes on accepting connections for some seconds after SIGTERM by itself, and is not Ready meanwhile.
    Lingers,
    /// Its clients keep one connection each, and come back to another pod by themselves.
    KeepsStreams,
    /// People look at it, or machines hand it what they have measured and try again.
    Watches,
    /// The same, and it keeps what it is handed in memory or files of its own.
    Records,
    /// It stores data of its own: a second one beside it would hold others.
    Stores,
    /// It accepts connections as soon as it runs, before any traffic source has heard of its pod.
    ListensAtOnce,
    /// It runs in a mode that is for trying it.
    Trial,
    /// A controller of objects: it watches an API server, and its Services are for metrics and webhooks.
    Controls,
}

/// The last parts of images' names.
const KNOWN: &[(Program, &[&str])] = &[
    (
        Program::KeepsStreams,
        // xDS, Calico's fan-out of its datastore, Hubble's flows, pools of databases' connections, MQTT and NATS.
        &[
            "contour",
            "electrumx",
            "typha",
            "hubble-relay",
            "proxysql",
            "pgbouncer",
            "pgcat",
            "eclipse-mosquitto",
            "mosquitto",
            "emqx",
            "nats",
            "nats-server",
            // Registries of services.
            "eureka",
            "eureka-server",
            "nacos-server",
            // istiod, to which proxies connect again.
            "pilot",
            "istiod",
            // Clients know all servers, and ask the next one.
            "zookeeper",
            // Its gRPC clients try again (argoproj/argo-cd, `util/grpc`).
            "argocd-repo-server",
        ],
    ),
    (
        Program::Records,
        &[
            "prometheus",
            "all-in-one",
            "jaeger",
            "jaeger-all-in-one",
            "zipkin",
            "zipkin-slim",
            "tempo",
            "loki",
            "victoria-metrics",
            "pushgateway",
            "vmsingle",
            "victoria-logs",
            "alertmanager",
        ],
    ),
    (
        Program::Trial,
        &[
            "mailhog",
            "mailpit",
            "maildev",
            "mailcatcher",
            "wiremock",
            "localstack",
            "toxiproxy",
            "hello-world",
            "hello-kubernetes",
            "echo-server",
            "echoserver",
            "http-echo",
            "go-echo",
            "whoami",
            "agnhost",
        ],
    ),
    (
        Program::Stores,
        &[
            "memcached",
            "meilisearch",
            "qdrant",
            "redis",
            "valkey",
            "minio",
            "azurite",
            "bind9",
            "gitea",
            "forgejo",
            "duplicati",
            "etcd",
            "mysql",
            "mariadb",
            "postgres",
            "postgresql",
            "mongo",
            "mongodb",
            "clickhouse-server",
            "activemq-artemis",
            "rabbitmq",
        ],
    ),
    (
        Program::Watches,
        &[
            "grafana",
            "grafana-oss",
            "thanos",
            "thanos-query",
            "kube-state-metrics",
            "kepler",
            "kiali",
            "kibana",
            "opentelemetry-collector",
            "opentelemetry-collector-contrib",
            "otel-collector",
            "flower",
            "jaeger-query",
            "metrics-server",
            "prometheus-adapter",
            "jaeger-collector",
            "fluentd",
            "fluent-bit",
            "hubble-ui",
            "hubble-ui-backend",
            "adminer",
            "phpmyadmin",
            "pgadmin4",
            "mongo-express",
            "redis-commander",
            "redisinsight",
            "kubernetes-dashboard",
            "metrics-scraper",
            "headlamp",
            "longhorn-frontend",
            "scope",
            "kafdrop",
            "kafka-ui",
            "akhq",
            "swagger-ui",
            "goldpinger",
            "homepage",
            "heimdall",
            "homarr",
            "dashy",
            "longhorn-ui",
            "argocd-server",
            // Pages of Prow (kubernetes-sigs/prow, `cmd/deck`; kubernetes/test-infra, `gcsweb`).
            "deck",
            "gcsweb",
            "metabase",
            "superset",
            "redash",
            // Pages within OpenShift's console.
            "monitoring-plugin",
            "console-plugin",
            "locust",
            "selenium",
        ],
    ),
];

/// Words of names of images that answer as soon as they run: web servers without an application, proxies that ask who somebody is, and
/// programs for trying things.
const AT_ONCE: [&str; 24] = [
    "nginx",
    "defaultbackend",
    "webserver",
    "openresty",
    "httpd",
    "caddy",
    "haproxy",
    "lighttpd",
    "coredns",
    "syslog",
    "statsd",
    "echo",
    "echoserver",
    "whoami",
    "hello",
    "httpbin",
    "agnhost",
    "kuard",
    "redirect",
    "redirects",
    "multitool",
    "oauth",
    "oauth2",
    "rbac",
];

/// Words of names of images that nobody's requests depend on.
const TRIED: [&str; 11] = [
    "demo", "dummy", "example", "fake", "mock", "sample", "stub", "test", "testing", "tutorial",
    "workshop",
];

/// Variables that tell frameworks in which environment they run.
const ENVIRONMENTS: [&str; 6] = [
    "ASPNETCORE_ENVIRONMENT",
    "DOTNET_ENVIRONMENT",
    "FLASK_ENV",
    "NODE_ENV",
    "RACK_ENV",
    "RAILS_ENV",
];

/// Arguments of controllers of which one at a time does the work (`k8s.io/client-go/tools/leaderelection`, as commands name it).
const ELECTS: [&str; 3] = [
    "--leader-elect",
    "--enable-leader-election",
    "--leader-election",
];

/// Images by more than their last part. Knative's servers sleep after SIGTERM (`pkg/network/handlers`, 45 s; `cmd/activator`); Gatekeeper waits
/// for `--shutdown-delay` (`main.go`, 10 s); Sourcegraph's frontend waits before it stops to listen (`internal/httpserver`, 5 s); the user
/// interface of Zalando's operator serves on (`ui/operator_ui/main.py`, 10 s); podinfo sleeps but where it is debugged (`pkg/signals/shutdown.go`, 3 s).
const LINGERING: [&str; 4] = [
    "knative.dev/",
    "openpolicyagent/gatekeeper",
    "postgres-operator-ui",
    "sourcegraph/frontend",
];

/// Variables of everything that is made with `knative.dev/pkg`, whose webhooks go on serving as Knative's own do (`webhook/webhook.go`).
const OF_KNATIVE: [&str; 2] = ["SYSTEM_NAMESPACE", "CONFIG_LOGGING_NAME"];

impl Program {
    /// What is known of a program by the name of its Service: `prometheus-operated` and `stack-prometheus` are Prometheus.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let is = |known: &&str| {
            let before = name.strip_prefix(known);
            let behind = name.strip_suffix(known);
            before.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
                || behind.is_some_and(|rest| rest.ends_with('-'))
        };
        let mut known = KNOWN.iter();
        let known = known.find(|(_, names)| names.iter().any(is));
        known.map(|(program, _)| *program)
    }

    /// What is known of the program that a container runs.
    #[must_use]
    pub fn of(container: &Container) -> Option<Self> {
        let variable = |name: &&str| container.env.iter().any(|each| each.name == *name);
        let says = |wanted: &str| {
            let mut words = container.words();
            words.any(|word| word == wanted)
        };
        // What fills in images later leaves the container's name to go by.
        let name = match container.program() {
            "" => container.name.as_str(),
            name => name,
        };
        let lingers = LINGERING.iter().any(|part| container.image.contains(part))
            || OF_KNATIVE.iter().all(variable)
            || name == "podinfo" && !says("--level=debug");
        if lingers {
            return Some(Self::Lingers);
        }
        let develops = || {
            container.env.iter().any(|variable| {
                let value = variable.value.as_deref().unwrap_or_default();
                ENVIRONMENTS.contains(&variable.name.as_str())
                    && value.eq_ignore_ascii_case("development")
            })
        };
        let runs_dev = says("run") && says("dev");
        if ["start-dev", "-dev", "--dev"].into_iter().any(says) || runs_dev || develops() {
            return Some(Self::Trial);
        }
        let mut known = KNOWN.iter();
        // A copy of an image may have any name; who calls the container so says what it runs.
        let is = |known: &&str| {
            let end = name.strip_suffix(known);
            *known == container.name
                || end.is_some_and(|start| {
                    start.is_empty() || start.ends_with('-') && known.contains('-')
                })
        };
        let known = known.find(|(_, names)| names.iter().any(is));
        let controls = || {
            let ends = ["-operator", "-controller", "-controller-manager"];
            let is = ["operator", "controller", "controller-manager", "manager"].contains(&name);
            let elects = container.words().any(|word| {
                let (flag, value) = word.split_once('=').unwrap_or((word, "true"));
                ELECTS.contains(&flag) && value == "true"
            });
            let named = ends.iter().any(|end| name.ends_with(end));
            (is || named || elects).then_some(Self::Controls)
        };
        let tried = || {
            let mut words = name.split(['-', '_', '.']);
            words
                .any(|word| TRIED.contains(&word))
                .then_some(Self::Trial)
        };
        // `httpbin` by itself is a program in Python, and takes its time; in Go it does not.
        let mut words = name.split(['-', '_', '.']);
        let at_once = || {
            let named = name != "httpbin" && words.any(|word| AT_ONCE.contains(&word));
            (named && !container.starts_with_shell()).then_some(Self::ListensAtOnce)
        };
        known
            .map(|(program, _)| *program)
            .or_else(controls)
            .or_else(tried)
            .or_else(at_once)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_their_images() {
        for (image, program) in [
            ("nginx", Some(Program::ListensAtOnce)),
            (
                "docker.io/library/nginx:1.29@sha256:0",
                Some(Program::ListensAtOnce),
            ),
            ("localhost:5000/nginx", Some(Program::ListensAtOnce)),
            ("prom/prometheus:v3", Some(Program::Records)),
            (
                "ko://knative.dev/serving/cmd/activator",
                Some(Program::Lingers),
            ),
            ("quay.io/kuberay/operator:v1", Some(Program::Controls)),
            ("example/redis-operator", Some(Program::Controls)),
            (
                "nginxdemos/nginx-hello:plain-text",
                Some(Program::ListensAtOnce),
            ),
            ("kicbase/echo-server:1.0", Some(Program::Trial)),
            ("example/shop", None),
            ("kong/httpbin", None),
            ("mccutchen/go-httpbin", Some(Program::ListensAtOnce)),
            ("podinfo:1", Some(Program::Lingers)),
            ("example/shop-demo:1", Some(Program::Trial)),
            ("example/speedtest", None),
            ("proxysql/proxysql", Some(Program::KeepsStreams)),
            ("", None),
        ] {
            let container = Container {
                image: image.to_owned(),
                ..Container::default()
            };
            assert_eq!(Program::of(&container), program, "{image}");
        }
    }
}
