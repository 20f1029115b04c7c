//! DC103: under a Local policy some nodes have no usable endpoint.

use std::collections::{BTreeMap, BTreeSet};

use super::words::{list, nodes, only_seen_from_here, paths, refuses_or_drops};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::paths::Source;
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::proxy::answer::Path;
use crate::proxy::reason::Verdict;

pub(super) static RULE: Rule = Rule {
    id: "DC103",
    slug: "local-policy-gap",
    severity: Severity::Warning,
    when: When::Now,
    summary: "Under a Local policy some nodes have no usable endpoint, and drop or refuse new connections.",
    page: include_str!("../../docs/rules/DC103.md"),
    check: Check::Service(check),
};

/// Where new connections do not get through.
#[derive(Default)]
struct Gap<'a> {
    paths: BTreeSet<&'a str>,
    verdicts: BTreeSet<Verdict>,
    nodes: BTreeSet<&'a str>,
}

fn check(check: &ServiceAnalysis<'_>, cluster: &Cluster<'_>) -> Vec<Finding> {
    // In ipvs mode, say, the same nodes may use all endpoints.
    if !check.certainly(|traffic| traffic.refuses || traffic.drops) {
        return Vec::new();
    }
    // By policy: the nodes that refuse or drop connections while others do not.
    let mut gaps: BTreeMap<bool, Gap<'_>> = BTreeMap::new();
    for (_, each) in paths(check).filter(|(_, path)| path.local) {
        let forwards = |verdict| verdict == Verdict::Forward;
        let (on, off): (Vec<_>, Vec<_>) = each
            .outcomes
            .iter()
            .partition(|outcome| forwards(outcome.verdict));
        let external = each.path != Path::ClusterIp;
        let nowhere = on.is_empty() && !only_seen_from_here(each, check, cluster);
        if nowhere || off.is_empty() || (external && each.from != Source::Outside) {
            continue;
        }
        let gap = gaps.entry(external).or_default();
        gap.paths.insert(each.path.name());
        gap.verdicts
            .extend(off.iter().map(|outcome| outcome.verdict));
        let nodes = off.iter().flat_map(|outcome| &outcome.nodes);
        gap.nodes.extend(nodes.map(|name| &**name));
    }
    gaps.into_iter()
        .map(|(external, gap)| finding(check, cluster, external, &gap))
        .collect()
}

fn finding(
    check: &ServiceAnalysis<'_>,
    cluster: &Cluster<'_>,
    external: bool,
    gap: &Gap<'_>,
) -> Finding {
    let all = cluster.nodes.len();
    let field = if external {
        "spec.externalTrafficPolicy"
    } else {
        "spec.internalTrafficPolicy"
    };
    let probes = check.health.as_ref().filter(|_| external).map(|health| {
        format!(
            " Health checks on port {} get 503 from {}, so a load balancer that uses them should stop sending there; connections that arrive before that are lost.",
            health.port,
            nodes(health.unhealthy(), all)
        )
    });
    let (severity, tail) = match probes {
        Some(text) => (Severity::Info, text),
        None if external => (
            Severity::Warning,
            " There is no health check port, so clients cannot tell which nodes to avoid."
                .to_owned(),
        ),
        None => (
            Severity::Warning,
            if gap.nodes.len() == 1 {
                " Pods on that node cannot reach the Service.".to_owned()
            } else {
                " Pods on those nodes cannot reach the Service.".to_owned()
            },
        ),
    };
    let on = nodes(gap.nodes.iter().copied(), all);
    let (on, one) = match gap.nodes.len() {
        _ if on == "every node" || on == "any node" => (on, true),
        1 => (format!("node {on}"), true),
        _ => (format!("nodes {on}"), false),
    };
    Finding {
        severity,
        path: Some(field.into()),
        message: format!(
            "{on} {} new connections ({}): no usable local endpoint.{tail}",
            refuses_or_drops(&gap.verdicts, one),
            list(&gap.paths),
        ),
        why:
            "Under policy Local a node uses only its own endpoints, however many others are ready."
                .to_owned(),
        help: format!(
            "Run a Ready pod on every node (DaemonSet or topologySpreadConstraints), or set {}: Cluster. Nodes that never get this traffic need none.",
            field.trim_start_matches("spec.")
        ),
        ..RULE.about(check.service)
    }
}
