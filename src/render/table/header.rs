//! What is the Service, who routes it, and what is the answer in a sentence?

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::Arc;

use crate::render::grid::{labelled, prose};
use crate::render::text::safe;
use crate::render::verdict::outcomes;
use crate::report::v1::{KubeProxy, ModeSource, Service, VersionSource};
use crate::words::{clock, count, list};

/// How many different kube-proxies are listed.
const SHOWN: usize = 4;

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
fn identity(service: &Service) -> String {
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

/// Who routes it, a line each.
fn routers(service: &Service) -> Vec<String> {
    let mut lines: Vec<_> = service
        .data_plane
        .iter()
        .map(|plane| format!("{}, in kube-proxy's place", plane.named()))
        .collect();
    let proxies = kube_proxies(service);
    let more = proxies.len().saturating_sub(SHOWN);
    lines.extend(proxies.into_iter().take(SHOWN));
    if more > 0 {
        lines.push(format!("... and {more} more; -o json has them all"));
    }
    lines
}

/// Writes the Service, its kube-proxies, and what to know about the answer.
pub(super) fn write(service: &Service, width: u16, out: &mut dyn Write) -> io::Result<()> {
    prose(&identity(service), width, 0, out)?;
    for line in routers(service) {
        prose(&line, width, 0, out)?;
    }
    for note in &service.notes {
        prose(&note.text, width, 0, out)?;
    }
    Ok(())
}

/// Writes why pods are missing: the field that shows it, and what helps.
pub(super) fn causes(service: &Service, width: u16, out: &mut dyn Write) -> io::Result<()> {
    for cause in &service.causes {
        let object = &cause.object;
        let path = cause.path.as_ref().map(|path| format!(" {path}"));
        let of = format!(
            "{} ({}/{}{}): {}.",
            cause.id,
            object.kind,
            object.name,
            path.unwrap_or_default(),
            cause.message
        );
        prose(&of, width, 0, out)?;
        labelled("Do: ", &format!("{}.", cause.help), width, 2, out)?;
    }
    Ok(())
}

/// Writes what happens next if nothing changes.
pub(super) fn forecast(service: &Service, width: u16, out: &mut dyn Write) -> io::Result<()> {
    for change in &service.forecast {
        let at = match change.at {
            at if at.min == at.max => clock(at.max),
            at => format!("{} to {}", clock(at.min), clock(at.max)),
        };
        labelled(
            &format!("{at} {}: ", change.state.id()),
            &change.text,
            width,
            0,
            out,
        )?;
    }
    Ok(())
}

/// `node-a`, `node-a and node-b`, `all 3`, `any`.
pub(super) fn nodes(names: &[&Arc<str>], all: usize) -> String {
    match names {
        [name] if name.is_empty() => "any".to_owned(),
        names if names.len() == all && all > 1 => format!("all {all}"),
        names => list(names.iter().map(|name| safe(name))),
    }
}
