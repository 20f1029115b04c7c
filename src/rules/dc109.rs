//! DC109: topology hints exist but cannot be used.

use super::words::nodes;
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::proxy::topology::HintsRefused;

pub(super) static RULE: Rule = Rule {
    id: "DC109",
    slug: "hints-ignored",
    severity: Severity::Info,
    when: When::Now,
    summary: "Endpoints carry topology hints, and kube-proxy on some nodes does not use them.",
    page: include_str!("../../docs/rules/DC109.md"),
    check: Check::Service(check),
};

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    check
        .hints_refused
        .iter()
        .map(|(refused, on)| {
            // For a node that was not read, neither its zone nor its hints are known.
            let about_the_node = matches!(
                refused,
                HintsRefused::NoZone | HintsRefused::NoneForThisNode
            );
            let on: Vec<_> = on
                .iter()
                .filter(|node| !about_the_node || cluster.index.node(node).is_some())
                .collect();
            (refused, on)
        })
        .filter(|(_, on)| !on.is_empty())
        .map(|(refused, on)| Finding {
            severity: Severity::Info,
            path: None,
            message: format!(
                "endpoints carry topology hints, and {} ignore{} them: connections go to all zones.",
                nodes(on.iter().copied(), cluster.nodes.len()),
                if on.len() == 1 || on.len() == cluster.nodes.len() { "s" } else { "" },
            ),
            why: why(*refused).to_owned(),
            help: help(*refused).to_owned(),
            ..RULE.about(check.service)
        })
        .collect()
}

const fn why(refused: HintsRefused) -> &'static str {
    match refused {
        HintsRefused::NotRead => {
            "This kube-proxy does not read such hints: they need a newer version or a feature gate, and on Windows no version reads them."
        }
        HintsRefused::NotAnnotated => {
            "This kube-proxy uses zone hints only if the Service carries the annotation service.kubernetes.io/topology-mode (topology-aware-hints before 1.27)."
        }
        HintsRefused::NoZone => "The node has no label topology.kubernetes.io/zone.",
        HintsRefused::Incomplete => {
            "kube-proxy uses hints only if every ready endpoint carries one, and some do not."
        }
        HintsRefused::NoneForThisNode => {
            "No ready endpoint has a hint for the node or its zone, so kube-proxy uses all of them."
        }
    }
}

const fn help(refused: HintsRefused) -> &'static str {
    match refused {
        HintsRefused::NotRead => {
            "Upgrade kube-proxy or switch on its feature gate: it does not read these hints. `kubectl drain-check versions` shows since when they are read; kube-proxy on Windows reads none."
        }
        HintsRefused::NotAnnotated => {
            "Annotate the Service with service.kubernetes.io/topology-mode: Auto; without it hints are ignored. Before 1.27 the annotation is service.kubernetes.io/topology-aware-hints. Where the version has it, use spec.trafficDistribution."
        }
        HintsRefused::NoZone => {
            "Label the node with topology.kubernetes.io/zone: without it kube-proxy ignores the hints."
        }
        HintsRefused::Incomplete => {
            "Wait some seconds: hints count only if every ready endpoint has one, and some have none yet. If it lasts, look for TopologyAwareHintsDisabled in the Service's events."
        }
        HintsRefused::NoneForThisNode => {
            "Run a Ready pod in each zone that has clients: no hint names the zone of these nodes. Until then their traffic goes to all zones."
        }
    }
}
