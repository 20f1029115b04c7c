//! DC402: nodes whose kube-proxy would decide differently.

use super::words::list;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::facts::kube_proxy::{KubeProxy, VersionSource};

pub(super) static RULE: Rule = Rule {
    id: "DC402",
    slug: "mixed-proxies",
    severity: Severity::Warning,
    when: When::Next,
    summary: "Nodes run kube-proxies that decide differently about the same endpoints.",
    page: include_str!("../../docs/rules/DC402.md"),
    check: Check::Service(check),
};

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    // A version derived from something else may not be that of a kube-proxy that could not be read.
    let open = cluster.alternatives.behaviours().next().is_some();
    let guessed = |proxy: &KubeProxy| {
        let source = proxy.version_source;
        open && !matches!(source, VersionSource::Image | VersionSource::Assumed)
    };
    if check.disagreeing_proxies.is_empty() || check.disagreeing_proxies.iter().any(guessed) {
        return Vec::new();
    }
    let kinds = list(
        check
            .disagreeing_proxies
            .iter()
            .map(|proxy| format!("{} ({})", proxy.version, proxy.mode.name())),
    );
    vec![Finding {
        severity: Severity::Warning,
        path: None,
        message: format!(
            "nodes run kube-proxy {kinds}, which send this Service's connections to different endpoints."
        ),
        why: "The answer depends on the version, mode and feature gates of the kube-proxy on the node that a connection enters."
            .to_owned(),
        help: "Finish the upgrade: kube-proxies of different versions, modes or gates decide differently. Until then the table of paths shows the answer for each node."
            .to_owned(),
        ..RULE.about(check.service)
    }]
}
