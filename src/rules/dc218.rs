//! DC218: the application behind a proxy of the same pod stops before the proxy.

use super::pods::{Pods, services};
use super::{Check, Doubt, Finding, Rule, Severity, When};
use crate::analysis::serves::Serves;
use crate::facts::pod_spec::Container;
use crate::shutdown::{ContainerEnd, ContainerKind, proxies};

pub(super) static RULE: Rule = Rule {
    id: "DC218",
    slug: "app-stops-first",
    severity: Severity::Warning,
    when: When::Next,
    summary: "The application gets SIGTERM while the proxy in front of it, in the same pod, still takes requests for it.",
    page: include_str!("../../docs/rules/DC218.md"),
    check: Check::Workload(check),
};

/// Images of reverse proxies: the last part of the name, or the last two.
const FRONT: [&str; 15] = [
    "nginx",
    "nginx-unprivileged",
    "openresty/openresty",
    "envoy",
    "envoyproxy/envoy",
    "envoyproxy/envoy-distroless",
    "haproxy",
    "caddy",
    "traefik",
    "httpd",
    "oauth2-proxy",
    "oauth2-proxy/oauth2-proxy",
    "pomerium/pomerium",
    "kube-rbac-proxy",
    "brancz/kube-rbac-proxy",
];

/// Words in the names of containers and images that are beside an application and are no application.
const BESIDE: [&str; 16] = [
    "exporter", "metrics", "agent", "fluent", "filebeat", "promtail", "vector", "otel", "statsd",
    "reloader", "sync", "telegraf", "logs", "logger", "vault", "consul",
];

/// Words in the names of ports that nobody's requests come to.
const NOT_FOR_REQUESTS: [&str; 5] = ["metric", "prom", "health", "admin", "debug"];

/// An image's path without registry's port, tag and digest.
fn path(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or_default();
    let last = image.rfind('/').map_or(0, |at| at + 1);
    image[last..]
        .find(':')
        .map_or(image, |colon| &image[..last + colon])
}

fn is_front(container: &Container) -> bool {
    let path = path(&container.image);
    FRONT
        .iter()
        .any(|known| path == *known || path.ends_with(&format!("/{known}")))
}

/// Does a container wait for requests, so that a proxy beside it is likely to be there for its sake? Nothing in a pod says so outright:
/// it opens a port for requests, or runs the server of PHP (`fpm`), whose port manifests seldom name.
fn waits_for_requests(container: &Container) -> bool {
    let named = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
    let image = path(&container.image);
    if named(&container.name, &BESIDE) || named(image, &BESIDE) || is_front(container) {
        return false;
    }
    let tag = container.image.get(image.len()..).unwrap_or_default();
    let fpm = tag.split('@').next().is_some_and(|tag| tag.contains("fpm"));
    let mut ports = container.ports.iter();
    fpm || ports.any(|port| !named(&port.name, &NOT_FOR_REQUESTS))
}

/// The proxy that Services lead to, if its preStop is known to hold SIGTERM back.
fn front<'c>(pods: &'c Pods<'_, '_>, serves: &Serves<'_>) -> Option<&'c ContainerEnd> {
    let end = pods.end(&serves.container.name)?;
    let delays = end.pre_stop.is_some() && end.sigterm_at.min() > 0;
    (is_front(serves.container) && !serves.guessed && delays).then_some(end)
}

fn finding(
    pods: &Pods<'_, '_>,
    serves: &Serves<'_>,
    front: &ContainerEnd,
    end: &ContainerEnd,
) -> Option<Finding> {
    let container = pods.container(end).filter(|_| {
        let mut leading = pods.check.serves.iter();
        // A container that Services lead to is judged for itself.
        end.kind == ContainerKind::Main && leading.all(|each| each.container.name != end.name)
    })?;
    let goes_on = proxies::accepts_on(container)
        || pods.check.declared.drain_of(&end.name).unwrap_or(0) > 0
        || proxies::find(container).is_some();
    let first = end.sigterm_at.max() < front.sigterm_at.min();
    if goes_on || !first || !waits_for_requests(container) {
        return None;
    }
    let seconds = (front.sigterm_at.min() + 999) / 1000;
    let without = end.pre_stop.is_none();
    let patch = pods.sleep_instead(end, seconds, None);
    Some(Finding {
        path: Some(if without {
            pods.container_path(end)?.into()
        } else {
            pods.path(end, "lifecycle.preStop")?.into()
        }),
        message: format!(
            "{} lead{} to container {} ({}), whose preStop holds its SIGTERM back until {}; container {} behind it gets SIGTERM at {}: from then on requests that the proxy takes for it fail.",
            services(serves),
            if serves.services.len() == 1 { "s" } else { "" },
            front.name,
            serves.container.image,
            front.sigterm_at,
            end.name,
            end.sigterm_at,
        ),
        why: "Each container of a pod gets SIGTERM after its own preStop, independently of the others. A proxy that waits for traffic sources to stop goes on taking requests, and hands them to an application that shuts down."
            .to_owned(),
        help: format!(
            "Give the application a preStop of at least {seconds} s: it must outlive the proxy in front of it. If container {} is not behind {}, ignore this.",
            end.name, front.name,
        ),
        patch: patch
            .filter(|_| without)
            .map(|patch| patch.unless(true, Doubt::Container)),
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    let ends = &pods.check.shutdown.containers;
    let mut fronts = pods.check.serves.iter();
    let Some((serves, front)) = fronts.find_map(|each| Some((each, front(pods, each)?))) else {
        return Vec::new();
    };
    ends.iter()
        .filter_map(|end| finding(pods, serves, front, end))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(name: &str, image: &str, port: Option<&str>) -> Container {
        Container {
            name: name.to_owned(),
            image: image.to_owned(),
            ports: port
                .map(|name| crate::facts::pod_spec::ContainerPort {
                    name: name.to_owned(),
                    number: 8080,
                    protocol: crate::facts::service::Protocol::Tcp,
                })
                .into_iter()
                .collect(),
            ..Container::default()
        }
    }

    #[test]
    fn a_proxy_in_front_is_known_by_its_image() {
        for (image, expected) in [
            ("nginx:1.27", true),
            ("registry.example:5000/lib/nginx@sha256:0", true),
            ("envoyproxy/envoy:distroless-v1.31.0", true),
            ("quay.io/oauth2-proxy/oauth2-proxy:v7", true),
            ("istio/proxyv2:1.24", false),
            ("nginx/nginx-prometheus-exporter:1.3", false),
            ("shop/nginx-like:1", false),
        ] {
            assert_eq!(is_front(&container("x", image, None)), expected, "{image}");
        }
    }

    #[test]
    fn an_application_waits_for_requests_and_a_helper_does_not() {
        for (name, image, port, expected) in [
            ("app", "shop/web:1", Some("http"), true),
            ("app", "shop/web:1", Some(""), true),
            ("php", "php:8.3-fpm-alpine", None, true),
            ("app", "shop/web:1", None, false),
            ("app", "shop/web:1", Some("metrics"), false),
            (
                "git-sync",
                "registry.k8s.io/git-sync/git-sync:v4",
                Some("http"),
                false,
            ),
            (
                "exporter",
                "nginx/nginx-prometheus-exporter:1.3",
                Some(""),
                false,
            ),
        ] {
            let it = container(name, image, port);
            assert_eq!(waits_for_requests(&it), expected, "{name} {image}");
        }
    }
}
