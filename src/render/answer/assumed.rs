//! What was assumed, what could not be read, what other versions do, and how to see more.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::render::text::safe;
use crate::render::verdict::outcomes;
use crate::report::v1::{Finding, Gap, KubeProxy, ModeSource, Service, Severity, VersionSource};
use crate::words::{count, list};

/// What fits on a line of a narrow terminal.
const SHORT: usize = 80;

/// How many different kube-proxies are named.
const PROXIES: usize = 2;

/// `kube-proxy 1.36.3 iptables (version: kubelet; mode: assumed)`.
fn proxy(proxy: &KubeProxy, nodes: Option<&BTreeSet<&Arc<str>>>) -> String {
    let version = match proxy.version_from {
        VersionSource::Image => None,
        VersionSource::Assumed => Some("version: --kube-version"),
        VersionSource::Kubelet => Some("version: kubelet"),
        VersionSource::Server => Some("version: API server"),
        VersionSource::NewestKnown => Some("version: assumed, newest known"),
    };
    let mode = match proxy.mode_from {
        ModeSource::Config | ModeSource::Flags => None,
        ModeSource::Assumed => Some("mode: --proxy-mode"),
        ModeSource::Default => Some("mode: assumed"),
    };
    let from: Vec<_> = version.into_iter().chain(mode).collect();
    let from = if from.is_empty() {
        String::new()
    } else {
        format!(" ({})", from.join("; "))
    };
    let on = nodes.map_or_else(String::new, |nodes| {
        let names = nodes.iter().map(|node| safe(node));
        format!(" on {}", list(names))
    });
    format!("kube-proxy {} {}{on}{from}", proxy.version, proxy.mode.id())
}

fn routers(service: &Service) -> Option<String> {
    if let Some(plane) = &service.data_plane {
        return Some(format!(
            "{} routes it, not kube-proxy ({})",
            plane.named(),
            plane.confidence
        ));
    }
    let mut proxies: BTreeMap<&KubeProxy, BTreeSet<&Arc<str>>> = BTreeMap::new();
    for outcome in outcomes(service) {
        if let Some(proxy) = &outcome.kube_proxy {
            proxies.entry(proxy).or_default().extend(&outcome.nodes);
        }
    }
    let one = proxies.len() == 1;
    let shown = proxies.iter().take(PROXIES);
    let mut parts: Vec<_> = shown
        .map(|(known, nodes)| proxy(known, (!one).then_some(nodes)))
        .collect();
    if proxies.len() > PROXIES {
        parts.push(format!("{} more", proxies.len() - PROXIES));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// `same since 1.19`; `before 1.26: refused`.
fn versions(service: &Service) -> Option<String> {
    let here = service
        .by_version
        .iter()
        .position(|range| range.this_cluster)?;
    let range = service.by_version.get(here)?;
    match here
        .checked_sub(1)
        .and_then(|before| service.by_version.get(before))
    {
        Some(before) => Some(format!("before {}: {}", range.from, before.summary)),
        None => Some(format!("same since {}", range.from)),
    }
}

/// What could not be read, in a line: what was refused before what files leave out.
pub(in crate::render) fn missing(gaps: &[Gap]) -> Option<String> {
    let of = |wanted: &dyn Fn(&&Gap) -> bool| {
        let names: BTreeSet<_> = gaps.iter().filter(wanted).map(|gap| gap.resource).collect();
        (!names.is_empty()).then(|| list(names))
    };
    let left_out = |gap: &&Gap| matches!(gap.reason, "not-in-input" | "not-found");
    let failed = of(&|gap| !left_out(gap));
    // What a file leaves out is no permission to ask for: its group is of no use here.
    let short = |gap: &Gap| gap.resource.split('.').next().map(str::to_owned);
    let absent = gaps.iter().filter(|gap| gap.reason == "not-in-input");
    let absent: BTreeSet<_> = absent.filter_map(short).collect();
    let absent = (!absent.is_empty()).then(|| list(absent));
    let parts = [
        failed.map(|names| format!("could not be read: {names}")),
        absent.map(|names| format!("not in the input: {names}")),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// `1 error, 2 warnings, 1 info`.
fn counts(findings: &[&Finding]) -> Option<String> {
    let number = |severity| {
        findings
            .iter()
            .filter(|each| each.severity == severity)
            .count()
    };
    let info = number(Severity::Info);
    let parts: Vec<_> = [
        (
            number(Severity::Error),
            count(number(Severity::Error), "error"),
        ),
        (
            number(Severity::Warning),
            count(number(Severity::Warning), "warning"),
        ),
        (info, format!("{info} info")),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(_, words)| words)
    .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The last sentences of an answer.
pub(super) fn sentences(service: &Service, findings: &[&Finding], gaps: &[Gap]) -> Vec<String> {
    let who: Vec<_> = routers(service)
        .into_iter()
        .chain(versions(service))
        .collect();
    let explain = findings
        .first()
        .map(|finding| format!(", explain {}", finding.rule));
    let more = format!("more: -o wide{}", explain.unwrap_or_default());
    let last = match counts(findings) {
        Some(counts) => format!("{counts}; {more}"),
        None => more,
    };
    let who = (!who.is_empty()).then(|| who.join("; "));
    let ends = match missing(gaps) {
        None => vec![last],
        Some(missing) => {
            let in_one = format!("{missing}; {last}");
            if in_one.chars().count() <= SHORT {
                vec![in_one]
            } else {
                vec![missing, last]
            }
        }
    };
    who.into_iter().chain(ends).collect()
}
