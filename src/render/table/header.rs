//! What is the Service, who routes it, and what is the answer in a sentence?

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::Arc;

use crate::render::grid::prose;
use crate::render::paint;
use crate::render::text::safe;
use crate::report::v1::{
    KubeProxy, ModeSource, Outcome, Service, State, Using, Verdict, VersionSource,
};
use crate::words::{count, list};

/// How many different kube-proxies are listed.
const SHOWN: usize = 4;

/// Every outcome of every path.
pub(super) fn outcomes(service: &Service) -> impl Iterator<Item = &Outcome> {
    service
        .ports
        .iter()
        .flat_map(|port| &port.paths)
        .flat_map(|path| &path.outcomes)
}

/// `http 80 -> 5000/TCP`.
fn ports(service: &Service) -> String {
    let each = service.ports.iter().map(|port| {
        let name = if port.name.is_empty() {
            String::new()
        } else {
            format!("{} ", safe(&port.name))
        };
        let target = if port.target_port == port.port.to_string() {
            String::new()
        } else {
            format!(" -> {}", safe(&port.target_port))
        };
        format!("{name}{}{target}/{}", port.port, port.protocol.id())
    });
    each.collect::<Vec<_>>().join(", ")
}

/// `svc/web in shop | ClusterIP 10.96.0.10 | http 80/TCP`, and its policies.
pub(in crate::render) fn identity(service: &Service) -> String {
    let address = if service.headless {
        " (headless)".to_owned()
    } else if service.cluster_ips.is_empty() {
        String::new()
    } else {
        format!(" {}", service.cluster_ips.join(", "))
    };
    let mut parts = vec![
        format!(
            "svc/{} in {}",
            safe(&service.name),
            safe(&service.namespace)
        ),
        format!("{}{address}", service.kind.id()),
    ];
    let reached = ports(service);
    if !reached.is_empty() {
        parts.push(reached);
    }
    parts.push(format!(
        "internal traffic: {}",
        service.internal_traffic_policy.id()
    ));
    if let Some(external) = service.external_traffic_policy {
        parts.push(format!("external traffic: {}", external.id()));
    }
    if service.publish_not_ready_addresses {
        parts.push("publishes not ready addresses".to_owned());
    }
    parts.join(" | ")
}

/// `kube-proxy 1.36.3 (iptables) on 3 nodes`, and how that is known where it was not read from kube-proxy itself.
fn kube_proxy(proxy: &KubeProxy, nodes: &BTreeSet<&Arc<str>>) -> String {
    let place = match nodes.first() {
        Some(only) if nodes.len() == 1 && only.is_empty() => "any node".to_owned(),
        Some(only) if nodes.len() == 1 => safe(only),
        _ => count(nodes.len(), "node"),
    };
    let version = match proxy.version_from {
        VersionSource::Image => None,
        VersionSource::Assumed => Some("version: --kube-version"),
        VersionSource::Kubelet => Some("version: kubelet"),
        VersionSource::Server => Some("version: API server"),
        VersionSource::NewestKnown => Some("version assumed: newest known"),
    };
    let mode = match proxy.mode_from {
        ModeSource::Config | ModeSource::Flags => None,
        ModeSource::Assumed => Some("mode: --proxy-mode"),
        ModeSource::Default => Some("mode assumed"),
    };
    let from: Vec<_> = version.into_iter().chain(mode).collect();
    let from = if from.is_empty() {
        String::new()
    } else {
        format!("; {}", from.join(", "))
    };
    format!(
        "kube-proxy {} ({}) on {place}{from}",
        proxy.version,
        proxy.mode.id()
    )
}

fn kube_proxies(service: &Service) -> Vec<String> {
    let mut proxies: BTreeMap<&KubeProxy, BTreeSet<&Arc<str>>> = BTreeMap::new();
    for outcome in outcomes(service) {
        if let Some(proxy) = &outcome.kube_proxy {
            proxies.entry(proxy).or_default().extend(&outcome.nodes);
        }
    }
    proxies
        .iter()
        .map(|(proxy, nodes)| kube_proxy(proxy, nodes))
        .collect()
}

/// The answer in capitals.
pub(in crate::render) fn headline(service: &Service) -> String {
    match (service.state, service.state_as_read) {
        // The state may be another one, and whoever reads it still wants to know what was read.
        (State::Unknown, Some(read)) => {
            format!("{}, AS FAR AS COULD BE READ", of_state(read, service))
        }
        (state, _) => of_state(state, service),
    }
}

fn of_state(state: State, service: &Service) -> String {
    match state {
        State::Healthy if service.publish_not_ready_addresses => {
            "TRAFFIC GOES TO EVERY PUBLISHED POD, READY OR NOT".to_owned()
        }
        State::Healthy => "TRAFFIC GOES TO READY PODS".to_owned(),
        State::TerminatingOnly => "TRAFFIC GOES TO TERMINATING PODS".to_owned(),
        State::NoBackends => "NOTHING RECEIVES TRAFFIC".to_owned(),
        State::NotProxied => "NOT ROUTED BY KUBE-PROXY".to_owned(),
        State::Unknown => "NOT KNOWN".to_owned(),
        State::Degraded => {
            let any = |wanted: &dyn Fn(&Outcome) -> bool| outcomes(service).any(wanted);
            let mut parts = Vec::new();
            if any(&|outcome| outcome.using == Some(Using::Terminating)) {
                parts.push("GOES TO TERMINATING PODS");
            }
            if any(&|outcome| outcome.verdict == Verdict::Reject) {
                parts.push("IS REFUSED");
            }
            if any(&|outcome| outcome.verdict == Verdict::Drop) {
                parts.push("IS DROPPED");
            }
            format!("SOME TRAFFIC {}", parts.join(", SOME "))
        }
    }
}

/// Who routes it, a line each.
pub(in crate::render) fn routers(service: &Service) -> Vec<String> {
    let mut lines: Vec<_> = service
        .data_plane
        .iter()
        .map(|plane| format!("{}, in kube-proxy's place", plane.name))
        .collect();
    let proxies = kube_proxies(service);
    let more = proxies.len().saturating_sub(SHOWN);
    lines.extend(proxies.into_iter().take(SHOWN));
    if more > 0 {
        lines.push(format!("... and {more} more; -o json has them all"));
    }
    lines
}

/// The answer in words, with what to know about it.
pub(in crate::render) fn sentences(service: &Service) -> String {
    let sentences: Vec<_> = std::iter::once(service.summary.as_str())
        .chain(service.notes.iter().map(|note| note.text.as_str()))
        .collect();
    sentences.join(" ")
}

/// Writes the Service, its kube-proxies, the headline, and the sentences below it.
pub(super) fn write(service: &Service, width: u16, out: &mut dyn Write) -> io::Result<()> {
    prose(&identity(service), width, 0, out)?;
    for line in routers(service) {
        prose(&line, width, 0, out)?;
    }
    writeln!(out, "\n{}", paint::state(&headline(service), service.state))?;
    prose(&sentences(service), width, 2, out)
}

/// `node-a`, `node-a and node-b`, `all 3`, `any`.
pub(super) fn nodes(names: &[&Arc<str>], all: usize) -> String {
    match names {
        [name] if name.is_empty() => "any".to_owned(),
        names if names.len() == all && all > 1 => format!("all {all}"),
        names => list(names.iter().map(|name| safe(name))),
    }
}
