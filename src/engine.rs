//! The program as a table of contents: from facts to what is reported.
//!
//! ```text
//! facts ─ Cluster ─ workloads ─ services ─ rules ─ suppress ─ order → report
//! ```
//!
//! A check of a cluster and `lint` take the same way; only where a finding is written is looked up in between by `lint`.
#![deny(clippy::disallowed_methods)]

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::analysis::behind::ByService;
use crate::analysis::causes::Causes;
use crate::analysis::{Cluster, ServiceAnalysis, WorkloadAnalysis, endpoints, service, workload};
use crate::facts::service::Service;
use crate::rules::{self, Finding, When, join};
use crate::suppress::{Decided, Filter, live};

/// The findings about some objects before anybody decided about them, in no order, with the workloads that were judged.
#[derive(Debug)]
pub struct Found<'a> {
    /// What the rules say.
    pub findings: Vec<Finding>,
    /// The workloads behind the Services.
    pub workloads: Vec<Rc<WorkloadAnalysis<'a>>>,
}

/// Checks some Services of a cluster. Each is handed over once it is worked out: a large cluster has more of them than are wanted in
/// memory at once.
#[must_use]
pub fn check<'a>(
    cluster: &Cluster<'a>,
    services: &[&'a Service],
    filter: Filter,
    take: &mut dyn FnMut(&ServiceAnalysis<'a>),
) -> Decided {
    let workloads = workload::workloads(services, cluster);
    let Found {
        findings,
        workloads,
    } = found(cluster, services, workloads, take);
    let mut decided = live::apply(filter, findings, (cluster, services, &workloads));
    worst_first(&mut decided.findings);
    decided.findings = join::join(decided.findings);
    decided
}

/// What the rules say of manifests: about Services, about workloads with and without one, and of what objects say of each other.
#[must_use]
pub fn lint<'a>(cluster: &Cluster<'a>) -> Found<'a> {
    let services: Vec<_> = cluster.snapshot.services.iter().collect();
    // The Services of those that are behind none may be in files that were not given.
    let everyone = workload::everyone(&services, cluster).into_iter();
    let (behind, unserved): (Vec<_>, Vec<_>) = everyone.partition(|each| !each.services.is_empty());
    let mut found = found(cluster, &services, behind, &mut |_| {});
    for each in &unserved {
        found.findings.extend(rules::of_workload(each, cluster));
    }
    let more = rules::of_manifests(&found.workloads, cluster);
    found.findings.extend(more);
    // Who writes the endpoints of a Service without selector writes them elsewhere, if no slice of it is here.
    let elsewhere = services.iter();
    let elsewhere = elsewhere.filter(|service| endpoints::are_elsewhere(service, cluster));
    let elsewhere: BTreeSet<_> = elsewhere.map(|service| &service.name).collect();
    let of_those = |finding: &Finding| {
        finding.object.kind == "Service" && elsewhere.contains(&finding.object.name)
    };
    let findings = &mut found.findings;
    findings.retain(|finding| finding.when != When::Now || !of_those(finding));
    found
}

/// Analyses Services with the workloads behind them, and asks the rules.
fn found<'a>(
    cluster: &Cluster<'a>,
    services: &[&'a Service],
    workloads: Vec<Rc<WorkloadAnalysis<'a>>>,
    take: &mut dyn FnMut(&ServiceAnalysis<'a>),
) -> Found<'a> {
    let behind = ByService::new(&workloads);
    let mut causes = Causes::new(services);
    let mut findings = Vec::new();
    for each in services {
        let analysis = service::analyse(each, behind.of(&each.name), &mut causes, cluster);
        findings.extend(rules::of_service(&analysis, cluster));
        take(&analysis);
    }
    for workload in &workloads {
        findings.extend(rules::of_workload(workload, cluster));
    }
    Found {
        findings,
        workloads,
    }
}

/// Puts findings in order: what hurts now before what will, and then the worst first.
fn worst_first(findings: &mut [Finding]) {
    findings.sort_by(|one, other| {
        (one.when.cmp(&other.when))
            .then_with(|| other.severity.cmp(&one.severity))
            .then_with(|| one.rule.id.cmp(other.rule.id))
            .then_with(|| one.object.name.cmp(&other.object.name))
    });
}
