//! Which well-known proxies run beside an application, and how long does each go on after SIGTERM?
//!
//! Sources: istio/api `mesh/v1alpha1/proxy.proto` and istio `pilot/cmd/pilot-agent/options/options.go`, `pkg/envoy/agent.go`; linkerd2
//! `pkg/k8s/labels.go`, `charts/partials/templates/_proxy.tpl`; cloud-sql-proxy `cmd/root.go`; Envoy's operations manual.

use std::collections::BTreeMap;

use super::span::Span;
use crate::facts::pod_spec::{Container, EnvVar};

/// A proxy that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proxy {
    /// `istio-proxy`: drains for a fixed time, then kills Envoy.
    Istio,
    /// `linkerd-proxy`: takes nothing new, and waits for what it has.
    Linkerd,
    /// Envoy by itself, which ends at once.
    Envoy,
    /// Cloud SQL's proxy.
    CloudSql,
}

/// How a proxy is recognised: by the container's name, else by a part of the image's path.
const KNOWN: [(Proxy, &str, &str); 7] = [
    (Proxy::Istio, "istio-proxy", "istio/proxyv2"),
    (Proxy::Linkerd, "linkerd-proxy", "linkerd/proxy"),
    (Proxy::Envoy, "envoy", "envoyproxy/envoy"),
    (Proxy::Envoy, "envoy-sidecar", "envoyproxy/envoy-distroless"),
    (Proxy::CloudSql, "cloud-sql-proxy", "cloud-sql-proxy"),
    (
        Proxy::CloudSql,
        "cloudsql-proxy",
        "cloudsql-docker/gce-proxy",
    ),
    (
        Proxy::CloudSql,
        "cloud-sql-auth-proxy",
        "cloud-sql-connectors/cloud-sql-proxy",
    ),
];

/// Istio's `terminationDrainDuration` and `MINIMUM_DRAIN_DURATION` where they are not set, in milliseconds.
const ISTIO_DRAIN: i64 = 5000;

/// The annotation with an Istio `ProxyConfig`.
const ISTIO_CONFIG: &str = "proxy.istio.io/config";

/// Every variable whose value is read here.
pub const VARIABLES: [&str; 6] = [
    "PROXY_CONFIG",
    "EXIT_ON_ZERO_ACTIVE_CONNECTIONS",
    "TERMINATION_DRAIN_DURATION_SECONDS",
    "CSQL_PROXY_MIN_SIGTERM_DELAY",
    "CSQL_PROXY_MAX_SIGTERM_DELAY",
    "CSQL_PROXY_TERM_TIMEOUT",
];

impl Proxy {
    /// Its product's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Istio => "Istio's proxy",
            Self::Linkerd => "Linkerd's proxy",
            Self::Envoy => "Envoy",
            Self::CloudSql => "the Cloud SQL proxy",
        }
    }

    /// The setting that makes it stay longer, as a sentence's end.
    #[must_use]
    pub const fn stay_longer(self) -> &'static str {
        match self {
            Self::Istio => {
                "set terminationDrainDuration in the annotation proxy.istio.io/config, or EXIT_ON_ZERO_ACTIVE_CONNECTIONS"
            }
            Self::Linkerd => {
                "set the annotation config.alpha.linkerd.io/proxy-wait-before-exit-seconds"
            }
            Self::Envoy => "give it a preStop as long as that",
            Self::CloudSql => "set --min-sigterm-delay",
        }
    }
}

/// Which proxy a container runs.
#[must_use]
pub fn find(container: &Container) -> Option<Proxy> {
    let image = container.image.split('@').next().unwrap_or_default();
    let slash = image.rfind('/').map_or(0, |at| at + 1);
    let path = match image[slash..].find(':') {
        Some(colon) => &image[..slash + colon],
        None => image,
    };
    let of_image = |part: &str| {
        let before = path.strip_suffix(part);
        before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    KNOWN
        .iter()
        .find(|(_, name, part)| container.name == *name || of_image(part))
        .map(|(proxy, _, _)| *proxy)
}

/// Milliseconds in a duration as Go writes it: `1m30s`, `500ms`, `5s`.
#[must_use]
pub fn duration(text: &str) -> Option<i64> {
    let mut rest = text.trim().trim_matches(['"', '\'']);
    let mut total = 0.0_f64;
    if rest.is_empty() {
        return None;
    }
    if rest == "0" {
        return Some(0);
    }
    while !rest.is_empty() {
        let digits = rest.find(|sign: char| !sign.is_ascii_digit() && sign != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let after = &rest[digits..];
        let end = after
            .find(|sign: char| sign.is_ascii_digit() || sign == '.')
            .unwrap_or(after.len());
        let unit = match &after[..end] {
            "ms" => 1.0,
            "s" => 1000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            _ => return None,
        };
        total += number * unit;
        rest = &after[end..];
    }
    // More than a year is no drain.
    #[allow(clippy::cast_possible_truncation)]
    (total < 3.2e10).then_some(total as i64)
}

/// The value of a key in a small YAML or JSON text that is searched, not parsed: what follows `key:` up to the next `,`, `}` or line.
fn setting<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(key)?;
    let value = after.trim_start_matches(['"', '\'']).trim_start();
    let value = value.strip_prefix(':')?;
    value.split(['\n', ',', '}', '#']).next().map(str::trim)
}

/// A variable of the environment; its value may come from where the spec does not say it.
fn env<'c>(container: &'c Container, name: &str) -> Option<&'c EnvVar> {
    container.env.iter().find(|variable| variable.name == name)
}

fn istio(container: &Container, annotations: &BTreeMap<String, String>) -> Option<Span> {
    let texts = [
        annotations.get(ISTIO_CONFIG).map(String::as_str),
        env(container, "PROXY_CONFIG").and_then(|variable| variable.value.as_deref()),
    ];
    let texts = || texts.iter().flatten().copied();
    let of_text = |key: &str| texts().find_map(|text| setting(text, key));
    let switch = "EXIT_ON_ZERO_ACTIVE_CONNECTIONS";
    let off = |value: &str| ["", "false"].contains(&value.trim_matches(['"', '\'']));
    let waits = match env(container, switch) {
        Some(variable) => !variable.value.as_deref().is_some_and(off),
        None => of_text(switch).is_some_and(|value| !off(value)),
    };
    if waits {
        // It stays until no connection is left, and when that is cannot be known.
        return None;
    }
    if let Some(older) = env(container, "TERMINATION_DRAIN_DURATION_SECONDS") {
        let seconds: i64 = older.value.as_ref()?.parse().ok()?;
        return Some(Span::exactly(seconds));
    }
    match of_text("terminationDrainDuration") {
        Some(text) => duration(text).map(|drain| Span::millis(drain, drain)),
        None => Some(Span::millis(ISTIO_DRAIN, ISTIO_DRAIN)),
    }
}

/// The value of `--flag=value` or `--flag value` among a container's words.
fn flag<'c>(container: &'c Container, name: &str) -> Option<&'c str> {
    let words: Vec<&str> = container
        .command
        .iter()
        .chain(&container.args)
        .map(String::as_str)
        .collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let word = word.trim_start_matches('-');
        match word.split_once('=') {
            Some((flag, value)) if flag == name => Some(value),
            None if word == name => words.get(at + 1).copied(),
            _ => None,
        }
    })
}

fn cloud_sql(container: &Container) -> Option<Span> {
    let of = |name: &str, variable: &str| -> Option<i64> {
        match (flag(container, name), env(container, variable)) {
            (Some(text), _) => duration(text),
            (None, Some(variable)) => duration(variable.value.as_ref()?),
            (None, None) => Some(0),
        }
    };
    let min = of("min-sigterm-delay", "CSQL_PROXY_MIN_SIGTERM_DELAY")?;
    let max = of("max-sigterm-delay", "CSQL_PROXY_MAX_SIGTERM_DELAY")?;
    let first_version = of("term_timeout", "CSQL_PROXY_TERM_TIMEOUT")?;
    Some(Span::millis(min, min.max(max).max(first_version)))
}

/// How long a proxy goes on after its SIGTERM, until it is gone; `None` where the spec does not tell.
#[must_use]
pub fn goes_on(
    proxy: Proxy,
    container: &Container,
    annotations: &BTreeMap<String, String>,
) -> Option<Span> {
    match proxy {
        Proxy::Istio => istio(container, annotations),
        // It waits for open connections, up to a limit.
        Proxy::Linkerd => None,
        Proxy::Envoy => Some(Span::ZERO),
        Proxy::CloudSql => cloud_sql(container),
    }
}

/// Options by which servers go on accepting connections for a time after their SIGTERM: Traefik's (per entry point), the one of
/// ingress-nginx (`pkg/flags/flags.go`), the one of Kubernetes API servers (`staging/src/k8s.io/apiserver/pkg/server/options`), the one of
/// Agones' allocator (`cmd/allocator/main.go`, which reads it from a variable too).
const ACCEPT_ON: [&str; 4] = [
    "requestacceptgracetimeout",
    "shutdown-grace-period",
    "shutdown-delay-duration",
    "readiness-shutdown-duration",
];

/// A server that goes on accepting connections for a time after SIGTERM, by its flags, by variables that stand for them, or by a file that is
/// not read here: `CoreDNS` does it with `lameduck` in its Corefile, as kubeadm writes it.
#[must_use]
pub fn accepts_on(container: &Container) -> bool {
    if container.program() == "coredns" {
        return true;
    }
    let nothing = |value: &str| value.parse() == Ok(0) || duration(value) == Some(0);
    let known = |option: &str| ACCEPT_ON.iter().any(|known| option.ends_with(known));
    let by_variable = container.env.iter().any(|variable| {
        let option = variable.name.to_ascii_lowercase().replace('_', "-");
        let value = variable.value.as_deref();
        known(&option) && value.is_some_and(|value| !nothing(value))
    });
    let words = container.command.iter().chain(&container.args);
    let mut by_flag = words.clone().enumerate().map(|(at, word)| {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word.as_str(), words.clone().nth(at + 1).map(String::as_str)),
        };
        known(&option.to_ascii_lowercase()) && value.is_some_and(|value| !nothing(value))
    });
    by_variable || by_flag.any(|holds| holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(name: &str, image: &str, args: &[&str]) -> Container {
        Container {
            name: name.to_owned(),
            image: image.to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            ..Container::default()
        }
    }

    #[test]
    fn a_proxy_is_known_by_its_name_or_its_image() {
        let image = "gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.11.0";
        assert_eq!(find(&container("db", image, &[])), Some(Proxy::CloudSql));
        let image = "localhost:5000/istio/proxyv2:1.24";
        assert_eq!(find(&container("x", image, &[])), Some(Proxy::Istio));
        let name = container("linkerd-proxy", "mirror/p@sha256:0", &[]);
        assert_eq!(find(&name), Some(Proxy::Linkerd));
        assert_eq!(find(&container("app", "shop/envoy-like:1", &[])), None);
    }

    #[test]
    fn durations_are_read_as_go_writes_them() {
        for (text, millis) in [
            ("5s", Some(5000)),
            ("1m30s", Some(90_000)),
            ("500ms", Some(500)),
            ("1.5s", Some(1500)),
            ("\"0\"", Some(0)),
            ("30", None),
            ("", None),
        ] {
            assert_eq!(duration(text), millis, "{text}");
        }
    }

    #[test]
    fn istio_drains_for_its_own_time_unless_it_waits_for_connections() {
        let proxy = container("istio-proxy", "istio/proxyv2:1.24", &[]);
        let none = BTreeMap::new();
        let default = goes_on(Proxy::Istio, &proxy, &none);
        assert_eq!(default, Some(Span::exactly(5)));
        for config in [
            "terminationDrainDuration: 60s\n",
            "{\"terminationDrainDuration\":\"60s\",\"concurrency\":2}",
        ] {
            let annotations = BTreeMap::from([(ISTIO_CONFIG.to_owned(), config.to_owned())]);
            let longer = goes_on(Proxy::Istio, &proxy, &annotations);
            assert_eq!(longer, Some(Span::exactly(60)), "{config}");
        }
        let mut waits = proxy;
        waits.env.push(EnvVar {
            name: "EXIT_ON_ZERO_ACTIVE_CONNECTIONS".to_owned(),
            value: Some("true".to_owned()),
        });
        assert_eq!(goes_on(Proxy::Istio, &waits, &none), None);
    }

    #[test]
    fn servers_that_accept_on_say_so_by_options_or_in_files() {
        let of = |image: &str, args: &[&str]| accepts_on(&container("c", image, args));
        let traefik = "--entryPoints.web.transport.lifeCycle.requestAcceptGraceTimeout";
        assert!(of("traefik:v3", &[&format!("{traefik}=15s")]));
        assert!(!of("traefik:v3", &[&format!("{traefik}=0s")]));
        assert!(of("x", &["--shutdown-grace-period", "10"]));
        assert!(!of("x", &["--shutdown-grace-period", "0"]));
        assert!(of("registry.k8s.io/coredns/coredns:v1.12.0", &[]));
        assert!(!of("shop/web:1", &["--port=8080"]));
    }

    #[test]
    fn the_cloud_sql_proxy_ends_at_once_unless_flags_delay_it() {
        let none = BTreeMap::new();
        let of = |args: &[&str]| goes_on(Proxy::CloudSql, &container("p", "p", args), &none);
        assert_eq!(of(&[]), Some(Span::ZERO));
        assert_eq!(of(&["--min-sigterm-delay=20s"]), Some(Span::exactly(20)));
        assert_eq!(
            of(&["--max-sigterm-delay", "20s"]),
            Some(Span::seconds(0, 20))
        );
        assert_eq!(of(&["--min-sigterm-delay=$(DELAY)"]), None);
    }
}
