//! Flags → what is assumed in place of what is observed.

use anyhow::{Context, bail};
use chrono::{DateTime, Utc};

use crate::analysis::{Assumptions, Cluster};
use crate::cli::{Mode, ViewArgs};
use crate::facts::Snapshot;
use crate::facts::cidr::Cidr;
use crate::facts::kube_proxy::ProxyMode;
use crate::gates::state;
use crate::gates::state::Overrides;
use crate::settings;
use crate::settings::Settings;
use crate::shutdown::hook::Steps;
use crate::sources::DeclaredSource;
use crate::words::alike;

fn gates(settings: &[String]) -> anyhow::Result<Overrides> {
    settings
        .iter()
        .map(|setting| {
            let (name, value) = setting.split_once('=').with_context(|| {
                format!("--feature-gates {setting}: write NAME=true or NAME=false")
            })?;
            let value = value.parse().with_context(|| {
                format!("--feature-gates {setting}: the value is true or false")
            })?;
            Ok((name.to_owned(), value))
        })
        .collect()
}

/// `--cluster-cidr`.
fn ranges(text: &str) -> anyhow::Result<Vec<Cidr>> {
    let cidrs = text
        .split(',')
        .map(str::trim)
        .filter(|cidr| !cidr.is_empty());
    cidrs
        .map(|cidr| {
            cidr.parse()
                .with_context(|| format!("--cluster-cidr {cidr}"))
        })
        .collect()
}

fn sources(view: &ViewArgs, settings: &Settings) -> anyhow::Result<Vec<DeclaredSource>> {
    let read = |text: &String, from: &str| {
        text.parse::<DeclaredSource>()
            .with_context(|| format!("{from} {text}"))
    };
    let said: Vec<_> = view
        .source
        .iter()
        .map(|text| read(text, "--source"))
        .collect::<Result<_, _>>()?;
    let mut all: Vec<_> = settings
        .sources
        .iter()
        .map(|text| read(text, settings::FILE))
        .collect::<Result<_, _>>()?;
    all.retain(|given| said.iter().all(|other| other.id != given.id));
    all.extend(said);
    Ok(all)
}

/// What the flags and `.drain-check.yaml` fix; where both speak of a traffic source, the flag counts.
pub(super) fn assumptions(view: &ViewArgs, settings: &Settings) -> anyhow::Result<Assumptions> {
    Ok(Assumptions {
        version: view
            .kube_version
            .as_deref()
            .map(str::parse)
            .transpose()
            .context("--kube-version")?,
        mode: view.proxy_mode.map(|mode| match mode {
            Mode::Iptables => ProxyMode::Iptables,
            Mode::Nftables => ProxyMode::Nftables,
            Mode::Ipvs => ProxyMode::Ipvs,
            Mode::Winkernel => ProxyMode::Winkernel,
        }),
        mode_of_rules: None,
        gates: gates(&view.feature_gates)?,
        cluster_cidr: view.cluster_cidr.as_deref().map(ranges).transpose()?,
        node: view.node.clone(),
        as_of: view
            .as_of
            .as_deref()
            .map(|text| {
                DateTime::parse_from_rfc3339(text)
                    .map(|moment| moment.with_timezone(&Utc))
                    .with_context(|| {
                        format!("--as-of {text}: write a moment as 2026-11-21T00:38:15Z")
                    })
            })
            .transpose()?,
        sources: sources(view, settings)?,
        drain_seconds: view.drain_seconds.map(i64::from),
        hook_steps: Steps::default(),
    })
}

/// Refuses a node that is not there and gates that a kube-proxy of this cluster would not start with.
pub(super) fn check(snapshot: &Snapshot, cluster: &Cluster<'_>) -> anyhow::Result<()> {
    for proxy in cluster.proxies.values() {
        state::check(&cluster.assumptions.gates, proxy.version).context("--feature-gates")?;
    }
    state::check_controllers(&cluster.assumptions.gates, cluster.server)
        .context("--feature-gates")?;
    let Some(wanted) = &cluster.assumptions.node else {
        return Ok(());
    };
    let names = || snapshot.nodes.iter().map(|node| node.name.as_str());
    if snapshot.nodes.is_empty() || names().any(|name| name == wanted) {
        return Ok(());
    }
    let near = alike(wanted, names()).join(", ");
    if near.is_empty() {
        bail!("--node {wanted}: there is no such node");
    }
    bail!("--node {wanted}: there is no such node; there is {near}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_cidr_is_a_list_and_an_empty_one_none() {
        let both = ["10.244.0.0/16", "fd00::/56"].map(|cidr| cidr.parse().expect("a range"));
        assert_eq!(ranges("10.244.0.0/16, fd00::/56").ok(), Some(both.to_vec()));
        assert_eq!(ranges("").ok(), Some(Vec::new()));
        for wrong in ["10.244.0.0", "10.244.0.0/33", "pods/16", "10.0.0.0/x"] {
            assert!(ranges(wrong).is_err(), "{wrong}");
        }
    }
}
