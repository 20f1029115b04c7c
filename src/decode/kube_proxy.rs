//! kube-proxy's pods and ConfigMap → facts.
//!
//! kubeadm, EKS and most others run it as a `DaemonSet` labelled `k8s-app=kube-proxy`; GKE as static pods labelled
//! `component=kube-proxy`. Its configuration is a key of a ConfigMap that holds a `KubeProxyConfiguration`
//! (`kubeproxy.config.k8s.io/v1alpha1`): `config.conf` with kubeadm, `config` on EKS.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::TimeDelta;

use super::parts;
use crate::facts::cidr;
use crate::facts::kube_proxy::{KubeProxyPod, KubeProxySettings, ProxyMode, SyncPeriods};
use crate::facts::version::KubeVersion;
use crate::sources::syntax::go_duration;

/// The namespace that kube-proxy runs in.
pub const NAMESPACE: &str = "kube-system";

/// The names that its ConfigMap has: kubeadm's and EKS's.
pub const CONFIG_MAPS: [&str; 2] = ["kube-proxy", "kube-proxy-config"];

/// The labels by which its pods are found: a `DaemonSet`'s and a static pod's.
pub const POD_LABELS: [(&str, &str); 2] = [("k8s-app", "kube-proxy"), ("component", "kube-proxy")];

/// `registry/kube-proxy:v1.30.3-eksbuild.1@sha256:...` → 1.30.3.
fn image_version(image: &str) -> Option<KubeVersion> {
    let tagged = image.split('@').next()?;
    let (_, tag) = tagged.rsplit('/').next()?.split_once(':')?;
    tag.parse().ok()
}

fn gates(text: &str) -> BTreeMap<String, bool> {
    text.split(',')
        .filter_map(|setting| {
            let (name, value) = setting.split_once('=')?;
            Some((name.trim().to_owned(), value.trim().parse().ok()?))
        })
        .collect()
}

/// What a command line says; both `--flag=value` and `--flag value` are read.
fn flags<'a>(words: impl Iterator<Item = &'a str>) -> KubeProxySettings {
    let mut settings = KubeProxySettings::default();
    let mut words = words.flat_map(str::split_whitespace).peekable();
    while let Some(word) = words.next() {
        let Some(flag) = word.strip_prefix("--") else {
            continue;
        };
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, value),
            None => match words.next_if(|next| !next.starts_with('-')) {
                Some(value) => (flag, value),
                None => continue,
            },
        };
        match name {
            "proxy-mode" => settings.mode = ProxyMode::parse(value),
            "cluster-cidr" => settings.cluster_cidrs = cidr::list(value),
            "detect-local-mode" => settings.detect_local = Some(value.to_owned()),
            "feature-gates" => settings.gates = gates(value),
            _ => {}
        }
    }
    settings
}

/// A pod that runs kube-proxy; `None` for any other pod.
#[must_use]
pub fn kube_proxy_pod(pod: &parts::Pod) -> Option<KubeProxyPod> {
    let labels = pod.metadata.labels.as_ref()?;
    let ours = POD_LABELS
        .iter()
        .any(|(key, value)| labels.get(*key).is_some_and(|label| label == value));
    if pod.metadata.namespace.as_deref() != Some(NAMESPACE) || !ours {
        return None;
    }
    let spec = pod.spec.as_ref()?;
    let container = spec
        .containers
        .iter()
        .find(|container| container.name == "kube-proxy")
        .or(spec.containers.first())?;
    let words = [&container.command, &container.args]
        .into_iter()
        .flatten()
        .flatten()
        .map(String::as_str);
    Some(KubeProxyPod {
        node: spec.node_name.clone()?,
        version: container.image.as_deref().and_then(image_version),
        flags: flags(words),
    })
}

/// The configuration of kube-proxy that a text holds; `None` where it is something else.
#[must_use]
pub fn configuration(text: &str) -> Option<parts::KubeProxyConfiguration> {
    const KIND: &str = "KubeProxyConfiguration";
    let found: Option<parts::KubeProxyConfiguration> = text
        .contains(KIND)
        .then(|| serde_yaml::from_str(text).ok())
        .flatten();
    found.filter(|found| found.kind == KIND)
}

/// Is this ConfigMap kube-proxy's, by namespace and name?
#[must_use]
pub fn is_config_map(object: &serde_json::Value) -> bool {
    let meta = &object["metadata"];
    meta["namespace"] == NAMESPACE
        && meta["name"]
            .as_str()
            .is_some_and(|name| CONFIG_MAPS.contains(&name))
}

/// A duration as Go writes it; 0, which stands for the default, and what is no duration are not set.
fn period(text: Option<&str>) -> Option<TimeDelta> {
    let seconds = go_duration(text?).ok().filter(|seconds| *seconds > 0.0)?;
    TimeDelta::from_std(Duration::try_from_secs_f64(seconds).ok()?).ok()
}

fn sync<const N: usize>(
    modes: [(ProxyMode, Option<parts::SyncPeriods>); N],
) -> BTreeMap<ProxyMode, SyncPeriods> {
    let read = modes.into_iter().filter_map(|(mode, written)| {
        let written = written?;
        let periods = SyncPeriods {
            longest: period(written.sync_period.as_deref()),
            shortest: period(written.min_sync_period.as_deref()),
        };
        (periods != SyncPeriods::default()).then_some((mode, periods))
    });
    read.collect()
}

/// The settings in kube-proxy's ConfigMap; `None` where no key of it holds a `KubeProxyConfiguration`.
#[must_use]
pub fn kube_proxy_config(object: &parts::ConfigMap) -> Option<KubeProxySettings> {
    let texts = object.data.iter().flat_map(BTreeMap::values);
    let found = texts.map(String::as_str).find_map(configuration)?;
    Some(KubeProxySettings {
        mode: found.mode.as_deref().and_then(ProxyMode::parse),
        cluster_cidrs: found
            .cluster_cidr
            .as_deref()
            .map(cidr::list)
            .unwrap_or_default(),
        detect_local: found.detect_local_mode.filter(|mode| !mode.is_empty()),
        gates: found.feature_gates.unwrap_or_default(),
        sync: sync([
            (ProxyMode::Iptables, found.iptables),
            (ProxyMode::Nftables, found.nftables),
            (ProxyMode::Ipvs, found.ipvs),
        ]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_tag_is_the_version_whatever_the_registry_and_digest() {
        let version = |image| image_version(image).map(|version| version.to_string());
        assert_eq!(
            version("registry.example/kube-proxy:v1.36.3").as_deref(),
            Some("1.36.3")
        );
        assert_eq!(
            version("localhost:5000/eks/kube-proxy:v1.30.3-eksbuild.5@sha256:00").as_deref(),
            Some("1.30.3")
        );
        assert_eq!(version("localhost:5000/kube-proxy"), None);
        assert_eq!(version("kube-proxy:latest"), None);
    }

    #[test]
    fn flags_are_read_in_both_spellings_and_from_a_shell_string() {
        let read = flags(
            [
                "/bin/sh",
                "-c",
                "exec kube-proxy --proxy-mode=ipvs --cluster-cidr 10.0.0.0/8,fd00::/64 \
              --feature-gates=A=true,B=false --v=2",
            ]
            .into_iter(),
        );
        assert_eq!(read.mode, Some(ProxyMode::Ipvs));
        assert_eq!(read.cluster_cidrs, cidr::list("10.0.0.0/8,fd00::/64"));
        assert_eq!(read.gates.get("B"), Some(&false));
    }

    #[test]
    fn kubeadms_config_map_is_read_and_an_empty_mode_is_the_default() {
        let config = |text: &str| {
            kube_proxy_config(&parts::ConfigMap {
                data: Some(BTreeMap::from([
                    ("kubeconfig.conf".to_owned(), "kind: Config".to_owned()),
                    ("config.conf".to_owned(), text.to_owned()),
                ])),
                ..parts::ConfigMap::default()
            })
        };
        let head = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n";
        let empty = config(&format!("{head}mode: \"\"\nclusterCIDR: 10.244.0.0/16\n"))
            .expect("a configuration");
        assert_eq!(empty.mode, None);
        assert_eq!(empty.cluster_cidrs, cidr::list("10.244.0.0/16"));
        let set = config(&format!(
            "{head}mode: nftables\nfeatureGates: {{A: false}}\n"
        ))
        .expect("a configuration");
        assert_eq!(set.mode, Some(ProxyMode::Nftables));
        assert_eq!(set.gates.get("A"), Some(&false));
        assert_eq!(config("kind: ["), None);
    }
}
